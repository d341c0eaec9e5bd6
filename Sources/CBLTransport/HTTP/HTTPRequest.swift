import CBLBase

/// What somebody asks an HTTP server for, read and understood. It may have come over a connection, or from within the process.
package struct HTTPRequest: Sendable {
    package var method: String
    /// The components of the path, decoded, without empty ones: `["db", "a document/with a slash"]`.
    package var path: [String]
    package var query: HTTPQuery
    package var headers: HTTPHeaders
    /// Where it came from, for people; empty if from this process.
    package var address: String

    package init(_ method: String, path: [String], query: HTTPQuery = HTTPQuery(), headers: HTTPHeaders = [:], address: String = "") {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.address = address
    }

    /// Nil if the target is not the path of a URL, or not percent-encoded as it should be.
    package init?(_ method: String, target: String, headers: HTTPHeaders = [:], address: String = "") {
        let parts = split(target, at: UInt8(ascii: "?"), most: 2)
        guard parts[0].utf8.first == UInt8(ascii: "/"), let path = HTTPRequest.components(of: parts[0]) else { return nil }
        guard let query = HTTPQuery(encoded: parts.count > 1 ? parts[1] : "") else { return nil }
        self.init(method, path: path, query: query, headers: headers, address: address)
    }

    /// Decoded after they were split: a slash in a component is part of a name. Nil if one of them cannot be.
    package static func components(of path: some StringProtocol) -> [String]? {
        var components: [String] = []
        for component in split(path, at: UInt8(ascii: "/")) where !component.isEmpty {
            guard let decoded = PercentEncoding.decode(component), !decoded.utf8.contains(0) else { return nil }
            components.append(decoded)
        }
        return components
    }
}

/// The parameters behind the `?` of a URL, decoded, in their order.
package struct HTTPQuery: Hashable, Sendable {
    package struct Item: Hashable, Sendable {
        package let name: String
        package let value: String
    }

    package private(set) var items: [Item] = []

    package init() {}

    /// Of `a=1&b=x+y%21`. Nil if something is not percent-encoded as it should be.
    package init?(encoded text: some StringProtocol) {
        for piece in split(text, at: UInt8(ascii: "&")) where !piece.isEmpty {
            let parts = split(piece, at: UInt8(ascii: "="), most: 2)
            guard let name = HTTPQuery.decode(parts[0]), let value = HTTPQuery.decode(parts.count > 1 ? parts[1] : "") else { return nil }
            add(name, value)
        }
    }

    // A blank was written as `+` before there was percent-encoding, and forms still do.
    private static func decode(_ text: Substring) -> String? {
        PercentEncoding.decode(String(decoding: text.utf8.map { $0 == UInt8(ascii: "+") ? 0x20 : $0 }, as: UTF8.self))
    }

    /// As it stands behind the `?`.
    package var encoded: String {
        items.map { PercentEncoding.unreserved($0.name) + "=" + PercentEncoding.unreserved($0.value) }.joined(separator: "&")
    }

    package mutating func add(_ name: String, _ value: String) { items.append(Item(name: name, value: value)) }

    /// The last one of that name counts.
    package subscript(name: String) -> String? { items.last { $0.name == name }?.value }
}
