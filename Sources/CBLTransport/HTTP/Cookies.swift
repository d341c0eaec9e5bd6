/// A cookie that a server has set.
package struct Cookie: Hashable, Sendable {
    /// Of the header that sets one: what is longer is not kept.
    static let maximumLength = 4096

    package var name: String
    package var value: String
    /// Without a leading dot.
    package var domain: String
    /// Only the very host that set it sees it, and no host below it.
    package var isHostOnly: Bool
    package var path: String
    /// Seconds since 1970; nil if it is forgotten when the program ends.
    package var expires: Int64?
    package var isSecure: Bool

    package init(
        name: String, value: String, domain: String, isHostOnly: Bool = true, path: String = "/", expires: Int64? = nil,
        isSecure: Bool = false
    ) {
        self.name = name
        self.value = value
        self.domain = domain
        self.isHostOnly = isHostOnly
        self.path = path
        self.expires = expires
        self.isSecure = isSecure
    }

    /// Reads a `Set-Cookie` header (RFC 6265); nil if the server may not set such a cookie.
    /// `acceptsParentDomains` lets a host set cookies for the domain above it.
    package init?(setCookie header: String, from url: PeerURL, now: Int64, acceptsParentDomains: Bool = false) {
        guard header.utf8.count <= Cookie.maximumLength else { return nil }
        var parts = split(header, at: UInt8(ascii: ";"))[...]
        guard let pair = parts.popFirst().map({ split($0, at: UInt8(ascii: "="), most: 2) }), pair.count == 2 else { return nil }
        name = trimmed(pair[0])
        value = trimmed(pair[1])
        guard !name.isEmpty, name.utf8.allSatisfy(HTTPSyntax.isToken), value.utf8.allSatisfy(HTTPSyntax.isFieldContent)
        else { return nil }
        domain = url.host
        isHostOnly = true
        path = Cookie.defaultPath(url.path)
        isSecure = false
        var expiryDate: Int64?
        var maximumAge: Int64?
        for part in parts {
            let words = split(part, at: UInt8(ascii: "="), most: 2)
            let value = words.count > 1 ? trimmed(words[1]) : ""
            switch lowerCased(trimmed(words[0])) {
            case "expires": expiryDate = CookieDate.seconds(value) ?? expiryDate
            case "max-age": maximumAge = Int64(value) ?? maximumAge
            case "path": if value.hasPrefix("/") { path = value } else { path = Cookie.defaultPath(url.path) }
            case "secure": isSecure = true
            case "domain":
                let named = lowerCased(value.hasPrefix(".") ? value.dropFirst() : value[...])
                guard !named.isEmpty else { continue }
                guard Cookie.host(url.host, isWithin: named), named == url.host || acceptsParentDomains && named.contains(".") else {
                    return nil
                }
                domain = named
                isHostOnly = false
            default: break
            }
        }
        // A cookie that only goes over TLS is not to be set, or replaced, by what came without it.
        if isSecure, !url.isSecure { return nil }
        if let maximumAge {
            expires = maximumAge <= 0 ? .min : now.addingReportingOverflow(maximumAge).overflow ? .max : now + maximumAge
        } else {
            expires = expiryDate
        }
    }

    func isExpired(_ now: Int64) -> Bool { expires.map { $0 <= now } ?? false }

    func isFor(_ url: PeerURL) -> Bool {
        guard isHostOnly ? url.host == domain : Cookie.host(url.host, isWithin: domain), url.isSecure || !isSecure else { return false }
        let requested = url.path.isEmpty ? "/" : url.path
        guard requested.hasPrefix(path) else { return false }
        return requested.utf8.count == path.utf8.count || path.hasSuffix("/") || requested.dropFirst(path.count).hasPrefix("/")
    }

    /// The path of the request up to its last component.
    private static func defaultPath(_ path: String) -> String {
        guard path.hasPrefix("/"), let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    private static func host(_ host: String, isWithin domain: String) -> Bool {
        if host == domain { return true }
        // An address has no domain above it.
        guard host.hasSuffix("." + domain), !host.contains(":"), !host.utf8.allSatisfy({ $0 < 0x3A }) else { return false }
        return true
    }
}

/// The cookies that servers have set, as a value. It knows no clock: the time comes with each question.
package struct CookieStore: Hashable, Sendable {
    // Servers may not fill our memory, nor make the next request too long to be taken.
    static let maximumCount = 300
    static let maximumCountPerDomain = 50
    static let maximumHeaderLength = 8192

    package private(set) var cookies: [Cookie]

    package init(_ cookies: [Cookie] = []) { self.cookies = Array(cookies.suffix(CookieStore.maximumCount)) }

    /// The ones to be kept when the program ends.
    package func persistent(now: Int64) -> [Cookie] { cookies.filter { $0.expires != nil && !$0.isExpired(now) } }

    /// A cookie takes the place of one with the same name, domain and path; an expired one removes it.
    package mutating func add(_ cookie: Cookie, now: Int64) {
        cookies.removeAll { $0.name == cookie.name && $0.domain == cookie.domain && $0.path == cookie.path || $0.isExpired(now) }
        guard !cookie.isExpired(now) else { return }
        // A domain's own have to go before those of others.
        if cookies.count(where: { $0.domain == cookie.domain }) >= CookieStore.maximumCountPerDomain,
            let oldest = cookies.firstIndex(where: { $0.domain == cookie.domain })
        {
            cookies.remove(at: oldest)
        }
        if cookies.count == CookieStore.maximumCount { cookies.removeFirst() }
        cookies.append(cookie)
    }

    /// Takes the cookies of an answer.
    package mutating func add(from headers: HTTPHeaders, of url: PeerURL, now: Int64, acceptsParentDomains: Bool = false) {
        for header in headers.values("Set-Cookie") {
            guard let cookie = Cookie(setCookie: header, from: url, now: now, acceptsParentDomains: acceptsParentDomains) else { continue }
            // What came without TLS may be anybody's, and does not take the place of what came with it.
            if !url.isSecure, cookies.contains(where: { $0.isSecure && $0.name == cookie.name && $0.domain == cookie.domain }) { continue }
            add(cookie, now: now)
        }
    }

    /// The value of `Cookie` for a request, the longest paths first; nil if there is none for it.
    package func header(for url: PeerURL, now: Int64) -> String? {
        let matching = cookies.filter { $0.isFor(url) && !$0.isExpired(now) }
        guard !matching.isEmpty else { return nil }
        let sorted = matching.enumerated().sorted { ($1.element.path.utf8.count, $0.offset) < ($0.element.path.utf8.count, $1.offset) }
        var header = ""
        for cookie in sorted.map(\.element) {
            let length = header.utf8.count + cookie.name.utf8.count + cookie.value.utf8.count + 3
            guard length <= CookieStore.maximumHeaderLength else { continue }
            header += (header.isEmpty ? "" : "; ") + "\(cookie.name)=\(cookie.value)"
        }
        return header.isEmpty ? nil : header
    }
}
