import CBLFleece

extension Select {
    /// Reads the JSON form of a query: an object with the clauses, `["SELECT", {…}]`, or another array, which is a condition.
    ///
    ///     try Select(json: #"{"WHAT": [".name"], "WHERE": ["=", [".type"], "hotel"]}"#)
    ///
    /// Names of clauses and operators may be written in any case. All that the form itself does not allow is reported at once.
    package init(json text: String) throws(QueryError) {
        self = try JSONFormReader.read(text, "SELECT statement is missing") { $0.statement($1) }
    }
}

extension QueryExpression {
    /// Reads the JSON form of an expression, such as the condition of an index.
    package init(json text: String) throws(QueryError) {
        self = try JSONFormReader.read(text, "the expression is missing") { $0.expression($1) }
    }

    /// Reads a JSON array of expressions, as definitions of indexes keep them. A string there is an operation without operands, so `".name"`
    /// is a property.
    package static func list(json text: String) throws(QueryError) -> [QueryExpression] {
        try JSONFormReader.read(text, "the list of expressions is missing") { $0.indexExpressions($1) }
    }
}

extension JSONFormReader {
    /// Parses a text and reads its value; `absence` is what to say of a text that is no JSON.
    static func read<Result>(
        _ text: String, _ absence: String, _ read: (inout JSONFormReader, Value) -> Result
    ) throws(QueryError) -> Result {
        let encoder = FleeceEncoder()
        let data: FleeceData
        do {
            try JSONParser.parse(text, into: encoder)
            data = try encoder.finish()
        } catch {
            let hint = (error as? JSONError).map { "The text is no JSON: \($0.description)." }
            throw QueryError(.meaning, [QueryError.Diagnostic(absence, hint: hint)])
        }
        var reader = JSONFormReader()
        let result = data.withRoot { read(&reader, $0) }
        if !reader.diagnostics.isEmpty { throw QueryError(.meaning, reader.diagnostics) }
        return result
    }
}
