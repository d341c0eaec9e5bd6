import CBLBase
import CBLSystemGnuTLS

/// An X.509 certificate, as its DER bytes. Equal certificates have equal bytes.
package struct Certificate: Hashable, Sendable {
    package let der: [UInt8]

    /// The bytes have not been looked at: what is made of them later may fail.
    init(der: [UInt8]) { self.der = der }

    /// All certificates of a file, in PEM one behind the other, or one in DER. `name` is the file's, for the error.
    package static func read(_ bytes: [UInt8], name: String) throws(TransportError) -> [Certificate] {
        let gnutls = try GnuTLS.functions()
        let isPEM = bytes.starts(with: "-----BEGIN".utf8) || String(decoding: bytes, as: UTF8.self).contains("-----BEGIN CERTIFICATE")
        // As many as there could be, so that one call reads all.
        var list = [gnutls_x509_crt_t?](repeating: nil, count: max(1, bytes.count / 128))
        var count = UInt32(list.count)
        let code = try GnuTLS.withDatum(bytes) { datum throws(TransportError) in
            gnutls.certificates_import(&list, &count, &datum, isPEM ? GNUTLS_X509_FMT_PEM : GNUTLS_X509_FMT_DER, 0)
        }
        guard code > 0 else {
            throw TransportError(
                .network(.tlsCertificateUntrusted), "\(name): there is no certificate in it: \(GnuTLS.text(code))",
                advice: "It must be in PEM, with lines that say BEGIN CERTIFICATE and END CERTIFICATE, or in DER")
        }
        defer { for handle in list.prefix(Int(code)) { gnutls.certificate_deinit(handle) } }
        var certificates: [Certificate] = []
        for handle in list.prefix(Int(code)) {
            certificates.append(
                Certificate(
                    der: try GnuTLS.output(name) { output, size in gnutls.certificate_export(handle, GNUTLS_X509_FMT_DER, output, &size) }))
        }
        return certificates
    }

    /// The certificate as GnuTLS has it, for the length of a call.
    func withHandle<Result>(_ body: (gnutls_x509_crt_t) throws(TransportError) -> Result) throws(TransportError) -> Result {
        let gnutls = try GnuTLS.functions()
        var handle: gnutls_x509_crt_t?
        try GnuTLS.check(gnutls.certificate_init(&handle), "certificate")
        defer { gnutls.certificate_deinit(handle) }
        let code = try GnuTLS.withDatum(der) { datum throws(TransportError) in
            gnutls.certificate_import(handle, &datum, GNUTLS_X509_FMT_DER)
        }
        try GnuTLS.check(code, "the certificate cannot be read")
        guard let handle else { throw TransportError(.network(.unknown), "no memory") }
        return try body(handle)
    }

    package var pem: String {
        let text = der.withUnsafeBytes { Base64.text(of: $0) }
        var lines = "-----BEGIN CERTIFICATE-----\n"
        var rest = text[...]
        while !rest.isEmpty {
            lines += rest.prefix(64) + "\n"
            rest = rest.dropFirst(64)
        }
        return lines + "-----END CERTIFICATE-----\n"
    }

    /// Whom it names, as `CN=host,O=company`; empty if that cannot be read.
    package var subject: String {
        let gnutls = try? GnuTLS.functions()
        let bytes = try? withHandle { handle throws(TransportError) in
            try GnuTLS.output("subject") { output, size in
                gnutls?.certificate_name(handle, output?.assumingMemoryBound(to: CChar.self), &size) ?? -1
            }
        }
        // Names come from whoever made the certificate, and go to a terminal.
        return ForeignText.line(String(decoding: (bytes ?? []).prefix { $0 != 0 }, as: UTF8.self))
    }

    /// The host, the person or the program that it names, as it stands there; nil if that cannot be read.
    package var commonName: String? {
        let gnutls = try? GnuTLS.functions()
        let bytes = try? withHandle { handle throws(TransportError) in
            try GnuTLS.output("common name") { output, size in
                gnutls?.certificate_name_part(handle, GNUTLS_OID_X520_COMMON_NAME, 0, 0, output, &size) ?? -1
            }
        }
        return bytes.map { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    /// Seconds since 1970.
    package var expires: Int64 {
        let gnutls = try? GnuTLS.functions()
        return (try? withHandle { Int64(gnutls?.certificate_expires($0) ?? 0) }) ?? 0
    }

    /// SHA-256 of all of it.
    package var digest: [UInt8] { der.withUnsafeBytes { SHA256.digest(of: $0) } }

    /// SHA-256 of its public key, as it is encoded in certificates. Empty if that cannot be read.
    package var keyDigest: [UInt8] {
        let gnutls = try? GnuTLS.functions()
        let digest = try? withHandle { handle throws(TransportError) in
            try GnuTLS.output("key") { output, size in
                gnutls?.certificate_key_id(
                    handle, GNUTLS_KEYID_USE_SHA256.rawValue, output?.assumingMemoryBound(to: UInt8.self), &size) ?? -1
            }
        }
        return digest ?? []
    }

    package var fingerprint: CertificateFingerprint {
        CertificateFingerprint(
            certificate: digest.withUnsafeBytes { Hex.text(of: $0) }, key: keyDigest.withUnsafeBytes { Hex.text(of: $0) }, subject: subject)
    }

    /// Whether it is for a host, a name or an address.
    package func isFor(_ host: String) -> Bool {
        let gnutls = try? GnuTLS.functions()
        return (try? withHandle { gnutls?.certificate_is_for($0, host) ?? 0 != 0 }) ?? false
    }

    package var isSelfSigned: Bool {
        let gnutls = try? GnuTLS.functions()
        let namesItself = (try? withHandle { gnutls?.certificate_is_issuer($0, $0) ?? 0 != 0 }) ?? false
        // Anybody can write a name: the signature has to be its own, too.
        return namesItself && (try? Certificate.status(of: [self], trusting: [self])) == 0
    }

    /// Whether it is valid already, and still.
    package var isInItsTime: Bool {
        let objections = GNUTLS_CERT_EXPIRED.rawValue | GNUTLS_CERT_NOT_ACTIVATED.rawValue
        return (try? Certificate.status(of: [self], trusting: [self])).map { $0 & objections == 0 } ?? false
    }

    package static let usualChecks: UInt32 = cblite_gnutls_any_trust_purpose

    /// What GnuTLS has against a chain, the leaf first, if only these authorities are trusted: 0 is nothing.
    package static func status(
        of chain: [Certificate], trusting authorities: [Certificate], flags: UInt32 = Certificate.usualChecks
    ) throws(TransportError) -> UInt32 {
        let gnutls = try GnuTLS.functions()
        var trust: gnutls_x509_trust_list_t?
        try GnuTLS.check(gnutls.trust_init(&trust, 0), "certificates")
        var owned: [gnutls_x509_crt_t?] = []
        defer {
            // The authorities are the list's own by now; the chain is not.
            gnutls.trust_deinit(trust, 1)
            for handle in owned { gnutls.certificate_deinit(handle) }
        }
        for authority in authorities {
            var handle: gnutls_x509_crt_t? = try authority.import()
            if gnutls.trust_add(trust, &handle, 1, 0) != 1 { gnutls.certificate_deinit(handle) }
        }
        for certificate in chain { owned.append(try certificate.import()) }
        var status: UInt32 = 0
        var list = owned
        try GnuTLS.check(
            gnutls.trust_verify(trust, &list, UInt32(list.count), flags, &status, nil), "certificates")
        return status
    }

    /// A handle that the caller frees.
    func `import`() throws(TransportError) -> gnutls_x509_crt_t {
        let gnutls = try GnuTLS.functions()
        var handle: gnutls_x509_crt_t?
        try GnuTLS.check(gnutls.certificate_init(&handle), "certificate")
        let code = try GnuTLS.withDatum(der) { datum throws(TransportError) in
            gnutls.certificate_import(handle, &datum, GNUTLS_X509_FMT_DER)
        }
        guard code == 0, let handle else {
            gnutls.certificate_deinit(handle)
            throw TransportError(.network(.tlsCertificateUntrusted), "a certificate cannot be read: \(GnuTLS.text(code))")
        }
        return handle
    }
}
