/// The statements that change something, which the vendor's mobile dialect does not have: as Couchbase Server writes them. Unlike in
/// queries, blanks may stand between any two tokens.
extension Parser {
    mutating func statement() -> Statement? {
        text.skipBlanks()
        isWriting = true
        guard let statement = insert() ?? update() ?? delete() ?? create() ?? drop() else { return nil }
        _ = symbol(";")
        return isAtEnd() ? statement : nil
    }

    mutating func symbol(_ symbol: StaticString) -> Bool {
        text.skipBlanks()
        guard text.skip(symbol) else { return false }
        text.skipBlanks()
        return true
    }

    mutating func collectionPath() -> Statement.CollectionPath? {
        let start = text.position
        guard let (scope, name) = collectionName() else { return nil }
        return Statement.CollectionPath(scope: scope, name: name, range: text.range(from: start))
    }

    /// An alias, which the word of the next clause is not.
    private mutating func alias() -> String? {
        if text.isNext(.set) || text.isNext(.unset) { return nil }
        return sourceAlias()
    }

    private mutating func optionalClause(_ keyword: Keyword) -> QueryExpression? {
        text.skipBlanks()
        return clause(keyword)
    }

    // INSERT and UPSERT

    private mutating func insert() -> Statement? {
        let start = text.position
        let replaces = text.skip(.upsert)
        guard replaces || text.skip(.insert), text.skip(.into), let collection = collectionPath(), let rows = values() ?? selection() else {
            return fail(to: start)
        }
        return .insert(Statement.Insert(collection: collection, rows: rows, replaces: replaces))
    }

    /// `[(KEY, VALUE)] VALUES (k, v), …`
    private mutating func values() -> Statement.Insert.Rows? {
        let start = text.position
        if symbol("(") {
            _ = text.skip(.primary)
            guard text.skip(.key), symbol(","), text.skip(.value), symbol(")") else { return fail(to: start) }
        }
        guard text.skip(.values), let first = row() else { return fail(to: start) }
        var rows = [first]
        while symbol(",") {
            _ = text.skip(.values)
            guard let row = row() else { return fail(to: start) }
            rows.append(row)
        }
        return .values(rows)
    }

    private mutating func row() -> Statement.Insert.Row? {
        guard symbol("("), let key = expression(), symbol(","), let value = expression(), symbol(")") else { return nil }
        return Statement.Insert.Row(key: key, value: value)
    }

    /// `(KEY k [, VALUE v]) SELECT …`
    private mutating func selection() -> Statement.Insert.Rows? {
        let start = text.position
        guard symbol("(") else { return nil }
        _ = text.skip(.primary)
        guard let key = clause(.key) else { return fail(to: start) }
        var value: QueryExpression?
        if symbol(",") {
            value = clause(.value)
            guard value != nil else { return fail(to: start) }
        }
        guard symbol(")"), let select = select() else { return fail(to: start) }
        return .select(key: key, value: value, select)
    }

    // UPDATE and DELETE

    private mutating func update() -> Statement? {
        let start = text.position
        guard text.skip(.update), let collection = collectionPath() else { return fail(to: start) }
        var update = Statement.Update(collection: collection, alias: alias())
        if text.skip(.set) {
            repeat {
                if let expiration = expiration() {
                    update.expiration = expiration
                } else if let assignment = assignment() {
                    update.assignments.append(assignment)
                } else {
                    return fail(to: start)
                }
            } while symbol(",")
        }
        text.skipBlanks()
        if text.skip(.unset) {
            repeat {
                guard let path = path() else { return fail(to: start) }
                update.removals.append(path)
            } while symbol(",")
        }
        guard !update.assignments.isEmpty || !update.removals.isEmpty || update.expiration != nil else { return fail(to: start) }
        update.condition = optionalClause(.where)
        update.limit = optionalClause(.limit)
        return .update(update)
    }

    /// `META(a).expiration = e`
    private mutating func expiration() -> QueryExpression? {
        let start = text.position
        guard opens("meta"), meta(from: start) != nil, symbol("."), text.identifier()?.name.lowercased() == "expiration", symbol("="),
            let value = expression()
        else { return fail(to: start) }
        return value
    }

    private mutating func assignment() -> Statement.Update.Assignment? {
        let start = text.position
        guard let path = path() else { return nil }
        let range = text.range(from: start)
        guard symbol("="), let value = expression() else { return nil }
        return Statement.Update.Assignment(path: path, value: value, range: range)
    }

    private mutating func delete() -> Statement? {
        let start = text.position
        guard text.skip(.delete), text.skip(.from), let collection = collectionPath() else { return fail(to: start) }
        var delete = Statement.Delete(collection: collection, alias: alias())
        delete.condition = optionalClause(.where)
        delete.limit = optionalClause(.limit)
        return .delete(delete)
    }
}
