import CBLSQLite
import CBLSystemSQLite

/// Takes out of a schema what no release of Couchbase Lite makes.
///
/// Entries go from SQLite's table of tables by themselves. `DROP` would ask the code of a foreign table, stumble over an entry that SQLite
/// cannot read, go by a name that two may have, and free pages that the file says are the entry's, which may be those of documents.
enum SchemaCleaning {
    /// What was taken out. Tables of documents stay, with their indexes: nobody can tell what else belongs to them.
    @discardableResult
    static func run(on connection: Connection) throws -> [ForeignObject] {
        // Entries that SQLite cannot understand would keep it from reading the others.
        try connection.writingSchema {
            let foreign = try SchemaInspection(reading: connection).foreign
            let documents = Set(foreign.filter { $0.object.kind == .documents }.map(\.object.name))
            let removed = foreign.filter { found in
                found.object.kind != .documents && !(found.object.kind == .index && documents.contains(found.entry.table))
            }
            if !removed.isEmpty { try removeEntries(removed, connection) }
            return removed.map(\.object)
        }
    }

    /// Writes the file anew, without the pages that nothing leads to any more, as those of tables that were taken out. That runs the texts of
    /// the schema, of which all must be known. A file that cannot be read to its end stays as it is.
    static func reclaimPages(_ connection: Connection) throws {
        connection.releaseStatements()
        do { try connection.vacuum() } catch { if !error.isDamage { throw error } }
    }

    private static func removeEntries(_ objects: [SchemaInspection.Foreign], _ connection: Connection) throws {
        connection.releaseStatements()
        try connection.execute("BEGIN IMMEDIATE")
        do {
            for object in objects { try connection.execute("DELETE FROM sqlite_master WHERE rowid=\(object.entry.rowid)") }
            // Other connections are to read the schema again.
            let version = try connection.integer("PRAGMA schema_version") ?? 0
            try connection.execute("PRAGMA schema_version=\(Int32(truncatingIfNeeded: version &+ 1))")
            connection.releaseStatements()
            try connection.execute("COMMIT")
        } catch {
            try? connection.execute("ROLLBACK")
            throw error
        }
    }
}

extension Connection {
    /// Runs `work` while SQLite lets it write, and overlooks what it cannot read, in its own table of tables.
    fileprivate func writingSchema<Result>(_ work: () throws -> Result) throws -> Result {
        try configure(SQLITE_DBCONFIG_DEFENSIVE, false)
        defer { try? configure(SQLITE_DBCONFIG_DEFENSIVE, true) }
        try execute("PRAGMA writable_schema=ON")
        defer { try? execute("PRAGMA writable_schema=RESET") }
        return try work()
    }
}
