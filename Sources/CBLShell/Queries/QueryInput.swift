import CBLLanguage
import CBLWorkbench

/// A statement that somebody gave, and where it stands.
struct QueryInput {
    /// Without comments: blanks are in their place.
    let text: String
    /// The file it was read from; nil for the command line.
    let sourceName: String?
    /// All of what was read, in which mistakes are shown.
    let source: String
    /// Where in it the statement begins, in bytes.
    let offset: Int

    init(_ text: String) {
        (sourceName, source, offset) = (nil, text, 0)
        self.text = QueryInput.isJSON(text) ? text : Comment.blanked(text)
    }

    private init(_ text: Substring, at range: SourceRange, of source: String, named name: String?) {
        (self.text, sourceName, self.source, offset) = (String(text), name, source, range.start)
    }

    /// The statements of a text, which semicolons separate.
    static func statements(of source: String, named name: String? = nil) -> [QueryInput] {
        Statement.split(QueryInput.isJSON(source) ? source : Comment.blanked(source)).map {
            QueryInput($0.text, at: $0.range, of: source, named: name)
        }
    }

    /// The statements of a file; `-` is standard input.
    static func statements(inFile path: String) throws -> [QueryInput] {
        let file = try InputSource(path)
        return try statements(of: text(of: file), named: file.name)
    }

    static func text(of file: InputSource) throws -> String {
        let text = try file.withAll { bytes -> String in
            guard let text = String(validating: bytes, as: UTF8.self) else { throw CommandError.failed("\(file.name): not valid UTF-8") }
            return text
        }
        // The mark that some editors put in front of UTF-8.
        return text.hasPrefix("\u{FEFF}") ? String(text.dropFirst()) : text
    }

    /// Whether it is a query in the form of JSON, and not SQL++.
    var isJSON: Bool { QueryInput.isJSON(text) }

    private static func isJSON(_ text: String) -> Bool {
        let first = text.utf8.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }

    /// What to tell about a mistake in it: in a script with file, line and column.
    func commandError(_ error: QueryError) -> CommandError {
        var error = error
        for index in error.diagnostics.indices where !error.diagnostics[index].range.isNone {
            error.diagnostics[index].range.start += offset
            error.diagnostics[index].range.end += offset
        }
        guard let sourceName else { return CommandError(.failure, lines: error.reportLines(in: source)) }
        let first = error.diagnostics.first { !$0.range.isNone }?.range.start ?? offset
        return CommandError(.failure, lines: error.reportLines(in: source)).behind("\(sourceName):\(place(of: first)): ")
    }

    /// What to tell about a statement that failed while it ran.
    func commandError(_ message: String, hint: String? = nil, exitCode: ExitCode = .failure) -> CommandError {
        CommandError(exitCode, sourceName.map { "\($0):\(place(of: offset)): \(message)" } ?? message, hint: hint)
    }

    /// `line:column`, both counted from 1; columns are characters.
    private func place(of byte: Int) -> String {
        let bytes = source.utf8.prefix(byte)
        let line = bytes.count { $0 == UInt8(ascii: "\n") } + 1
        let start = bytes.lastIndex(of: UInt8(ascii: "\n")).map(bytes.index(after:)) ?? bytes.startIndex
        return "\(line):\(String(decoding: bytes[start...], as: UTF8.self).count + 1)"
    }
}
