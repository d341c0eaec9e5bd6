import CBLSQLite
import CBLSystemSQLite

/// What became of an index that was asked for.
package enum IndexChange: Hashable, Sendable {
    /// It was there already.
    case unchanged
    case created
    /// Another one of that name had to go, perhaps of another collection: names are unique in a database.
    case replaced(StoredIndex)
}

extension Transaction {
    /// Makes an index and fills it, unless there is the same one already. What else has its name is replaced.
    package func createIndex(_ specification: IndexSpecification) throws -> IndexChange {
        try check(specification)
        let live = try tables(specification.collection).live.name
        let statements = IndexStatements(specification, on: live, in: generation)
        let existing = try indexes().first { $0.name == specification.name }
        if let existing, try isSame(existing, statements, specification) { return .unchanged }
        try inSavepoint {
            if let existing { try drop(existing) }
            try checkNameIsFree(specification.name, statements)
            if case .vector(let options) = specification.form {
                return try createVectorIndex(
                    specification.name, keyStore: specification.collection.keyStore, specification.source.expression ?? "", options)
            }
            for table in statements.tables { try build(table, of: specification.kind) }
            if let index = statements.index { try file.makeIndexes(index) }
            try register(specification, statements)
        }
        return existing.map { .replaced($0) } ?? .created
    }

    /// Removes an index; false if there is none of that name.
    @discardableResult
    package func dropIndex(_ name: String) throws -> Bool {
        guard let index = try indexes().first(where: { $0.name == name }) else { return false }
        try inSavepoint { try drop(index) }
        return true
    }

    /// Removes an index of any maker.
    func dropAny(_ index: StoredIndex) throws { try inSavepoint { try drop(index) } }

    /// All or nothing, also if the transaction goes on after an error.
    private func inSavepoint(_ work: () throws -> Void) throws {
        connection.releaseStatements()
        try connection.execute("SAVEPOINT cblite_index")
        do {
            try work()
            connection.releaseStatements()
            try connection.execute("RELEASE cblite_index")
            try file.reloadSchema()
        } catch {
            connection.releaseStatements()
            // After some errors, a full disk among them, SQLite has ended the whole transaction.
            if connection.isInTransaction { try connection.execute(script: "ROLLBACK TO cblite_index; RELEASE cblite_index") }
            try? file.reloadSchema()
            throw error
        }
    }

    // Before anything is changed

    private func check(_ specification: IndexSpecification) throws(StoreError) {
        let name = specification.name
        guard !name.isEmpty else { throw StoreError(.invalidName, "the name of an index cannot be empty") }
        guard !name.utf8.contains(UInt8(ascii: "\"")), !name.utf8.contains(0) else {
            throw StoreError(.invalidName, "the name of an index cannot have a quotation mark (\")")
        }
        guard !name.lowercased().hasPrefix("sqlite_") else {
            throw StoreError(.invalidName, "the name of an index cannot begin with \"sqlite_\"")
        }
        let functions = specification.evaluated.flatMap(ExpressionCheck.calls)
        if let function = functions.first(where: { !generation.knows(function: $0) }) {
            throw StoreError(
                .unsupported,
                "the releases that use format \(generation) lack the function \(function), and could not write with such an index")
        }
        // A text that is not known again would be foreign, and nobody could write to the collection any more.
        guard specification.evaluated.allSatisfy(ExpressionCheck.isSafeList) else {
            throw StoreError(
                .unsupported,
                "the index \"\(name)\" cannot be kept: there is something in its expressions that the schema of a database cannot have, such as "
                    + "a subquery or a text with the code 0 in it")
        }
        if case .array(let levels, _) = specification.form {
            guard generation.listsIndexes, levels.count == 1 || generation.hashesUnnestTables else {
                throw StoreError(
                    .unsupported,
                    "a database of format \(generation) cannot have \(levels.count > 1 ? "an index of arrays in arrays" : "array indexes")")
            }
        }
    }

    private func isSame(_ existing: StoredIndex, _ statements: IndexStatements, _ specification: IndexSpecification) throws -> Bool {
        guard existing.kind == specification.kind, existing.collection == specification.collection else { return false }
        if case .vector(let options) = specification.form {
            guard let own = try ownVectorIndexes().first(where: { $0.name == existing.name }), try vectorIndex(named: existing.name) == own
            else {
                return false
            }
            return own.options == options && own.expression == specification.source.expression
        }
        return try Set(indexDefinitionSQL(existing)) == statements.definition
    }

    /// SQLite has one list of names for tables and indexes, in which case does not count.
    private func checkNameIsFree(_ name: String, _ statements: IndexStatements) throws {
        guard statements.index != nil else { return }
        let sql = "SELECT name, type FROM sqlite_master WHERE name = ? COLLATE NOCASE AND type IN ('table', 'view', 'index')"
        try connection.withStatement(sql) { row in
            try row.bind(name, 1)
            guard try row.step(), let other = row.string(0) else { return }
            let isIndex = try row.string(1) == "index" && indexes().contains { $0.name == other }
            throw StoreError(
                .exists,
                isIndex
                    ? "there is an index \"\(other)\" already, and SQLite does not tell capitals from small letters in names"
                    : "the name \"\(name)\" is taken: the file has a \(row.string(1) ?? "table") of that name for its own use")
        }
    }

