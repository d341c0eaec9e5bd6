import CBLSQLite

/// What the tables of a 1.x file have, which grew from release to release. It is only ever read.
///
/// `present` shows such a file in the tables of its successors, as views of the connection's own: what reads a collection's table, be it a scan
/// or a query, reads these. Nothing is copied; what is in JSON becomes Fleece, and rows of revisions become a tree, for who asks.
struct Version1Schema: Sendable {
    static let userVersions = 1...149
    /// Of 1.0: a table has the attachments, and bodies do not mention them.
    private let hasAttachmentTable: Bool
    private let hasAttachmentMarks: Bool
    private let hasExpirations: Bool
    private let hasLocalDocuments: Bool
    private let hasInfo: Bool
    private let hasSequences: Bool
    private let hasReplicators: Bool

    init(_ entries: [SchemaEntry]) throws(StoreError) {
        var tables: [(name: String, columns: [String])] = []
        for entry in entries where entry.type == "table" {
            guard let sql = entry.sql, let columns = TableColumns.names(sql, of: entry.name) else { continue }
            tables.append((entry.name, columns))
        }
        func has(_ table: String, _ columns: [String]) -> Bool {
            tables.contains { $0.name == table && columns.allSatisfy($0.columns.contains) }
        }
        for (table, columns) in [
            ("docs", ["doc_id", "docid"]), ("revs", ["sequence", "doc_id", "revid", "parent", "current", "deleted", "json"]),
        ] {
            guard !has(table, columns) else { continue }
            guard entries.contains(where: { $0.name == table }) else {
                throw StoreError(.notADatabase, "not a Couchbase Lite database: it has no table \(table)")
            }
            throw Catalog.foreign(table)
        }
        hasExpirations = has("docs", ["expiry_timestamp"])
        hasAttachmentMarks = has("revs", ["no_attachments"])
        hasAttachmentTable = has("attachments", ["sequence", "filename", "key", "type", "length", "revpos", "encoding", "encoded_length"])
        hasLocalDocuments = has("localdocs", ["docid", "revid", "json"])
        hasInfo = has("info", ["key", "value"])
        hasReplicators = has("replicators", ["remote", "last_sequence"])
        hasSequences = has("sqlite_sequence", ["name", "seq"])
    }

    /// The tables that have documents.
    static let documentTables = ["docs", "revs", "attachments"]

    /// The key stores that it is shown in.
    var keyStores: [KeyTable] {
        let stores = ["default", "info", "checkpoints"] + (hasLocalDocuments ? [LocalDocuments.keyStore] : [])
        return stores.map { store in
            var columns = KeyStoreColumns()
            columns.hasExtra = store == "default"
            columns.hasExpiration = store == "default" && hasExpirations
            let table = "kv_" + store
            return KeyTable(keyStore: store, name: table, sql: "CREATE TABLE \"\(table)\"", columns: columns, isView: true)
        }
    }

    /// Makes the views on a connection that was opened for reading.
    func present(on connection: Connection) throws {
        try Version1Functions.register(on: connection)
        for view in [documents, info, checkpoints, counters] { try connection.execute(view) }
        if hasLocalDocuments { try connection.execute(localDocuments) }
    }

    // The winner first: live before deleted, then by name.
    private static let winner = """
        (SELECT w.sequence FROM main.revs AS w WHERE w.doc_id = d.doc_id AND w.current = 1 \
        ORDER BY w.deleted, w.revid COLLATE REVID DESC LIMIT 1)
        """

    private var documents: String {
        """
        CREATE TEMP VIEW kv_default AS SELECT d.docid AS key, r.sequence AS sequence, \
        (coalesce(r.deleted, 0) != 0) \
        + 2 * EXISTS (SELECT 1 FROM main.revs AS o WHERE o.doc_id = d.doc_id AND o.current = 1 AND o.deleted = 0 AND o.sequence != r.sequence) \
        + 4 * \(hasAttachments("r")) AS flags, \
        cblite1_version(r.revid) AS version, cblite1_body(r.sequence, r.json, \(attachments(of: "r"))) AS body, \
        \(expiration("d")) * 1000 AS expiration, \
        (SELECT cblite1_tree(h.sequence, h.parent, h.revid, h.current, h.deleted, \(hasAttachments("h")), h.json, \(attachments(of: "h")), \
        r.sequence) FROM main.revs AS h WHERE h.doc_id = d.doc_id) AS extra, \
        r.sequence AS rowid \
        FROM main.revs AS r JOIN main.docs AS d ON d.doc_id = r.doc_id WHERE r.current = 1 AND r.sequence = \(Version1Schema.winner)
        """
    }

