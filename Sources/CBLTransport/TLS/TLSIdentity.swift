import CBLSystemGnuTLS
import Glibc

/// A certificate, what was signed with to make it, and the private key: what one end of TLS shows the other.
package struct TLSIdentity: Sendable {
    /// The own certificate first, then those of its authorities.
    package let certificates: [Certificate]
    // PKCS #8 or older, in DER, not encrypted.
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
        keyDER = try GnuTLS.output(keyName) { output, size in gnutls.key_export(handle, GNUTLS_X509_FMT_DER, output, &size) }
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

    private init(certificates: [Certificate], keyDER: [UInt8]) {
        self.certificates = certificates
        self.keyDER = keyDER
    }

    /// What a new identity is for.
    package enum Purpose: Sendable {
        case server
        case client
        case authority
    }

    /// Makes a key (ECDSA, P-256) and a certificate for it, signed by itself or by an authority.
    /// `hosts` are names and addresses, the first of which is the subject.
    package static func make(
        _ purpose: Purpose, hosts: [String], from start: Int64, to end: Int64, issuer: TLSIdentity? = nil
    ) throws(TransportError) -> TLSIdentity {
        let gnutls = try GnuTLS.functions()
        let what = "cannot make a certificate"
        var key: gnutls_x509_privkey_t?
        try GnuTLS.check(gnutls.key_init(&key), what)
        defer { gnutls.key_deinit(key) }
        try GnuTLS.check(gnutls.key_generate(key, GNUTLS_PK_ECDSA, cblite_gnutls_curve, 0), what)
        var certificate: gnutls_x509_crt_t?
        try GnuTLS.check(gnutls.certificate_init(&certificate), what)
        defer { gnutls.certificate_deinit(certificate) }
        try GnuTLS.check(gnutls.certificate_set_version(certificate, 3), what)
        var serial = [UInt8](repeating: 0, count: 16)
        try GnuTLS.check(gnutls.random(GNUTLS_RND_NONCE, &serial, serial.count), what)
        // A serial number is positive.
        serial[0] = serial[0] & 0x3F | 0x40
        try GnuTLS.check(gnutls.certificate_set_serial(certificate, serial, serial.count), what)
        try GnuTLS.check(gnutls.certificate_set_activation(certificate, time_t(start)), what)
        try GnuTLS.check(gnutls.certificate_set_expiration(certificate, time_t(end)), what)
        try GnuTLS.check(gnutls.certificate_set_key(certificate, key), what)
        let name = Array((hosts.first ?? "cblite").utf8.prefix(64))
        try GnuTLS.check(gnutls.certificate_set_name(certificate, GNUTLS_OID_X520_COMMON_NAME, 0, name, UInt32(name.count)), what)
        try GnuTLS.check(gnutls.certificate_set_constraints(certificate, purpose == .authority ? 1 : 0, -1), what)
        let usage = purpose == .authority ? cblite_gnutls_issuing_usage : cblite_gnutls_signing_usage
        try GnuTLS.check(gnutls.certificate_set_usage(certificate, usage), what)
        switch purpose {
        case .server: try GnuTLS.check(gnutls.certificate_add_purpose(certificate, GNUTLS_KP_TLS_WWW_SERVER, 0), what)
        case .client: try GnuTLS.check(gnutls.certificate_add_purpose(certificate, GNUTLS_KP_TLS_WWW_CLIENT, 0), what)
        case .authority: break
        }
        if purpose == .server {
            for host in hosts {
                let address = addressBytes(host)
                let bytes = address ?? Array(host.utf8)
                try GnuTLS.check(
                    gnutls.certificate_add_alternative(
                        certificate, address == nil ? GNUTLS_SAN_DNSNAME : GNUTLS_SAN_IPADDRESS, bytes, UInt32(bytes.count),
                        UInt32(GNUTLS_FSAN_APPEND)), what)
            }
        }
        var keyID = [UInt8](repeating: 0, count: 20)
        var keyIDSize = keyID.count
        try GnuTLS.check(gnutls.key_id(key, GNUTLS_KEYID_USE_SHA1.rawValue, &keyID, &keyIDSize), what)
        try GnuTLS.check(gnutls.certificate_set_key_id(certificate, keyID, keyIDSize), what)
        if let issuer {
            let authority = try issuer.certificates[0].import()
            defer { gnutls.certificate_deinit(authority) }
            let authorityKey = try issuer.importKey()
            defer { gnutls.key_deinit(authorityKey) }
            try GnuTLS.check(gnutls.certificate_sign(certificate, authority, authorityKey, GNUTLS_DIG_SHA256, 0), what)
        } else {
            try GnuTLS.check(gnutls.certificate_sign(certificate, certificate, key, GNUTLS_DIG_SHA256, 0), what)
        }
        let der = try GnuTLS.output(what) { output, size in gnutls.certificate_export(certificate, GNUTLS_X509_FMT_DER, output, &size) }
        let keyDER = try GnuTLS.output(what) { output, size in gnutls.key_export(key, GNUTLS_X509_FMT_DER, output, &size) }
        return TLSIdentity(certificates: [Certificate(der: der)] + (issuer?.certificates ?? []), keyDER: keyDER)
    }

    private static func addressBytes(_ host: String) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, host, &bytes) == 1 { return Array(bytes.prefix(4)) }
        return inet_pton(AF_INET6, host, &bytes) == 1 ? bytes : nil
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
