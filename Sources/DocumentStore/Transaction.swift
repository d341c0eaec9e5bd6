import Fleece
import SQLite

/// A write transaction: what `Database.write` gives its closure. It sees what it has written; others see it when it is committed.
///
///     try database.write { transaction in
///         let body = try transaction.encode(json: #"{"type": "hotel"}"#)
///         try transaction.save("hotel-1", body: body)
///     }
public final class Transaction: Snapshot {
    let writer: Writer
    /// Encodes with the database's shared keys, adding to them. Kept from one document to the next.
    public let encoder: Encoder
    /// Canonical JSON of the body at hand.
    var json = ByteBuffer(capacity: 4096)
    private let sharedKeyCount: Int
    private var counters: [String: Counter] = [:]
    private var isOpen = true
    private var depth: Int?

    /// What `kvmeta` will say of a key store.
    private struct Counter {
        var lastSequence: UInt64
        var purges: Int
        var hasNewSequence = false
        var hasNewPurges = false
    }

    init(_ writer: Writer, of database: Database) throws {
        self.writer = writer
        let store = try writer.begin()
        encoder = writer.encoder
        encoder.reset()
        sharedKeyCount = store.sharedKeys.count
        super.init(store, of: database)
    }

    deinit { if isOpen { rollBack() } }

    /// Makes everything that was written permanent and visible. For transactions that were begun with `Database.begin`.
    public func commit() throws {
        guard isOpen else { throw StoreError(.inputOutput, "the transaction has ended already") }
        do {
            try writeCounters()
            if sharedKeys.count > sharedKeyCount { try store.storeSharedKeys() }
            try connection.withStatement("COMMIT") { try $0.run() }
        } catch {
            rollBack()
            throw StoreError.translating(error, path: database.path)
        }
        isOpen = false
        let changed = counters.filter(\.value.hasNewSequence).map(\.key)
        writer.finish()
        database.didCommit(changed)
    }

    /// Forgets everything that was written.
    public func rollBack() {
        guard isOpen else { return }
        isOpen = false
        store.end()
        store.forget(sharedKeyCount: sharedKeyCount)
        writer.finish()
    }

    private func writeCounters() throws {
        for (keyStore, counter) in counters {
            if counter.hasNewSequence {
                try setMetadata(keyStore, "lastSeq", Int64(bitPattern: counter.lastSequence))
            }
            if counter.hasNewPurges && generation.countsPurges { try setMetadata(keyStore, "purgeCnt", Int64(counter.purges)) }
        }
    }

    private func setMetadata(_ keyStore: String, _ column: String, _ value: Int64) throws {
        let sql = "INSERT INTO kvmeta (name, \(column)) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET \(column) = excluded.\(column)"
        try connection.withStatement(sql) { statement in
            try statement.bind(keyStore, 1)
            try statement.bind(value, 2)
            try statement.run()
        }
    }

    override func metadata(_ keyStore: String) throws -> (lastSequence: UInt64, purges: Int) {
        if let counter = counters[keyStore] { return (counter.lastSequence, counter.purges) }
        return try super.metadata(keyStore)
    }

    /// Looked up once: it is needed for every save.
    func treeDepth() throws -> Int {
        if let depth { return depth }
        let stored = try pruneDepth()
        depth = stored
        return stored
    }

    private func withCounter<Result>(_ keyStore: String, _ change: (inout Counter) -> Result) throws -> Result {
        if counters[keyStore] == nil {
            let stored = try super.metadata(keyStore)
            counters[keyStore] = Counter(lastSequence: stored.lastSequence, purges: stored.purges)
        }
        return change(&counters[keyStore]!)
    }

    /// The next sequence of a collection.
    func nextSequence(_ tables: CollectionTables) throws -> UInt64 {
        try withCounter(tables.live.keyStore) { counter in
            counter.lastSequence += 1
            counter.hasNewSequence = true
            return counter.lastSequence
        }
    }

    func setLastSequence(_ sequence: UInt64, _ tables: CollectionTables) throws {
        try withCounter(tables.live.keyStore) { counter in
            counter.lastSequence = sequence
            counter.hasNewSequence = true
        }
    }

    func countPurges(_ count: Int, in keyStore: String) throws {
        guard count > 0 else { return }
        try withCounter(keyStore) { counter in
            counter.purges += count
            counter.hasNewPurges = true
        }
    }

    /// Parses JSON into a body with the database's shared keys.
    public func encode(json: String, _ dialect: JSONDialect = .json) throws -> FleeceData {
        encoder.reset()
        try JSONParser.parse(json, dialect, into: encoder)
        return try encoder.finish()
    }
}

extension Database {
    /// Gives `work` the one transaction that may write. What it did is committed when it returns, and forgotten if it throws.
    @discardableResult
    public func write<Result>(_ work: (Transaction) throws -> Result) throws -> Result {
        let transaction = try begin()
        do {
            let result = try work(transaction)
            try transaction.commit()
            return result
        } catch {
            transaction.rollBack()
            throw StoreError.translating(error, path: path)
        }
    }

    /// Begins a transaction that stays open until its `commit` or `rollBack`. Nobody else can write meanwhile, in any process.
    public func begin() throws -> Transaction {
        guard let writer else { throw StoreError(.readOnly, "the database was opened for reading only", path: path) }
        do { return try Transaction(writer, of: self) } catch { throw StoreError.translating(error, path: path) }
    }

    func didCommit(_ keyStores: [String]) { watchers.signal() }
}
