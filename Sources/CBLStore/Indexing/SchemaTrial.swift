import CBLSQLite

/// The tables and indexes of a database without its documents, in memory: to find out what SQLite would do if there were other indexes.
package final class SchemaTrial {
    package let connection: Connection
    private let generation: SchemaGeneration
    private let liveTables: [CollectionName: String]
    private let functions: AnyObject

    package init(of snapshot: Snapshot) throws {
        connection = try Connection.inMemory()
        functions = try FileConnection.registerFunctions(on: connection, blobs: snapshot.database.blobs)
        generation = snapshot.generation
        liveTables = snapshot.catalog.collections.mapValues(\.live.name)
        try connection.execute("PRAGMA case_sensitive_like=true")
        try copySchema(of: snapshot)
        try copyStatistics(of: snapshot)
    }

    private func copySchema(of snapshot: Snapshot) throws {
        for object in try SchemaInspection(reading: snapshot.connection).known {
            switch object.kind {
            case .table(.statistics), .part, .automaticIndex, .trigger: continue
            // What this program has no module or function for is no help to a query either.
            case .table, .index: try? connection.execute(object.sql)
            }
        }
    }

    /// Plans depend on what is known of the numbers of entries.
    private func copyStatistics(of snapshot: Snapshot) throws {
        guard snapshot.catalog.tableNames.contains("sqlite_stat1") else { return }
        try connection.execute(script: "ANALYZE; DELETE FROM sqlite_stat1")
        let rows = try snapshot.connection.prepare("SELECT tbl, idx, stat FROM sqlite_stat1")
        while try rows.step() {
            try connection.withStatement("INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES (?, ?, ?)") { statement in
                for column in Int32(0)..<3 { try statement.bind(rows.string(column), column + 1) }
                try statement.run()
            }
        }
        try connection.execute("ANALYZE sqlite_master")
    }

    /// Adds an index, as it would be made.
    package func add(_ specification: IndexSpecification) throws {
        guard let live = liveTables[specification.collection] else {
            throw StoreError(.notFound, "no collection \"\(specification.collection)\"")
        }
        let statements = IndexStatements(specification, on: live, in: generation)
        let present = Set(try connection.strings("SELECT name FROM sqlite_master"))
        for table in statements.tables where !present.contains(table.name) { try connection.execute(table.creation) }
        if let index = statements.index { try connection.execute(index) }
    }

    /// The table of an array index, if there is one: `plainName` as in the table of indexes.
    package func unnestTable(plainName: String) -> String? {
        let name = generation.hashesUnnestTables ? Schema.hashedName(ofIndexTable: plainName) : plainName
        return (try? connection.strings("SELECT name FROM sqlite_master WHERE type='table'").contains(name)) == true ? name : nil
    }

    /// What SQLite would do for a statement: a line for each step, indented by two blanks for each step that it is part of.
    package func plan(of sql: String) throws -> [String] {
        let statement = try connection.prepare("EXPLAIN QUERY PLAN " + sql)
        var depths: [Int64: Int] = [:]
        var lines: [String] = []
        while try statement.step() {
            let depth = depths[statement.int64(1)].map { $0 + 1 } ?? 0
            depths[statement.int64(0)] = depth
            lines.append(String(repeating: "  ", count: depth) + (statement.string(3) ?? ""))
        }
        return lines
    }
}
