import CBLReplication

/// What a path leads to. Which database that is in is looked up later: a path may name one that is not there.
struct RESTPlace: Hashable {
    /// What there is a handler for, by method.
    enum Pattern: Hashable {
        /// `/`
        case server
        /// `/_all_dbs`
        case serverOperation(String)
        /// `/db`
        case database
        /// `/db/_all_docs`
        case operation(String)
        /// `/db/a` and `/db/_design/a`
        case document
        /// `/db/_local/a`
        case localDocument
        /// `/db/a/photo.jpg`
        case attachment
        /// `/db/_design/a/_view/b`
        case designOperation(String)
    }

    let pattern: Pattern
    /// The first component, if it is no operation: the name of a database, perhaps with a collection.
    var database = ""
    /// The document's ID, with `_design/` or `_local/` if it has that.
    var document = ""
    /// What is behind a document or an operation.
    var rest = ""

    /// Of the components of a path, decoded.
    init(_ path: [String]) throws(RESTError) {
        guard let first = path.first else {
            pattern = .server
            return
        }
        guard !first.hasPrefix("_") else {
            pattern = .serverOperation(path.joined(separator: "/"))
            return
        }
        database = first
        guard path.count > 1 else {
            pattern = .database
            return
        }
        var components = path.dropFirst()
        let second = components.removeFirst()
        guard second.hasPrefix("_") else {
            document = second
            rest = components.joined(separator: "/")
            pattern = rest.isEmpty ? .document : .attachment
            return
        }
        for prefix in ["_design", "_local"] where second == prefix || second.hasPrefix(prefix + "/") {
            guard second != prefix || !components.isEmpty, second != prefix + "/" else { throw .notFound() }
            document = second == prefix ? "\(prefix)/\(components.removeFirst())" : second
            pattern = RESTPlace.pattern(below: prefix, &components)
            rest = components.joined(separator: "/")
            return
        }
        rest = components.joined(separator: "/")
        pattern = .operation(second)
    }

    private static func pattern(below prefix: String, _ components: inout ArraySlice<String>) -> Pattern {
        guard let next = components.first else { return prefix == "_local" ? .localDocument : .document }
        guard prefix == "_design", next.hasPrefix("_") else { return .attachment }
        components.removeFirst()
        return .designOperation(next)
    }
}
