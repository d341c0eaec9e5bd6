extension Parser {
    /// Why the text could not be parsed.
    func error(in source: String) -> QueryError {
        if let limitError { return QueryError(.syntax, [limitError], errorPosition: limitError.range.start) }
        return QueryError(
            .syntax, [QueryError.Diagnostic("syntax error", range: SourceRange(text.farthest, text.farthest))], errorPosition: text.farthest
        )
    }
}
