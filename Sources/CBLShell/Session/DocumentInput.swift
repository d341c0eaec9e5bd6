import CBLFleece
import CBLStore
import CBLWorkbench

/// A document's body that a person gave as JSON5: on the command line, in a file, or on standard input. It is checked before the database is
/// opened, and has no shared keys yet: `Transaction.adopt` gives it those of the database.
struct DocumentInput {
    let body: FleeceData

    /// What stands on the command line; `-` for standard input.
    init(argument text: String) throws {
        if text == "-" { try self.init(file: text) } else { try self.init(text: text) }
    }

    /// The content of a file; `-` for standard input.
    init(file path: String, subject: String = documentBody) throws {
        let input = try InputSource(path)
        let name = input.name
        self = try input.withAll { try DocumentInput($0, source: name, subject: subject) }
    }

    init(text: String, subject: String = documentBody) throws(CommandError) {
        var text = text
        let result = text.withUTF8 { bytes in
            Result { () throws(CommandError) in try DocumentInput(UnsafeRawBufferPointer(bytes), subject: subject) }
        }
        self = try result.get()
    }

    static let documentBody = "the body of a document"

    init(_ text: UnsafeRawBufferPointer, source: String? = nil, subject: String = documentBody) throws(CommandError) {
        let prefix = source.map { "\($0): " } ?? ""
        let encoder = FleeceEncoder()
        do {
            try JSONParser.parse(text, .json5, into: encoder)
        } catch {
            throw .invalidJSON(error, in: text, source: source)
        }
        do { body = try encoder.finish() } catch { throw .failed("\(prefix)the body cannot be stored: \(error)") }
        let kind = body.withRoot(\.kind)
        guard kind == .dictionary else {
            throw .failed("\(prefix)\(subject) must be an object, and this is \(DocumentInput.name(of: kind))")
        }
    }

    private static func name(of kind: Kind) -> String {
        switch kind {
        case .array: "an array"
        case .string: "a string"
        case .integer, .double: "a number"
        case .boolean: "a Boolean"
        case .null: "null"
        case .data, .dictionary, .undefined: "something else"
        }
    }
}

extension Transaction {
    /// The same body with the database's shared keys.
    func adopt(_ input: DocumentInput) throws -> FleeceData { try adopt(DocumentProperties(input.body)) }
}
