import CBLFleece
import CBLFunctions
import CBLSQLite
import CBLSystemSQLite

/// A connection with what it knows of the file: schema, info and shared keys, each looked at again when somebody else changed the file.
///
/// Sendable without check because the pool that owns it lends it to one thread at a time.
final class FileConnection: @unchecked Sendable {
    /// In KiB, as the vendor's library has it.
    static let cacheSize = 10_240
    /// For reading each page once: what the processor's own cache holds. Reading 40 MB is a third quicker so than with pages all over the memory.
    static let scanCacheSize = 512

    let connection: Connection
    private var schema: KnownSchema
    private(set) var catalog: Catalog
    private(set) var info: StoredInfo
    /// Grows with what is stored, and with what the writer's encoder adds.
    let keys = SharedKeysBuilder()
    /// Whether it is the one that writes, at the moment.
    private(set) var isWriter: Bool
    /// Whether the schema was found to be one that may be run. What this connection itself changes leaves it so.
    private var isSchemaTrusted = false
    /// Where the state that the pool's last reader sees can be found again, if it can.
    var position: ReaderPool.Position?
    /// While nobody uses it: the state that its transaction still sees, if that was not ended.
    var pinned: LogPosition?
    /// Since which round of the pool that is so.
    var pinnedIn = 0
    private(set) var functions: FunctionContext?
    let vectorModels = KnownVectorModels()
    let vectorTables = VectorTableContext()
    private(set) var schemaVersion: Int64
    private var dataVersion: Int64
    private var isKnownToHaveLog = false
    /// That the file is open. Declared last, so that it goes after the connection.
    var note: OpenFiles.Note?

    /// Reads schema and info in a transaction of its own.
    init(_ connection: Connection, functions: FunctionContext? = nil, isWriter: Bool = false) throws {
        self.connection = connection
        self.isWriter = isWriter
        self.functions = functions
        try connection.execute("BEGIN")
        defer { try? connection.execute("END") }
        dataVersion = try connection.integer("PRAGMA data_version") ?? 0
        schemaVersion = try connection.integer("PRAGMA schema_version") ?? 0
        schema = try KnownSchema.of(connection)
        catalog = schema.catalog
        if let version1 = schema.version1 {
            guard !isWriter else { throw DatabaseBundle.isVersion1(catalog.generation.rawValue, path: nil) }
            try version1.present(on: connection)
        }
        if isWriter {
            try schema.trust(on: connection)
            isSchemaTrusted = true
        }
        info = try StoredInfo(reading: connection)
        try updateSharedKeys()
        // What is only read can be read without knowing: every record shows what it is.
        if sqlite3_db_readonly(connection.handle, "main") == 0 { try checkVersioning() }
        adaptFunctions()
    }

    var sharedKeys: SharedKeys { keys.state }
    /// Of a 1.x file.
    var version1: Version1Schema? { schema.version1 }
    var versioning: Versioning { info.versioning ?? (catalog.generation.separatesBodies ? .trees : .treesInBody) }
    var infoTable: InfoTable { InfoTable(connection: connection, generation: catalog.generation) }

    /// Whether changes go to a write-ahead log. Nobody can give it up while a connection has it open. SQLite compiles the question anew whenever it
    /// is asked, which took as long as the rest of beginning to read.
    var hasLog: Bool {
        if !isKnownToHaveLog { isKnownToHaveLog = (try? connection.strings("PRAGMA journal_mode")) == ["wal"] }
        return isKnownToHaveLog
    }

    /// Begins a transaction that reads one state of the file, and learns of what changed since the last one.
    func begin(immediate: Bool = false) throws {
        if pinned != nil { end() }
        if immediate { try connection.beginWriting() } else { try connection.withStatement("BEGIN") { try $0.run() } }
        do { try refresh() } catch {
            end()
            throw error
        }
    }

    /// Ends a transaction that changed nothing, or whose changes are not wanted.
    func end() {
        pinned = nil
        guard connection.isInTransaction else { return }
        try? connection.withStatement("ROLLBACK") { try $0.run() }
    }

    /// Registers what indexes and triggers name, once. Reading documents does not need it.
    func registerFunctions(blobs: BlobFolder) throws {
        guard functions == nil else { return }
        functions = try FileConnection.registerFunctions(on: connection, blobs: blobs)
        adaptFunctions()
    }

    /// Lets others read with the connection that writes, until somebody wants to write: see `Writer.lend`.
    func becomeReader() throws {
        isWriter = false
        isSchemaTrusted = false
        try connection.distrustSchema()
        connection.heedInterrupts()
    }

