import CBLFleece
import CBLLanguage
import CBLQuery

/// What a person says that a query's `$names` stand for: `--param name=VALUE`, and `--params` with an object or a file that holds one.
enum ParameterInput {
    static let flags = [
        Flag(
            "param", short: "p", value: "NAME=VALUE", .text, repeatable: true,
            "A value for $NAME, as JSON; text that does not look like a number, an array or an object needs no quotes"),
        Flag(
            "params", value: "JSON|FILE", .file, "Values for all parameters: a JSON object, or a file that holds one; - is standard input"),
    ]

    /// What the command line gives goes before what `.set` has set. Which of them are asked for looks `QueryRun`.
    static func parameters(_ set: QueryParameters, _ given: QueryParameters) -> QueryParameters {
        var parameters = QueryParameters.none
        for known in [set, given] {
            for name in known.names { if let value = known[name] { parameters.offer(value, as: name) } }
        }
        return parameters
    }

    /// The names behind the dollar signs of a text.
    static func names(in text: String) -> [String] {
        var lexer = Lexer(Array(Comment.blanked(text).utf8))
        var names: [String] = []
        while let token = lexer.nextSolid() {
            if token.kind == .parameter { names.append(lexer.text(token.start + 1..<token.end)) }
        }
        return names
    }

    /// What the command line gives: `--param` before `--params`.
    static func given(_ invocation: Invocation) throws -> QueryParameters {
        var parameters = QueryParameters.none
        if let text = invocation.string("params") {
            let isObject = text.utf8.first { $0 != 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D } == UInt8(ascii: "{")
            let input = isObject ? DocumentInput(text: text, subject: "--params") : try DocumentInput(file: text, subject: "--params")
            let encoder = FleeceEncoder()
            try input.encoded(by: encoder).withRoot { root in
                guard let members = root.dictionary else { return }
                for (key, value) in members {
                    guard let name = key.string else { continue }
                    encoder.reset()
                    encoder.write(value, keys: nil)
                    parameters[name] = try encoder.finish()
                }
            }
        }
        for text in invocation.strings("param") {
            let (name, value) = try parse(text)
            parameters[name] = value
        }
        return parameters
    }

    /// Takes `name=VALUE` apart.
    static func parse(_ text: String) throws(CommandError) -> (name: String, value: FleeceData) {
        let scalars = text.unicodeScalars
        guard let equals = scalars.firstIndex(of: "="), equals > scalars.startIndex else {
            throw .usage("--param needs NAME=VALUE, not \"\(text)\"")
        }
        // Some will copy the dollar sign from their query.
        let name = text[..<equals].first == "$" ? text[..<equals].dropFirst() : text[..<equals]
        let value = try value(
            String(scalars[scalars.index(after: equals)...]), of: String(name), subject: "--param \(name)", example: "--param '\(name)=",
            ending: "'")
        return (String(name), value)
    }

    /// A value is JSON, or a text that nobody can take for anything else. What is nearly JSON is a mistake, not a text.
    static func value(
        _ text: String, of name: String, subject: String, example: String, ending: String = ""
    ) throws(CommandError) -> FleeceData {
        let encoder = FleeceEncoder()
        if (try? JSONParser.parse(text, .json5, into: encoder)) != nil, let data = try? encoder.finish() { return data }
        guard isPlainText(text) else {
            throw .usage(
                "\(subject): \"\(text)\" is not JSON",
                hint: "If it is meant as a text, write it in quotes: \(example)\(JSONWriter.quoted(text))\(ending)")
        }
        encoder.reset()
        encoder.write(text)
        do { return try encoder.finish() } catch { throw .failed("\(subject): \(error)") }
    }

    private static func isPlainText(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first else { return false }
        if isDate(text) { return true }
        // A number, a text in quotes, an array or an object that is not quite right.
        if "0123456789+-.\"'[{".unicodeScalars.contains(first) { return false }
        // In other spellings these are values elsewhere.
        return !["true", "false", "null", "nil", "none", "missing", "undefined", "nan", "infinity"].contains(text.lowercased())
    }

    /// `2024-05-17`, and with a time behind it.
    private static func isDate(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count >= 10 else { return false }
        for (index, byte) in bytes.prefix(10).enumerated() {
            let isDash = index == 4 || index == 7
            guard isDash ? byte == UInt8(ascii: "-") : (0x30...0x39).contains(byte) else { return false }
        }
        return bytes.count == 10 || bytes[10] == UInt8(ascii: "T") || bytes[10] == UInt8(ascii: " ")
    }
}
