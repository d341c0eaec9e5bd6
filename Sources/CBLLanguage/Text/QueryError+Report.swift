extension QueryError {
    /// What is wrong, for the person at the prompt: every mistake with its place, and the line it is in.
    ///
    ///     SQL++ syntax error at column 13: "FORM" was taken for an alias. Did you mean FROM?
    ///         SELECT name FORM airline
    ///                     ^~~~
    package func report(in text: String) -> String { reportLines(in: text).joined(separator: "\n") }

    /// The same, line by line: a message may quote text with line ends of its own.
    package func reportLines(in text: String) -> [String] {
        var text = text
        return text.withUTF8 { bytes in
            diagnostics.flatMap { report($0, in: UnsafeRawBufferPointer(bytes)) }
        }
    }

    private func report(_ diagnostic: Diagnostic, in text: UnsafeRawBufferPointer) -> [String] {
        let range = diagnostic.range
        let message = diagnostic.message + (diagnostic.hint.map { (diagnostic.message.hasSuffix(".") ? " " : ". ") + $0 } ?? "")
        guard !range.isNone, range.end >= range.start else { return ["\(title): \(message)"] }
        let excerpt = SourceExcerpt(text, range.start..<range.end)
        return ["\(title) at \(excerpt.place): \(message)"] + excerpt.lines
    }

    private var title: String {
        switch kind {
        case .syntax, .unsupported: "SQL++ syntax error"
        case .meaning, .missingIndex, .unknownParameter: "SQL++ error"
        }
    }
}
