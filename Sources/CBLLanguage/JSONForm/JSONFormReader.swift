import CBLFleece

/// Reads values of the JSON form into the syntax tree.
///
/// What is wrong is noted and reading goes on, with MISSING in the place of what could not be read, so that all mistakes are found in one go.
/// Only the form is judged here; what the tree can express is judged when the query is checked.
struct JSONFormReader {
    private(set) var diagnostics: [QueryError.Diagnostic] = []

    /// Notes a mistake. Gives what stands in the place of the expression that it spoils.
    @discardableResult
    mutating func fail(_ message: String) -> QueryExpression {
        diagnostics.append(QueryError.Diagnostic(message))
        return QueryExpression(.missing)
    }

    // Clauses

    mutating func statement(_ root: Value) -> Select {
        if let clauses = root.dictionary { return select(clauses) }
        guard let operation = root.array else {
            fail("SELECT statement is missing")
            return Select()
        }
        if operation.first?.string?.asciiUppercased == "SELECT" { return select(operandOf: operation) }
        var select = Select()
        select.condition = expression(root)
        return select
    }

    mutating func select(operandOf operation: ArrayView) -> Select {
        if let clauses = operation[1].dictionary { return select(clauses) }
        fail(operation[1].isUndefined ? "argument of SELECT is missing" : "argument of SELECT must be a dictionary")
        return Select()
    }

    private mutating func select(_ clauses: DictionaryView) -> Select {
        var select = Select()
        if let items = list(clauses, "FROM", "FROM") {
            for item in items { if let source = source(item) { select.sources.append(source) } }
        }
        if let items = list(clauses, "WHAT", "WHAT") {
            for item in items { select.results.append(result(item)) }
        }
        select.condition = member(clauses, "WHERE").map { expression($0) }
        if let items = list(clauses, "ORDER_BY", "ORDER BY") {
            for item in items { select.orderBy.append(ordering(item)) }
        }
        if let distinct = member(clauses, "DISTINCT") { select.isDistinct = isTrue(distinct) }
        if let items = list(clauses, "GROUP_BY", "GROUP BY") {
            for item in items { select.groupBy.append(item.string.map { property($0) } ?? expression(item)) }
        }
        select.having = member(clauses, "HAVING").map { expression($0) }
        select.limit = member(clauses, "LIMIT").map { expression($0) }
        select.offset = member(clauses, "OFFSET").map { expression($0) }
        return select
    }

    /// A string is a property here, but not inside of `AS`.
    private mutating func result(_ item: Value) -> Select.Result {
        if let path = item.string { return Select.Result(property(path)) }
        guard let operation = item.array, operation.first?.string?.asciiUppercased == "AS" else { return Select.Result(expression(item)) }
        guard operation.count == 3 else { return Select.Result(fail("AS must have 2 operands")) }
        let value = expression(operation[1])
        guard let alias = operation[2].string else { return Select.Result(fail("name in AS must be a string")) }
        if alias.isEmpty { fail("invalid empty 'AS'") }
        return Select.Result(value, alias: alias)
    }

    private mutating func ordering(_ item: Value) -> Select.Ordering {
        guard let operation = item.array, let direction = operation.first?.string, ["ASC", "DESC"].contains(direction.asciiUppercased)
        else {
            return Select.Ordering(expression(item))
        }
        guard operation.count == 2 else { return Select.Ordering(fail("Wrong number of arguments to \(direction)")) }
        return Select.Ordering(expression(operation[1]), direction: direction)
    }

    private mutating func source(_ item: Value) -> Select.Source? {
        guard let members = item.dictionary else {
            fail("FROM item must be a dictionary")
            return nil
        }
        let alias = text(members, "AS").map { $0.filter { $0 != "\\" } }
        if let unnest = member(members, "UNNEST") {
            if member(members, "JOIN") != nil || member(members, "ON") != nil { fail("UNNEST cannot accept a JOIN or ON clause") }
            return Select.Source(.unnest(expression(unnest)), alias: alias)
        }
        var scope = text(members, "SCOPE")
        var name = text(members, "COLLECTION")
        if let path = name {
            let parts = JSONFormReader.splitCollection(path)
            name = parts.name
            if let prefix = parts.scope {
                if scope != nil, scope != "_", scope != "_default" { fail("if SCOPE is given, COLLECTION cannot contain a scope") }
                if prefix.isEmpty || parts.name.isEmpty { fail("`\(path)` is not a valid collection name") }
                scope = prefix
            }
        }
        let condition = member(members, "ON").map { expression($0) }
        return Select.Source(.collection(scope: scope, name: name), alias: alias, join: text(members, "JOIN"), on: condition)
    }

    /// Takes `scope.name` apart at its first dot without a backslash.
    private static func splitCollection(_ path: String) -> (scope: String?, name: String) {
        var parts = [""]
        var isEscaped = false
        for character in path.unicodeScalars {
            if character == "\\", !isEscaped {
                isEscaped = true
                continue
            }
            if character == ".", !isEscaped, parts.count == 1 {
                parts.append("")
            } else {
                parts[parts.count - 1].unicodeScalars.append(character)
            }
            isEscaped = false
        }
        return parts.count == 2 ? (parts[0], parts[1]) : (nil, parts[0])
    }

    /// The items of an index definition.
    mutating func indexExpressions(_ root: Value) -> [QueryExpression] {
        guard let items = root.array else {
            fail("the expressions of an index must be an array")
            return []
        }
        return items.map { item in
            guard let operation = item.string else { return expression(item) }
            return self.operation(operation, ArrayView?.none)
        }
    }

    // Members

    func member(_ dictionary: DictionaryView, _ name: String) -> Value? {
        for (key, value) in dictionary where key.keyString(nil)?.asciiUppercased == name { return value }
        return nil
    }

    private mutating func list(_ clauses: DictionaryView, _ name: String, _ title: String) -> ArrayView? {
        guard let value = member(clauses, name) else { return nil }
        if value.array == nil { fail("\(title) must be an array") }
        return value.array
    }

    private mutating func text(_ members: DictionaryView, _ name: String) -> String? {
        guard let value = member(members, name) else { return nil }
        guard let text = value.string else {
            fail("\(name) must be a string")
            return nil
        }
        if text.isEmpty { fail("\(name) must be non-empty") }
        return text.isEmpty ? nil : text
    }

    /// Flags are booleans, and whatever else stands there.
    func isTrue(_ value: Value) -> Bool { value.boolean ?? value.double.map { $0 != 0 } ?? !value.isNull }
}
