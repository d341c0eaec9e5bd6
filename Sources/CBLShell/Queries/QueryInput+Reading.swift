import CBLFleece
import CBLLanguage

extension QueryInput {
    /// What the text says.
    func statement() throws(CommandError) -> Statement {
        guard isJSON else { return try describingErrors { () throws(QueryError) in try Statement(sqlpp: text) } }
        let json = try strictJSON()
        return .select(try describingErrors { () throws(QueryError) in try Select(json: json) })
    }

    /// Refuses a source whose last comment goes on for ever: what stands in it was hardly meant to be passed over.
    func checkComments() throws(CommandError) {
        guard !isJSON, let range = Comment.open(in: source) else { return }
        let mistake = QueryError(.syntax, "nothing closes this comment", range: SourceRange(range.start - offset, range.end - offset))
        throw commandError(mistake)
    }

    /// A query in JSON as it was given, or made of the JSON5 that it was given in.
    func strictJSON() throws(CommandError) -> String {
        let encoder = FleeceEncoder()
        if (try? JSONParser.parse(text, into: encoder)) != nil { return text }
        encoder.reset()
        var text = text
        let result = text.withUTF8 { bytes in
            Result { () throws(JSONError) in try JSONParser.parse(UnsafeRawBufferPointer(bytes), .json5, into: encoder) }
                .mapError { CommandError.invalidJSON($0, in: UnsafeRawBufferPointer(bytes), source: sourceName) }
        }
        try result.get()
        do { return try encoder.finish().withRoot { $0.json() } } catch { throw commandError("the query cannot be read: \(error)") }
    }

    /// Runs something that may find mistakes in the statement, and has them told with their place.
    func describingErrors<Result>(_ work: () throws(QueryError) -> Result) throws(CommandError) -> Result {
        do { return try work() } catch { throw commandError(error) }
    }
}
