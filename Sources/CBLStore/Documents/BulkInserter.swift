import CBLFleece
import CBLSQLite
import CBLSystemSQLite

/// Documents on their way to the table, in memory that is used again and again.
///
/// Sendable without check because one thread at a time has it: whoever fills, inserts or settles it.
final class BulkBatch: @unchecked Sendable {
    private struct Entry {
        var start: Int
        var idCount: Int
        var bodyCount: Int
        /// Of one with a history, which `extra` has.
        var extraCount = 0
        var flags: DocumentFlags
        var revision: RevisionID
        var expiration: Int64?
    }

    private static let mostBytes = 1 << 19
    private static let mostDocuments = 2000
    @exclusivity(unchecked) private var bytes = ByteBuffer(capacity: mostBytes + 4096)
    @exclusivity(unchecked) private var entries: [Entry] = []
    /// What became of it.
    @exclusivity(unchecked) var insertedCount = 0
    /// The highest that the collection had then.
    @exclusivity(unchecked) var lastSequence: UInt64 = 0
    @exclusivity(unchecked) var existing: [Int] = []
    @exclusivity(unchecked) var failure: SQLiteError?

    init() { entries.reserveCapacity(BulkBatch.mostDocuments) }

    var isFull: Bool { entries.count >= BulkBatch.mostDocuments || bytes.count >= BulkBatch.mostBytes }
    var count: Int { entries.count }

    func append(id: UnsafeRawBufferPointer, body: UnsafeRawBufferPointer, revision: RevisionID, hasAttachments: Bool) {
        append(id: id, body: body, revision: revision, flags: hasAttachments ? .hasAttachments : [])
    }

    /// With its other revisions as they are stored, if it has some.
    func append(
        id: UnsafeRawBufferPointer, body: UnsafeRawBufferPointer, revision: RevisionID, flags: DocumentFlags,
        extra: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0), expiration: Int64? = nil
    ) {
        entries.append(
            Entry(
                start: bytes.count, idCount: id.count, bodyCount: body.count, extraCount: extra.count, flags: flags, revision: revision,
                expiration: expiration))
        bytes.append(id)
        bytes.append(body)
        bytes.append(extra)
    }

    func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        entries.removeAll(keepingCapacity: true)
        existing.removeAll(keepingCapacity: true)
        insertedCount = 0
        failure = nil
    }

    func withDocument<Result>(_ index: Int, _ body: (_ id: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer) throws -> Result)
        rethrows -> Result
    {
        let entry = entries[index]
        let all = bytes.bytes
        let middle = entry.start + entry.idCount
        return try body(
            UnsafeRawBufferPointer(rebasing: all[entry.start..<middle]),
            UnsafeRawBufferPointer(rebasing: all[middle..<middle + entry.bodyCount]))
    }

    func revision(_ index: Int) -> RevisionID { entries[index].revision }
    func flags(_ index: Int) -> DocumentFlags { entries[index].flags }
    func expiration(_ index: Int) -> Int64? { entries[index].expiration }

    /// Empty for a first revision.
    func extra(_ index: Int) -> UnsafeRawBufferPointer {
        let entry = entries[index]
        let start = entry.start + entry.idCount + entry.bodyCount
        return UnsafeRawBufferPointer(rebasing: bytes.bytes[start..<start + entry.extraCount])
    }
}

/// Puts batches of new documents into a collection's table, each as the first revision of a tree.
///
/// Sendable without check because it is used by one thread at a time: see `BatchPipeline`.
final class BulkInserter: @unchecked Sendable {
    @exclusivity(unchecked) var lastSequence: UInt64
    private let table: KeyTable
    private let insertion: Statement
    /// Looks for a tombstone of that ID, if there are any at all.
    private let search: Statement?
    private let connection: Connection
    private let hasSeparator: Bool
    /// For tombstones, and for documents that expire: they come with a conversion only.
    private let others: (tombstones: Statement, expiring: Statement)?

    init(_ transaction: Transaction, _ tables: CollectionTables, converts: Bool = false) throws {
        table = tables.live
        others =
            try converts
            ? tables.deleted.map { deleted in
                let columns = "(version, body, extra, flags, sequence, key, expiration) VALUES (?, ?, ?, ?, ?, ?, ?)"
                return (
                    try transaction.connection.prepare("INSERT OR IGNORE INTO \(deleted.quotedName) \(columns)"),
                    try transaction.connection.prepare("INSERT OR IGNORE INTO \(tables.live.quotedName) \(columns)")
                )
            } : nil
        connection = transaction.connection
        hasSeparator = transaction.treeForm == .current
        lastSequence = try transaction.metadata(tables.live.keyStore).lastSequence
        insertion = try connection.prepare(
            "INSERT OR IGNORE INTO \(table.quotedName) (version, body, extra, flags, sequence, key) VALUES (?, ?, ?, ?, ?, ?)")
        if let deleted = tables.deleted, try connection.integer("SELECT 1 FROM \(deleted.quotedName) LIMIT 1") != nil {
            search = try connection.prepare("SELECT 1 FROM \(deleted.quotedName) WHERE key=?")
        } else {
            search = nil
        }
    }

