/// What a query that is being built consists of so far.
struct QueryClauses: Sendable {
    var results: [QueryJSON] = []
    var isDistinct = false
    var source: QuerySource?
    var joins: [QueryJSON] = []
    var condition: QueryJSON?
    var groups: [QueryJSON] = []
    var having: QueryJSON?
    var orderings: [QueryJSON] = []
    var limit: QueryJSON?
    var offset: QueryJSON?

    var database: Database? { source?.collection.database }

    var json: QueryJSON {
        guard let source else { preconditionFailure("A query must say what it reads: from(…) is missing.") }
        var members: [(key: String, value: QueryJSON)] = []
        func add(_ key: String, _ value: QueryJSON?) { if let value { members.append((key, value)) } }
        func add(_ key: String, list: [QueryJSON]) { if !list.isEmpty { members.append((key, .array(list))) } }
        let all = QueryJSON.operation(source.alias.map { ".\($0)." } ?? ".")
        add("WHAT", .array(results.isEmpty ? [all] : results))
        if isDistinct { add("DISTINCT", .boolean(true)) }
        add("FROM", .array([.object(source.members)] + joins))
        add("WHERE", condition)
        add("GROUP_BY", list: groups)
        add("HAVING", having)
        add("ORDER_BY", list: orderings)
        add("LIMIT", limit)
        add("OFFSET", offset)
        return .object(members)
    }

    /// A copy that has something more.
    func with(_ change: (inout QueryClauses) -> Void) -> QueryClauses {
        var copy = self
        change(&copy)
        return copy
    }

    func limited(_ limit: ExpressionProtocol, _ offset: ExpressionProtocol?) -> QueryClauses {
        with {
            $0.limit = limit.json
            $0.offset = offset?.json
        }
    }

    func ordered(_ orderings: [OrderingProtocol]) -> QueryClauses { with { $0.orderings = orderings.map(\.json) } }
    func grouped(_ expressions: [ExpressionProtocol]) -> QueryClauses { with { $0.groups = expressions.map(\.json) } }
    func restricted(_ expression: ExpressionProtocol) -> QueryClauses { with { $0.condition = expression.json } }
}

/// What protocols that programs only pass on are: each is made here alone.
func builtPart<Part>(_ part: Any, _ type: Part.Type) -> Part {
    guard let built = part as? Part else {
        programmerError(.invalidArgument, "\(Swift.type(of: part)) is no part of a query: only what this library makes is.")
    }
    return built
}
