/// The clauses of `SELECT`.
extension Parser {
    mutating func select() -> Select? {
        let start = text.position
        guard text.skip(.select) else { return nil }
        var select = Select()
        if text.skip(.distinct) {
            select.isDistinct = true
        } else {
            _ = text.skip(.all)
        }
        guard let results = results() else { return fail(to: start) }
        select.results = results
        parseClauses(from: .from, into: &select)
        select.range = text.range(from: start)
        let end = text.position
        text.skipBlanks()
        if !text.skip(";") { text.position = end }
        return select
    }

    /// The clauses behind the results, in their order.
    enum Clause: Int, Comparable {
        case from, `where`, group, having, order, limit

        static func < (one: Clause, other: Clause) -> Bool { one.rawValue < other.rawValue }
    }

    /// Passes over the clauses that are there, the first of them and what may follow that. They are all optional.
    mutating func parseClauses(from first: Clause, into select: inout Select) {
        text.skipBlanks()
        if first <= .from, let sources = from() {
            select.sources = sources
            text.skipBlanks()
        }
        if first <= .where, let condition = clause(.where) {
            select.condition = condition
            text.skipBlanks()
        }
        if first <= .group, let groupBy = groupBy() {
            select.groupBy = groupBy
            text.skipBlanks()
        }
        if !select.groupBy.isEmpty || first == .having { select.having = clause(.having) }
        if first <= .order, let orderBy = orderBy() {
            select.orderBy = orderBy
            text.skipBlanks()
        }
        select.limit = clause(.limit)
        select.offset = clause(.offset)
        if select.limit == nil, select.offset != nil { select.limit = clause(.limit) }
    }

    /// A clause that is a keyword and an expression.
    mutating func clause(_ keyword: Keyword) -> QueryExpression? {
        let start = text.position
        guard text.skip(keyword), let expression = expression() else { return fail(to: start) }
        return expression
    }

    // What is selected

    mutating func results() -> [Select.Result]? {
        guard let first = result() else { return nil }
        var results = [first]
        while true {
            let start = text.position
            guard comma(), let result = result() else {
                text.position = start
                return results
            }
            results.append(result)
        }
    }

    private mutating func result() -> Select.Result? {
        guard let expression = expression() else { return nil }
        return Select.Result(expression, alias: alias())
    }

    /// `_ AS? name`
    private mutating func alias() -> String? {
        let start = text.position
        text.skipBlanks()
        _ = text.skip(.as)
        guard let alias = text.identifier() else { return fail(to: start) }
        return alias.name
    }

    // Where from

    mutating func from() -> [Select.Source]? {
        let start = text.position
        guard text.skip(.from), let first = source() else { return fail(to: start) }
        var sources = [first]
        while true {
            let end = text.position
            text.skipBlanks()
            guard let source = join() ?? unnest() else {
                text.position = end
                return sources
            }
            sources.append(source)
        }
    }

    mutating func source() -> Select.Source? {
        let start = text.position
        guard let collection = collectionName() else { return nil }
        var source = Select.Source(.collection(scope: collection.scope, name: collection.name))
        source.alias = sourceAlias()
        source.range = text.range(from: start)
        return source
    }

    /// `AS? name`
    mutating func sourceAlias() -> String? {
        let start = text.position
        _ = text.skip(.as)
        guard let alias = text.identifier() else { return fail(to: start) }
        return alias.name
    }

    /// `collection` or `scope.collection`, without blanks behind the dot.
    mutating func collectionName() -> (scope: String?, name: String)? {
        guard let first = text.identifier() else { return nil }
        let end = text.position
        guard text.skip("."), let second = text.identifier() else {
            text.position = end
            return (nil, first.name)
        }
        return (first.name, second.name)
    }

    private mutating func join() -> Select.Source? {
        let start = text.position
        if text.skip(.left) {
            _ = text.skip(.outer)
        } else if !text.skip(.inner) {
            _ = text.skip(.cross)
        }
        let kind = text.range(from: start)
        guard text.skip(.join), var source = source() else { return fail(to: start) }
        source.join = kind.end > kind.start ? text.string(kind) : "INNER"
        text.skipBlanks()
        source.on = clause(.on)
        source.range = text.range(from: start)
        return source
    }

    private mutating func unnest() -> Select.Source? {
        let start = text.position
        guard text.skip(.unnest), let expression = expression() else { return fail(to: start) }
        var source = Select.Source(.unnest(expression))
        source.alias = alias()
        source.range = text.range(from: start)
        return source
    }

    // Groups and order

    private mutating func groupBy() -> [QueryExpression]? {
        let start = text.position
        guard text.skip(.group), text.skip(.by), let keys = expressions() else { return fail(to: start) }
        return keys
    }

    mutating func expressions() -> [QueryExpression]? {
        guard let first = expression() else { return nil }
        var list = [first]
        while true {
            let end = text.position
            guard comma(), let next = expression() else {
                text.position = end
                return list
            }
            list.append(next)
        }
    }

    private mutating func orderBy() -> [Select.Ordering]? {
        let start = text.position
        guard text.skip(.order), text.skip(.by), let orderings = orderings() else { return fail(to: start) }
        return orderings
    }

    mutating func orderings() -> [Select.Ordering]? {
        guard let first = ordering() else { return nil }
        var list = [first]
        while true {
            let end = text.position
            guard comma(), let next = ordering() else {
                text.position = end
                return list
            }
            list.append(next)
        }
    }

    private mutating func ordering() -> Select.Ordering? {
        guard let expression = expression() else { return nil }
        let end = text.position
        text.skipBlanks()
        let start = text.position
        guard text.skip(.asc) || text.skip(.desc) else {
            text.position = end
            return Select.Ordering(expression)
        }
        let word = text.range(from: start)
        return Select.Ordering(expression, direction: text.string(word))
    }
}
