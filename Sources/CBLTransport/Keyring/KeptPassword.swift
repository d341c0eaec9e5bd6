/// Whose password a keyring keeps, and for which server: a port of a host, with TLS or without, so that what goes encrypted never goes without.
package struct KeptPassword: Hashable, Sendable {
    package let host: String
    package let port: UInt16
    package let isSecure: Bool
    package let user: String

    /// The path does not count: the databases of a gateway have the same users.
    package init(_ url: PeerURL, user: String) {
        (host, port, isSecure) = (url.host, url.port, url.isSecure)
        self.user = user
    }

    /// What a keyring finds it by.
    var attributes: [String: String] { KeptPassword.attributes(of: url, user: user) }

    /// What finds all those of a server, or of one of its users.
    static func attributes(of url: PeerURL, user: String? = nil) -> [String: String] {
        var attributes = own
        attributes["protocol"] = url.isSecure ? "https" : "http"
        attributes["server"] = url.host
        attributes["port"] = "\(url.port)"
        attributes["user"] = user
        return attributes
    }

    /// What all of ours have: a password that another program keeps for the same host is not given away.
    static let own = ["application": "cblite"]

    /// Reads such attributes; nil if somebody else has made them.
    init?(_ attributes: [String: String]) {
        guard let host = attributes["server"], let port = attributes["port"].flatMap({ UInt16($0) }), let user = attributes["user"],
            let isSecure = ["https": true, "http": false][attributes["protocol"] ?? ""]
        else { return nil }
        (self.host, self.port, self.isSecure, self.user) = (host, port, isSecure, user)
    }

    private var url: PeerURL { PeerURL(isSecure: isSecure, host: host, port: port) }

    /// The server, as the commands that replicate take it.
    package var server: String { url.description }
}
