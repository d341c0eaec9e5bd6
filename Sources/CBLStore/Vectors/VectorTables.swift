import CBLSQLite

/// The tables that vector indexes are kept in. They are ordinary ones that the vendor's library takes no notice of: its programs read and write
/// such a file as any other, and no trigger has to run for us. What they change is found by its sequence.
///
/// `vx_indexes` has what an index is and how far it has come; `vx_models` what it has learned; `vx_lists` its vectors, encoded and sorted into
/// lists; and `vx_pending` those that came before there were enough to learn from. See docs/file-format.md.
enum VectorTables {
    static let indexes =
        "CREATE TABLE vx_indexes (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, keyStore TEXT NOT NULL, expression TEXT NOT NULL, options TEXT NOT NULL, indexed TEXT NOT NULL, model INTEGER NOT NULL, pending INTEGER NOT NULL, listed INTEGER NOT NULL, changes INTEGER NOT NULL)"
    static let models = "CREATE TABLE vx_models (id INTEGER PRIMARY KEY, model BLOB NOT NULL)"
    static let lists = "CREATE TABLE vx_lists (place INTEGER PRIMARY KEY, entries BLOB NOT NULL)"
    static let pending =
        "CREATE TABLE vx_pending (id INTEGER NOT NULL, sequence INTEGER NOT NULL, hash INTEGER NOT NULL, vector BLOB NOT NULL, PRIMARY KEY (id, sequence)) WITHOUT ROWID"

    static let all = [("vx_indexes", indexes), ("vx_models", models), ("vx_lists", lists), ("vx_pending", pending)]

    /// Whether a table of a schema is one of them: to the letter.
    static func isOne(_ name: String, sql: String) -> Bool { all.contains { $0.0 == name && $0.1 == sql } }

    /// What is left of others is of no use.
    static func make(on connection: Connection) throws {
        try drop(on: connection)
        for (_, sql) in all { try connection.execute(sql) }
    }

    static func drop(on connection: Connection) throws {
        connection.releaseStatements()
        for (table, _) in all { try connection.execute("DROP TABLE IF EXISTS \(table)") }
    }

    /// Where a part of a list stands in `vx_lists`: parts of one list, and lists of one index, are neighbours.
    static func place(index: Int64, list: Int, part: Int) -> Int64 { index << 40 | Int64(list) << 22 | Int64(part) }

    static let mostParts = 1 << 22

    static func list(ofPlace place: Int64) -> Int { Int(place >> 22) & (1 << 18 - 1) }
    static func part(ofPlace place: Int64) -> Int { Int(place) & (mostParts - 1) }

    /// All places of a list, or of an index.
    static func places(index: Int64, list: Int) -> ClosedRange<Int64> {
        place(index: index, list: list, part: 0)...place(index: index, list: list, part: mostParts - 1)
    }

    static func places(index: Int64) -> ClosedRange<Int64> { index << 40...((index + 1) << 40) - 1 }

    /// Places have room for so many.
    static let indexNumbers: ClosedRange<Int64> = 1...(1 << 22)
}
