import CBLSQLite

/// Indexes against documents: what they are kept in, the triggers that keep them right, and their content. That SQLite's own indexes agree
/// with their tables has been checked with the file.
struct IndexCheck {
    private let checker: Checker
    private var connection: Connection { checker.connection }
    private var catalog: Catalog { checker.catalog }

    init(_ checker: Checker) { self.checker = checker }

    func run() throws {
        let definitions = try IndexCheck.definitions(checker.snapshot)
        checker.summary.indexes = definitions.count
        for definition in definitions {
            try checker.advance(0)
            try checker.survivingDamage(definition.name, collection: definition.collection) { try check(definition) }
        }
        // Several indexes can share a table.
        for table in try IndexTable.all(in: checker.snapshot) {
            try checker.survivingDamage(table.owner, collection: table.collection) { try check(table) }
        }
        try checkForgottenTables()
        try VectorCheck(checker).run()
    }

    /// All rows of `indexes`, also those whose collection is gone. Vector indexes of ours have tables of their own, and `VectorCheck`.
    static func definitions(_ snapshot: Snapshot) throws -> [StoredIndex] {
        guard snapshot.catalog.hasIndexTable else { return try snapshot.registeredIndexes() }
        let sql = "SELECT name, type, keyStore, indexTableName, expression FROM indexes ORDER BY name"
        return try snapshot.connection.withStatement(sql) { row in
            var definitions: [StoredIndex] = []
            while try row.step() {
                let type = Int(row.int64(1))
                definitions.append(
                    StoredIndex(
                        name: row.string(0) ?? "", kind: StoredIndex.Kind(rawValue: type), type: type, keyStore: row.string(2) ?? "",
                        expression: row.string(4), condition: nil, tableName: row.string(3), lastSequence: nil))
            }
            return definitions
        }
    }

    private func found(
        _ severity: Finding.Severity, _ kind: Finding.Kind, _ message: String, _ definition: StoredIndex,
        _ repair: Finding.Repair = .automatic
    ) throws {
        try checker.found(
            Finding(severity, kind, message, collection: definition.collection, subject: definition.name, repair: repair))
    }

    private func check(_ definition: StoredIndex) throws {
        guard catalog.stores[definition.keyStore] != nil else {
            return try found(.note, .leftover, "an index of a collection that is gone (\(definition.keyStore))", definition)
        }
        if definition.kind == nil {
            return try found(.warning, .index, "it is of a kind that this program does not know (\(definition.type))", definition, .none)
        }
        if definition.needsSQLIndex, !catalog.indexNames.contains(definition.name) {
            try found(.error, .index, "it is listed, but SQLite has no index of that name", definition)
        }
        guard definition.kind != .value else { return }
        guard let name = definition.tableName, IndexTable.realName(name, in: catalog) != nil else {
            return try found(.error, .index, "the table that it is kept in is missing", definition)
        }
        if definition.kind == .predictive, try IndexTable.predictiveCall(ofTable: name, on: connection) == nil {
            try found(.error, .trigger, "its triggers are missing, so changes of documents do not reach it", definition)
        }
    }

    // Tables of full-text, array and predictive indexes

    private func check(_ table: IndexTable) throws {
        func found(_ severity: Finding.Severity, _ kind: Finding.Kind, _ message: String) throws {
            try checker.found(
                Finding(severity, kind, message, collection: table.collection, subject: table.owner, repair: .automatic))
        }
        let stored = try IndexTable.triggers(of: table.name, on: connection)
        for trigger in table.triggers {
            if let actual = stored[trigger.name] {
                if actual != trigger.sql && checker.snapshot.generation.readsSeparators {
                    try found(.warning, .trigger, "its trigger \(trigger.name) has another text than usual: \(actual)")
                }
            } else {
                try found(.error, .trigger, "its trigger \(trigger.name) is missing, so changes of documents do not reach it")
            }
        }
        let limit = 20
        for (message, sql) in table.comparisons {
            let keys = try connection.strings(sql + " LIMIT \(limit + 1)")
            for key in keys.prefix(limit) { try found(.error, .index, message.replacing("%", with: key)) }
            if keys.count > limit { try found(.error, .index, "and so on: more than \(limit) entries are wrong") }
        }
        guard table.kind == .fullText, !checker.options.isQuick, try !IndexCheck.hasRightWords(table, connection) else { return }
        try found(.error, .index, "its words are not those of its texts")
    }

