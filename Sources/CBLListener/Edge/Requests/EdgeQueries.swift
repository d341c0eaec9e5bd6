import CBLFleece
import CBLLanguage
import CBLQuery
import CBLReplication
import CBLStore

/// `_query`: whatever a client asks, if it may; and queries that have a name, whose text is the owner's.
enum EdgeQueries {
    static func get(_ call: RESTCall) throws {
        guard !call.place.rest.isEmpty else { throw RESTError.methodNotAllowed }
        try run(call, try named(call), .named(call.parameters.all))
    }

    static func post(_ call: RESTCall) throws {
        guard call.place.rest.isEmpty else {
            let text = try named(call)
            let parameters = try call.objectIfAny().map { data in
                try data.withRoot { root in try QueryParameters(json: root.json()) }
            }
            return try run(call, text, .given(parameters ?? .none))
        }
        let keyspace = try call.keyspace()
        guard database(call, keyspace)?.allowsAdHocQueries == true else {
            throw RESTError.forbidden("only queries that have a name can be asked here")
        }
        let (text, parameters) = try call.object().withRoot { root -> (String, QueryParameters) in
            guard let members = root.dictionary, let text = members.value(forKey: "query", nil)?.string else {
                throw RESTError.badRequest("the query is missing")
            }
            let value = members.value(forKey: "parameters", nil) ?? members.value(forKey: "params", nil)
            guard let value, !value.isNull else { return (text, .none) }
            guard value.dictionary != nil else { throw RESTError.badParameter("parameters is an object") }
            return (text, try QueryParameters(json: value.json()))
        }
        try run(call, text, .given(parameters))
    }

    private enum Parameters {
        case given(QueryParameters)
        /// From a URL, where everything is text.
        case named([(name: String, value: String)])

        func values() throws -> QueryParameters {
            switch self {
            case .given(let values): return values
            case .named(let list):
                var object = ByteBuffer()
                object.append("{")
                for (place, item) in list.enumerated() {
                    if place > 0 { object.append(",") }
                    JSONWriter.write(string: item.name.hasPrefix("$") ? String(item.name.dropFirst()) : item.name, to: &object)
                    object.append(":")
                    object.append(Parameters.json(item.value))
                }
                object.append("}")
                return try QueryParameters(json: String(decoding: object.bytes, as: UTF8.self))
            }
        }

        /// A number, `true`, `false` and a text in quotes are that; everything else is a text.
        private static func json(_ text: String) -> String {
            let encoder = FleeceEncoder()
            if (try? JSONParser.parse(text, into: encoder)) != nil, let value = try? encoder.finish() {
                let isPlain = value.withRoot { $0.string != nil || $0.boolean != nil || $0.double != nil }
                if isPlain { return text }
            }
            var quoted = ByteBuffer()
            JSONWriter.write(string: text, to: &quoted)
            return String(decoding: quoted.bytes, as: UTF8.self)
        }
    }

    private static func database(_ call: RESTCall, _ keyspace: Keyspace) -> EdgeDatabase? {
        call.service.settings.edge?.configuration.databases[keyspace.served.name]
    }

    /// The text of the query that has the name in the URL.
    private static func named(_ call: RESTCall) throws -> String {
        let (name, _) = try Keyspace.split(call.place.database)
        guard let served = try call.service.databases.database(named: name),
            let database = call.service.settings.edge?.configuration.databases[name], call.visitor.rights.access(to: served.share) != nil
        else { throw call.nothing(at: name) }
        guard let queries = database.queries else { throw RESTError.forbidden("no query has a name here") }
        guard let query = queries[call.place.rest] else { throw RESTError.notFound("no query \"\(call.place.rest)\"") }
        guard mayRead(call, served.share, query.collections) else {
            throw RESTError.forbidden("this query is for those who may read what it is about")
        }
        return query.text
    }

    /// Whether a visitor may read one of these collections; of those of a database, if none is named.
    private static func mayRead(_ call: RESTCall, _ share: Share, _ names: [String]?) -> Bool {
        guard share.controlsAccess else { return true }
        let collections =
            names?.compactMap { try? CollectionName(parsing: $0) }
            ?? (try? share.collections ?? share.database.read { $0.collections() }) ?? []
        return collections.contains { call.visitor.rights.access(to: share, $0)?.allowsPull == true }
    }

    // Carrying out

    /// So much is collected before anything is sent: until then no client keeps the state of the database waiting.
    private static let mostCollected = 16 << 20

    private static func run(_ call: RESTCall, _ text: String, _ parameters: Parameters) throws {
        let isNamed = !call.place.rest.isEmpty
        let keyspace = isNamed ? try namedKeyspace(call) : try call.keyspace()
        call.audit(.query, text: isNamed ? call.place.rest : text)
        let values: QueryParameters
        do { values = try parameters.values() } catch let error as JSONError {
            throw RESTError.badParameter("the parameters are not JSON: \(error)")
        } catch is QueryFailure { throw RESTError.badParameter("the parameters are an object") }
        let answer = JSONAnswer(call)
        try keyspace.database.read { snapshot in
            let query = try Query(text, on: snapshot)
            try check(query, keyspace, isNamed ? nil : call.visitor.rights)
            let missing = query.translated.parameters.filter { values[$0] == nil }.sorted()
            guard missing.isEmpty else {
                throw RESTError.badParameter("missing: \(missing.map { "$" + $0 }.joined(separator: ", "))")
            }
            let rows = try query.run(
                on: snapshot, parameters: values, options: QueryOptions(timeLimit: call.service.settings.queryTimeLimit))
            answer.text.append("[")
            while try rows.next() {
                answer.separate()
                rows.appendObject(to: &answer.text)
                if answer.text.count >= mostCollected { try answer.flush() }
            }
            answer.text.append("]")
        }
        try answer.end()
    }

    /// A query that has a name may be about collections that who asks it may not read.
    private static func namedKeyspace(_ call: RESTCall) throws -> Keyspace {
        let keyspace = try call.service.databases.keyspace(named: call.place.database)
        guard keyspace.served.share.contains(keyspace.collection) else { throw RESTError.notFound("no such collection") }
        return keyspace
    }

    private static func check(_ query: Query, _ keyspace: Keyspace, _ rights: UserRights?) throws {
        let share = keyspace.served.share
        for source in query.translated.sources {
            let collection =
                try source.collection.isDefault
                ? CollectionName.default : CollectionName(scope: source.collection.scope, name: source.collection.name)
            guard share.contains(collection) else { throw RESTError.notFound("no such collection") }
            guard rights.map({ $0.access(to: share, collection)?.allowsPull == true }) ?? true else {
                throw RESTError.forbidden("there is nothing there that you may have")
            }
        }
    }
}
