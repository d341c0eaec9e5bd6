import CSQLite
import SQLite

/// Takes out of a schema what no release of Couchbase Lite makes.
///
/// Entries go from SQLite's table of tables by themselves, for `DROP` would ask the code of a foreign table, and goes by names, of which there
/// may be two. Only what has pages of its own is dropped, so that these are free again.
enum SchemaCleaning {
    /// What was taken out. Tables of documents stay: nobody can tell what else belongs to them.
    @discardableResult
    static func run(on connection: Connection) throws -> [ForeignObject] {
        try connection.configure(SQLITE_DBCONFIG_DEFENSIVE, false)
        defer { try? connection.configure(SQLITE_DBCONFIG_DEFENSIVE, true) }
        // Entries that SQLite cannot understand would keep it from reading the others, and are to go, too.
        try connection.execute("PRAGMA writable_schema=ON")
        defer { try? connection.execute("PRAGMA writable_schema=RESET") }
        let foreign = try SchemaInspection(reading: connection).foreign.filter { $0.object.kind != .documents }
        guard !foreign.isEmpty else { return [] }
        connection.releaseStatements()
        try connection.execute("BEGIN IMMEDIATE")
        do {
            let (whole, entries) = try sort(foreign, connection)
            try removeEntries(entries, connection)
            // A table takes its indexes along.
            for object in whole.sorted(by: { $0.entry.type < $1.entry.type }) {
                let kind = object.entry.type == "index" ? "INDEX" : "TABLE"
                try connection.execute("DROP \(kind) \(quoted(identifier: object.entry.name))")
            }
            connection.releaseStatements()
            try connection.execute("COMMIT")
        } catch {
            try? connection.execute("ROLLBACK")
            throw error
        }
        return foreign.map(\.object)
    }

    private static func sort(
        _ foreign: [SchemaInspection.Foreign], _ connection: Connection
    ) throws -> (whole: [SchemaInspection.Foreign], entries: [SchemaInspection.Foreign]) {
        var counts: [String: Int] = [:]
        for entry in try SchemaInspection.entries(of: connection) { counts[entry.name.lowercased(), default: 0] += 1 }
        var (whole, entries): ([SchemaInspection.Foreign], [SchemaInspection.Foreign]) = ([], [])
        for object in foreign {
            let hasOwnPages = object.object.kind == .table || object.object.kind == .index
            let isDroppable =
                hasOwnPages && !object.sharesPage && object.entry.sql != nil && counts[object.entry.name.lowercased()] == 1
                && !object.entry.name.lowercased().hasPrefix("sqlite_")
            if isDroppable { whole.append(object) } else if object.entry.sql != nil || object.sharesPage { entries.append(object) }
        }
        return (whole, entries)
    }

    private static func removeEntries(_ objects: [SchemaInspection.Foreign], _ connection: Connection) throws {
        guard !objects.isEmpty else { return }
        for object in objects { try connection.execute("DELETE FROM sqlite_master WHERE rowid=\(object.entry.rowid)") }
        // Other connections are to read the schema again.
        let version = try connection.integer("PRAGMA schema_version") ?? 0
        try connection.execute("PRAGMA schema_version=\(Int32(truncatingIfNeeded: version &+ 1))")
        connection.releaseStatements()
        try connection.execute("PRAGMA writable_schema=RESET")
    }
}