    /// Whether a table holds what its documents say. Its triggers are not looked at.
    static func isRight(_ table: IndexTable, _ connection: Connection) throws -> Bool {
        for (_, sql) in table.comparisons where try !connection.strings(sql + " LIMIT 1").isEmpty { return false }
        return try table.kind != .fullText || hasRightWords(table, connection)
    }

    /// Whether the list of words is the one of the texts, by making it anew in a table of this connection alone.
    private static func hasRightWords(_ table: IndexTable, _ connection: Connection) throws -> Bool {
        let columns = table.columns.map { quoted(identifier: $0) }.joined(separator: ", ")
        let content = try IndexTable.contentColumns(of: table.name, on: connection).joined(separator: ", ")
        let drop: StaticString =
            "DROP TABLE IF EXISTS temp.cblite_terms; DROP TABLE IF EXISTS temp.cblite_fresh_terms; DROP TABLE IF EXISTS temp.cblite_fresh"
        try connection.execute(script: drop)
        // FTS keeps new words in memory, where the list of terms does not look; "optimize" brings them out.
        defer { try? connection.execute(script: drop) }
        try connection.execute("CREATE VIRTUAL TABLE temp.cblite_fresh USING \(table.module)")
        try connection.execute("CREATE VIRTUAL TABLE temp.cblite_fresh_terms USING fts4aux(temp, cblite_fresh)")
        try connection.execute("CREATE VIRTUAL TABLE temp.cblite_terms USING fts4aux(main, \(quoted(identifier: table.name)))")
        let texts = quoted(identifier: table.name + "_content")
        try connection.execute("INSERT INTO temp.cblite_fresh (docid, \(columns)) SELECT docid, \(content) FROM \(texts)")
        try connection.execute("INSERT INTO temp.cblite_fresh (cblite_fresh) VALUES ('optimize')")
        let terms = "SELECT term, col, documents, occurrences FROM temp.cblite_terms"
        let fresh = "SELECT term, col, documents, occurrences FROM temp.cblite_fresh_terms"
        let differences = "SELECT (SELECT count(*) FROM (\(terms) EXCEPT \(fresh))) + (SELECT count(*) FROM (\(fresh) EXCEPT \(terms)))"
        let statement = try connection.prepare(differences)
        return try statement.step() && statement.int64(0) == 0
    }

    private func checkForgottenTables() throws {
        for name in try IndexCheck.forgottenTables(checker.snapshot) {
            try checker.found(Finding(.note, .leftover, "a table of an index that is not listed", subject: name, repair: .automatic))
        }
    }

    /// Tables of full-text, array and predictive indexes that no index is listed for.
    static func forgottenTables(_ snapshot: Snapshot) throws -> [String] {
        guard snapshot.catalog.hasIndexTable else { return [] }
        let known = Set(try definitions(snapshot).compactMap(\.tableName).compactMap { IndexTable.realName($0, in: snapshot.catalog) })
        let tables = snapshot.catalog.indexTables
        // Tables of nested arrays need those of the arrays around them, which may have no index of their own.
        let parents = tables.values.compactMap { table in
            if case .items(let parent) = table { parent } else { nil }
        }
        return tables.keys.filter { name in
            guard !known.contains(name), !parents.contains(name) else { return false }
            switch tables[name] {
            case .fullText, .items, .predictions: return true
            default: return false
            }
        }.sorted()
    }
}
