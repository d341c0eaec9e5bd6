import CBLBase
import CBLFleece
import CBLSQLite

/// One state of a database: what `Database.read` gives its closure. It belongs to the thread that got it.
package class Snapshot {
    let file: FileConnection
    let database: Database
    /// Of tables that were asked for: who goes through one piece by piece asks for each.
    var knownPages: [String: TablePages] = [:]

    init(_ file: FileConnection, of database: Database) {
        self.file = file
        self.database = database
    }

    var catalog: Catalog { file.catalog }
    /// The connection itself, for what reads tables directly.
    package var connection: Connection { file.connection }

    /// The generation of the file's schema.
    package var generation: SchemaGeneration { file.catalog.generation }
    package var offersEnterpriseFunctions: Bool { database.offersEnterpriseFunctions }
    package var versioning: Versioning { file.versioning }
    package var sharedKeys: SharedKeys { file.sharedKeys }
    /// How others know this database; the source of its versions.
    package var publicUUID: UniqueID? { file.info.publicUUID }
    /// What this database is called in the version vectors of others.
    package var sourceID: SourceID { publicUUID.map { SourceID($0) } ?? .local }
    /// Known to nobody else; goes into replication checkpoints.
    package var privateUUID: UniqueID? { file.info.privateUUID }

    /// All collections, sorted; the default one is always among them, unless something else has the place of its table.
    package func collections() -> [CollectionName] { catalog.collections.keys.sorted() }

    package func hasCollection(_ name: CollectionName) -> Bool { catalog.collections[name] != nil }

    func tables(_ name: CollectionName) throws(StoreError) -> CollectionTables {
        guard let tables = name.isDefault ? file.catalog.defaultTables : file.catalog.collections[name] else {
            if name.isDefault { throw Catalog.foreign("kv_default") }
            throw StoreError(.notFound, "no collection \"\(name)\"" + suggestion(for: name.description))
        }
        return tables
    }

    private func suggestion(for name: String) -> String {
        let known = collections().map(\.description).filter {
            $0.lowercased() == name.lowercased() || $0.hasPrefix(name) || name.hasPrefix($0)
        }
        return known.first.map { ". Did you mean \"\($0)\"?" } ?? ""
    }

    func metadata(_ keyStore: String) throws -> (lastSequence: UInt64, purges: Int) {
        guard catalog.hasCounters else { return (0, 0) }
        let sql =
            catalog.generation.countsPurges
            ? "SELECT lastSeq, purgeCnt FROM kvmeta WHERE name=?" : "SELECT lastSeq, 0 FROM kvmeta WHERE name=?"
        return try connection.withStatement(sql) { row in
            try row.bind(keyStore, 1)
            guard try row.step() else { return (0, 0) }
            return (UInt64(bitPattern: max(0, row.int64(0))), Int(row.int64(1)))
        }
    }

    /// Whether rows of the collection's main table can be tombstones.
    func mayHoldTombstones(_ tables: CollectionTables) -> Bool {
        guard tables.deleted != nil else { return true }
        return tables.name.isDefault && file.info.tombstonesMayBeInDefault
    }
}

extension Snapshot {
    package struct Counts: Sendable {
        package var live = 0
        package var deleted = 0
        /// Whether this was counted, and not in part estimated.
        package var isExact = true
    }

    /// How many documents there are.
    package func counts(of name: CollectionName) throws -> Counts { try counts(of: name) { true } }

    /// The same for somebody who waits: what cannot be counted in a moment is estimated. That is so of tens of millions, and of fewer if the disk has to
    /// be asked.
    package func quickCounts(of name: CollectionName) throws -> Counts {
        let end = Instant.now + Snapshot.moment
        return try counts(of: name) { .now < end }
    }

    private static let moment = Duration.milliseconds(100)

    func counts(of name: CollectionName, while goesOn: () -> Bool) throws -> Counts {
        let tables = try tables(name)
        var counts = Counts()
        if mayHoldTombstones(tables) {
            try connection.withStatement("SELECT count(*), total(flags & 1) FROM \(tables.live.quotedName)") { row in
                try row.step()
                counts.deleted = Int(row.double(1))
                counts.live = Int(row.int64(0)) - counts.deleted
            }
        } else {
            counts.live = try rowCount(tables.live, while: goesOn, &counts)
        }
        if let deleted = tables.deleted { counts.deleted += try rowCount(deleted, while: goesOn, &counts) }
        return counts
    }

