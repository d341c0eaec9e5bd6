import CBLFleece

/// A schema with a URI of its own: a document, or a part of one that names itself.
final class SchemaResource {
    let number: Int
    let base: URIReference
    let root: Value
    let dialect: Dialect
    /// What names the document in messages: empty for the one that the caller gave.
    let document: String
    var anchors: [String: Value] = [:]
    /// Those that `$dynamicRef` looks for from outside inwards.
    var dynamicAnchors: [String: Value] = [:]

    /// Under this name `$recursiveAnchor` is kept, which no anchor can have.
    static let recursiveAnchor = ""

    init(number: Int, base: URIReference, root: Value, dialect: Dialect, document: String) {
        self.number = number
        self.base = base
        self.root = root
        self.dialect = dialect
        self.document = document
    }
}

/// A schema in its document.
struct SchemaPlace {
    let value: Value
    let resource: SchemaResource
    let pointer: SchemaPointer

    var text: String { resource.document + "#" + pointer.text }

    func inside(_ keyword: String) -> String { text + "/" + SchemaPointer.escaped(keyword) }

    /// What stands in it under a keyword, or further down.
    func part(_ value: Value, _ keyword: String, _ step: String? = nil) -> SchemaPlace {
        let pointer = SchemaPointer(pointer, keyword)
        return SchemaPlace(value: value, resource: resource, pointer: step.map { SchemaPointer(pointer, $0) } ?? pointer)
    }
}

/// A JSON pointer as a chain of steps, so that what is below a long name does not repeat it.
final class SchemaPointer: Sendable {
    private let parent: SchemaPointer?
    private let step: String

    static let root = SchemaPointer()

    private init() { (parent, step) = (nil, "") }

    init(_ parent: SchemaPointer, _ step: String) { (self.parent, self.step) = (parent, step) }

    var text: String {
        var steps: [String] = []
        var pointer = self
        while let parent = pointer.parent {
            steps.append(SchemaPointer.escaped(pointer.step))
            pointer = parent
        }
        return steps.reversed().map { "/" + $0 }.joined()
    }

    /// A key as a step of a JSON pointer.
    static func escaped(_ key: String) -> String {
        guard key.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else { return key }
        var text = ""
        for character in key.unicodeScalars {
            switch character {
            case "~": text += "~0"
            case "/": text += "~1"
            default: text.unicodeScalars.append(character)
            }
        }
        return text
    }

    static func unescaped(_ step: Substring) -> String {
        guard step.utf8.contains(UInt8(ascii: "~")) else { return String(step) }
        var bytes: [UInt8] = []
        var rest = step.utf8
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "~"), let next = rest.first, next == UInt8(ascii: "0") || next == UInt8(ascii: "1") {
                rest.removeFirst()
                bytes.append(next == UInt8(ascii: "0") ? UInt8(ascii: "~") : UInt8(ascii: "/"))
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
