/// The properties of a message: names and values in the order in which they travel. There are a handful, so a search beats a table.
package struct Properties: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    package struct Item: Hashable, Sendable {
        package let name: String
        package let value: String
    }

    package private(set) var items: [Item] = []

    package init() {}
    package init(_ items: [(name: String, value: String)]) { self.items = items.map { Item(name: $0.name, value: $0.value) } }
    package init(dictionaryLiteral items: (String, String)...) { self.items = items.map { Item(name: $0.0, value: $0.1) } }

    /// The first property of that name, as the vendor's reader takes it.
    package subscript(name: String) -> String? { items.first { $0.name == name }?.value }

    mutating func append(_ name: String, _ value: String) { items.append(Item(name: name, value: value)) }

    mutating func append(_ name: String, _ value: String?) {
        if let value { append(name, value) }
    }

    mutating func append(_ name: String, if flag: Bool, _ value: String = "true") {
        if flag { append(name, value) }
    }

    /// `true`, `YES`, and numbers other than zero.
    func flag(_ name: String) -> Bool {
        guard let value = self[name] else { return false }
        switch value.lowercased() {
        case "true", "yes": return true
        case "false", "no": return false
        default: return Int(value).map { $0 != 0 } ?? false
        }
    }

    func integer(_ name: String) -> Int? { self[name].flatMap { Int($0) } }
}

/// A request as the transport carries it.
package struct WireRequest: Hashable, Sendable {
    package var profile: String
    /// All but the profile.
    package var properties: Properties
    package var body: [UInt8]
    package var isUrgent: Bool
    package var isCompressed: Bool
    /// Nobody waits for an answer.
    package var isNoReply: Bool

    package init(
        profile: String, properties: Properties = [:], body: [UInt8] = [], isUrgent: Bool = false, isCompressed: Bool = false,
        isNoReply: Bool = false
    ) {
        self.profile = profile
        self.properties = properties
        self.body = body
        self.isUrgent = isUrgent
        self.isCompressed = isCompressed
        self.isNoReply = isNoReply
    }
}

/// The answer to a request as the transport carries it.
package struct WireReply: Hashable, Sendable {
    package var isError: Bool
    package var properties: Properties
    package var body: [UInt8]
    package var isUrgent: Bool
    package var isCompressed: Bool

    package init(
        isError: Bool = false, properties: Properties = [:], body: [UInt8] = [], isUrgent: Bool = false, isCompressed: Bool = false
    ) {
        self.isError = isError
        self.properties = properties
        self.body = body
        self.isUrgent = isUrgent
        self.isCompressed = isCompressed
    }

    /// An answer that says nothing but "done".
    package static let empty = WireReply()
}

/// A message that cannot be understood. It is answered with status 400 of the domain BLIP.
package struct MalformedMessage: Error, Hashable, Sendable, CustomStringConvertible {
    package let reason: String

    init(_ reason: String) { self.reason = reason }

    package var description: String { reason }
}
