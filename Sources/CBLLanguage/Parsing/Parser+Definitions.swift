/// `CREATE` and `DROP` of indexes and collections. `IF [NOT] EXISTS` may stand before the name or behind it: Couchbase Server itself
/// has it here for some and there for others.
extension Parser {
    mutating func create() -> Statement? {
        let start = text.position
        guard text.skip(.create) else { return nil }
        if text.skip(.collection) {
            let isEarly = exists(isNegated: true)
            guard let collection = collectionPath() else { return fail(to: start) }
            return .createCollection(collection, ifNotExists: exists(isNegated: true) || isEarly)
        }
        guard let index = createIndex() else { return fail(to: start) }
        return .createIndex(index)
    }

    mutating func drop() -> Statement? {
        let start = text.position
        guard text.skip(.drop) else { return nil }
        if text.skip(.collection) {
            let isEarly = exists(isNegated: false)
            guard let collection = collectionPath() else { return fail(to: start) }
            return .dropCollection(collection, ifExists: exists(isNegated: false) || isEarly)
        }
        guard text.skip(.index), let statement = dropIndex() else { return fail(to: start) }
        return statement
    }

    /// `IF [NOT] EXISTS`
    private mutating func exists(isNegated: Bool) -> Bool {
        let start = text.position
        if text.skip(.if), !isNegated || text.skip(.not), text.skip(.exists) { return true }
        text.position = start
        return false
    }

    // Indexes

    /// `[FULLTEXT | ARRAY] INDEX name ON c (expressions) [UNNEST path] [WHERE condition] [WITH {…}]`
    private mutating func createIndex() -> Statement.CreateIndex? {
        let isFullText = text.skip(.fulltext)
        let isArray = !isFullText && text.skip(.array)
        guard text.skip(.index) else { return nil }
        let isEarly = exists(isNegated: true)
        guard let name = text.identifier() else { return nil }
        let ifNotExists = exists(isNegated: true) || isEarly
        guard text.skip(.on), let collection = collectionPath() else { return nil }
        var index = Statement.CreateIndex(
            kind: isFullText ? .fullText : .value, name: name.name, collection: collection, expressions: [], expressionText: "",
            ifNotExists: ifNotExists)
        if !isFullText, unnest(into: &index) {
            // The items of an array are indexed as they are, or by expressions over them.
            _ = keys(into: &index)
        } else {
            guard !isArray || text.byte == UInt8(ascii: "("), keys(into: &index) else { return nil }
            guard isFullText || unnest(into: &index) || !isArray else { return nil }
        }
        guard condition(into: &index), options(into: &index) else { return nil }
        return index
    }

    private mutating func keys(into index: inout Statement.CreateIndex) -> Bool {
        guard symbol("(") else { return false }
        let start = text.position
        guard let expressions = expressions() else { return false }
        index.expressions = expressions
        index.expressionText = text.string(text.range(from: start))
        return symbol(")")
    }

    /// `UNNEST contacts[].phones`
    private mutating func unnest(into index: inout Statement.CreateIndex) -> Bool {
        let start = text.position
        guard text.skip(.unnest), let first = text.identifier() else {
            text.position = start
            return false
        }
        var path = PropertyPath.escaped(first.name)
        while true {
            if text.skip("[") {
                guard symbol("]") else { return false }
                path += "[]"
            } else if symbol(".") {
                guard let name = text.identifier() else { return false }
                path += "." + PropertyPath.escaped(name.name)
            } else {
                break
            }
        }
        index.kind = .array
        index.unnestPath = path
        return true
    }

    /// `WHERE condition`, if it is there; false if it is wrong.
    private mutating func condition(into index: inout Statement.CreateIndex) -> Bool {
        text.skipBlanks()
        guard text.skip(.where) else { return true }
        let start = text.position
        guard let condition = expression() else { return false }
        index.condition = condition
        index.conditionText = text.string(text.range(from: start))
        return true
    }

    /// `WITH {…}`, if it is there; false if it is wrong.
    private mutating func options(into index: inout Statement.CreateIndex) -> Bool {
        text.skipBlanks()
        guard text.skip(.with) else { return true }
        guard case .dictionary(let members)? = dictionaryLiteral()?.node else { return false }
        index.options = members
        return true
    }

    /// `name [ON c]`, `c.name` or `s.c.name`
    private mutating func dropIndex() -> Statement? {
        let isEarly = exists(isNegated: false)
        let start = text.position
        guard var name = text.identifier()?.name else { return nil }
        var qualifiers: [String] = []
        while qualifiers.count < 2, symbol(".") {
            guard let next = text.identifier() else { return nil }
            qualifiers.append(name)
            name = next.name
        }
        var collection: Statement.CollectionPath?
        if let last = qualifiers.last {
            collection = Statement.CollectionPath(
                scope: qualifiers.count > 1 ? qualifiers[0] : nil, name: last, range: text.range(from: start))
        }
        let ifExists = exists(isNegated: false) || isEarly
        if collection == nil, text.skip(.on) {
            collection = collectionPath()
            guard collection != nil else { return nil }
        }
        return .dropIndex(name: name, collection: collection, ifExists: ifExists)
    }
}
