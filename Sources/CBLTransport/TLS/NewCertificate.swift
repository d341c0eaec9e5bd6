import CBLSystemGnuTLS
import Glibc

/// What a certificate says that is to be made.
package struct NewCertificate: Sendable {
    package enum Key: Sendable {
        /// ECDSA, P-256: made in no time.
        case ellipticCurve
        /// RSA, 2048 bits: understood by everybody.
        case rsa
    }

    /// What of its owner's name: `2.5.4.3` is what it is commonly called.
    package struct NamePart: Sendable {
        let objectID: String
        let text: String

        package init(_ objectID: String, _ text: String) {
            self.objectID = objectID
            self.text = text
        }

        package static func commonName(_ text: String) -> NamePart { NamePart(GNUTLS_OID_X520_COMMON_NAME, text) }
    }

    /// By what else its owner is known.
    package enum AlternativeName: Sendable {
        case host(String)
        case email(String)
        case url(String)
        /// 4 bytes or 16.
        case address([UInt8])
        case objectID(String)

        /// Of an address or a name.
        package init(host: String) {
            self = NewCertificate.addressBytes(host).map { .address($0) } ?? .host(host)
        }
    }

    package enum Purpose: Sendable {
        case server
        case client
    }

    package var key = Key.ellipticCurve
    package var name: [NamePart] = []
    package var alternativeNames: [AlternativeName] = []
    package var purposes: [Purpose] = []
    /// Whether it may sign others.
    package var isAuthority = false
    /// Seconds since 1970.
    package var start: Int64
    package var end: Int64

    package init(from start: Int64, to end: Int64) {
        self.start = start
        self.end = end
    }

    /// The bytes of an address; nil if it is none.
    package static func addressBytes(_ text: String) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &bytes) == 1 { return Array(bytes.prefix(4)) }
        return inet_pton(AF_INET6, text, &bytes) == 1 ? bytes : nil
    }
}

extension NewCertificate {
    /// Whether it is as `1.2.840.113549`.
    static func isObjectID(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard (2...32).contains(parts.count) else { return false }
        let numbers = parts.compactMap { part in
            part.allSatisfy { 0x30...0x39 ~= $0 } && (part.count == 1 || part.first != 0x30)
                ? UInt32(String(decoding: part, as: UTF8.self)) : nil
        }
        return numbers.count == parts.count && numbers[0] <= 2 && (numbers[0] == 2 || numbers[1] < 40)
    }
}

extension TLSIdentity {
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
        var content = NewCertificate(from: start, to: end)
        content.name = [.commonName(String(decoding: (hosts.first ?? "cblite").utf8.prefix(64), as: UTF8.self))]
        content.isAuthority = purpose == .authority
        switch purpose {
        case .server:
            content.purposes = [.server]
            content.alternativeNames = hosts.map { .init(host: $0) }
        case .client: content.purposes = [.client]
        case .authority: break
        }
        return try make(content, issuer: issuer)
    }

    /// Makes a key and a certificate for it, signed by itself or by an authority, whose certificates follow the own one.
    package static func make(_ content: NewCertificate, issuer: TLSIdentity? = nil) throws(TransportError) -> TLSIdentity {
        let gnutls = try GnuTLS.functions()
        let what = "cannot make a certificate"
        var key: gnutls_x509_privkey_t?
        try GnuTLS.check(gnutls.key_init(&key), what)
        defer { gnutls.key_deinit(key) }
        switch content.key {
        case .ellipticCurve: try GnuTLS.check(gnutls.key_generate(key, GNUTLS_PK_ECDSA, cblite_gnutls_curve, 0), what)
        case .rsa: try GnuTLS.check(gnutls.key_generate(key, GNUTLS_PK_RSA, 2048, 0), what)
        }
        var certificate: gnutls_x509_crt_t?
        try GnuTLS.check(gnutls.certificate_init(&certificate), what)
        defer { gnutls.certificate_deinit(certificate) }
        try GnuTLS.check(gnutls.certificate_set_key(certificate, key), what)
        guard let certificate, let key else { throw TransportError(.network(.unknown), "no memory") }
        try content.describe(certificate, key, gnutls)
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
        // There are names that can be written and not be read.
        _ = try Certificate.read(der, name: what)
        return TLSIdentity(certificates: [Certificate(der: der)] + (issuer?.certificates ?? []), keyDER: try TLSIdentity.der(of: key, what))
    }
}

