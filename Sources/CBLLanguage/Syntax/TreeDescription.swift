import CBLFleece

extension Select {
    /// The syntax tree for people to read: a line for each node, indented below the one that it is part of.
    package func treeDescription() -> String {
        var tree = TreeDescription()
        tree.add(self)
        return tree.text
    }
}

extension QueryExpression {
    /// The syntax tree for people to read: a line for each node, indented below the one that it is part of.
    package func treeDescription() -> String {
        var tree = TreeDescription()
        tree.add(self)
        return tree.text
    }
}

extension Statement {
    /// The syntax tree for people to read: a line for each node, indented below the one that it is part of.
    package func treeDescription() -> String {
        var tree = TreeDescription()
        tree.add(self)
        return tree.text
    }
}

/// A syntax tree as indented lines.
private struct TreeDescription {
    private(set) var text = ""
    private var depth = 0

    private mutating func line(_ words: String?...) {
        if !text.isEmpty { text += "\n" }
        text += String(repeating: "  ", count: depth) + words.compactMap { $0 }.joined(separator: " ")
    }

    private mutating func node(_ words: String?..., content: (inout TreeDescription) -> Void) {
        line(words.compactMap { $0 }.joined(separator: " "))
        depth += 1
        content(&self)
        depth -= 1
    }

    private mutating func node(_ words: String?..., children: [QueryExpression]) {
        line(words.compactMap { $0 }.joined(separator: " "))
        depth += 1
        for child in children { add(child) }
        depth -= 1
    }

    private mutating func part(_ name: String, _ expression: QueryExpression?) {
        if let expression { node(name, children: [expression]) }
    }

    // Selects

    mutating func add(_ select: Select) {
        node(select.isBareList ? "expressions" : "select", select.isDistinct ? "distinct" : nil) { tree in
            for result in select.results {
                guard let alias = result.alias else {
                    tree.add(result.expression)
                    continue
                }
                tree.node("as", JSONWriter.quoted(alias), children: [result.expression])
            }
            for source in select.sources { tree.add(source) }
            tree.part("where", select.condition)
            if !select.groupBy.isEmpty { tree.node("group by", children: select.groupBy) }
            tree.part("having", select.having)
            if !select.orderBy.isEmpty {
                tree.node("order by") { tree in
                    for ordering in select.orderBy {
                        guard let direction = ordering.direction else {
                            tree.add(ordering.expression)
                            continue
                        }
                        tree.node(direction.lowercased(), children: [ordering.expression])
                    }
                }
            }
            tree.part("limit", select.limit)
            tree.part("offset", select.offset)
        }
    }

    private mutating func add(_ source: Select.Source) {
        let alias = source.alias.map { "as " + JSONWriter.quoted($0) }
        switch source.origin {
        case .collection(let scope, let name):
            let kind = source.join.map { $0.lowercased() + " join" } ?? "from"
            node(kind, [scope, name].compactMap { $0.map(JSONWriter.quoted) }.joined(separator: "."), alias) { tree in
                tree.part("on", source.on)
            }
        case .unnest(let expression):
            node("unnest", alias, children: [expression])
        }
    }

    // Expressions

    mutating func add(_ expression: QueryExpression) {
        switch expression.node {
        case .missing: line("missing")
        case .null: line("null")
        case .boolean(let value): line("boolean", "\(value)")
        case .integer(let value): line("integer", "\(value)")
        case .unsigned(let value): line("integer", "\(value)")
        case .float: line("float", expression.jsonForm())
        case .string(let value): line("string", JSONWriter.quoted(value))
        case .array(let items): node("array", children: items)
        case .dictionary(let members):
            node("object") { tree in
                for member in members { tree.node("member", JSONWriter.quoted(member.key), children: [member.value]) }
            }
        case .parameter(let name): line("parameter", "$" + name)
        case .property(let path): line("property", path.jsonForm)
        case .variable: line("variable", String(expression.jsonForm().dropFirst(2).dropLast(2)))
        case .member(let object, let path): node("member", path.jsonForm, children: [object])
        case .operation(let operation, _): node("operator", operation.rawValue, children: operands(of: expression))
        case .exists(let operand): node("exists", children: [operand])
        case .select(let select): add(select)
        case .quantified(let quantifier, let variable, let collection, let predicate):
            node(quantifier.rawValue.lowercased(), JSONWriter.quoted(variable)) { tree in
                tree.part("in", collection)
                tree.part("satisfies", predicate)
            }
        case .conditional(let test, let branches, let otherwise):
            node("case") { tree in
                tree.part("test", test)
                for branch in branches {
                    tree.part("when", branch.when)
                    tree.part("then", branch.then)
                }
                tree.part("else", otherwise)
            }
        case .collate(let collation, let operand): node("collate", words(collation), children: [operand])
        case .meta(let source): line("meta", source.map(JSONWriter.quoted))
        case .match(let index, let query): node("match", JSONWriter.quoted(index), children: [query])
        case .rank(let index): line("rank", JSONWriter.quoted(index))
        case .function(let name, let arguments): node("function", name, children: arguments)
        case .blob(let operand): node("blob", children: [operand])
        }
    }

