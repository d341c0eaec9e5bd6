import FoundationEssentials
import Glibc

/// A database as 1.x wrote it, made row by row.
///
///     let file = try Version1File(at: directory.path + "/old.cblite2")
///     let first = try file.add("doc", "1-aa", #"{"n":1}"#, isCurrent: false)
///     try file.add("doc", "2-bb", #"{"n":2}"#, after: first)
package final class Version1File {
    package enum Layout: Sendable {
        /// 1.1 and later: a folder.
        case bundle
        /// 1.0: a file, with a table of attachments.
        case file
    }

    package let path: String
    package let layout: Layout
    package let database: RawDatabase
    package var attachments: String { layout == .bundle ? path + "/attachments" : path.dropLast(".cblite".count) + " attachments" }

    package init(at path: String, _ layout: Layout = .bundle, hasLog: Bool = false) throws {
        self.path = path
        self.layout = layout
        if layout == .bundle { mkdir(path, 0o755) }
        database = try RawDatabase(layout == .bundle ? path + "/db.sqlite3" : path)
        try database.execute("PRAGMA writable_schema=OFF")
        if hasLog { try database.execute("PRAGMA journal_mode=WAL") }
        let isNew = layout == .bundle
        try database.execute(
            """
            CREATE TABLE docs (doc_id INTEGER PRIMARY KEY, docid TEXT UNIQUE NOT NULL\(isNew ? ", expiry_timestamp INTEGER" : ""));
            CREATE INDEX docs_docid ON docs(docid);
            CREATE TABLE revs (sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                doc_id INTEGER NOT NULL REFERENCES docs(doc_id) ON DELETE CASCADE, revid TEXT NOT NULL COLLATE REVID,
                parent INTEGER REFERENCES revs(sequence) ON DELETE SET NULL, current BOOLEAN, deleted BOOLEAN DEFAULT 0, json BLOB,
                \(isNew ? "no_attachments BOOLEAN, doc_type TEXT, " : "")UNIQUE (doc_id, revid));
            CREATE INDEX revs_parent ON revs(parent);
            CREATE INDEX revs_current ON revs(doc_id, current desc, deleted, revid desc);
            CREATE TABLE localdocs (docid TEXT UNIQUE NOT NULL, revid TEXT NOT NULL COLLATE REVID, json BLOB);
            CREATE TABLE views (view_id INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL, version TEXT, lastsequence INTEGER DEFAULT 0);
            CREATE TABLE info (key TEXT PRIMARY KEY, value TEXT);
            INSERT INTO info VALUES ('privateUUID', '-FEYHnujdYBN52mBgHiFzy4'), ('publicUUID', '9e657d88-39b4-42f1-ade9-51024b3e5fce');
            PRAGMA user_version=\(isNew ? 102 : 10)
            """)
        guard !isNew else { return }
        try database.execute(
            """
            CREATE TABLE attachments (sequence INTEGER NOT NULL REFERENCES revs(sequence) ON DELETE CASCADE, filename TEXT NOT NULL,
                key BLOB NOT NULL, type TEXT, length INTEGER NOT NULL, revpos INTEGER DEFAULT 0, encoding INTEGER DEFAULT 0,
                encoded_length INTEGER);
            CREATE TABLE replicators (remote TEXT NOT NULL, push BOOLEAN, last_sequence TEXT, UNIQUE (remote, push))
            """)
    }

    /// Adds a revision, a leaf unless told otherwise, and gives its sequence.
    @discardableResult
    package func add(
        _ id: String, _ revision: String, _ json: String?, after parent: Int? = nil, isCurrent: Bool = true, isDeleted: Bool = false
    ) throws -> Int {
        try database.rows("INSERT OR IGNORE INTO docs (docid) VALUES (?)", [.text(id)])
        let rows = try database.rows(
            "INSERT INTO revs (doc_id, revid, parent, current, deleted, json) SELECT doc_id, ?, ?, ?, ?, ? FROM docs WHERE docid=? RETURNING sequence",
            [
                .text(revision), parent.map { .integer(Int64($0)) } ?? .null, .integer(isCurrent ? 1 : 0), .integer(isDeleted ? 1 : 0),
                json.map { .bytes(Array($0.utf8)) } ?? .null, .text(id),
            ])
        return rows.first?.first?.flatMap { Int($0) } ?? 0
    }

    /// Puts a file into the folder of attachments, under this name.
    package func addAttachment(_ name: String, _ content: [UInt8]) throws {
        try FileManager.default.createDirectory(atPath: attachments, withIntermediateDirectories: true)
        try Data(content).write(to: URL(filePath: attachments + "/" + name))
    }
}
