import CBLFleece
import CBLReplication
import CBLStore

/// What is asked of all documents of a collection: which, in which order, and how much of each.
struct DocumentListQuery {
    enum Kind {
        case live, withDeleted, withConflicts, onlyConflicts
    }

    /// What a key is that IDs are compared with. Those that are no text stand before all of them, or behind.
    enum End {
        case open
        case id(String)
        case beforeAll
        case behindAll
    }

    var kind = Kind.live
    /// In this order, with a row for each; JSON of those that are no text.
    var keys: [Key]?
    var start = End.open
    var end = End.open
    var includesStart = true
    var includesEnd = true
    var isDescending = false
    var skip = 0
    var limit = Int.max
    var includesDocuments = false
    var tellsSequence = false
    /// Whether keys that lead to no live document have no row.
    var omitsMissing = false

    enum Key {
        case id(String)
        case other(json: String)

        init(_ value: Value) { self = value.string.map { .id($0) } ?? .other(json: value.json()) }
    }

    /// Edge Servers take IDs at the ends of a range as they are.
    init(_ parameters: RESTParameters, keys posted: ArrayView? = nil, isEdge: Bool = false) throws(RESTError) {
        if let posted { keys = posted.map { Key($0) } } else { keys = try DocumentListQuery.keys(parameters) }
        start = try DocumentListQuery.end(parameters, ["startkey", "start_key"], isEdge)
        end = try DocumentListQuery.end(parameters, ["endkey", "end_key"], isEdge)
        if let key = try parameters.json("key") {
            guard keys == nil else { throw .badRequest("there is a key, or there are keys") }
            (start, end) = key.withRoot { $0.string.map { (.id($0), .id($0)) } ?? (.behindAll, .behindAll) }
        }
        includesStart = parameters.flag("inclusive_start", default: true)
        includesEnd = parameters.flag("inclusive_end", default: true)
        isDescending = parameters.flag("descending")
        skip = parameters.integer("skip") ?? 0
        limit = parameters.integer("limit") ?? .max
        includesDocuments = parameters.flag("include_docs")
        tellsSequence = parameters.flag("update_seq")
        let kinds: [(String, Kind)] = [
            ("include_deleted", .withDeleted), ("include_conflicts", .withConflicts), ("only_conflicts", .onlyConflicts),
        ]
        if let named = kinds.first(where: { parameters[$0.0] != nil }), parameters.flag(named.0) { kind = named.1 }
    }

    /// Whether all documents are asked for.
    var isUnbounded: Bool {
        guard keys == nil, case .open = start, case .open = end else { return false }
        return true
    }

    private static func keys(_ parameters: RESTParameters) throws(RESTError) -> [Key]? {
        guard let keys = try parameters.json("keys") else { return nil }
        return try keys.withRoot { (root) throws(RESTError) in
            guard let array = root.array else { throw .badParameter("keys is an array") }
            return array.map { Key($0) }
        }
    }

    private static func end(_ parameters: RESTParameters, _ names: [String], _ isEdge: Bool) throws(RESTError) -> End {
        guard let text = parameters[names] else { return .open }
        guard let key = try? RESTCall.parse(Array(text.utf8)) else {
            guard isEdge else { throw .badParameter("\(names[0]) is not JSON") }
            return .id(text)
        }
        return key.withRoot { root in
            switch root.kind {
            case .string: root.string.map { .id($0) } ?? .open
            case .array, .dictionary: .behindAll
            default: .beforeAll
            }
        }
    }

    /// As Couchbase Edge Server answers: `isPosted` if the parameters came in a body.
    mutating func adaptToEdge(_ parameters: RESTParameters, isPosted: Bool) {
        tellsSequence = true
        omitsMissing = true
        if limit == 0 { limit = 1 }
        includesDocuments = parameters.flag("include_docs", default: isPosted)
    }

    /// The range of IDs; nil if nothing is in it.
    var range: (first: ScanOptions.Bound?, last: ScanOptions.Bound?)? {
        let (lower, upper) = isDescending ? (end, start) : (start, end)
        let (includesLower, includesUpper) = isDescending ? (includesEnd, includesStart) : (includesStart, includesEnd)
        var bounds: (first: ScanOptions.Bound?, last: ScanOptions.Bound?) = (nil, nil)
        switch lower {
        case .open, .beforeAll: break
        case .id(let id): bounds.first = .init(id, isIncluded: includesLower)
        case .behindAll: return nil
        }
        switch upper {
        case .open, .behindAll: break
        case .id(let id): bounds.last = .init(id, isIncluded: includesUpper)
        case .beforeAll: return nil
        }
        return bounds
    }
}