    // Statements

    mutating func add(_ statement: Statement) {
        switch statement {
        case .select(let select): add(select)
        case .insert(let insert): add(insert)
        case .update(let update):
            node("update", name(update.collection), update.alias.map { "as " + JSONWriter.quoted($0) }) { tree in
                for assignment in update.assignments { tree.node("set", assignment.path.jsonForm, children: [assignment.value]) }
                for path in update.removals { tree.line("unset", path.jsonForm) }
                tree.part("where", update.condition)
                tree.part("limit", update.limit)
            }
        case .delete(let delete):
            node("delete from", name(delete.collection), delete.alias.map { "as " + JSONWriter.quoted($0) }) { tree in
                tree.part("where", delete.condition)
                tree.part("limit", delete.limit)
            }
        case .createIndex(let index): add(index)
        case .dropIndex(let index, let collection, let ifExists):
            line("drop index", JSONWriter.quoted(index), collection.map { "on " + name($0) }, ifExists ? "if exists" : nil)
        case .createCollection(let collection, let ifNotExists):
            line("create collection", name(collection), ifNotExists ? "if not exists" : nil)
        case .dropCollection(let collection, let ifExists):
            line("drop collection", name(collection), ifExists ? "if exists" : nil)
        }
    }

    private mutating func add(_ insert: Statement.Insert) {
        node(insert.replaces ? "upsert into" : "insert into", name(insert.collection)) { tree in
            switch insert.rows {
            case .values(let rows):
                for row in rows {
                    tree.part("key", row.key)
                    tree.part("value", row.value)
                }
            case .select(let key, let value, let select):
                tree.part("key", key)
                tree.part("value", value)
                tree.add(select)
            }
        }
    }

    private mutating func add(_ index: Statement.CreateIndex) {
        let kind = index.kind == .value ? "create index" : "create \(index.kind == .array ? "array" : "full-text") index"
        node(kind, JSONWriter.quoted(index.name), "on", name(index.collection), index.ifNotExists ? "if not exists" : nil) { tree in
            if let path = index.unnestPath { tree.line("unnest", path) }
            for expression in index.expressions { tree.add(expression) }
            tree.part("where", index.condition)
            for option in index.options { tree.node("option", JSONWriter.quoted(option.key), children: [option.value]) }
        }
    }
}

/// A long chain of the same operator is shown as one with many operands.
private func operands(of expression: QueryExpression) -> [QueryExpression] {
    guard case .operation(let operation, let first) = expression.node else { return [] }
    guard [.and, .or, .concatenate, .add, .multiply].contains(operation), first.count > 1 else { return first }
    var operands: [QueryExpression] = []
    var innermost = expression
    while case .operation(operation, let parts) = innermost.node, parts.count > 1 {
        operands.append(contentsOf: parts.dropFirst().reversed())
        innermost = parts[0]
    }
    operands.append(innermost)
    return operands.reversed()
}

private func words(_ collation: Collation) -> String {
    let words = [
        collation.unicode.map { $0 ? "unicode" : "nounicode" }, collation.caseSensitive.map { $0 ? "case" : "nocase" },
        collation.diacriticSensitive.map { $0 ? "diac" : "nodiac" }, collation.locale,
    ]
    return words.compactMap { $0 }.joined(separator: " ")
}

private func name(_ collection: Statement.CollectionPath) -> String {
    [collection.scope, collection.name].compactMap { $0.map(JSONWriter.quoted) }.joined(separator: ".")
}
