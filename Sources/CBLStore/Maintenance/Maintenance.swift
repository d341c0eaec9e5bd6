import CBLSQLite

/// What keeps the file small and its queries quick.
enum Maintenance {
    /// At closing: statistics where they are worth it, and free pages given back if they are many.
    static func tidyUp(_ connection: Connection) throws {
        try connection.execute(script: "PRAGMA analysis_limit=400; PRAGMA optimize")
        let free = try connection.integer("PRAGMA freelist_count") ?? 0
        guard free > 0, try connection.integer("PRAGMA auto_vacuum") == 2 else { return }
        let pages = try connection.integer("PRAGMA page_count") ?? 0
        let size = try connection.integer("PRAGMA page_size") ?? 0
        if free * 4 >= pages || free * size >= 10 << 20 { try connection.execute("PRAGMA incremental_vacuum") }
    }

    /// Renews statistics that have become wrong. In a transaction that writes from its beginning: by itself it reads first, and who becomes a writer
    /// then does not wait for another one.
    static func optimize(_ file: FileConnection) throws {
        try file.begin(immediate: true)
        defer { file.end() }
        try file.connection.execute(script: "PRAGMA analysis_limit=400; PRAGMA optimize")
        try file.connection.commit()
    }

    /// Gives free pages back to the file system.
    static func vacuum(_ file: FileConnection) throws {
        let connection = file.connection
        connection.releaseStatements()
        // 2.x files cannot do it in steps until they were written anew once. That may renumber rows, which other indexes refer to.
        if try connection.integer("PRAGMA auto_vacuum") == 0, try !refersToRowids(file) {
            try connection.execute("PRAGMA auto_vacuum=incremental")
            try connection.vacuum()
        } else {
            try connection.execute("PRAGMA incremental_vacuum")
        }
        try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    private static func refersToRowids(_ file: FileConnection) throws -> Bool {
        let tables = try file.connection.strings("SELECT name FROM sqlite_master WHERE type='table' AND sql LIKE 'CREATE VIRTUAL%'")
        guard tables.isEmpty else { return true }
        guard file.catalog.hasIndexTable else { return false }
        return try file.connection.integer("SELECT 1 FROM indexes WHERE type != 0 LIMIT 1") != nil
    }
}

extension Database {
    /// Rebuilds all of SQLite's indexes.
    package func reindex(interruption: (@convention(c) (UnsafeMutableRawPointer?) -> Int32)? = nil) throws {
        try exclusively(interruption) { try $0.makeIndexes("REINDEX") }
        // What an index of vectors has learned may not fit what has come since.
        guard try read({ try !$0.ownVectorIndexes().isEmpty }) else { return }
        try write { transaction in
            transaction.connection.setProgressCheck(interruption)
            defer { transaction.connection.setProgressCheck(nil) }
            for index in try transaction.ownVectorIndexes() where transaction.catalog.stores[index.keyStore] != nil {
                try transaction.rebuildVectorIndex(index.name)
            }
        }
    }

    /// Renews the statistics that queries are planned with.
    package func optimize(isFull: Bool = false) throws {
        try exclusively { try $0.connection.execute("PRAGMA analysis_limit=\(isFull ? 0 : 400)") }
        try exclusively { try $0.connection.execute("ANALYZE") }
    }

    private func exclusively(
        _ interruption: (@convention(c) (UnsafeMutableRawPointer?) -> Int32)? = nil, _ work: (FileConnection) throws -> Void
    ) throws {
        guard let writer else { throw StoreError(.readOnly, "the database was opened for reading only", path: path) }
        try checkNoTransaction("indexes cannot be built anew")
        do {
            try writer.exclusively { file in
                file.connection.setProgressCheck(interruption)
                defer { file.connection.setProgressCheck(nil) }
                try work(file)
            }
        } catch {
            throw StoreError.translating(error, path: path)
        }
    }

    /// The size of the database file with its log, without blobs.
    package func fileSize() throws -> Int {
        FileStatus.total([bundle.size(.main), bundle.size(.log)])
    }
}
