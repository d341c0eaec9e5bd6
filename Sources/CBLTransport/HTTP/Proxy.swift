/// A proxy that is asked, with `CONNECT`, to open a way to the peer.
package struct Proxy: Hashable, Sendable, CustomStringConvertible {
    /// Whether the proxy itself is spoken to with TLS.
    package var isSecure: Bool
    package var host: String
    package var port: UInt16
    package var credentials: Credentials?

    package init(isSecure: Bool = false, host: String, port: UInt16, credentials: Credentials? = nil) {
        self.isSecure = isSecure
        self.host = host
        self.port = port
        self.credentials = credentials
    }

    /// `http://user:password@host:port`, or `host:port` alone.
    package init(_ text: String) throws(TransportError) {
        let text = text.hasSuffix("/") ? String(text.dropLast()) : text
        var isSchemeMissing = true
        if let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") { isSchemeMissing = false }
        let url = try PeerURL(isSchemeMissing ? "http://" + text : text)
        guard url.path.isEmpty, url.query == nil else { throw .invalidURL(text, "a proxy has no path: write http://HOST:PORT") }
        isSecure = url.isSecure
        host = url.host
        port = url.port
        credentials = url.credentials
    }

    package var description: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return "\(isSecure ? "https" : "http")://\(name):\(port)"
    }

    /// Which proxy the usual variables of the environment name for a peer: `https_proxy`, `http_proxy`, `all_proxy`, `no_proxy`.
    package static func fromEnvironment(_ variables: [String: String], for url: PeerURL) throws(TransportError) -> Proxy? {
        // The variable in capitals for plain HTTP is not looked at: in a web server's scripts, visitors choose what it says.
        let names = url.isSecure ? ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] : ["http_proxy", "all_proxy", "ALL_PROXY"]
        guard let text = names.lazy.compactMap({ variables[$0] }).first(where: { !$0.isEmpty }) else { return nil }
        if let exceptions = variables["no_proxy"] ?? variables["NO_PROXY"], isExcepted(url.host, exceptions) { return nil }
        return try Proxy(text)
    }

    private static func isExcepted(_ host: String, _ exceptions: String) -> Bool {
        exceptions.split { $0 == "," || $0 == " " }.contains { exception in
            if exception == "*" { return true }
            var domain = lowerCased(exception.hasPrefix(".") ? exception.dropFirst() : exception)
            if domain.hasPrefix("["), domain.hasSuffix("]") { domain = String(domain.dropFirst().dropLast()) }
            return host == domain || host.hasSuffix("." + domain)
        }
    }
}
