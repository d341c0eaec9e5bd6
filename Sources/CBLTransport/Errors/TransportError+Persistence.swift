import Glibc

extension TransportError {
    /// Servers close with 1001, and with 1000, when they restart, so the connection is tried again, although later releases of the
    /// vendor's library give up then.
    package var persistence: Persistence {
        switch code {
        case .http(let status):
            switch status {
            case 408, 429, 502, 503, 504: .transient
            default: .permanent
            }
        case .closed(let code):
            switch code {
            case .normal, .goingAway, .abnormal, .transientFailure: .transient
            default: .permanent
            }
        case .posix(let code):
            switch code {
            case ENETRESET, ECONNABORTED, ECONNRESET, ETIMEDOUT, ECONNREFUSED, EPIPE: .transient
            case ENETDOWN, ENETUNREACH, ENOTCONN, EHOSTDOWN, EHOSTUNREACH, EADDRNOTAVAIL: .networkDependent
            default: .permanent
            }
        case .network(let code):
            switch code {
            case .dnsFailure, .timeout: .transient
            case .unknownHost: .networkDependent
            default: .permanent
            }
        }
    }

    /// Whether another name or password could help.
    package var isAboutAuthentication: Bool {
        switch code {
        case .http(401), .http(403), .http(407), .network(.tlsCertificateRequiredByPeer), .network(.tlsCertificateRejectedByPeer): true
        default: false
        }
    }

    /// Whether the peer, or we, did not trust a certificate, or could not agree on TLS at all.
    package var isAboutTLS: Bool {
        guard case .network(let code) = code else { return false }
        switch code {
        case .tlsHandshakeFailed, .tlsCertificateExpired, .tlsCertificateUntrusted, .tlsCertificateRequiredByPeer,
            .tlsCertificateRejectedByPeer, .tlsCertificateUnknownRoot, .tlsCertificateRevoked, .tlsCertificateNameMismatch:
            return true
        default: return false
        }
    }
}
