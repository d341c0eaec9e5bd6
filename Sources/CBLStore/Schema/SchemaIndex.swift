/// An SQL index as its text has it. Its expressions are safe to be part of a statement.
struct SchemaIndex {
    let name: String
    let table: String
    let isUnique: Bool
    /// The list between the parentheses.
    let expressions: String
    let condition: String?

    init?(_ sql: String) {
        var text = SchemaText(sql)
        guard text.take("CREATE") else { return nil }
        isUnique = text.take("UNIQUE")
        guard text.take("INDEX"), let name = text.takeName(), text.take("ON"), let table = text.takeName(), text.take("("),
            let expressions = text.takeExpressions(), text.take(")")
        else { return nil }
        self.name = name
        self.table = table
        self.expressions = expressions
        guard text.take("WHERE") else {
            condition = nil
            guard text.isAtEnd else { return nil }
            return
        }
        guard let condition = text.takeExpression() else { return nil }
        self.condition = condition
    }

    /// Whether it is one of those that a key store's table has for itself.
    var isOfKeyStore: Bool {
        switch (isUnique, expressions, condition) {
        case (true, "sequence", nil): name == table + "_seqs"
        case (false, "expiration", "expiration not null"): name == table + "_expiration"
        case (false, "flags", "(flags & 2) != 0"): name == table + "_conflicts"
        case (false, "flags", "(flags & 4) != 0"): name == table + "_blobs"
        default: false
        }
    }
}

/// A trigger that fills the table of an index from documents: whatever its text says, it writes to that table alone.
struct SchemaTrigger {
    /// The table whose changes it hears of.
    let source: String
    /// The table of the index.
    let table: String
    let condition: String?
    /// What it puts into the table, beside the number of the row, where that is one expression; nil for all else.
    let inserted: String?

    init?(name: String, _ sql: String) {
        var text = SchemaText(sql)
        guard text.take("CREATE TRIGGER"), text.take(name: name), let separator = name.ranges(of: "::").last,
            StoredIndex.triggers.contains(String(name[separator.upperBound...])), SchemaTrigger.takeEvent(&text), text.take("ON"),
            let source = text.takeName()
        else { return nil }
        self.source = source
        table = String(name[..<separator.lowerBound])
        if text.take("WHEN") {
            guard let condition = text.takeExpression(before: "BEGIN") else { return nil }
            self.condition = condition
        } else {
            condition = nil
        }
        guard text.take("BEGIN"), let action = SchemaTrigger.takeAction(on: table, &text), text.take("; END"), text.isAtEnd else {
            return nil
        }
        inserted = if case .insertion(let expression) = action { expression } else { nil }
    }

    private static func takeEvent(_ text: inout SchemaText) -> Bool {
        guard text.take("AFTER") || text.take("BEFORE") else { return false }
        if text.take("INSERT") || text.take("DELETE") { return true }
        guard text.take("UPDATE") else { return false }
        return !text.take("OF") || text.takeNames() != nil
    }

    private enum Action {
        case deletion
        case insertion(expression: String?)
    }

    private static func takeAction(on table: String, _ text: inout SchemaText) -> Action? {
        if text.take("DELETE FROM") { return text.take(name: table) && text.take("WHERE docid = old.rowid") ? .deletion : nil }
        guard text.take("INSERT INTO"), text.take(name: table), text.take("(docid,"), let columns = text.takeNames(), text.take(")") else {
            return nil
        }
        if text.take("VALUES (") {
            guard let values = text.takeExpressions(), text.take(")") else { return nil }
            let row = "new.rowid, "
            return .insertion(expression: columns.count == 1 && values.hasPrefix(row) ? String(values.dropFirst(row.count)) : nil)
        }
        let isOfItems =
            text.take("SELECT new.rowid, _each.rowid, _each.value FROM fl_each(") && text.takeExpressions() != nil
            && text.take(") AS _each")
        return isOfItems ? .insertion(expression: nil) : nil
    }
}
