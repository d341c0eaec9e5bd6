import CBLSystemGnuTLS
import Glibc

extension TLSIdentity {
    /// Reads a PKCS #12 package (`.p12`, `.pfx`) with a key, its certificate, and those that signed it.
    package static func read(pkcs12 bytes: [UInt8], password: String?, name: String) throws(TransportError) -> TLSIdentity {
        let gnutls = try GnuTLS.functions()
        var package: gnutls_pkcs12_t?
        try GnuTLS.check(gnutls.package_init(&package), name)
        defer { gnutls.package_deinit(package) }
        let code = try GnuTLS.withDatum(bytes) { datum throws(TransportError) in
            gnutls.package_import(package, &datum, GNUTLS_X509_FMT_DER, 0)
        }
        try GnuTLS.check(code, "\(name): this is no PKCS #12")
        // Without a password some writers take none, and others an empty one.
        var failure: TransportError?
        for password in password.map({ [$0] }) ?? [nil, ""] {
            do {
                return try read(package, password, name)
            } catch {
                failure = failure ?? error
            }
        }
        throw failure ?? TransportError(.network(.tlsHandshakeFailed), "\(name): it cannot be read")
    }

    private static func read(
        _ package: gnutls_pkcs12_t?, _ password: String?, _ name: String
    ) throws(TransportError) -> TLSIdentity {
        let gnutls = try GnuTLS.functions()
        guard gnutls.package_verify(package, password) == 0 else {
            throw TransportError(.network(.tlsCertificateRequiredByPeer), "\(name): the password is wrong, or the file is damaged")
        }
        var key: gnutls_x509_privkey_t?
        var chain: UnsafeMutablePointer<gnutls_x509_crt_t?>?
        var count: UInt32 = 0
        var others: UnsafeMutablePointer<gnutls_x509_crt_t?>?
        var otherCount: UInt32 = 0
        let code = gnutls.package_parse(
            package, password, &key, &chain, &count, &others, &otherCount, nil, UInt32(GNUTLS_PKCS12_SP_INCLUDE_SELF_SIGNED))
        // After an error the pointers lead to what has been freed.
        try GnuTLS.check(code, name)
        defer {
            gnutls.key_deinit(key)
            for (list, count) in [(chain, count), (others, otherCount)] {
                for index in 0..<Int(count) { gnutls.certificate_deinit(list?[index]) }
                free(list)
            }
        }
        guard let key, let chain, count > 0 else {
            throw TransportError(
                .network(.tlsCertificateRequiredByPeer), "\(name): there is no private key with a certificate for it in this file")
        }
        var certificates: [Certificate] = []
        for index in 0..<Int(count) {
            certificates.append(
                Certificate(
                    der: try GnuTLS.output(name) { output, size in
                        gnutls.certificate_export(chain[index], GNUTLS_X509_FMT_DER, output, &size)
                    }))
        }
        return TLSIdentity(certificates: certificates, keyDER: try der(of: key, name))
    }
}
