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
    /// A JSON pointer from the document's root.
    let pointer: String

    var text: String { SchemaPlace.text(of: resource, pointer) }

    func inside(_ keyword: String) -> String { SchemaPlace.text(of: resource, pointer + "/" + SchemaPlace.escaped(keyword)) }

    private static func text(of resource: SchemaResource, _ pointer: String) -> String { resource.document + "#" + pointer }

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
