import Glibc

/// The host, and perhaps the port, that a request says it is for: `sync.example.com:4984`, `[::1]`.
package struct RequestHost: Hashable, Sendable {
    /// In lower case, without a dot at the end; an IPv6 address without its brackets.
    package let name: String
    package let port: UInt16?
    /// Whether it is an address. Nobody has to be asked where that is, so nobody can answer falsely.
    package let isAddress: Bool

    /// Nil for what is no host.
    package init?(_ text: some StringProtocol) {
        var rest = Substring(text)[...]
        var literal: Substring?
        if rest.utf8.first == UInt8(ascii: "[") {
            guard let end = rest.utf8.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            literal = rest[rest.utf8.index(after: rest.startIndex)..<end]
            rest = rest[rest.utf8.index(after: end)...]
        }
        let parts = split(rest, at: UInt8(ascii: ":"))
        guard parts.count <= 2 else { return nil }
        if parts.count == 2, !parts[1].isEmpty {
            guard parts[1].utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let number = UInt16(parts[1]), number > 0 else { return nil }
            port = number
        } else {
            port = nil
        }
        if let literal {
            // Behind a `%` stands the interface to go through, which is no part of the address.
            let address = lowerCased(split(literal, at: UInt8(ascii: "%"), most: 2)[0])
            guard parts[0].isEmpty, RequestHost.isIPv6(address) else { return nil }
            (name, isAddress) = (address, true)
            return
        }
        var bytes = in_addr()
        var host = lowerCased(parts[0])
        if host.utf8.last == UInt8(ascii: ".") { host.removeLast() }
        guard !host.isEmpty, host.utf8.count <= 255, host.utf8.allSatisfy(RequestHost.isNameCharacter) else { return nil }
        (name, isAddress) = (host, inet_pton(AF_INET, host, &bytes) == 1)
    }

    private static func isIPv6(_ text: String) -> Bool {
        var bytes = in6_addr()
        return inet_pton(AF_INET6, text, &bytes) == 1
    }

    private static func isNameCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
        default: byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
        }
    }
}

/// Where a page comes from that a browser shows, as the header `Origin` says it: `https://app.example.com`.
package struct WebOrigin: Hashable, Sendable {
    /// In lower case. That of a WebSocket is that of the page which opens it.
    package let scheme: String
    package let host: RequestHost
    /// The scheme's own if none is named; 0 if it has none.
    package let port: UInt16

    /// Nil for what is no origin, and for `null`, which is the origin of nobody in particular.
    package init?(_ text: some StringProtocol) {
        let text = Substring(text)
        let parts = split(text, at: UInt8(ascii: "/"))
        guard parts.count == 3 || parts.count == 4 && parts[3].isEmpty, parts[1].isEmpty, parts[0].utf8.last == UInt8(ascii: ":"),
            let host = RequestHost(parts[2])
        else { return nil }
        switch lowerCased(parts[0].dropLast()) {
        case "ws": scheme = "http"
        case "wss": scheme = "https"
        case let other:
            guard !other.isEmpty, other.utf8.allSatisfy(HTTPSyntax.isToken) else { return nil }
            scheme = other
        }
        self.host = host
        port = host.port ?? WebOrigin.defaultPort(scheme)
    }

    private static func defaultPort(_ scheme: String) -> UInt16 { scheme == "https" ? 443 : scheme == "http" ? 80 : 0 }

    package static func == (a: WebOrigin, b: WebOrigin) -> Bool { a.scheme == b.scheme && a.host.name == b.host.name && a.port == b.port }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(scheme)
        hasher.combine(host.name)
        hasher.combine(port)
    }

    /// Whether a page of that origin may ask the host that a request is for, as one of the same server.
    package func isOf(_ host: RequestHost, isSecure: Bool) -> Bool {
        scheme == (isSecure ? "https" : "http") && self.host.name == host.name && port == host.port ?? PeerURL.defaultPort(isSecure)
    }
}
