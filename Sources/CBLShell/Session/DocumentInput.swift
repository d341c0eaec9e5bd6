import CBLFleece
import CBLStore
import CBLWorkbench
import Glibc

/// A document's body that a person gave as JSON5: on the command line, in a file, or on standard input. It is read before the database is
/// opened, so that nobody waits for a pipe, and parsed once, by the encoder of the transaction that stores it.
struct DocumentInput {
    private let text: [UInt8]
    /// Where it comes from, if the person cannot see it in the command.
    private let source: String?
    /// What it is called when it is no object.
    private let subject: String

    /// What stands on the command line; `-` for standard input.
    init(argument text: String, of invocation: Invocation) throws {
        if text == "-" { try self.init(file: text) } else { self.init(text: text) }
        try checkBeforeOpening(invocation)
    }

    /// The content of a file; `-` for standard input.
    init(file path: String, of invocation: Invocation) throws {
        try self.init(file: path)
        try checkBeforeOpening(invocation)
    }

    init(file path: String, subject: String = documentBody) throws {
        let input = try InputSource(path)
        let text = try input.withAll { [UInt8]($0) }
        self.init(text, source: input.name, subject: subject)
    }

    init(text: String, subject: String = documentBody) { self.init(Array(text.utf8), subject: subject) }

    init(_ text: [UInt8], source: String? = nil, subject: String = documentBody) {
        (self.text, self.source, self.subject) = (text, source, subject)
    }

    static let documentBody = "the body of a document"

    /// A text that cannot be stored is found out inside the transaction, which leaves nothing behind. Only to make or upgrade a database is
    /// more than a transaction: there the text is looked at first.
    private func checkBeforeOpening(_ invocation: Invocation) throws(CommandError) {
        let options = invocation.session.options
        guard invocation.parsed.databasePath != nil, options.creates || options.upgrade != .none else { return }
        _ = try encoded(by: FleeceEncoder())
    }

    /// The object that the text says.
    func encoded(by encoder: FleeceEncoder) throws(CommandError) -> FleeceData {
        let prefix = source.map { "\($0): " } ?? ""
        encoder.reset()
        let parsed = text.withUnsafeBytes { bytes in
            Result { () throws(JSONError) in try JSONParser.parse(bytes, .json5, into: encoder) }
        }
        if case .failure(let error) = parsed {
            encoder.reset()
            let problem = text.withUnsafeBytes { CommandError.invalidJSON(error, in: $0, source: source) }
            throw nameOfFile.map { problem.hinting("\($0) is a file: - instead of its name, and < \($0) behind the command, reads it.") }
                ?? problem
        }
        let body: FleeceData
        do { body = try encoder.finish() } catch { throw .failed("\(prefix)the body cannot be stored: \(error)") }
        let kind = body.withRoot(\.kind)
        guard kind == .dictionary else {
            throw .failed("\(prefix)\(subject) must be an object, and this is \(DocumentInput.name(of: kind))")
        }
        return body
    }

    /// What stands on the command line may have been meant as the name of a file.
    private var nameOfFile: String? {
        guard source == nil, subject == DocumentInput.documentBody, (1...1024).contains(text.count), !text.contains(0) else { return nil }
        let name = String(decoding: text, as: UTF8.self)
        var facts = stat()
        return stat(name, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG ? name : nil
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
    /// Parses a body, with the database's shared keys.
    func encode(_ input: DocumentInput) throws(CommandError) -> FleeceData { try input.encoded(by: encoder) }

    /// The same for a document of this ID, which may stand in it: so `cat` prints it.
    func encode(_ input: DocumentInput, as id: String) throws -> FleeceData {
        let body = try encode(input)
        return try body.withRoot { root in
            guard let members = root.dictionary, let named = members.value(forKey: "_id", sharedKeys)?.string,
                named.utf8.elementsEqual(id.utf8)
            else { return body }
            encoder.reset()
            encoder.beginDictionary()
            for (key, value) in members {
                guard let name = key.keyString(sharedKeys), name != "_id" else { continue }
                encoder.writeKey(name)
                encoder.write(value, keys: sharedKeys)
            }
            encoder.endDictionary()
            return try encoder.finish()
        }
    }
}
