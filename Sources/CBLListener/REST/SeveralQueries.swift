import CBLFleece
import CBLReplication

extension RESTCall {
    /// `{"queries":[{"limit":1},{"key":"a"}]}`: each of them is answered by `write`, with the parameters of the URL and those of its own.
    func answerQueries(_ posted: FleeceData, _ write: (RESTParameters, JSONAnswer) throws -> Void) throws {
        let answer = JSONAnswer(self)
        answer.text.append("{\"results\":[\n")
        try posted.withRoot { root in
            guard let queries = root.dictionary?.value(forKey: "queries", nil)?.array else {
                throw RESTError.badRequest("queries is an array")
            }
            for (place, query) in queries.enumerated() {
                guard let members = query.dictionary else { throw RESTError.badRequest("each of the queries is an object") }
                var parameters = parameters
                parameters.merge(members)
                if place > 0 { answer.text.append(",\n") }
                try write(parameters, answer)
            }
        }
        answer.text.append("\n]}")
        try answer.end()
    }
}