    private func rowCount(_ table: KeyTable, while goesOn: () -> Bool, _ counts: inout Counts) throws -> Int {
        guard let found = try rowCountFromPages(ofTable: table.name, while: goesOn) else { return Int(try rowCount(ofTable: table.name)) }
        if !found.isExact { counts.isExact = false }
        return found.count
    }

    /// How many live documents are to expire.
    package func expiringCount(of name: CollectionName) throws -> Int {
        let live = try tables(name).live
        guard live.hasExpiration else { return 0 }
        return Int(try connection.integer("SELECT count(*) FROM \(live.quotedName) WHERE expiration NOT NULL") ?? 0)
    }

    /// The sequence that was given last; 0 in a collection that never had a document.
    package func lastSequence(of name: CollectionName) throws -> UInt64 {
        _ = try tables(name)
        return try metadata(name.keyStore).lastSequence
    }

    /// How many rows were ever deleted, on purpose or by a move between live and deleted.
    package func purgeCount(of name: CollectionName) throws -> Int {
        _ = try tables(name)
        return try metadata(name.keyStore).purges.addingClamped(metadata(name.keyStoreOfDeleted).purges)
    }

    /// The raw stores: what is neither a collection nor the database's own information.
    package func rawStores() -> [String] {
        catalog.stores.keys.filter { $0 != "info" && CollectionName(anyKeyStore: $0) == nil }.sorted()
    }

    /// A raw document's meta bytes and body.
    package func rawDocument(_ key: String, in store: String) throws -> RawDocument? {
        guard let table = catalog.stores[store] else { return nil }
        return try connection.withStatement("SELECT version, body FROM \(table.quotedName) WHERE key=?") { row in
            try row.bind(key, 1)
            guard try row.step() else { return nil }
            return RawDocument(key: key, meta: row.blob(0).map(Array.init), body: row.blob(1).map(Array.init) ?? [])
        }
    }

    /// The keys of a raw store, sorted.
    package func rawDocumentKeys(in store: String) throws -> [String] {
        guard let table = catalog.stores[store] else { return [] }
        return try connection.strings("SELECT key FROM \(table.quotedName) ORDER BY key")
    }

    /// The known remotes: what is replicated with, by the small number that revisions are marked with.
    package func remotes() throws -> [UInt16: String] {
        guard let body = try file.infoTable.get(StoredInfo.Key.remotes) else { return [:] }
        return FleeceData(body).withRoot { root in
            var remotes: [UInt16: String] = [:]
            guard let dictionary = root.dictionary else { return remotes }
            for (key, value) in dictionary {
                if let url = key.string, let number = value.integer, let id = UInt16(exactly: number) { remotes[id] = url }
            }
            return remotes
        }
    }

    /// How many generations of a branch are kept.
    package func pruneDepth() throws -> Int { try storedPruneDepth() ?? RevisionTree.defaultDepth }

    /// The same, if it was ever set.
    func storedPruneDepth() throws -> Int? {
        let stored = try file.infoTable.get(StoredInfo.Key.maxRevTreeDepth).flatMap { $0.withUnsafeBytes { $0.bigEndian } }
        return stored.flatMap { $0 > 0 ? Int(exactly: $0) : nil }
    }
}

extension Snapshot {
    /// Makes the SQL functions, collations and tokenizer that the schema names known to `connection`. Queries of tables and scans of documents
    /// do without; full-text tables, checks of indexes and SQL that somebody wrote do not.
    package func registerFunctions() throws { try file.registerFunctions(blobs: database.blobs) }

    /// What SQLite finds wrong with the file, indexes included; empty if nothing is.
    package func integrityProblems(limit: Int = 100) throws -> [String] {
        try registerFunctions()
        return try connection.strings("PRAGMA integrity_check(\(limit))").filter { $0 != "ok" }
    }
}

/// A document of a raw store: not versioned, not replicated.
package struct RawDocument: Hashable, Sendable {
    package let key: String
    package let meta: [UInt8]?
    package let body: [UInt8]

    package init(key: String, meta: [UInt8]?, body: [UInt8]) {
        self.key = key
        self.meta = meta
        self.body = body
    }
}
