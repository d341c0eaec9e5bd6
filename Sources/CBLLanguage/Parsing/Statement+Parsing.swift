import CBLBase

extension Statement {
    /// Reads a `SELECT` in the vendor's dialect, or a statement that changes something in Couchbase Server's.
    package init(sqlpp text: String) throws(QueryError) {
        let first = ReportedToken.first(of: text)
        guard let word = first?.word, word != "SELECT", Statement.beginnings.contains(word) else {
            self = .select(try Statement.query(text, first))
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

    private static func query(_ text: String, _ first: ReportedToken?) throws(QueryError) -> Select {
        let failure: QueryError
        do throws(QueryError) {
            let select = try Select(sqlpp: text)
            guard select.isBareList else { return select }
            failure = QueryError(.syntax, [], errorPosition: 0)
        } catch {
            guard first?.isWord("SELECT") == false, error.kind == .syntax else { throw error }
            failure = error
        }
        guard let first else { throw failure }
        // A list of expressions is right only where an index is defined; and if it is wrong, it was hardly meant as one.
        let suggestion = Suggestion.closest(to: first.text, in: beginnings).map { ". Did you mean \($0)?" } ?? ""
        let message = "no statement begins with \"\(Diagnosis.shortened(first.text))\"\(suggestion)"
        throw QueryError(.syntax, [QueryError.Diagnostic(message, range: first.range)], errorPosition: failure.errorPosition)
    }

    /// Splits a script at the semicolons outside of quotes. Each part comes without the blanks around it; empty ones do not come at all.
    package static func split(_ script: String) -> [(text: Substring, range: SourceRange)] {
        var parts: [(text: Substring, range: SourceRange)] = []
        var lexer = Lexer(Array(script.utf8))
        var part: SourceRange?
        var place = (index: script.utf8.startIndex, offset: 0)
        func finish() {
            guard let range = part else { return }
            let first = script.utf8.index(place.index, offsetBy: range.start - place.offset)
            let last = script.utf8.index(first, offsetBy: range.end - range.start)
            parts.append((script[first..<last], range))
            place = (last, range.end)
            part = nil
        }
        while let token = lexer.nextSolid() {
            if token.kind == .symbol, lexer.bytes[token.start] == UInt8(ascii: ";") {
                finish()
            } else {
                part = SourceRange(part?.start ?? token.start, token.end)
            }
        }
        finish()
        return parts
    }
}
