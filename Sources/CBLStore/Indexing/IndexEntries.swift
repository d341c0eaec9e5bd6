import CBLSQLite

/// What an index holds, read through SQL: rows of the values that documents are found by, and what they lead to.
package struct IndexEntries {
    /// The rows. The first `keyCount` columns are the values, the rest what they lead to.
    package let statement: Statement
    package let keyCount: Int32
    /// The headings of the other columns: `document`, or for a full-text index the numbers of a term.
    package let headings: [String]
}

extension Snapshot {
    /// The entries of an index in its own order. Nil for kinds that cannot be read without the vendor's extensions.
    package func entries(of index: StoredIndex) throws -> IndexEntries? {
        try registerFunctions()
        switch index.kind {
        case .value: return try valueEntries(index)
        case .array: return try arrayEntries(index)
        case .fullText: return try fullTextEntries(index)
        case .predictive: return try predictiveEntries(index)
        case .vector, nil: return nil
        }
    }

    private func valueEntries(_ index: StoredIndex) throws -> IndexEntries? {
        guard let text = try indexSQL(index).flatMap(SchemaIndex.init), catalog.stores[index.keyStore]?.name == text.table else {
            return nil
        }
        let condition = text.condition.map { " WHERE \($0)" } ?? ""
        let select = "SELECT \(text.expressions), key FROM \(quoted(identifier: text.table))"
        let order = "\(condition) ORDER BY \(text.expressions)"
        // If SQLite does not see that the index fits, a sort gives the same.
        let indexed = try? connection.prepare("\(select) INDEXED BY \(quoted(identifier: index.name))\(order)")
        let statement = try indexed ?? connection.prepare(select + order)
        return IndexEntries(statement: statement, keyCount: statement.columnCount - 1, headings: ["document"])
    }

    private func arrayEntries(_ index: StoredIndex) throws -> IndexEntries? {
        guard let text = try indexSQL(index).flatMap(SchemaIndex.init), let owner = owner(ofItemsIn: text.table) else { return nil }
        let table = quoted(identifier: text.table)
        let statement = try connection.prepare("SELECT \(text.expressions), \(owner), i FROM \(table) ORDER BY \(text.expressions)")
        return IndexEntries(statement: statement, keyCount: statement.columnCount - 2, headings: ["document", "item"])
    }

    private func predictiveEntries(_ index: StoredIndex) throws -> IndexEntries? {
        guard let name = index.tableName, case .predictions? = catalog.indexTables[name], let owner = owner(ofItemsIn: name) else {
            return nil
        }
        let text = try indexSQL(index).flatMap(SchemaIndex.init)
        // Without an index over its outputs, what the model said.
        let (values, order) = text.map { ($0.expressions, $0.expressions) } ?? ("fl_root(body)", "docid")
        let statement = try connection.prepare("SELECT \(values), \(owner) FROM \(quoted(identifier: name)) ORDER BY \(order)")
        return IndexEntries(statement: statement, keyCount: statement.columnCount - 1, headings: ["document"])
    }

    /// The document's ID, in SQL. An item of an array in an array refers to a row of the array around it, and only the outermost to a document.
    private func owner(ofItemsIn table: String) -> String? {
        var row = "\(quoted(identifier: table)).docid"
        var table = table
        for _ in catalog.indexTables {
            let parent: String
            switch catalog.indexTables[table] {
            case .items(let owner), .predictions(let owner): parent = owner
            default: return nil
            }
            let around = quoted(identifier: parent)
            if Schema.keyStore(ofTable: parent) != nil { return "(SELECT owner.key FROM \(around) AS owner WHERE owner.rowid = \(row))" }
            row = "(SELECT around.docid FROM \(around) AS around WHERE around.rowid = \(row))"
            table = parent
        }
        return nil
    }

    private func fullTextEntries(_ index: StoredIndex) throws -> IndexEntries? {
        guard let table = index.tableName, fullTextColumns(of: table) != nil else { return nil }
        // A table of the connection's own, which the file never sees.
        try connection.execute("DROP TABLE IF EXISTS temp.cblite_terms")
        try connection.execute("CREATE VIRTUAL TABLE temp.cblite_terms USING fts4aux(main, \(quoted(identifier: table)))")
        let statement = try connection.prepare("SELECT term, documents, occurrences FROM temp.cblite_terms WHERE col='*'")
        return IndexEntries(statement: statement, keyCount: 1, headings: ["documents", "occurrences"])
    }
}
