import CBLSQLite

/// Brings a file to the newest generation, inside the transaction that its caller began. Documents are not rewritten: each is when it is
/// saved the next time.
struct Upgrade {
    private let file: FileConnection
    private var connection: Connection { file.connection }
    private var generation: SchemaGeneration { file.catalog.generation }

    init(_ file: FileConnection) { self.file = file }

    /// Whether there is anything to do. Most files are new enough, and are opened without a transaction.
    func isNeeded(toVectors: Bool) -> Bool {
        generation < .newest || file.info.tombstonesMayBeInDefault || file.versioning.rawValue < versioning(toVectors).rawValue
    }

    private func versioning(_ toVectors: Bool) -> Versioning { toVectors ? .vectors : .trees }

    func run(toVectors: Bool) throws {
        guard isNeeded(toVectors: toVectors) else { return }
        if generation < .newest {
            try upgradeSchema()
            try file.reloadSchema()
        }
        try TombstoneRepair.run(on: file)
        try moveTombstones()
        let versioning = versioning(toVectors)
        if file.versioning.rawValue < versioning.rawValue {
            try file.infoTable.set(StoredInfo.Key.versioning, integer: UInt64(versioning.rawValue))
        }
        try file.infoTable.set(StoredInfo.Key.maxRowidWithDeleted, integer: 0)
        try file.reloadInfo()
    }

    private func upgradeSchema() throws {
        connection.releaseStatements()
        let catalog = file.catalog
        if !generation.countsPurges { try connection.execute("ALTER TABLE kvmeta ADD COLUMN purgeCnt INTEGER DEFAULT 0") }
        for table in catalog.stores.values.sorted(by: { $0.name < $1.name }) where !table.hasExtra {
            try connection.execute("ALTER TABLE \(table.quotedName) ADD COLUMN extra BLOB")
        }
        if !generation.hasCollections { try escapeTableNames() }
        for tables in catalog.collections.values where tables.deleted == nil {
            let twin = Schema.table(ofKeyStore: tables.name.keyStoreOfDeleted, in: .newest)
            for sql in Schema.keyStore(twin, isCollection: true, in: .newest) { try connection.execute(sql) }
        }
        for table in catalog.stores.values.sorted(by: { $0.name < $1.name }) where !table.hasExpiration {
            let name = generation.hasCollections ? table.name : Schema.table(ofKeyStore: table.keyStore, in: .newest)
            for sql in Schema.addExpiration(name) { try connection.execute(sql) }
        }
        for column in ["lastSeq", "whereClause"] where catalog.hasIndexTable && !catalog.indexTableColumns.contains(column) {
            try connection.execute("ALTER TABLE indexes ADD COLUMN \(column) TEXT")
        }
        try connection.execute("PRAGMA user_version=\(SchemaGeneration.newest.rawValue)")
    }

    /// Before 3.1, capitals in the names of raw stores were not escaped; the newest generation would not find them.
    private func escapeTableNames() throws {
        for table in file.catalog.stores.values {
            let escaped = Schema.table(ofKeyStore: table.keyStore, in: .newest)
            if escaped != table.name {
                try connection.execute("ALTER TABLE \(table.quotedName) RENAME TO \(quoted(identifier: escaped))")
            }
        }
    }

    /// Moves tombstones out of the tables of live documents, naming the columns: they stand in different orders (see `TombstoneRepair`).
    private func moveTombstones() throws {
        for tables in file.catalog.collections.values {
            guard let deleted = tables.deleted else { continue }
            let columns = "key, sequence, flags, version, body, expiration, extra"
            try connection.execute(
                """
                INSERT OR IGNORE INTO \(deleted.quotedName) (\(columns)) SELECT \(columns) FROM \(tables.live.quotedName) WHERE (flags & 1) != 0
                """)
            try connection.execute("DELETE FROM \(tables.live.quotedName) WHERE (flags & 1) != 0")
        }
    }
}
