import SQLite

/// What an index holds, read through SQL: rows of the values that documents are found by, and what they lead to.
public struct IndexEntries {
    /// The rows. The first `keyCount` columns are the values, the rest what they lead to.
    public let statement: Statement
    public let keyCount: Int32
    /// The headings of the other columns: `document`, or for a full-text index the numbers of a term.
    public let headings: [String]
}

extension Snapshot {
    /// The entries of an index in its own order. Nil for kinds that cannot be read without the vendor's extensions.
    public func entries(of index: StoredIndex) throws -> IndexEntries? {
        try registerFunctions()
        switch index.kind {
        case .value: return try valueEntries(index)
        case .array: return try arrayEntries(index)
        case .fullText: return try fullTextEntries(index)
        case .predictive, .vector, nil: return nil
        }
    }

    private func valueEntries(_ index: StoredIndex) throws -> IndexEntries? {
        guard let text = try indexSQL(index).flatMap(IndexText.init) else { return nil }
        let condition = text.condition.map { " WHERE \($0)" } ?? ""
        let select = "SELECT \(text.expressions), key FROM \(text.table)"
        let order = "\(condition) ORDER BY \(text.expressions)"
        // If SQLite does not see that the index fits, a sort gives the same.
        let indexed = try? connection.prepare("\(select) INDEXED BY \(quoted(identifier: index.name))\(order)")
        let statement = try indexed ?? connection.prepare(select + order)
        return IndexEntries(statement: statement, keyCount: statement.columnCount - 1, headings: ["document"])
    }

    private func arrayEntries(_ index: StoredIndex) throws -> IndexEntries? {
        guard let text = try indexSQL(index).flatMap(IndexText.init) else { return nil }
        // An item of an array in an array refers to a row of the array around it, and only the outermost to a document.
        var (owner, table) = ("\(text.table).docid", text.table)
        while let parent = try parent(ofIndexTable: table) {
            guard parent.contains(":unnest:") || !parent.contains("kv_") else {
                owner = "(SELECT owner.key FROM \(parent) AS owner WHERE owner.rowid = \(owner))"
                break
            }
            owner = "(SELECT around.docid FROM \(parent) AS around WHERE around.rowid = \(owner))"
            table = parent
        }
        let statement = try connection.prepare("SELECT \(text.expressions), \(owner), i FROM \(text.table) ORDER BY \(text.expressions)")
        return IndexEntries(statement: statement, keyCount: statement.columnCount - 2, headings: ["document", "item"])
    }

    /// The table that the rows of an array's table refer to, with quotes if it has them.
    private func parent(ofIndexTable table: String) throws -> String? {
        let sql = try connection.strings("SELECT sql FROM sqlite_master WHERE type='table'").first { $0.contains("TABLE \(table) (") }
        guard let sql, let reference = sql.firstRange(of: "REFERENCES ") else { return nil }
        return String(sql[reference.upperBound...].prefix { $0 != "(" })
    }

    private func fullTextEntries(_ index: StoredIndex) throws -> IndexEntries? {
        guard let table = index.tableName, catalog.tableNames.contains(table) else { return nil }
        // A table of the connection's own, which the file never sees.
        try connection.execute("DROP TABLE IF EXISTS temp.cblite_terms")
        try connection.execute("CREATE VIRTUAL TABLE temp.cblite_terms USING fts4aux(main, \(quoted(identifier: table)))")
        let statement = try connection.prepare("SELECT term, documents, occurrences FROM temp.cblite_terms WHERE col='*'")
        return IndexEntries(statement: statement, keyCount: 1, headings: ["documents", "occurrences"])
    }
}

/// The parts of the text `CREATE INDEX name ON table (expressions) WHERE condition`.
struct IndexText {
    /// As it stands, with quotes if it has them.
    let table: String
    let expressions: String
    let condition: String?

    init?(_ sql: String) {
        let bytes = Array(sql.utf8)
        var position = 0
        // Names and strings can hold anything, so quotes are skipped as a whole.
        func skipQuoted(_ place: Int) -> Int {
            var end = place + 1
            while end < bytes.count, bytes[end] != bytes[place] { end += 1 }
            return end + 1
        }
        func isQuote(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") }
        while position < bytes.count, !bytes[position...].starts(with: " ON ".utf8) {
            position = isQuote(bytes[position]) ? skipQuoted(position) : position + 1
        }
        let tableStart = position + 4
        position = tableStart
        while position < bytes.count, bytes[position] != UInt8(ascii: "(") {
            position = isQuote(bytes[position]) ? skipQuoted(position) : position + 1
        }
        guard position < bytes.count, tableStart < position else { return nil }
        table = String(decoding: bytes[tableStart..<position], as: UTF8.self).split(separator: " ").joined(separator: " ")
        let start = position + 1
        var depth = 0
        repeat {
            switch bytes[position] {
            case UInt8(ascii: "("): depth += 1
            case UInt8(ascii: ")"): depth -= 1
            default: break
            }
            position = isQuote(bytes[position]) ? skipQuoted(position) : position + 1
        } while depth > 0 && position < bytes.count
        guard depth == 0, position <= bytes.count, position - 1 > start else { return nil }
        expressions = String(decoding: bytes[start..<(position - 1)], as: UTF8.self)
        let rest = String(decoding: bytes[position...], as: UTF8.self)
        condition = rest.hasPrefix(" WHERE ") ? String(rest.dropFirst(7)) : nil
    }
}