    /// Whether a revision has attachments, in SQL.
    func hasAttachments(_ revision: String) -> String {
        if hasAttachmentTable { return "EXISTS (SELECT 1 FROM main.attachments AS a WHERE a.sequence = \(revision).sequence)" }
        let inBody = "(coalesce(instr(\(revision).json, '\"_attachments\"'), 0) > 0)"
        // Old rows do not say.
        return hasAttachmentMarks ? "coalesce(\(revision).no_attachments = 0, \(inBody))" : inBody
    }

    /// When a document expires, in seconds since 1970.
    func expiration(_ document: String) -> String { hasExpirations ? "\(document).expiry_timestamp" : "NULL" }

    /// What goes into the body as `_attachments`, as JSON; NULL if nothing does.
    func attachments(of revision: String) -> String {
        guard hasAttachmentTable else { return "NULL" }
        return """
            (SELECT cblite1_attachments(a.filename, a.key, a.type, a.length, a.revpos, a.encoding, a.encoded_length) \
            FROM main.attachments AS a WHERE a.sequence = \(revision).sequence)
            """
    }

    private var info: String {
        let names = [StoredInfo.Key.publicUUID, StoredInfo.Key.privateUUID]
        let uuids =
            hasInfo
            ? names.map { "SELECT '\($0)', NULL, cblite1_uuid(value) FROM main.info WHERE key = '\($0)' UNION ALL " }.joined() : ""
        let depth = hasInfo ? "coalesce((SELECT value FROM main.info WHERE key = 'max_revs'), 20)" : "20"
        return """
            CREATE TEMP VIEW kv_info(key, version, body) AS \(uuids)\
            SELECT '\(StoredInfo.Key.versioning)', NULL, cblite1_number(\(Versioning.trees.rawValue)) UNION ALL \
            SELECT '\(StoredInfo.Key.maxRevTreeDepth)', NULL, cblite1_number(\(depth))
            """
    }

    private var checkpoints: String {
        var parts: [String] = []
        if hasInfo {
            parts.append(
                "SELECT substr(key, 12) AS key, NULL AS version, CAST(value AS BLOB) AS body FROM main.info WHERE key GLOB 'checkpoint/*'")
        }
        if hasReplicators {
            parts.append("SELECT remote AS key, NULL AS version, CAST(last_sequence AS BLOB) AS body FROM main.replicators")
        }
        if parts.isEmpty { parts.append("SELECT NULL AS key, NULL AS version, NULL AS body WHERE 0") }
        return "CREATE TEMP VIEW kv_checkpoints AS " + parts.joined(separator: " UNION ALL ")
    }

    private var counters: String {
        let last = hasSequences ? "(SELECT seq FROM main.sqlite_sequence WHERE name = 'revs'), " : ""
        return """
            CREATE TEMP VIEW kvmeta AS SELECT 'default' AS name, \
            coalesce(\(last)(SELECT max(sequence) FROM main.revs), 0) AS lastSeq, 0 AS purgeCnt
            """
    }

    private var localDocuments: String {
        """
        CREATE TEMP VIEW kv_\(LocalDocuments.keyStore) AS SELECT \
        CASE WHEN docid GLOB '_local/*' THEN substr(docid, 8) ELSE docid END AS key, \
        CAST(revid AS BLOB) AS version, CAST(json AS BLOB) AS body FROM main.localdocs
        """
    }
}

/// The names of a plain table's columns, read off its text.
enum TableColumns {
    /// Nil for what is no plain table: one with columns that are computed, or conditions.
    static func names(_ sql: String, of table: String) -> [String]? {
        var text = SchemaText(sql)
        guard text.take("CREATE TABLE"), text.take(name: table), text.take("(") else { return nil }
        var names: [String] = []
        var depth = 1
        var isAtStart = true
        while depth > 0 {
            if text.take("(") {
                depth += 1
            } else if text.take(")") {
                depth -= 1
            } else if text.take(",") {
                isAtStart = depth == 1
                continue
            } else if let word = text.takeName() {
                switch word.uppercased() {
                case "AS", "GENERATED", "CHECK": return nil
                case "UNIQUE", "PRIMARY", "FOREIGN", "CONSTRAINT": break
                default: if isAtStart, depth == 1 { names.append(word) }
                }
            } else if !text.skip() {
                return nil
            }
            isAtStart = false
        }
        return names
    }
}
