import SQLite

/// Makes indexes anew from what an archive says of them, and fills them.
///
/// An archive may come from anywhere, and triggers would run for whoever writes to the database later. So no SQL of an archive is run unless
/// it is, apart from expressions, exactly what the vendor's library or this program would have written, and the expressions are made of
/// known functions and columns alone.
struct IndexBuilder {
    /// Why an index is left out. Nothing else is lost by that: an index can be made again at any time.
    struct Refusal: Error {
        let reason: String
    }

    private let transaction: Transaction
    private var connection: Connection { transaction.connection }

    init(_ transaction: Transaction) { self.transaction = transaction }

    /// False if there is an index of that name already.
    func build(_ index: IndexDefinition, _ sql: [String]) throws -> Bool {
        guard transaction.generation >= .newest else {
            throw Refusal(reason: "the database has an old format, whose indexes are made differently")
        }
        guard !index.name.isEmpty, !index.name.contains("\""), !index.name.hasPrefix("sqlite_") else {
            throw Refusal(reason: "an index cannot have such a name")
        }
        if try transaction.indexes().contains(where: { $0.name == index.name }) { return false }
        guard let name = index.collection else { throw Refusal(reason: "its collection is not there") }
        let live = try transaction.tables(name).live.name
        let statements: [String] =
            switch index.kind {
            case .value: try valueIndex(index, live, sql)
            case .fullText: try fullTextIndex(index, live, sql)
            case .array: try arrayIndex(index, live, sql)
            case .predictive, .vector: throw Refusal(reason: "it needs an extension that this program does not have")
            case nil: throw Refusal(reason: "its kind is not known")
            }
        try run(statements, registering: index)
        return true
    }

    private func run(_ statements: [String], registering index: IndexDefinition) throws {
        connection.releaseStatements()
        try connection.execute("SAVEPOINT cblite_index")
        do {
            for statement in statements { try connection.execute(statement) }
            try register(index)
            connection.releaseStatements()
            try connection.execute("RELEASE cblite_index")
            try transaction.store.reloadSchema()
        } catch let error as SQLiteError where !error.isInterrupted && !error.isDiskFull && !error.isCorrupt {
            connection.releaseStatements()
            try connection.execute("ROLLBACK TO cblite_index; RELEASE cblite_index")
            try transaction.store.reloadSchema()
            throw Refusal(reason: "SQLite refuses it: \(error.message)")
        }
    }

    private func register(_ index: IndexDefinition) throws {
        if !transaction.catalog.hasIndexTable { try connection.execute(IndexSQL.registry) }
        let sql = "INSERT INTO indexes (name, type, keyStore, expression, indexTableName, whereClause) VALUES (?, ?, ?, ?, ?, ?)"
        try connection.withStatement(sql) { statement in
            try statement.bind(index.name, 1)
            try statement.bind(Int64(index.type), 2)
            try statement.bind(index.keyStore, 3)
            try statement.bind(index.expression, 4)
            try statement.bind(index.tableName, 5)
            try statement.bind(index.condition, 6)
            try statement.run()
        }
    }

    // Value indexes

    private func valueIndex(_ index: IndexDefinition, _ live: String, _ sql: [String]) throws(Refusal) -> [String] {
        guard sql.count == 1, let text = sql.first, index.tableName == nil else { throw IndexBuilder.unknownShape }
        try IndexBuilder.check(text, name: index.name, table: live)
        return [text]
    }

    /// Checks `CREATE INDEX name ON table (expressions) WHERE condition`.
    private static func check(_ text: String, name: String, table: String) throws(Refusal) {
        let names = [IndexSQL.identifier(name), quoted(identifier: name)]
        let tables = [IndexSQL.identifier(table), quoted(identifier: table)]
        for name in names {
            for table in tables {
                let start = "CREATE INDEX \(name) ON \(table) ("
                guard text.hasPrefix(start) else { continue }
                guard let end = ExpressionCheck.end(ofListIn: text.dropFirst(start.count)) else { throw unsafeExpression }
                let rest = text[end...]
                if rest == ")" { return }
                guard rest.hasPrefix(") WHERE "), ExpressionCheck.isSafe(rest.dropFirst(8)) else { throw unsafeExpression }
                return
            }
        }
        throw unknownShape
    }

    private static let unknownShape = Refusal(reason: "it was made by rules that this program does not know")
    private static let unsafeExpression = Refusal(reason: "its expressions have something in them that no index has")

    // Full-text indexes

    private func fullTextIndex(_ index: IndexDefinition, _ live: String, _ sql: [String]) throws(Refusal) -> [String] {
        guard let table = index.tableName, table.hasPrefix(live + "::"), !table.contains("\"") else { throw IndexBuilder.unknownShape }
        let create = "CREATE VIRTUAL TABLE \(quoted(identifier: table)) USING fts4("
        guard let first = sql.first, first.hasPrefix(create), first.hasSuffix(")"),
            let columns = FullTextOptions.columns(of: first.dropFirst(create.count).dropLast())
        else { throw IndexBuilder.unknownShape }
        // One of the triggers tells expressions and condition; all four must be what follows from these.
        let (start, end) = IndexSQL.aroundFullTextExpressions(table, live, columns)
        guard let insertion = sql.first(where: { $0.hasPrefix(start) }), insertion.hasSuffix(end),
            let middle = IndexSQL.splitFullTextTrigger(insertion.dropFirst(start.count).dropLast(end.count), table, columns)
        else { throw IndexBuilder.unknownShape }
        guard ExpressionCheck.isSafe(Substring(middle.expressions), mayBeList: true),
            middle.condition.isEmpty || ExpressionCheck.isSafe(Substring(middle.condition))
        else { throw IndexBuilder.unsafeExpression }
        let triggers = IndexSQL.fullTextTriggers(table, live, columns, middle.expressions, middle.condition)
        guard Set(sql.dropFirst()) == Set(triggers) else { throw IndexBuilder.unknownShape }
        return [first, IndexSQL.fullTextPopulation(table, live, columns, middle.expressions, middle.condition)] + triggers
    }

    // Array indexes

    private func arrayIndex(_ index: IndexDefinition, _ live: String, _ sql: [String]) throws -> [String] {
        guard let plain = index.tableName, let levels = IndexSQL.unnestedLevels(plain, live), let last = levels.last, let text = sql.last
        else { throw IndexBuilder.unknownShape }
        guard Set(sql.dropLast()) == Set(last.definition) else { throw IndexBuilder.unknownShape }
        try IndexBuilder.check(text, name: index.name, table: last.table)
        var statements: [String] = []
        for level in levels where !transaction.catalog.tableNames.contains(level.table) {
            statements.append(level.definition[0])
            statements.append(level.population)
            statements += level.definition.dropFirst()
        }
        return statements + [text]
    }
}
