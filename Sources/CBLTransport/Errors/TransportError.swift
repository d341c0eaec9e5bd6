import CBLBase

/// Why there is no connection, or none any more: a code for programs, and words for the person at the prompt.
package struct TransportError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The codes are those that Couchbase Lite's libraries report.
    package enum Code: Hashable, Sendable {
        /// The status of an answer that was not the expected one.
        case http(Int)
        case closed(CloseCode)
        /// An `errno`.
        case posix(Int32)
        case network(NetworkCode)
    }

    package enum NetworkCode: Int, Sendable {
        case dnsFailure = 1
        case unknownHost = 2
        case timeout = 3
        case invalidURL = 4
        case tooManyRedirects = 5
        case tlsHandshakeFailed = 6
        case tlsCertificateExpired = 7
        case tlsCertificateUntrusted = 8
        case tlsCertificateRequiredByPeer = 9
        case tlsCertificateRejectedByPeer = 10
        case tlsCertificateUnknownRoot = 11
        case invalidRedirect = 12
        case unknown = 13
        case tlsCertificateRevoked = 14
        case tlsCertificateNameMismatch = 15
        case unknownInterface = 27
    }

    /// What to do about it, as the replicator asks.
    package enum Persistence: Sendable {
        /// It may be gone in a while: try again.
        case transient
        /// It may be gone when the network is another one.
        case networkDependent
        /// It will be the same next time.
        case permanent
    }

    package let code: Code
    /// What happened, to what: one line, whatever a peer put into it.
    package let message: String
    private static let longestMessage = 1000
    /// What the person can do.
    package let advice: String?
    /// The certificate that is not trusted: what to compare, and to pin if it is the right one.
    package let certificate: CertificateFingerprint?

    package init(_ code: Code, _ message: String, advice: String? = nil, certificate: CertificateFingerprint? = nil) {
        self.code = code
        self.message = ForeignText.line(message, limit: TransportError.longestMessage)
        self.advice = advice
        self.certificate = certificate
    }

    package var description: String {
        var text = message
        if let advice { text += ". " + advice }
        if let certificate { text += "\n    \(certificate)" }
        return text
    }

    /// The number within its domain: statuses and close codes share one, as they do not overlap.
    package var number: Int {
        switch code {
        case .http(let status): status
        case .closed(let code): Int(code.rawValue)
        case .posix(let code): Int(code)
        case .network(let code): code.rawValue
        }
    }
}

/// What identifies a certificate: the SHA-256 of all of it, and of its public key.
package struct CertificateFingerprint: Hashable, Sendable, CustomStringConvertible {
    /// 64 hexadecimal digits.
    package let certificate: String
    package let key: String
    /// Whom the certificate names.
    package let subject: String

    package init(certificate: String, key: String, subject: String) {
        self.certificate = certificate
        self.key = key
        self.subject = subject
    }

    package var lines: [String] {
        [
            "the server's certificate: \(subject)", "    SHA-256 of the certificate: \(certificate)",
            "    SHA-256 of its key:         \(key)",
        ]
    }

    package var description: String { lines.joined(separator: "\n") }
}
