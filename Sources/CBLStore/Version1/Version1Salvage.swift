import CBLSQLite

/// Carries the rows that can be read of a damaged 1.x file into a new one of that kind, which can then be converted like any other.
///
/// The new tables are made here, by names that are known; no text of the old file is run.
struct Version1Salvage {
    enum Loss {
        /// A document whose ID, or nil if not even that is known, and its revision.
        case revision(String, of: String?)
        /// All revisions that were current are lost; an older one is current now.
        case newest(of: String)
        case rows(of: String)
        case table(String, String)
    }

    private static let tables: [(name: String, columns: [String], definition: String)] = [
        (
            "docs", ["doc_id", "docid", "expiry_timestamp"],
            "doc_id INTEGER PRIMARY KEY, docid TEXT UNIQUE NOT NULL, expiry_timestamp INTEGER"
        ),
        (
            "revs", ["sequence", "doc_id", "revid", "parent", "current", "deleted", "json", "no_attachments"],
            "sequence INTEGER PRIMARY KEY AUTOINCREMENT, doc_id INTEGER NOT NULL, revid TEXT NOT NULL COLLATE REVID, parent INTEGER, "
                + "current BOOLEAN, deleted BOOLEAN DEFAULT 0, json BLOB, no_attachments BOOLEAN, UNIQUE (doc_id, revid)"
        ),
        (
            "attachments", ["sequence", "filename", "key", "type", "length", "revpos", "encoding", "encoded_length"],
            "sequence INTEGER, filename TEXT, key BLOB, type TEXT, length INTEGER, revpos INTEGER, encoding INTEGER, encoded_length INTEGER"
        ),
        ("localdocs", ["docid", "revid", "json"], "docid TEXT UNIQUE NOT NULL, revid TEXT, json BLOB"),
        ("info", ["key", "value"], "key TEXT PRIMARY KEY, value TEXT"),
        ("replicators", ["remote", "push", "last_sequence"], "remote TEXT, push BOOLEAN, last_sequence TEXT"),
    ]

    private let old: Connection
    private let new: Connection
    private let entries: [SchemaEntry]
    private let advance: (Int) throws -> Void
    private let lost: (Loss) throws -> Void

    /// Whether these are the tables of such a file.
    static func isMeant(by entries: [SchemaEntry]) -> Bool {
        ["docs", "revs"].allSatisfy { name in entries.contains { $0.type == "table" && $0.name == name } }
            && !entries.contains { $0.name.hasPrefix("kv_") }
    }

    init(
        _ entries: [SchemaEntry], _ old: Connection, _ new: Connection, advance: @escaping (Int) throws -> Void,
        lost: @escaping (Loss) throws -> Void
    ) throws {
        (self.entries, self.old, self.new) = (entries, old, new)
        (self.advance, self.lost) = (advance, lost)
        try Version1Functions.register(on: old)
        try Version1Functions.register(on: new)
    }

    func run() throws {
        try new.execute("BEGIN")
        for table in Version1Salvage.tables { try carry(table.name, table.columns, table.definition) }
        try new.execute("CREATE INDEX revs_current ON revs(doc_id, current desc, deleted, revid desc)")
        try replaceLostWinners()
        try new.execute("PRAGMA user_version=102")
        try new.execute("COMMIT")
        new.releaseStatements()
    }

    private func carry(_ name: String, _ known: [String], _ definition: String) throws {
        guard let entry = entries.first(where: { $0.type == "table" && $0.name == name }) else { return }
        guard let sql = entry.sql, let stored = TableColumns.names(sql, of: name) else {
            return try lost(.table(name, "it is not as Couchbase Lite makes it"))
        }
        let columns = known.filter(stored.contains)
        try new.execute("CREATE TABLE \(name) (\(definition))")
        let places = columns.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
        let insert = try new.prepare("INSERT OR IGNORE INTO \(name) (\(columns.joined(separator: ", "))) VALUES (\(places))")
        do {
            try RowWalker(connection: old, table: "main.\(name)", columns: columns.joined(separator: ", ")).forEach { row in
                try advance(1)
                insert.reset()
                for column in 0..<Int32(columns.count) { try insert.bind(column + 1, of: row, column + 1) }
                // A row with something missing that has to be there is none.
                do throws(SQLiteError) { try insert.run() } catch { guard error.code == 19 else { throw error } }
            } gap: { range in
                try fill(range, of: name)
            }
        } catch let error as SQLiteError where error.code == 1 {
            try lost(.table(name, error.message))
        }
    }

    /// What the indexes know of rows that cannot be read: the IDs of documents are all there is to know.
    private func fill(_ range: ClosedRange<Int64>, of table: String) throws {
        let bounds = "BETWEEN \(range.lowerBound) AND \(range.upperBound)"
        let count: Int
        switch table {
        case "docs":
            let insert = try new.prepare("INSERT OR IGNORE INTO docs (doc_id, docid) VALUES (?1, ?2)")
            count = try indexed(
                "SELECT rowid, docid FROM main.docs INDEXED BY sqlite_autoindex_docs_1 WHERE docid >= '' AND +rowid \(bounds)"
            ) {
                insert.reset()
                for column in 0..<Int32(2) { try insert.bind(column, of: $0, column + 1) }
                try insert.run()
            }
        case "revs":
            let id = try new.prepare("SELECT docid FROM docs WHERE doc_id=?1")
            count = try indexed(
                "SELECT doc_id, revid FROM main.revs INDEXED BY sqlite_autoindex_revs_1 WHERE doc_id >= \(Int64.min) AND +rowid \(bounds)"
            ) {
                id.reset()
                try id.bind($0.int64(0), 1)
                try lost(.revision($0.string(1) ?? "", of: try id.step() ? id.string(0) : nil))
            }
        default: count = 0
        }
        if count == 0 { try lost(.rows(of: table)) }
    }

    /// The rows that an index has, as far as it can be read.
    private func indexed(_ sql: String, _ row: (Statement) throws -> Void) throws -> Int {
        var count = 0
        do {
            let rows = try old.prepare(sql)
            while try rows.step() {
                try row(rows)
                count += 1
            }
        } catch let error as SQLiteError where error.isDamage || error.code == 1 {
            // The rest is not known.
        }
        return count
    }

    /// Where nothing is current any more, the newest revisions that have a body are.
    private func replaceLostWinners() throws {
        guard try new.integer("SELECT count(*) FROM sqlite_master WHERE name IN ('docs', 'revs')") == 2 else { return }
        let ids = try new.strings(
            "SELECT docid FROM docs AS d WHERE NOT EXISTS (SELECT 1 FROM revs AS r WHERE r.doc_id = d.doc_id AND r.current)")
        for id in ids {
            let update = try new.prepare(
                """
                UPDATE revs SET current=1 WHERE doc_id = (SELECT doc_id FROM docs WHERE docid=?1) AND json NOT NULL AND deleted = 0 \
                AND NOT EXISTS (SELECT 1 FROM revs AS o WHERE o.doc_id = revs.doc_id AND o.parent = revs.sequence AND o.json NOT NULL)
                """)
            try update.bind(id, 1)
            try update.run()
            if new.changes > 0 { try lost(.newest(of: id)) }
        }
    }
}
