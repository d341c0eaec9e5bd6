import CBLSQLite

extension Transaction {
    /// Makes a collection, unless it is there. One that had existed before goes on with its sequences.
    /// Gives whether it is new.
    @discardableResult
    package func createCollection(_ name: CollectionName) throws -> Bool { try !createCollections([name]).isEmpty }

    /// The same of many, which takes little longer than of one: who changes the schema reads all of it anew. Gives those that are new.
    @discardableResult
    package func createCollections(_ names: [CollectionName]) throws -> Set<CollectionName> {
        var made: Set<CollectionName> = []
        for name in names where !hasCollection(name) && made.insert(name).inserted {
            guard generation.hasCollections else {
                throw StoreError(
                    .unsupported, "a database of format \(generation) has no collections but the default one; an upgrade would bring them")
            }
            for keyStore in [name.keyStore, name.keyStoreOfDeleted] { try createTable(keyStore, isCollection: true) }
        }
        if !made.isEmpty {
            notePartially()
            try file.reloadSchema()
        }
        return made
    }

    /// Removes a collection with its documents and indexes. They count as purged, for those who meet it made again.
    package func deleteCollection(_ name: CollectionName) throws {
        guard !name.isDefault else { throw StoreError(.invalidName, "the default collection cannot be deleted") }
        let tables = try tables(name)
        for index in try indexes() where index.keyStore == name.keyStore { try dropIndex(index.name) }
        connection.releaseStatements()
        // The rows of `kvmeta` stay: no sequence is to be given a second time under this name.
        for table in tables.all {
            // How many there were says nothing to anybody.
            try countPurges(connection.integer("SELECT 1 FROM \(table.quotedName) LIMIT 1") == nil ? 0 : 1, in: table.keyStore)
            try connection.execute("DROP TABLE IF EXISTS \(table.quotedName)")
        }
        try file.reloadSchema()
        removals.collections.append(name)
        database.file.deletions.withLock { $0.append(name) }
    }

    func createTable(_ keyStore: String, isCollection: Bool) throws {
        let table = Schema.table(ofKeyStore: keyStore, in: generation)
        for sql in Schema.keyStore(table, isCollection: isCollection, in: generation) { try connection.execute(sql) }
    }
}

extension Transaction {
    /// Writes a raw document, replacing one of the same key. The store is made if it is not there.
    package func putRaw(_ document: RawDocument, in keyStore: String) throws {
        let table = try rawTable(keyStore)
        try connection.withStatement("INSERT OR REPLACE INTO \(table.quotedName) (key, version, body) VALUES (?, ?, ?)") { statement in
            try statement.bind(document.key, 1)
            try statement.bind(blob: document.meta, 2)
            try statement.bind(blob: document.body, 3)
            try statement.run()
        }
    }

    /// Removes a raw document; false if there was none.
    @discardableResult
    package func deleteRaw(_ key: String, in keyStore: String) throws -> Bool {
        guard let table = catalog.stores[keyStore] else { return false }
        try checkRaw(keyStore)
        return try connection.withStatement("DELETE FROM \(table.quotedName) WHERE key=?") { statement in
            try statement.bind(key, 1)
            try statement.run()
            return connection.changes > 0
        }
    }

    func rawTable(_ keyStore: String) throws -> KeyTable {
        try checkRaw(keyStore)
        if let table = catalog.stores[keyStore] { return table }
        try createTable(keyStore, isCollection: false)
        try file.reloadSchema()
        guard let table = catalog.stores[keyStore] else {
            throw StoreError(.invalidName, "\"\(keyStore)\" cannot name a store of raw documents")
        }
        return table
    }

    private func checkRaw(_ keyStore: String) throws {
        let isOfDeleted = CollectionName.keyStoreWithout(deletedIn: keyStore) != nil
        let isTaken = keyStore == "info" || keyStore == "default" || isOfDeleted || keyStore.hasPrefix(".")
        guard !keyStore.isEmpty, !isTaken, Schema.keyStore(ofTable: "kv_" + keyStore) != nil else {
            throw StoreError(.invalidName, "\"\(keyStore)\" cannot name a store of raw documents")
        }
    }
}
