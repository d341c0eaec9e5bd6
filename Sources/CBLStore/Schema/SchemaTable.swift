import Synchronization

/// What a table of a schema is, told by its text, if releases of Couchbase Lite make such a table.
enum SchemaTable: Equatable {
    /// `kvmeta`: the last sequence and the number of purges of each key store.
    case counters
    case keyStore(KeyStoreColumns)
    /// `indexes`, with the columns that it has.
    case registry([String])
    case fullText(columns: [String], tokenizer: String)
    /// The items of an array, or the results of a model; `parent` is the table whose rows they are of.
    case items(parent: String)
    case predictions(parent: String)
    case vectors
    /// One of ours for vector indexes: see `VectorTables`.
    case vectorStore
    case statistics

    /// What texts have said before: each connection reads the same few. A list, for the first dictionary of a kind takes as long as all of them.
    private static let known = Mutex<[(name: String, sql: String, table: SchemaTable)]>([])
    private static let mostKnown = 64

    init?(name: String, sql: String) {
        if let known = SchemaTable.known.withLock({ $0.first { $0.name == name && $0.sql == sql }?.table }) {
            self = known
            return
        }
        self.init(reading: sql, name: name)
        let table = self
        SchemaTable.known.withLock { if $0.count < SchemaTable.mostKnown { $0.append((name, sql, table)) } }
    }

    private init?(reading sql: String, name: String) {
        var text = SchemaText(sql)
        if text.take("CREATE VIRTUAL TABLE") {
            guard text.take(name: name), text.take("USING"), let table = SchemaTable.virtual(&text) else { return nil }
            self = table
            return
        }
        guard text.take("CREATE TABLE"), text.take(name: name), let table = SchemaTable.ordinary(name, sql, &text) else { return nil }
        self = table
    }

    private static func ordinary(_ name: String, _ sql: String, _ text: inout SchemaText) -> SchemaTable? {
        if name == "kvmeta" {
            guard text.take("(name TEXT PRIMARY KEY, lastSeq INTEGER DEFAULT 0") else { return nil }
            _ = text.take(", purgeCnt INTEGER DEFAULT 0")
            return text.take(") WITHOUT ROWID") && text.isAtEnd ? .counters : nil
        }
        if name == "indexes" { return registry(&text) }
        if name.hasPrefix("vx_"), VectorTables.isOne(name, sql: sql) { return .vectorStore }
        if name == "sqlite_stat1" || name == "sqlite_stat4" {
            let isRight = text.take(name == "sqlite_stat1" ? "(tbl,idx,stat)" : "(tbl,idx,neq,nlt,ndlt,sample)")
            return isRight && text.isAtEnd ? .statistics : nil
        }
        if let columns = KeyStoreColumns(&text) { return .keyStore(columns) }
        if text.take("(docid INTEGER NOT NULL REFERENCES"), let parent = text.takeName() {
            guard text.take("(rowid), i INTEGER NOT NULL, body BLOB NOT NULL, CONSTRAINT pk PRIMARY KEY (docid, i))") else { return nil }
            _ = text.take("WITHOUT ROWID")
            return text.isAtEnd ? .items(parent: parent) : nil
        }
        if text.take("(docid INTEGER PRIMARY KEY REFERENCES"), let parent = text.takeName() {
            guard text.take("(rowid), body BLOB NOT NULL ON CONFLICT IGNORE) WITHOUT ROWID") else { return nil }
            return text.isAtEnd ? .predictions(parent: parent) : nil
        }
        return nil
    }

    private static func registry(_ text: inout SchemaText) -> SchemaTable? {
        var columns = ["name", "type", "keyStore", "expression"]
        guard text.take("(name TEXT PRIMARY KEY, type INTEGER NOT NULL, keyStore TEXT NOT NULL, expression TEXT") else { return nil }
        while text.take(",") {
            guard let column = text.takeName(), ["indexTableName", "lastSeq", "whereClause"].contains(column), !columns.contains(column),
                text.take("TEXT")
            else { return nil }
            columns.append(column)
        }
        return text.take(")") && text.isAtEnd ? .registry(columns) : nil
    }

    private static func virtual(_ text: inout SchemaText) -> SchemaTable? {
        if text.take("fts4 (") {
            guard let module = FullTextModule(&text), text.take(")"), text.isAtEnd else { return nil }
            return .fullText(columns: module.columns, tokenizer: module.tokenizer)
        }
        // What its options are is for whoever has the extension. They are names and numbers.
        guard text.take("vectorsearch (") else { return nil }
        let options = text.rest.prefix { $0 != UInt8(ascii: ")") }
        guard options.allSatisfy({ SchemaText.isWord($0) || $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: ",") }),
            text.rest.dropFirst(options.count).elementsEqual(")".utf8)
        else { return nil }
        return .vectors
    }

    /// Whether it is filled from documents, by triggers.
    var isOfIndex: Bool {
        switch self {
        case .fullText, .items, .predictions, .vectors: true
        case .counters, .keyStore, .registry, .vectorStore, .statistics: false
        }
    }
}

/// The columns of a key store's table. Releases differ in the order of the last two.
struct KeyStoreColumns: Equatable {
    var hasExtra = false
    var hasExpiration = false
    var isExtraFirst = false
    /// Whether the table has something that no release makes: further columns, conditions, generated columns. What is known can be read in
    /// spite of it; to write would be to evaluate it.
    var hasForeign = false

    /// The first of them, in every table.
    enum Place {
        static let key = 0
        static let sequence = 1
        static let flags = 2
        static let version = 3
        static let body = 4
    }

    /// Where the others are, if they are there.
    var extraPlace: Int? { hasExtra ? isExtraFirst || !hasExpiration ? 5 : 6 : nil }
    var expirationPlace: Int? { hasExpiration ? isExtraFirst && hasExtra ? 6 : 5 : nil }

    init() {}

    init?(_ text: inout SchemaText) {
        guard text.take("(key TEXT PRIMARY KEY, sequence INTEGER, flags INTEGER DEFAULT 0, version BLOB, body BLOB"),
            KeyStoreColumns.isColumnEnd(text)
        else { return nil }
        while true {
            let before = text
            if !hasExtra, text.take(", extra BLOB"), KeyStoreColumns.isColumnEnd(text) {
                hasExtra = true
                isExtraFirst = !hasExpiration
                continue
            }
            text = before
            if !hasExpiration, text.take(", expiration INTEGER"), KeyStoreColumns.isColumnEnd(text) {
                hasExpiration = true
                continue
            }
            text = before
            break
        }
        hasForeign = !(text.take(")") && text.isAtEnd)
    }

    // A column that goes on is another one: generated, for example.
    private static func isColumnEnd(_ text: SchemaText) -> Bool {
        var text = text
        return text.take(",") || text.take(")")
    }
}
