import CBLBase

/// What went wrong in a replication: a code within a domain, as it travels between peers, and a message for the person who reads it.
package struct SyncError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Domain: String, Hashable, Sendable {
        /// Status codes of HTTP, and those of the WebSocket's handshake.
        case http = "HTTP"
        /// Codes with which a WebSocket is closed.
        case webSocket = "WebSocket"
        case blip = "BLIP"
        /// The vendor's own codes.
        case liteCore = "LiteCore"
        case posix = "POSIX"
        /// Names that cannot be looked up, TLS and the like: the codes of `NetworkFailure`.
        case network = "Network"
        /// Something else, named in the message.
        case other = "Other"
    }

    package var domain: Domain
    package var code: Int
    /// One line, whatever a peer put into it.
    package let message: String
    private static let longestMessage = 1000

    package init(_ domain: Domain, _ code: Int, _ message: String = "") {
        self.domain = domain
        self.code = code
        self.message = ForeignText.line(message, limit: SyncError.longestMessage)
    }

    package init(_ failure: NetworkFailure, _ message: String = "") { self.init(.network, failure.rawValue, message) }

    package var description: String {
        let what = message.isEmpty ? (domain == .network ? NetworkFailure(rawValue: code)?.explanation ?? "" : "") : message
        let name = domain == .other ? "error \(code)" : "\(domain.rawValue) \(code)"
        return what.isEmpty ? name : "\(what) (\(name))"
    }
}

// As answers on the wire.
extension SyncError {
    package init(_ reply: WireReply) {
        let name = reply.properties["Error-Domain"] ?? Domain.blip.rawValue
        let code = reply.properties.integer("Error-Code") ?? 599
        var message = ForeignText.line(String(decoding: reply.body.prefix(1024), as: UTF8.self))
        let domain = Domain(rawValue: name) ?? .other
        if domain == .other { message = "\(ForeignText.line(name, limit: 50)): \(message)" }
        self.init(domain, code, message)
    }

    package var reply: WireReply {
        let name = domain == .other ? Domain.liteCore.rawValue : domain.rawValue
        return WireReply(isError: true, properties: ["Error-Domain": name, "Error-Code": String(code)], body: Array(message.utf8))
    }

    init(_ error: MalformedMessage) { self.init(.blip, 400, error.reason) }

    /// Codes of the vendor's library that travel.
    enum LiteCoreCode {
        static let badRevisionID = 4
        static let notFound = 7
        static let conflict = 8
        static let invalidParameter = 9
        static let unexpectedError = 10
        static let corruptData = 15
        static let unsupported = 19
        static let remoteError = 26
        static let deltaBaseUnknown = 31
        static let corruptDelta = 32
    }

    package static func http(_ status: Int, _ message: String = "") -> SyncError { SyncError(.http, status, message) }
    static func liteCore(_ code: Int, _ message: String = "") -> SyncError { SyncError(.liteCore, code, message) }

    /// With what to close the WebSocket when this ends a session: the very code, if it is one that this side may send, or else whether the peer
    /// may count on our coming back.
    package var closeCode: Int {
        if domain == .webSocket, [1001, 1002, 1008, 1009, 1011].contains(code) { return code }
        // What the peer does not have is no fault of its connection. The vendor's library closes so, too.
        if domain == .webSocket, code == 404 { return 1000 }
        return isTransientForDocument ? 4001 : 4002
    }

    /// A status of HTTP, in whichever of the domains that carry them it came.
    var httpStatus: Int? {
        switch domain {
        case .http: code
        case .webSocket where code < 1000: code
        default: nil
        }
    }

    /// Two revisions compete.
    package var isConflict: Bool { httpStatus == 409 || domain == .liteCore && code == LiteCoreCode.conflict }
    /// Access was refused.
    package var isForbidden: Bool { httpStatus == 403 }
    /// The delta could not be applied; older peers say so in other words.
    func meansDeltaFailed(sentDelta: Bool) -> Bool {
        if httpStatus == 422 { return true }
        if domain == .liteCore { return code == LiteCoreCode.deltaBaseUnknown || code == LiteCoreCode.corruptDelta }
        return sentDelta && (httpStatus == 404 || httpStatus == 500)
    }
}

/// Failures of names, TLS and connections, with the numbers that the vendor's library gives them.
package enum NetworkFailure: Int, Hashable, Sendable {
    case nameLookup = 1
    case unknownHost, timeout, invalidURL, tooManyRedirects, handshake, certificateExpired, certificateUntrusted
    case certificateRequired, certificateRejected, unknownRoot, invalidRedirect, unknown, certificateRevoked, certificateName
    case networkReset, connectionAborted, connectionReset, connectionRefused, networkDown, networkUnreachable, notConnected
    case hostDown, hostUnreachable, addressNotAvailable, brokenPipe, unknownInterface

    var explanation: String {
        switch self {
        case .nameLookup: "the host's name could not be looked up"
        case .unknownHost: "no such host"
        case .timeout: "the connection timed out"
        case .invalidURL: "the URL cannot be used"
        case .tooManyRedirects: "there were too many redirections"
        case .handshake: "the TLS handshake failed"
        case .certificateExpired: "the server's certificate has expired"
        case .certificateUntrusted: "the server's certificate is not trusted"
        case .certificateRequired: "the server wants a client certificate"
        case .certificateRejected: "the server does not accept the client certificate"
        case .unknownRoot: "the server's certificate was issued by an unknown authority"
        case .invalidRedirect: "the server redirected to a URL that cannot be used"
        case .unknown: "the network failed"
        case .certificateRevoked: "the server's certificate was revoked"
        case .certificateName: "the server's certificate is for another host"
        case .networkReset, .connectionReset: "the connection was reset"
        case .connectionAborted: "the connection was aborted"
        case .connectionRefused: "the connection was refused"
        case .networkDown: "the network is down"
        case .networkUnreachable: "the network cannot be reached"
        case .notConnected: "there is no connection"
        case .hostDown: "the host is down"
        case .hostUnreachable: "the host cannot be reached"
        case .addressNotAvailable: "the address is not available"
        case .brokenPipe: "the connection was broken"
        case .unknownInterface: "no such network interface"
        }
    }
}
