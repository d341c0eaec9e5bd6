/// The fields of an HTTP head, in their order. Names are compared without regard to case.
package struct HTTPHeaders: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    package struct Field: Hashable, Sendable {
        package let name: String
        package let value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    package private(set) var fields: [Field] = []

    package init() {}

    package init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { add(name, value) }
    }

    package var isEmpty: Bool { fields.isEmpty }

    /// The first field of that name.
    package subscript(name: String) -> String? {
        fields.first { isSameASCII($0.name, name) }?.value
    }

    package func contains(_ name: String) -> Bool { fields.contains { isSameASCII($0.name, name) } }

    package func values(_ name: String) -> [String] {
        fields.filter { isSameASCII($0.name, name) }.map(\.value)
    }

    /// The items of a list that may be spread over several fields: `a, b` and `c`.
    package func list(_ name: String) -> [String] {
        values(name).flatMap { split($0, at: UInt8(ascii: ",")) }.map { trimmed($0) }.filter { !$0.isEmpty }
    }

    package mutating func add(_ name: String, _ value: String) { fields.append(Field(name: name, value: value)) }

    /// Puts the field in the place of all others of its name.
    package mutating func set(_ name: String, _ value: String) {
        remove(name)
        add(name, value)
    }

    package mutating func remove(_ name: String) { fields.removeAll { isSameASCII($0.name, name) } }

    /// Whether a field can be written as it is: a name that is a token, and a value without line ends. Anything else would let whoever
    /// chose it write a request of their own.
    package static func isWritable(name: String, value: String) -> Bool {
        !name.isEmpty && name.utf8.allSatisfy(HTTPSyntax.isToken) && value.utf8.allSatisfy(HTTPSyntax.isFieldContent)
    }

    func append(to text: inout String) {
        for field in fields where HTTPHeaders.isWritable(name: field.name, value: field.value) {
            text += "\(field.name): \(field.value)\r\n"
        }
    }
}

/// The classes of characters in HTTP (RFC 9110).
enum HTTPSyntax {
    static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"), UInt8(ascii: "'"),
            UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "^"), UInt8(ascii: "_"),
            UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    static func isFieldContent(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x7F || byte == 0x09 }
    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}

/// Equal but for the case of ASCII letters.
func isSameASCII(_ a: some StringProtocol, _ b: some StringProtocol) -> Bool {
    a.utf8.count == b.utf8.count && zip(a.utf8, b.utf8).allSatisfy { lowerCase($0) == lowerCase($1) }
}

func lowerCase(_ byte: UInt8) -> UInt8 { byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte }

func lowerCased(_ text: some StringProtocol) -> String { String(decoding: text.utf8.map(lowerCase), as: UTF8.self) }

/// The pieces between the bytes of that kind, empty ones too. Bytes: to a search by letters a `;` with an accent behind it is none, and servers
/// see one all the same.
func split(_ text: some StringProtocol, at byte: UInt8, most: Int = .max) -> [Substring] {
    Substring(text).utf8.split(separator: byte, maxSplits: most - 1, omittingEmptySubsequences: false).map { Substring($0) }
}

/// Without the blanks at both ends.
func trimmed(_ text: some StringProtocol) -> String {
    let bytes = Array(text.utf8)
    guard let first = bytes.firstIndex(where: { !HTTPSyntax.isBlank($0) }),
        let last = bytes.lastIndex(where: { !HTTPSyntax.isBlank($0) })
    else { return "" }
    return String(decoding: bytes[first...last], as: UTF8.self)
}
