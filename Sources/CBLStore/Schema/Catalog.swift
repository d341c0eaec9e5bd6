import CBLSQLite
import CBLSystemSQLite

/// One key store's table as the file has it. Columns differ between generations, so statements name what is there.
///
/// A class, as `CollectionTables` is: they are looked up for every document, and never change.
final class KeyTable: Sendable {
    let keyStore: String
    let name: String
    let hasExtra: Bool
    let hasExpiration: Bool
    /// Whether the vendor's migration may have swapped `extra` and `expiration` in some rows (see `TombstoneRepair`).
    let mayBeSwapped: Bool
    /// Whether bodies can be whole revision trees: only releases before 3.1 left the table's name without quotes.
    let mayHoldTreesInBodies: Bool
    /// Whether it is a view of the connection's own: see `Version1Schema`.
    let isView: Bool
    let columns: KeyStoreColumns

    let quotedName: String
    /// `extra`, or what stands for it.
    let extra: String
    let expiration: String
    /// The columns of a document by the names that all tables have in common: see `DocumentTables`.
    let columnNames: String
    /// Statements that are run for each document, so that their texts are not made for each.
    let statements: Statements

    struct Statements: Sendable {
        /// The row of a key: `Snapshot.record`.
        let select: String
        /// Whether there is a row.
        let any: String
        /// The values of a row in the order of `Transaction.bind`.
        let insert: String
        let update: String
        /// Removes a row as it was read, and whatever row has a key.
        let delete: String
        let purge: String
        /// Sets the expiration of a key.
        let expire: String
        /// Marks what has a key and a version as synced, unless it is in conflict: then there is more to be done.
        let markSynced: String
    }

    /// True in SQL if the row has no `extra`, found out without reading the value.
    var lacksExtra: String {
        hasExtra ? (mayBeSwapped ? "typeof(\(extra))='null'" : "typeof(extra)='null'") : "1"
    }

    init(keyStore: String, name: String, sql: String, columns: KeyStoreColumns, isView: Bool = false) {
        self.isView = isView
        self.columns = columns
        self.keyStore = keyStore
        self.name = name
        hasExtra = columns.hasExtra
        hasExpiration = columns.hasExpiration
        mayHoldTreesInBodies = !sql.hasPrefix("CREATE TABLE \"")
        mayBeSwapped = keyStore == "del_default" && hasExtra && hasExpiration
        quotedName = quoted(identifier: name)
        let swapped = mayBeSwapped ? "CASE WHEN typeof(expiration)='blob' THEN" : nil
        extra = hasExtra ? swapped.map { "(\($0) expiration ELSE extra END)" } ?? "extra" : "NULL"
        expiration = hasExpiration ? swapped.map { "(\($0) extra ELSE expiration END)" } ?? "expiration" : "NULL"
        columnNames = "key, sequence, flags, version, body, \(expiration) AS expiration, \(extra) AS extra"
        statements = Statements(
            select: "SELECT sequence, flags, version, body, \(extra), \(expiration) FROM \(quotedName) WHERE key=?",
            any: "SELECT 1 FROM \(quotedName) LIMIT 1",
            insert: hasExtra
                ? "INSERT OR IGNORE INTO \(quotedName) (version, body, flags, sequence, key, extra) VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
                : "INSERT OR IGNORE INTO \(quotedName) (version, body, flags, sequence, key) VALUES (?1, ?2, ?3, ?4, ?5)",
            update: "UPDATE \(quotedName) SET version=?1, body=?2, flags=?3, sequence=?4\(hasExtra ? ", extra=?6" : "")"
                + " WHERE key=?5 AND sequence=?7 AND (flags >> 16)=?8",
            delete: "DELETE FROM \(quotedName) WHERE key=? AND sequence=? AND (flags >> 16)=?",
            purge: "DELETE FROM \(quotedName) WHERE key=?",
            expire: "UPDATE \(quotedName) SET expiration=? WHERE key=?",
            markSynced: "UPDATE \(quotedName) SET flags=((flags + 0x10000) | 8) WHERE key=? AND version=? AND flags & 2 = 0")
    }
}

/// A collection's tables: one for live documents, and since 3.1 one for tombstones.
final class CollectionTables: Sendable {
    let name: CollectionName
    let live: KeyTable
    let deleted: KeyTable?
    let all: [KeyTable]

    init(name: CollectionName, live: KeyTable, deleted: KeyTable?) {
        self.name = name
        self.live = live
        self.deleted = deleted
        all = deleted.map { [live, $0] } ?? [live]
    }
}

