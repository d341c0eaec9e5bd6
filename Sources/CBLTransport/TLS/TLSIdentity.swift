import CBLSystemGnuTLS
import Glibc

/// A certificate, what was signed with to make it, and the private key: what one end of TLS shows the other.
package struct TLSIdentity: Sendable {
    /// The own certificate first, then those of its authorities.
    package let certificates: [Certificate]
    // PKCS #8, in DER, not encrypted.
    private let keyDER: [UInt8]

    /// Reads the texts of two PEM files, which may be the same one. If the key is encrypted, its passphrase is asked for.
    package init(
        certificates: [UInt8], certificateName: String, key: [UInt8], keyName: String,
        passphrase: () throws(TransportError) -> String? = { () throws(TransportError) in nil }
    ) throws(TransportError) {
        let gnutls = try GnuTLS.functions()
        self.certificates = try Certificate.read(certificates, name: certificateName)
        var handle: gnutls_x509_privkey_t?
        try GnuTLS.check(gnutls.key_init(&handle), keyName)
        defer { gnutls.key_deinit(handle) }
        let format =
            key.contains(0) || !String(decoding: key, as: UTF8.self).contains("-----BEGIN") ? GNUTLS_X509_FMT_DER : GNUTLS_X509_FMT_PEM
        func read(_ password: String?) throws(TransportError) -> Int32 {
            try GnuTLS.withDatum(key) { datum throws(TransportError) in gnutls.key_import(handle, &datum, format, password, 0) }
        }
        var code = try read(nil)
        if code == GNUTLS_E_DECRYPTION_FAILED {
            guard let password = try passphrase() else {
                throw TransportError(
                    .network(.tlsCertificateRequiredByPeer), "\(keyName): the private key is encrypted", advice: "Give its passphrase")
            }
            code = try read(password)
            guard code != GNUTLS_E_DECRYPTION_FAILED else {
                throw TransportError(.network(.tlsCertificateRequiredByPeer), "\(keyName): wrong passphrase for the private key")
            }
        }
        try GnuTLS.check(code, "\(keyName): there is no private key in it that can be used")
        keyDER = try TLSIdentity.der(of: handle, keyName)
        let keyID = try GnuTLS.output(keyName) { output, size in
            gnutls.key_id(handle, GNUTLS_KEYID_USE_SHA256.rawValue, output?.assumingMemoryBound(to: UInt8.self), &size)
        }
        guard keyID == self.certificates[0].keyDigest else {
            throw TransportError(
                .network(.tlsCertificateRequiredByPeer),
                "\(keyName): the private key does not belong to the certificate in \(certificateName)",
                advice: "The own certificate must be the first in its file")
        }
    }

    /// PKCS #8: the older form of a key that has been read from PKCS #8 cannot always be read again.
    static func der(of key: gnutls_x509_privkey_t?, _ name: String) throws(TransportError) -> [UInt8] {
        let gnutls = try GnuTLS.functions()
        return try GnuTLS.output(name) { output, size in
            gnutls.key_export_encrypted(key, GNUTLS_X509_FMT_DER, nil, GNUTLS_PKCS_PLAIN.rawValue, output, &size)
        }
    }

    /// The key has to be that of the first certificate; that is not looked at.
    init(certificates: [Certificate], keyDER: [UInt8]) {
        self.certificates = certificates
        self.keyDER = keyDER
    }

    /// The same with the certificates of authorities behind its own.
    package func appending(_ authorities: [Certificate]) -> TLSIdentity {
        TLSIdentity(certificates: certificates + authorities, keyDER: keyDER)
    }

    /// The certificates as PEM.
    package var certificatePEM: String { certificates.map(\.pem).joined() }

    /// The private key as PEM, encrypted if there is a passphrase. To be written where nobody else can read it.
    package func keyPEM(passphrase: String? = nil) throws(TransportError) -> String {
        let gnutls = try GnuTLS.functions()
        let key = try importKey()
        defer { gnutls.key_deinit(key) }
        let flags = passphrase == nil ? GNUTLS_PKCS_PLAIN.rawValue : GNUTLS_PKCS_PBES2_AES_256.rawValue
        let text = try GnuTLS.output("the private key cannot be written") { output, size in
            gnutls.key_export_encrypted(key, GNUTLS_X509_FMT_PEM, passphrase, flags, output, &size)
        }
        return String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
    }

    /// A handle that the caller frees.
    func importKey() throws(TransportError) -> gnutls_x509_privkey_t {
        let gnutls = try GnuTLS.functions()
        var key: gnutls_x509_privkey_t?
        try GnuTLS.check(gnutls.key_init(&key), "private key")
        let code = try GnuTLS.withDatum(keyDER) { datum throws(TransportError) in
            gnutls.key_import(key, &datum, GNUTLS_X509_FMT_DER, nil, 0)
        }
        guard code == 0, let key else {
            gnutls.key_deinit(key)
            throw TransportError(.network(.tlsHandshakeFailed), "the private key cannot be read: \(GnuTLS.text(code))")
        }
        return key
    }
}
