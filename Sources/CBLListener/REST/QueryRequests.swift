import CBLFleece
import CBLLanguage
import CBLQuery
import CBLReplication
import CBLStore

/// `_query`: SQL++ over HTTP. A query reads, and nothing else; and what it reads is what the client may read.
enum QueryRequests {
    static func get(_ call: RESTCall) throws { try run(call) }

    static func post(_ call: RESTCall) throws {
        try call.object().withRoot { root in
            if let members = root.dictionary { call.parameters.merge(members) }
        }
        try run(call)
    }

    /// So much is collected before anything is sent: until then no client keeps the state of the database waiting.
    private static let mostCollected = 16 << 20

    private static func run(_ call: RESTCall) throws {
        let keyspace = try call.keyspace()
        guard let text = call.parameters[["query", "statement", "q"]] else { throw RESTError.badRequest("the query is missing") }
        let parameters = try parameters(call)
        let asArrays = call.parameters.flag("arrays")
        let explains = call.parameters.flag("explain")
        let answer = JSONAnswer(call)
        try keyspace.database.read { snapshot in
            let query = try Query(text, on: snapshot)
            try check(query, keyspace)
            if explains { return try query.explain(on: snapshot).append(to: &answer.text) }
            let options = QueryOptions(timeLimit: call.service.settings.queryTimeLimit)
            let rows = try query.run(on: snapshot, parameters: parameters, options: options)
            answer.text.append("{\"columns\":[")
            for (place, title) in rows.titles.enumerated() {
                if place > 0 { answer.text.append(",") }
                JSONWriter.write(string: title, to: &answer.text)
            }
            answer.text.append("],\"results\":[\n")
            while try rows.next() {
                answer.separate()
                if asArrays { rows.appendArray(to: &answer.text) } else { rows.appendObject(to: &answer.text) }
                if answer.text.count >= mostCollected { try answer.flush() }
            }
            answer.text.append("\n],\"count\":")
            answer.text.append(decimal: UInt64(rows.count))
            answer.text.append("}")
        }
        try answer.end()
    }

    private static func parameters(_ call: RESTCall) throws -> QueryParameters {
        guard let text = call.parameters[["parameters", "args"]] else { return .none }
        do { return try QueryParameters(json: text) } catch is QueryFailure {
            throw RESTError.badParameter("parameters is an object")
        } catch let error as JSONError { throw RESTError.badParameter("parameters is not JSON: \(error)") }
    }

    private static func check(_ query: Query, _ keyspace: Keyspace) throws {
        for source in query.translated.sources {
            let collection = source.collection
            let isServed =
                try collection.isDefault
                ? keyspace.served.share.contains(.default)
                : keyspace.served.share.contains(
                    CollectionName(scope: collection.scope, name: collection.name))
            guard isServed else { throw RESTError.notFound("no such collection") }
        }
    }
}

extension RESTError {
    init(_ error: QueryError) {
        let reason = error.diagnostics.map { [$0.message, $0.hint].compactMap { $0 }.joined(separator: ". ") }.joined(separator: "; ")
        self.init(error.kind == .missingIndex ? 404 : 400, "Invalid query", reason)
    }

    init(_ failure: QueryFailure) {
        switch failure {
        case .timeLimit: self.init(408, "Request Timeout", failure.description)
        case .cancelled: self.init(503, "Service Unavailable", failure.description)
        case .evaluation(let message, _): self = .badRequest(message)
        case .refused(let reason): self = .badRequest(reason)
        }
    }
}
