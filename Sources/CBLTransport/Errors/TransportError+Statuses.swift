/// What the answers of a server mean to the person who wanted to synchronize with it.
extension TransportError {
    private static let notASyncServer = "Check that the URL is that of a database on a sync server, and its port the public one"
    private static let tooOldOrTooNew = "The server is too old or too new for this program"

    /// `reason` is what the server says itself, in its body.
    package static func refused(_ status: Int, _ reason: String?, by url: String, hadCredentials: Bool) -> TransportError {
        let said = reason.map { "; the server says: \($0)" } ?? ""
        func error(_ message: String, _ advice: String?) -> TransportError { TransportError(.http(status), message + said, advice: advice) }
        switch status {
        case 401:
            return hadCredentials
                ? error("\(url): wrong user name or password (401)", "Check both; passwords are case-sensitive")
                : error("\(url): the server asks for a user name and a password (401)", "Give them, or put them into ~/.netrc")
        case 403: return error("\(url): access is not allowed (403)", "Ask the server's administrator for access to this database")
        case 404:
            return error("\(url): there is no such database (404)", "Check the name behind the last slash, and its case")
        case 305: return error("\(url): the server wants to be reached through a proxy (305)", "Name it with --proxy if you trust it")
        case 407: return error("\(url): the proxy asks for a user name and a password (407)", "Give them in the proxy's URL")
        case 426: return error("\(url): the server does not speak WebSocket there (\(status))", notASyncServer)
        // An answer to a question that was not asked: the vendor's library counts it as a breach of the protocol.
        case 200..<300:
            return TransportError(
                .closed(.protocolError), "\(url): the server does not speak WebSocket there (\(status))" + said, advice: notASyncServer)
        // So Sync Gateway says that the protocols have no version in common.
        case 500 where reason?.contains("I only speak") ?? false:
            return error("\(url): the server does not speak this version of the sync protocol", tooOldOrTooNew)
        case 429: return error("\(url): the server asks for fewer requests (429)", "Try again later")
        case 500...599:
            return error("\(url): the server cannot serve the database now (\(status))", status == 503 ? "Try again later" : nil)
        default: return error("\(url): the server refuses the connection (\(status))", nil)
        }
    }

    /// Where a server has sent to wants to know who is there, and was not told.
    static func strange(_ status: Int, _ reason: String?, at url: PeerURL, insteadOf wanted: PeerURL) -> TransportError {
        TransportError(
            .http(status),
            "\(wanted): the server sends elsewhere, to \(url), which does not let in who says nothing (\(status))"
                + (reason.map { "; the server says: \($0)" } ?? ""),
            advice: "Passwords, tokens and headers are for the server that is named: if that one may have them, name it")
    }

    /// The server sends to a place where everybody on the way can read.
    static func downgrade(from url: String, to next: String) -> TransportError {
        TransportError(
            .network(.invalidRedirect), "\(url): the server sends elsewhere, to \(next), where nothing is encrypted",
            advice: "Name that URL if it is meant")
    }

    /// The server upgraded, but to no protocol of ours.
    static func noProtocol(_ chosen: String?, offered: [String], by url: PeerURL) -> TransportError {
        guard let chosen else {
            return TransportError(
                .closed(.protocolError), "\(url): the server speaks WebSocket, but not the sync protocol",
                advice: "Check that the URL is that of a database on a sync server")
        }
        return TransportError(
            .http(403), "\(url): the server wants to speak \"\(chosen)\", and only \(offered.joined(separator: ", ")) is understood here",
            advice: tooOldOrTooNew)
    }

    static func malformed(_ reason: String, by url: PeerURL) -> TransportError {
        TransportError(
            .closed(.protocolError), "\(url): the server's answer makes no sense: \(reason)",
            advice: "Check the port: another kind of server may be there"
                + (url.isSecure ? "" : "; if the server has TLS, write wss:// instead of ws://"))
    }
}
