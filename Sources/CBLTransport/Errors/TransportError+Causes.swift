import CBLBase
import Glibc

/// The words for what goes wrong between two peers, in one place.
extension TransportError {
    static func invalidURL(_ url: String, _ reason: String) -> TransportError {
        TransportError(.network(.invalidURL), "\(withoutPassword(url)): \(reason)")
    }

    // A message may be logged: the password that somebody typed into a URL does not belong there.
    private static func withoutPassword(_ url: String) -> String {
        guard let at = url.utf8.lastIndex(of: UInt8(ascii: "@")) else { return url }
        let scheme = url[..<at].utf8.firstIndex(of: UInt8(ascii: "/")).map { url[..<$0] + "//" } ?? ""
        return scheme + "…" + url[at...]
    }

    static func posix(_ code: Int32, _ what: String, advice: String? = nil) -> TransportError {
        TransportError(.posix(code), "\(what): \(words(code))", advice: advice ?? usualAdvice(code))
    }

    private static func words(_ code: Int32) -> String {
        switch code {
        case ECONNREFUSED: "connection refused"
        case ETIMEDOUT: "it does not answer"
        case ECONNRESET, EPIPE: "the connection was cut"
        case ENETUNREACH, EHOSTUNREACH: "there is no way to it from here"
        case ENETDOWN: "the network is down"
        case EADDRINUSE: "another program uses the port already"
        case EADDRNOTAVAIL: "this machine does not have that address"
        case EACCES: "not allowed"
        case EMFILE, ENFILE: "too many files are open"
        default: SystemCall.message(code)
        }
    }

    private static func usualAdvice(_ code: Int32) -> String? {
        switch code {
        case ECONNREFUSED: "Check the host and the port, and that the server is running"
        case ETIMEDOUT: "Check the host and the port, and that no firewall is between"
        case ENETUNREACH, ENETDOWN, EHOSTUNREACH: "Check this machine's network"
        case EADDRINUSE: "Choose another port, or 0 for any that is free"
        default: nil
        }
    }

    static func timeout(_ url: PeerURL, after limit: Duration, _ phase: String) -> TransportError {
        TransportError(
            .posix(ETIMEDOUT), "\(url.hostHeader): \(phase) within \(seconds(limit))", advice: usualAdvice(ETIMEDOUT))
    }

    static func seconds(_ duration: Duration) -> String {
        let seconds = duration.components.seconds
        return seconds == 1 ? "a second" : seconds > 1 ? "\(seconds) seconds" : "\(duration.nanoseconds / 1_000_000) ms"
    }

    static func unknownHost(_ host: String) -> TransportError {
        TransportError(
            .network(.unknownHost), "there is no host \"\(host)\"",
            advice: "Check its spelling, and that this machine is connected to the network")
    }

    static func closed(_ code: CloseCode, reason: String, by peer: String) -> TransportError {
        let detail = reason.isEmpty ? "" : ": \(ForeignText.line(reason))"
        return switch code {
        case .abnormal: TransportError(.closed(code), "\(peer) dropped the connection")
        case .normal, .goingAway: TransportError(.closed(code), "\(peer) closed the connection\(detail)")
        default: TransportError(.closed(code), "\(peer) closed the connection (\(code.rawValue), \(code))\(detail)")
        }
    }

    static func violation(_ violation: WebSocketViolation, by peer: String) -> TransportError {
        TransportError(.closed(violation.code), "\(peer) does not keep to the WebSocket protocol: \(violation.reason)")
    }
}