extension NewCertificate {
    fileprivate func describe(
        _ certificate: gnutls_x509_crt_t, _ key: gnutls_x509_privkey_t, _ gnutls: cblite_gnutls
    ) throws(TransportError) {
        let what = "cannot make a certificate"
        try GnuTLS.check(gnutls.certificate_set_version(certificate, 3), what)
        var serial = [UInt8](repeating: 0, count: 16)
        try GnuTLS.check(gnutls.random(GNUTLS_RND_NONCE, &serial, serial.count), what)
        // A serial number is positive.
        serial[0] = serial[0] & 0x3F | 0x40
        try GnuTLS.check(gnutls.certificate_set_serial(certificate, serial, serial.count), what)
        try GnuTLS.check(gnutls.certificate_set_activation(certificate, time_t(start)), what)
        try GnuTLS.check(gnutls.certificate_set_expiration(certificate, time_t(end)), what)
        for part in name {
            let (bytes, isRaw) = part.encoded
            try GnuTLS.check(
                gnutls.certificate_set_name(certificate, part.objectID, isRaw ? 1 : 0, bytes, UInt32(bytes.count)),
                "\(what) with the name \"\(part.text)\"")
        }
        try GnuTLS.check(gnutls.certificate_set_constraints(certificate, isAuthority ? 1 : 0, -1), what)
        let usage = isAuthority ? cblite_gnutls_issuing_usage : cblite_gnutls_signing_usage
        try GnuTLS.check(gnutls.certificate_set_usage(certificate, usage), what)
        for purpose in purposes {
            let objectID = purpose == .server ? GNUTLS_KP_TLS_WWW_SERVER : GNUTLS_KP_TLS_WWW_CLIENT
            try GnuTLS.check(gnutls.certificate_add_purpose(certificate, objectID, 0), what)
        }
        for name in alternativeNames {
            if case .objectID(let text) = name, !NewCertificate.isObjectID(text) {
                // GnuTLS fails there by freeing memory twice.
                throw TransportError(.network(.tlsHandshakeFailed), "\(what): \"\(text)\" is no object identifier")
            }
            let (kind, bytes) = name.encoded
            try GnuTLS.check(
                gnutls.certificate_add_alternative(certificate, kind, bytes, UInt32(bytes.count), UInt32(GNUTLS_FSAN_APPEND)), what)
        }
        var keyID = [UInt8](repeating: 0, count: 20)
        var keyIDSize = keyID.count
        try GnuTLS.check(gnutls.key_id(key, GNUTLS_KEYID_USE_SHA1.rawValue, &keyID, &keyIDSize), what)
        try GnuTLS.check(gnutls.certificate_set_key_id(certificate, keyID, keyIDSize), what)
    }
}

extension NewCertificate.NamePart {
    private static let postalAddress = "2.5.4.16"

    /// As the library takes it: a text, or what it does not know how to encode.
    fileprivate var encoded: (bytes: [UInt8], isRaw: Bool) {
        guard objectID == NewCertificate.NamePart.postalAddress else { return (Array(text.utf8), false) }
        let lines = text.split(whereSeparator: \.isNewline).flatMap { der(0x0C, Array($0.utf8)) }
        return (der(0x30, lines), true)
    }

    private func der(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        let length: [UInt8] =
            count < 0x80 ? [UInt8(count)] : count < 0x100 ? [0x81, UInt8(count)] : [0x82, UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF)]
        return [tag] + length + content
    }
}

extension NewCertificate.AlternativeName {
    fileprivate var encoded: (gnutls_x509_subject_alt_name_t, [UInt8]) {
        switch self {
        case .host(let name): (GNUTLS_SAN_DNSNAME, Array(name.utf8))
        case .email(let address): (GNUTLS_SAN_RFC822NAME, Array(address.utf8))
        case .url(let url): (GNUTLS_SAN_URI, Array(url.utf8))
        case .address(let bytes): (GNUTLS_SAN_IPADDRESS, bytes)
        case .objectID(let text): (GNUTLS_SAN_REGISTERED_ID, Array(text.utf8))
        }
    }
}
