import CBLBase
import CBLSystemGnuTLS

/// Which servers are believed to be who they say they are.
package enum TLSTrust: Sendable {
    /// Those that an authority known to this machine has signed for.
    case system
    /// Those that one of these has signed for, and nobody else.
    case authorities([Certificate])
    /// Those that show one of these, or are signed by one of these; in that case the host's name has to be right, too.
    case pinned([CertificatePin])
    /// Those that show this one, or whose certificate is signed by it: whatever the host is called, and however old the certificates are.
    case owner(Certificate)
    /// Those that show one of these, or whose certificate is signed by one of these, whatever the host is called: peers that find each other have
    /// addresses that nobody knew when the certificates were made.
    case members([Certificate])
    /// Those that sign for themselves, and no others: for databases that meet for the first time.
    case selfSigned
    /// Anybody. Nothing is known about who reads and answers.
    case anything
}

/// A certificate that is expected.
package enum CertificatePin: Hashable, Sendable {
    case certificate(Certificate)
    /// The SHA-256 of a certificate, or of its key.
    case digest([UInt8])

    /// Reads 64 hexadecimal digits, with colons or without, or `sha256//` and Base64 as curl has it. Nil if it is neither.
    package init?(_ text: String) {
        let text = trimmed(text)
        let bytes: [UInt8]?
        if text.hasPrefix("sha256//") {
            bytes = Base64.bytes(of: text.utf8.dropFirst(8))
        } else {
            let digits = lowerCased(text).hasPrefix("sha256:") ? text.dropFirst(7) : text[...]
            bytes = Hex.bytes(of: digits.filter { $0 != ":" })
        }
        guard let bytes, bytes.count == 32 else { return nil }
        self = .digest(bytes)
    }

    func matches(_ certificate: Certificate) -> Bool {
        switch self {
        case .certificate(let pinned): pinned == certificate
        case .digest(let digest): digest == certificate.digest || digest == certificate.keyDigest
        }
    }
}

extension TLSTrust {
    /// What there is to say against a server that shows these certificates, its own first; nil if it is trusted.
    /// `status` asks GnuTLS about the chain and the trusted authorities of the session.
    func objection(to chain: [Certificate], of host: String, status: () -> UInt32) -> TransportError? {
        guard let leaf = chain.first else { return TransportError(.network(.tlsCertificateUntrusted), "\(host) shows no certificate") }
        switch self {
        case .anything: return nil
        case .system, .authorities:
            let status = status()
            return status == 0 ? nil : .untrusted(leaf, of: host, status: status)
        case .selfSigned:
            guard !leaf.isSelfSigned else { return nil }
            return TransportError(
                .network(.tlsCertificateUntrusted), "\(host): the certificate is not self-signed, and only such are accepted",
                advice: "Trust it by its authority, or by its fingerprint", certificate: leaf.fingerprint)
        case .pinned(let pins):
            if pins.contains(where: { $0.matches(leaf) }) { return nil }
            // Anybody can show a certificate along with the own one: what is pinned must have signed, too.
            let authorities =
                pins.compactMap { if case .certificate(let pinned) = $0 { pinned } else { nil } }
                + chain.dropFirst().filter { certificate in pins.contains { $0.matches(certificate) } }
            if let status = try? Certificate.status(of: chain, trusting: authorities), status == 0 {
                return leaf.isFor(host) ? nil : .untrusted(leaf, of: host, status: GNUTLS_CERT_UNEXPECTED_OWNER.rawValue)
            }
            return .unexpected(leaf, of: host)
        case .members(let members):
            if members.contains(leaf) { return nil }
            let status = try? Certificate.status(of: chain, trusting: members)
            return status == 0 ? nil : .unexpected(leaf, of: host)
        case .owner(let owner):
            if leaf == owner { return nil }
            // Whoever has a certificate of the owner's is let in by that already, so it does not matter if it signed for another.
            let status = try? Certificate.status(of: chain, trusting: [owner], flags: cblite_gnutls_signature_alone)
            return status == 0 ? nil : .unexpected(leaf, of: host)
        }
    }
}

extension TransportError {
    fileprivate static func unexpected(_ certificate: Certificate, of host: String) -> TransportError {
        TransportError(
            .network(.tlsCertificateUnknownRoot), "\(host): the certificate is not the one that is expected",
            advice: "If the server has a new one, compare its fingerprint and pin that", certificate: certificate.fingerprint)
    }

    static func untrusted(_ certificate: Certificate, of host: String, status: UInt32) -> TransportError {
        func has(_ flag: gnutls_certificate_status_t) -> Bool { status & flag.rawValue != 0 }
        let comparing = "If the fingerprint is the right one, pin it; do not if you cannot compare it with what the server's owner says"
        let (code, message, advice): (NetworkCode, String, String?) =
            if has(GNUTLS_CERT_REVOKED) {
                (.tlsCertificateRevoked, "the certificate has been revoked", "Ask the server's owner")
            } else if has(GNUTLS_CERT_SIGNER_NOT_FOUND) || has(GNUTLS_CERT_SIGNER_NOT_CA) {
                (
                    .tlsCertificateUnknownRoot,
                    certificate.isSelfSigned
                        ? "the certificate is self-signed, so nobody vouches for it"
                        : "the certificate is signed by an authority that is not trusted here", comparing
                )
            } else if has(GNUTLS_CERT_EXPIRED) {
                (
                    .tlsCertificateExpired, "the certificate has expired",
                    "Ask the server's owner to renew it, and check this machine's clock"
                )
            } else if has(GNUTLS_CERT_NOT_ACTIVATED) {
                (.tlsCertificateUntrusted, "the certificate is not valid yet", "Check this machine's clock")
            } else if has(GNUTLS_CERT_UNEXPECTED_OWNER) {
                (.tlsCertificateNameMismatch, "the certificate is for another host", "Check the host in the URL")
            } else {
                (.tlsCertificateUntrusted, "the certificate is not trusted", comparing)
            }
        return TransportError(.network(code), "\(host): \(message)", advice: advice, certificate: certificate.fingerprint)
    }
}