    /// Whether triggers or indexes of apps look at the rows.
    func isWatched(_ connection: Connection) throws -> Bool {
        let sql = "SELECT name FROM sqlite_master WHERE tbl_name=? AND type IN ('index', 'trigger') AND sql NOT NULL"
        return try connection.withStatement(sql) { row in
            try row.bind(table.name, 1)
            while try row.step() {
                let own = ["_seqs", "_expiration", "_conflicts", "_blobs"].map { table.name + $0 }
                if let name = row.string(0), !own.contains(name) { return true }
            }
            return false
        }
    }

    func insert(_ batch: BulkBatch) {
        do throws(SQLiteError) {
            for index in 0..<batch.count {
                if try insert(batch, index) {
                    lastSequence += 1
                    batch.insertedCount += 1
                } else {
                    batch.existing.append(index)
                }
            }
        } catch {
            batch.failure = error
        }
        batch.lastSequence = lastSequence
    }

    private func insert(_ batch: BulkBatch, _ index: Int) throws(SQLiteError) -> Bool {
        var result = Result<Bool, SQLiteError>.success(false)
        batch.withDocument(index) { id, body in
            do throws(SQLiteError) {
                let extra = batch.extra(index)
                let (revision, flags) = (batch.revision(index), batch.flags(index))
                guard extra.isEmpty else { return result = .success(try insert(id, body, revision, extra, flags, batch.expiration(index))) }
                result = .success(try insert(id, body, revision, flags: flags))
            } catch {
                result = .failure(error)
            }
        }
        return try result.get()
    }

    private func insert(
        _ id: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer, _ revision: RevisionID, flags: DocumentFlags
    ) throws(SQLiteError) -> Bool {
        if let search {
            try search.bind(text: id, 1, staysInPlace: true)
            let isThere = try search.step()
            search.reset()
            if isThere { return false }
        }
        // A tree of one revision: its entry, the end of the entries, and the separator.
        var tree: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0, 0)
        var result = Result<Bool, SQLiteError>.success(false)
        withUnsafeMutableBytes(of: &tree) { tree in
            revision.withBinary { version in
                let size = 8 + version.count + 1
                tree[3] = UInt8(size)
                tree[4] = 0xFF
                tree[5] = 0xFF
                var revisionFlags: RevisionTree.Flags = .leaf
                if flags.contains(.hasAttachments) { revisionFlags.insert(.hasAttachments) }
                tree[6] = revisionFlags.rawValue
                tree[7] = UInt8(version.count)
                UnsafeMutableRawBufferPointer(rebasing: tree[8...]).copyMemory(from: version)
                let extra = UnsafeRawBufferPointer(rebasing: tree[..<(size + (hasSeparator ? 8 : 4))])
                do throws(SQLiteError) { result = .success(try insert(id, body, version, extra, flags, with: insertion)) } catch {
                    result = .failure(error)
                }
            }
        }
        return try result.get()
    }

    /// One with a history.
    private func insert(
        _ id: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer, _ revision: RevisionID, _ extra: UnsafeRawBufferPointer,
        _ flags: DocumentFlags, _ expiration: Int64?
    ) throws(SQLiteError) -> Bool {
        var statement = insertion
        if let others, flags.contains(.deleted) || expiration != nil {
            statement = flags.contains(.deleted) ? others.tombstones : others.expiring
            if let expiration { try statement.bind(expiration, 7) } else { try statement.bindNull(7) }
        }
        var result = Result<Bool, SQLiteError>.success(false)
        revision.withBinary { version in
            do throws(SQLiteError) { result = .success(try insert(id, body, version, extra, flags, with: statement)) } catch {
                result = .failure(error)
            }
        }
        return try result.get()
    }

    private func insert(
        _ id: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer, _ version: UnsafeRawBufferPointer, _ extra: UnsafeRawBufferPointer,
        _ flags: DocumentFlags, with insertion: Statement
    ) throws(SQLiteError) -> Bool {
        try insertion.bind(blob: version, 1, staysInPlace: true)
        try insertion.bind(blob: body, 2, staysInPlace: true)
        try insertion.bind(blob: extra, 3, staysInPlace: true)
        try insertion.bind(Int64(flags.rawValue), 4)
        try insertion.bind(Int64(bitPattern: lastSequence + 1), 5)
        try insertion.bind(text: id, 6, staysInPlace: true)
        try insertion.step()
        insertion.reset()
        return connection.changes > 0
    }
}