/// What the file's schema holds, read once for each version of the schema.
struct Catalog: Sendable {
    let generation: SchemaGeneration
    /// By key-store name: collections, their twins, `info` and raw stores.
    let stores: [String: KeyTable]
    let collections: [CollectionName: CollectionTables]
    /// Those of the default collection, which has most documents: they are found without a search.
    let defaultTables: CollectionTables?
    /// Names of SQLite's indexes.
    let indexNames: Set<String>
    /// The columns of the table `indexes`; empty if there is none.
    let indexTableColumns: [String]
    var hasIndexTable: Bool { !indexTableColumns.isEmpty }
    /// The tables that indexes are kept in.
    let indexTables: [String: SchemaTable]
    let tableNames: Set<String>
    /// Whether vector indexes of ours can be there.
    let hasVectorTables: Bool
    /// Whether there are vector indexes of the vendor's, which need an extension that only the vendor has.
    let hasVendorsVectors: Bool
    /// Whether sequences are counted in a table as it should be.
    let hasCounters: Bool

    var info: KeyTable? { stores["info"] }

    init(_ entries: [SchemaEntry], userVersion: Int64) throws {
        generation = SchemaGeneration(rawValue: Int(userVersion))
        try Catalog.check(generation)
        var stores: [String: KeyTable] = [:]
        var indexNames: Set<String> = []
        var tableNames: Set<String> = []
        var indexTables: [String: SchemaTable] = [:]
        var indexTableColumns: [String] = []
        var vectorTables = 0
        var hasCounters = false
        for entry in entries {
            let name = entry.name
            switch entry.type.utf8.first {
            case UInt8(ascii: "i"): indexNames.insert(name)
            default:
                // SQLite goes by the text, whatever the type says, and by the first of a name.
                let table = entry.sql.flatMap { SchemaTable(name: name, sql: $0) }
                guard table != nil || entry.type == "table", tableNames.insert(name).inserted, let table else { continue }
                let sql = entry.sql ?? ""
                switch table {
                case .counters: hasCounters = true
                case .registry(let columns): indexTableColumns = columns
                case .keyStore(let columns):
                    guard let keyStore = Schema.keyStore(ofTable: name) else { continue }
                    stores[keyStore] = KeyTable(keyStore: keyStore, name: name, sql: sql, columns: columns)
                case .fullText, .items, .predictions, .vectors: indexTables[name] = table
                case .vectorStore: vectorTables += 1
                case .statistics: break
                }
            }
        }
        func check(_ table: String, _ isThere: Bool, isNeeded: Bool = true) throws(StoreError) {
            guard !isThere else { return }
            if tableNames.contains(table) {
                // Other collections are there all the same, to be read. Nobody writes to such a file: see `SchemaInspection`.
                guard isNeeded else { return }
                throw Catalog.foreign(table)
            }
            if table == "kv_default" {
                throw StoreError(.notADatabase, "not a Couchbase Lite database: it has no table kv_default")
            }
            throw StoreError(.corrupt, "the database is damaged: its table \(table) is missing")
        }
        try check("kv_default", stores["default"] != nil, isNeeded: !generation.hasCollections)
        try check("kv_info", stores["info"] != nil)
        try check("kvmeta", hasCounters, isNeeded: false)
        self.hasCounters = hasCounters
        var collections: [CollectionName: CollectionTables] = [:]
        for (keyStore, live) in stores {
            guard let name = CollectionName(keyStore: keyStore), generation.hasCollections || name.isDefault else { continue }
            let deleted = generation.hasCollections ? stores[name.keyStoreOfDeleted] : nil
            collections[name] = CollectionTables(name: name, live: live, deleted: deleted)
        }
        self.stores = stores
        self.collections = collections
        defaultTables = collections[.default]
        self.indexNames = indexNames
        self.tableNames = tableNames
        self.indexTables = indexTables
        self.indexTableColumns = indexTableColumns
        hasVectorTables = vectorTables == VectorTables.all.count
        hasVendorsVectors = indexTables.values.contains(.vectors)
    }

    /// Of a 1.x file, as `Version1Schema` shows it.
    init(_ version1: Version1Schema, userVersion: Int64) {
        generation = SchemaGeneration(rawValue: Int(userVersion))
        stores = Dictionary(version1.keyStores.map { ($0.keyStore, $0) }, uniquingKeysWith: { first, _ in first })
        collections = stores["default"].map { [.default: CollectionTables(name: .default, live: $0, deleted: nil)] } ?? [:]
        defaultTables = collections[.default]
        indexNames = []
        tableNames = Set(stores.values.map(\.name))
        indexTables = [:]
        indexTableColumns = []
        hasVectorTables = false
        hasVendorsVectors = false
        hasCounters = true
    }

    static func foreign(_ table: String) -> StoreError {
        StoreError(.foreignSchema, "its table \(table) is not as Couchbase Lite makes it")
    }

    private static func check(_ generation: SchemaGeneration) throws(StoreError) {
        let version = generation.rawValue
        if version == 0 { throw StoreError(.notADatabase, "not a Couchbase Lite database: an SQLite file of another kind") }
        if generation < .oldest {
            throw StoreError(
                .tooOld, "the database has format \(version), which is older than any that this program reads (\(SchemaGeneration.oldest))")
        }
        if generation > .ceiling {
            throw StoreError(
                .tooNew, "the database has format \(version), made by a newer release; this program reads up to \(SchemaGeneration.newest)")
        }
    }
}
