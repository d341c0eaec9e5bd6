extension Statement {
    /// Reads a `SELECT` in the vendor's dialect, or a statement that changes something in Couchbase Server's.
    package init(sqlpp text: String) throws(QueryError) {
        let bytes = Array(text.utf8)
        let start = bytes.firstIndex { !SyntaxScanner.isBlank($0) } ?? bytes.count
        let end = bytes[start...].firstIndex { !SyntaxScanner.isLetter($0) } ?? bytes.count
        let word = String(decoding: bytes[start..<end], as: UTF8.self).uppercased()
        guard word != "SELECT", Statement.beginnings.contains(word) else {
            self = .select(try Statement.query(text, Token.tokens(of: bytes), isSelect: word == "SELECT"))
            return
        }
        var parser = Parser(text)
        if let statement = parser.statement(), parser.limitError == nil {
            self = statement
            return
        }
        var explained = Parser(text, explaining: true)
        _ = explained.statement()
        throw Recovery.statementError(in: text, explained)
    }

    private static func query(_ text: String, _ tokens: [Token], isSelect: Bool) throws(QueryError) -> Select {
        let failure: QueryError
        do throws(QueryError) {
            let select = try Select(sqlpp: text)
            guard select.isBareList else { return select }
            failure = QueryError(.syntax, [], errorPosition: 0)
        } catch {
            guard !isSelect, error.kind == .syntax, !tokens.isEmpty else { throw error }
            failure = error
        }
        // A list of expressions is right only where an index is defined; and if it is wrong, it was hardly meant as one.
        let suggestion = Suggestion.closest(to: tokens[0].text, in: beginnings).map { ". Did you mean \($0)?" } ?? ""
        let message = "no statement begins with \"\(Diagnosis.shortened(tokens[0].text))\"\(suggestion)"
        throw QueryError(.syntax, [QueryError.Diagnostic(message, range: tokens[0].range)], errorPosition: failure.errorPosition)
    }

    /// Splits a script at the semicolons outside of quotes. Each part comes without the blanks around it; empty ones do not come at all.
    package static func split(_ script: String) -> [(text: Substring, range: SourceRange)] {
        var parts: [(text: Substring, range: SourceRange)] = []
        let utf8 = script.utf8
        // The first and behind the last byte of a part that is no blank, as indexes and as offsets.
        var first: (index: String.Index, offset: Int)?
        var last = (index: utf8.startIndex, offset: 0)
        var quote: UInt8?
        var offset = 0
        var index = utf8.startIndex
        while index < utf8.endIndex {
            let byte = utf8[index]
            let next = utf8.index(after: index)
            if byte == UInt8(ascii: ";"), quote == nil {
                if let first { parts.append((script[first.index..<last.index], SourceRange(first.offset, last.offset))) }
                first = nil
            } else {
                // A doubled quote ends the string, and begins one again.
                if let open = quote {
                    if byte == open { quote = nil }
                } else if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "`") {
                    quote = byte
                }
                if quote != nil || !SyntaxScanner.isBlank(byte) {
                    if first == nil { first = (index, offset) }
                    last = (next, offset + 1)
                }
            }
            index = next
            offset += 1
        }
        if let first { parts.append((script[first.index..<last.index], SourceRange(first.offset, last.offset))) }
        return parts
    }
}