    /// Readies it for writing.
    func becomeWriter(blobs: BlobFolder) throws {
        end()
        connection.heedInterrupts(false)
        try connection.setCacheSize(kibibytes: FileConnection.cacheSize)
        try registerFunctions(blobs: blobs)
        isWriter = true
    }

    /// Runs a statement that fills indexes of SQLite's. The sorter that they come out of takes as much memory as pages do, and who interrupts it waits until
    /// that is sorted: with little of it, not long, and it works in the processor's own cache. Pages of an index are written once.
    func makeIndexes(_ statement: String) throws(SQLiteError) {
        try connection.setCacheSize(kibibytes: FileConnection.scanCacheSize)
        defer { try? connection.setCacheSize(kibibytes: FileConnection.cacheSize) }
        try connection.execute(statement)
    }

    private func trustSchema() throws {
        try schema.trust(on: connection)
        isSchemaTrusted = true
    }

    /// Tells the functions of this database's shared keys, and of trees in bodies if there can be any: that is asked for every value.
    private func adaptFunctions() {
        functions?.sharedKeys = sharedKeys
        // An index is filled by trigger while a document with new keys is stored.
        keys.onChange = { [weak functions] in functions?.sharedKeys = $0 }
        // Documents of an upgraded file keep the form of 2.x until they are saved.
        let mayHoldTrees = catalog.collections.values.contains { $0.all.contains(where: \.mayHoldTreesInBodies) }
        functions?.currentBody = mayHoldTrees ? { RecordBody.current($0) } : nil
    }

    static func registerFunctions(on connection: Connection, blobs: BlobFolder) throws -> FunctionContext {
        let context = FunctionContext()
        context.databasePath = blobs.databasePath
        context.revisionText = { version in (try? RevisionID(column: version))?.description }
        context.blobContent = { blob, keys in
            guard let digest = blob.value(forKey: "digest", keys)?.string.flatMap({ BlobDigest($0) }) else { return nil }
            var content: [UInt8] = []
            do { try blobs.read(digest, atMost: Connection.longestValue) { content.append(contentsOf: $0) } } catch { return nil }
            return content
        }
        try SQLFunctions.register(on: connection, context: context)
        // As in every program of the vendor's.
        try connection.execute("PRAGMA case_sensitive_like=true")
        return context
    }

    func refresh() throws {
        // The first statement that reads pins the snapshot; data_version alone would not.
        let schema = try connection.integer("PRAGMA schema_version") ?? 0
        let data = try connection.integer("PRAGMA data_version") ?? 0
        guard data != dataVersion || schema != schemaVersion || isWriter && !isSchemaTrusted else { return }
        if schema != schemaVersion {
            isSchemaTrusted = false
            try reloadSchema()
        }
        if isWriter && !isSchemaTrusted { try trustSchema() }
        try reloadInfo()
        dataVersion = data
    }

    /// After a change of the schema by this connection itself.
    func reloadSchema() throws {
        schemaVersion = try connection.integer("PRAGMA schema_version") ?? 0
        schema = try KnownSchema.of(connection)
        catalog = schema.catalog
    }

    func reloadInfo() throws {
        let known = info.sharedKeys
        info = try StoredInfo(reading: connection)
        if info.sharedKeys != known { try updateSharedKeys() }
        if sqlite3_db_readonly(connection.handle, "main") == 0 { try checkVersioning() }
    }

    /// Stores the table of shared keys, which has grown.
    func storeSharedKeys() throws {
        let encoded = sharedKeys.encoded()
        try infoTable.set(StoredInfo.Key.sharedKeys, encoded.bytes)
        info.sharedKeys = Array(encoded.bytes)
    }

    /// Forgets what a transaction that is rolled back may have changed: `sharedKeyCount` is what the table had before.
    func forget(sharedKeyCount: Int) {
        schemaVersion = -1
        dataVersion = -1
        info.sharedKeys = []
        keys.revert(toCount: sharedKeyCount)
    }

    private func checkVersioning() throws {
        guard info.versioning == nil else { return }
        // A new file gets it in the same transaction as its tables, so documents without it are a damage, or another format.
        guard try connection.integer("SELECT 1 FROM kv_default LIMIT 1") == nil else {
            throw StoreError(.corrupt, "the database does not say how its documents are versioned (kv_info lacks a known \"versioning\")")
        }
    }

    private func updateSharedKeys() throws {
        guard !info.sharedKeys.isEmpty else { return }
        do {
            try info.sharedKeys.withUnsafeBytes { try keys.update(from: $0) }
        } catch {
            throw StoreError(.corrupt, "the database's table of shared keys is damaged: \(error)")
        }
    }
}
