import CBLBase

/// Where a peer is: `wss://host:4984/db`. The schemes of HTTP mean the same as those of WebSocket.
package struct PeerURL: Hashable, Sendable, CustomStringConvertible {
    package var isSecure: Bool
    /// In lower case; an IPv6 address without its brackets.
    package var host: String
    package var port: UInt16
    /// Begins with a slash, or is empty; percent-encoded.
    package var path: String
    /// What stands behind the question mark.
    package var query: String?
    /// A user and a password that stood in the URL. They are not part of what is shown.
    package var credentials: Credentials?

    package init(isSecure: Bool, host: String, port: UInt16? = nil, path: String = "") {
        self.isSecure = isSecure
        self.host = lowerCased(host)
        self.port = port ?? PeerURL.defaultPort(isSecure)
        self.path = path
    }

    package static func defaultPort(_ isSecure: Bool) -> UInt16 { isSecure ? 443 : 80 }

    /// Reads `ws`, `wss`, `http`, `https` and the old `blip` and `blips`.
    package init(_ text: String) throws(TransportError) {
        func invalid(_ reason: String) -> TransportError { .invalidURL(text, reason) }
        guard let colon = text.firstIndex(of: ":"), colon > text.startIndex, text[colon...].hasPrefix("://") else {
            throw invalid("it has no scheme: write wss://HOST/DATABASE, or ws:// if the server has no TLS")
        }
        switch lowerCased(text[..<colon]) {
        case "ws", "http", "blip": isSecure = false
        case "wss", "https", "blips": isSecure = true
        case let scheme: throw invalid("\"\(scheme)\" is not a scheme of a server: write ws:// or wss://")
        }
        // A fragment is for whoever shows the page, and is never sent.
        // All by bytes: to a search by letters an `@` with an accent behind it is none, and a password would be taken for something to be shown.
        var rest = split(text[colon...].dropFirst(3), at: UInt8(ascii: "#"), most: 2)[0]
        if let mark = rest.utf8.firstIndex(of: UInt8(ascii: "?")) {
            query = PercentEncoding.path(rest[rest.utf8.index(after: mark)...])
            rest = rest[..<mark]
        }
        let slash = rest.utf8.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
        path = PercentEncoding.path(rest[slash...])
        var authority = rest[..<slash]
        // Others take it for a slash, and would find another host in the same text.
        guard !authority.utf8.contains(UInt8(ascii: "\\")) else {
            throw invalid("there is a backslash in it: %5C in a password, else a slash")
        }
        if let at = authority.utf8.lastIndex(of: UInt8(ascii: "@")) {
            let parts = split(authority[..<at], at: UInt8(ascii: ":"), most: 2)
            guard let user = PercentEncoding.decode(parts[0]), let password = PercentEncoding.decode(parts.count > 1 ? parts[1] : "") else {
                throw invalid("the user or the password in it is not percent-encoded correctly")
            }
            credentials = Credentials(user: user, password: password)
            authority = authority[authority.utf8.index(after: at)...]
        }
        var portText: Substring?
        if authority.first == "[" {
            guard let end = authority.firstIndex(of: "]") else { throw invalid("the bracket of the IPv6 address is not closed") }
            host = lowerCased(authority[authority.index(after: authority.startIndex)..<end])
            guard host.contains(":"), host.utf8.allSatisfy({ PeerURL.isAddressCharacter($0) }) else {
                throw invalid("what stands in brackets is not an IPv6 address")
            }
            let behind = authority[authority.index(after: end)...]
            guard behind.isEmpty || behind.first == ":" else { throw invalid("there is something between the address and the port") }
            portText = behind.isEmpty ? nil : behind.dropFirst()
        } else {
            let parts = split(authority, at: UInt8(ascii: ":"))
            guard parts.count <= 2 else { throw invalid("an IPv6 address must stand in brackets: [::1]") }
            host = parts.isEmpty ? "" : lowerCased(parts[0])
            portText = parts.count == 2 ? parts[1] : nil
            guard !host.isEmpty else { throw invalid("it names no host") }
            guard host.utf8.allSatisfy(PeerURL.isHostCharacter) else { throw invalid("\"\(host)\" is not the name of a host") }
        }
        port = PeerURL.defaultPort(isSecure)
        if let portText, !portText.isEmpty {
            guard portText.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let number = UInt16(portText), number > 0 else {
                throw invalid("\"\(portText)\" is not a port: it must be a number from 1 to 65535")
            }
            port = number
        }
    }

    private static func isHostCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
        default: "-._".utf8.contains(byte)
        }
    }

    private static func isAddressCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
        default: ":.".utf8.contains(byte)
        }
    }

    /// The host as it stands in a URL.
    var bracketedHost: String { host.contains(":") ? "[\(host)]" : host }

    /// The host, and the port if it is not the scheme's own.
    var hostHeader: String { port == PeerURL.defaultPort(isSecure) ? bracketedHost : "\(bracketedHost):\(port)" }

    /// What the first line of a request asks for.
    var target: String { (path.isEmpty ? "/" : path) + (query.map { "?" + $0 } ?? "") }

    package var description: String { "\(isSecure ? "wss" : "ws")://\(hostHeader)\(path)\(query.map { "?" + $0 } ?? "")" }

    /// The same with another component behind its path, whose last slash is dropped.
    package func appending(_ component: String) -> PeerURL {
        var url = self
        while url.path.hasSuffix("/") { url.path.removeLast() }
        url.path += "/" + PercentEncoding.component(component)
        return url
    }

    /// The same in the words of HTTP.
    package var webDescription: String { (isSecure ? "https" : "http") + description.drop { $0 != ":" } }

    /// Where a redirect leads: to another URL, or to another path, query or name beside this one's. Nil if it leads nowhere.
    func redirected(to location: String) -> PeerURL? {
        if location.hasPrefix("//") { return try? PeerURL((isSecure ? "https:" : "http:") + location) }
        let place = split(location, at: UInt8(ascii: "#"), most: 2)[0]
        let parts = split(place, at: UInt8(ascii: "?"), most: 2)
        let isRooted = parts[0].hasPrefix("/")
        guard isRooted || !split(parts[0], at: UInt8(ascii: "/"), most: 2)[0].contains(":") else { return try? PeerURL(location) }
        guard !place.isEmpty, !place.utf8.contains(UInt8(ascii: "\\")) else { return nil }
        var url = self
        if isRooted {
            url.path = PercentEncoding.path(parts[0])
        } else if !parts[0].isEmpty {
            url.path =
                "/"
                + PeerURL.resolved(
                    path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().dropLast()
                        + split(parts[0], at: UInt8(ascii: "/")))
        }
        url.query = parts.count > 1 ? PercentEncoding.path(parts[1]) : nil
        return url
    }

    // Without the components that only say which others are meant.
    private static func resolved(_ components: [Substring]) -> String {
        var kept: [Substring] = []
        for component in components {
            if component == ".." { _ = kept.popLast() } else if component != "." { kept.append(component) }
        }
        return PercentEncoding.path(kept.joined(separator: "/"))
    }

    /// Whether a secret that was meant for this peer may be shown to the other one. Another port of the same host may be somebody else's.
    package func isSameOrigin(as other: PeerURL) -> Bool { host == other.host && port == other.port && isSecure == other.isSecure }
}