    // Building

    private func build(_ table: IndexSQL.Table, of kind: StoredIndex.Kind) throws {
        if let found = try definition(ofTable: table.name) {
            // Arrays share their tables, and so do predictions; of anything else that is there, nothing knows.
            if kind == .array || kind == .predictive, found == Set(table.definition) { return }
            try dropIndexTable(table.name)
        }
        try connection.execute(table.creation)
        try connection.writingShadowTables { for statement in table.population { try connection.execute(statement) } }
        for trigger in table.triggers { try connection.execute(trigger.sql) }
    }

    private func definition(ofTable name: String) throws -> Set<String>? {
        let texts = try tableDefinitionSQL(name)
        return texts.isEmpty ? nil : Set(texts)
    }

    private func register(_ specification: IndexSpecification, _ statements: IndexStatements) throws {
        // A table in a file of 2.0–2.4 would lock these releases out, and they recognise indexes without it.
        guard generation.listsIndexes || catalog.hasIndexTable else { return }
        if try connection.integer("SELECT 1 FROM sqlite_master WHERE name='indexes' AND type='table'") == nil {
            try connection.execute(IndexSQL(generation: generation).registry)
        }
        try unregister(specification.name)
        let hasConditions = generation.keepsConditions
        let sql =
            "INSERT INTO indexes (name, type, keyStore, expression, indexTableName\(hasConditions ? ", whereClause" : "")) "
            + "VALUES (?, ?, ?, ?, ?\(hasConditions ? ", ?" : ""))"
        try connection.withStatement(sql) { statement in
            try statement.bind(specification.name, 1)
            try statement.bind(Int64(specification.kind.rawValue), 2)
            try statement.bind(specification.collection.keyStore, 3)
            try statement.bind(specification.source.expression, 4)
            try statement.bind(statements.tableName, 5)
            if hasConditions { try statement.bind(specification.source.condition, 6) }
            try statement.run()
        }
    }

    // Dropping

    private func unregister(_ name: String) throws {
        try connection.withStatement("DELETE FROM indexes WHERE name=?") { statement in
            try statement.bind(name, 1)
            try statement.run()
        }
    }

    private func drop(_ index: StoredIndex) throws {
        if catalog.hasIndexTable { try unregister(index.name) }
        connection.releaseStatements()
        try dropOwnVectorIndex(index.name)
        if index.kind != .fullText, index.kind != .vector {
            try connection.execute("DROP INDEX IF EXISTS \(quoted(identifier: index.name))")
        }
        guard var table = index.tableName else { return }
        // An array in an array needs the tables of those around it, also if these have no index.
        while try !isNeeded(indexTable: table) {
            try dropIndexTable(table)
            try dropIndexTable(Schema.hashedName(ofIndexTable: table))
            guard index.kind == .array, let level = table.ranges(of: "[].").last else { break }
            table = String(table[..<level.lowerBound])
        }
        connection.releaseStatements()
    }

    private func isNeeded(indexTable name: String) throws -> Bool {
        guard catalog.hasIndexTable else { return false }
        return try connection.withStatement("SELECT indexTableName FROM indexes WHERE indexTableName NOT NULL") { row in
            while try row.step() {
                if let other = row.string(0), other == name || other.hasPrefix(name + "[].") { return true }
            }
            return false
        }
    }

    private func dropIndexTable(_ table: String) throws {
        // The list of indexes may name any table as theirs.
        guard catalog.indexTables[table] != nil || !catalog.tableNames.contains(table) else { return }
        connection.releaseStatements()
        for trigger in StoredIndex.triggers {
            try connection.execute("DROP TRIGGER IF EXISTS \(quoted(identifier: "\(table)::\(trigger)"))")
        }
        let isVendorsVectors = catalog.indexTables[table] == .vectors
        try connection.execute("DROP TABLE IF EXISTS \(quoted(identifier: table))")
        // What the vendor's extension kept it in is unknown, but for the names.
        guard isVendorsVectors else { return }
        for part in catalog.tableNames where part.hasPrefix(table + "_") && catalog.indexTables[part] == nil {
            try connection.execute("DROP TABLE IF EXISTS \(quoted(identifier: part))")
        }
    }
}

extension Connection {
    /// Lets statements write to the tables that virtual tables are kept in, which SQL of others must not.
    func writingShadowTables(_ work: () throws -> Void) throws {
        try configure(SQLITE_DBCONFIG_DEFENSIVE, false)
        defer { try? configure(SQLITE_DBCONFIG_DEFENSIVE, true) }
        try work()
    }
}
