import CBLFleece
import CBLSQLite
import Glibc

/// What keeps the file small and its queries quick.
enum Maintenance {
    /// Blobs younger than this are spared: the document that will refer to them may not be committed yet.
    static let youth: Int64 = 10 * 60

    /// Half written blobs younger than this are spared: whoever writes them may be waiting for more to come.
    static let youthOfUnfinished: Int64 = 24 * 60 * 60

    /// How long a file beside the blobs is spared, if it goes at all: a blob that nobody needs, or one that a crash left unfinished.
    fileprivate static func youth(ofFile name: String, _ needed: Set<BlobDigest>) -> Int64? {
        if let digest = BlobDigest(fileName: name) { return needed.contains(digest) ? nil : youth }
        return name.hasPrefix(BlobStore.unfinishedPrefix) ? youthOfUnfinished : nil
    }

    /// At closing: statistics where they are worth it, and free pages given back if they are many.
    static func tidyUp(_ connection: Connection) throws {
        try connection.execute(script: "PRAGMA analysis_limit=400; PRAGMA optimize")
        let free = try connection.integer("PRAGMA freelist_count") ?? 0
        guard free > 0, try connection.integer("PRAGMA auto_vacuum") == 2 else { return }
        let pages = try connection.integer("PRAGMA page_count") ?? 0
        let size = try connection.integer("PRAGMA page_size") ?? 0
        if free * 4 >= pages || free * size >= 10 << 20 { try connection.execute("PRAGMA incremental_vacuum") }
    }

    /// Gives free pages back to the file system.
    static func vacuum(_ store: StoreConnection) throws {
        let connection = store.connection
        connection.releaseStatements()
        // 2.x files cannot do it in steps until they were written anew once. That may renumber rows, which other indexes refer to.
        if try connection.integer("PRAGMA auto_vacuum") == 0, try !refersToRowids(store) {
            try connection.execute("PRAGMA auto_vacuum=incremental")
            try connection.vacuum()
        } else {
            try connection.execute("PRAGMA incremental_vacuum")
        }
        try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    private static func refersToRowids(_ store: StoreConnection) throws -> Bool {
        let tables = try store.connection.strings("SELECT name FROM sqlite_master WHERE type='table' AND sql LIKE 'CREATE VIRTUAL%'")
        guard tables.isEmpty else { return true }
        guard store.catalog.hasIndexTable else { return false }
        return try store.connection.integer("SELECT 1 FROM indexes WHERE type != 0 LIMIT 1") != nil
    }
}

extension Database {
    package struct Compaction: Hashable, Sendable {
        package var sizeBefore = 0
        package var sizeAfter = 0
        package var blobsRemoved = 0
        package var blobBytesRemoved = 0
        /// Documents whose revision trees became shorter.
        package var prunedDocuments = 0
        /// Tombstones that went.
        package var purgedDocuments = 0
    }

    /// What to give up beside free pages and unused blobs.
    package struct CompactionOptions: Sendable {
        /// How many generations of each branch of a revision tree to keep; nil for all that are there.
        package var pruneDepth: Int?
        /// Whether tombstones go, which replication then cannot tell others of any more.
        package var purgesDeleted = false

        package init() {}
    }

    package enum CompactionStage: Sendable {
        case pruning, purging, vacuuming, collectingBlobs
    }

    /// Gives back what the database does not need: free pages, and blobs that no document refers to any more.
    ///
    /// `progress` is called at least once in each stage, and may throw to stop the work: each stage is done whole, or not at all. While
    /// SQLite moves pages, `interruption` is asked instead, as in `Connection.setProgressCheck`.
    @discardableResult
    package func compact(
        _ options: CompactionOptions = CompactionOptions(), interruption: (@convention(c) (UnsafeMutableRawPointer?) -> Int32)? = nil,
        progress: (CompactionStage) throws -> Void = { _ in }
    ) throws -> Compaction {
        guard let writer else { throw StoreError(.readOnly, "the database was opened for reading only", path: path) }
        try checkNoTransaction("a database cannot be compacted")
        var result = Compaction()
        result.sizeBefore = try fileSize()
        do {
            if options.pruneDepth != nil || options.purgesDeleted { try giveUp(options, &result, progress) }
            try progress(.vacuuming)
            try writer.exclusively { store in
                store.connection.setProgressCheck(interruption)
                defer { store.connection.setProgressCheck(nil) }
                try store.connection.execute(script: "PRAGMA analysis_limit=400; PRAGMA optimize")
                try Maintenance.vacuum(store)
            }
            try progress(.collectingBlobs)
            // Inside a transaction, so that nobody commits a document with a new reference meanwhile.
            try write { try removeUnusedBlobs($0, &result, progress) }
        } catch {
            throw StoreError.translating(error, path: path)
        }
        result.sizeAfter = try fileSize()
        return result
    }

    private func giveUp(_ options: CompactionOptions, _ result: inout Compaction, _ progress: (CompactionStage) throws -> Void) throws {
        (result.prunedDocuments, result.purgedDocuments) = try write { transaction in
            var (pruned, purged) = (0, 0)
            for name in transaction.collections() {
                if options.purgesDeleted {
                    try progress(.purging)
                    purged += try transaction.purgeDeleted(in: name)
                }
                if let depth = options.pruneDepth {
                    try progress(.pruning)
                    pruned += try transaction.pruneTrees(in: name, toDepth: depth) { try progress(.pruning) }
                }
            }
            return (pruned, purged)
        }
    }

    private func removeUnusedBlobs(
        _ transaction: Transaction, _ result: inout Compaction, _ progress: (CompactionStage) throws -> Void
    ) throws {
        guard let folder = try blobs.folder() else { return }
        let names = try folder.names()
        guard !names.isEmpty else { return }
        let needed = try transaction.referencedBlobs { try progress(.collectingBlobs) }
        for name in names {
            try progress(.collectingBlobs)
            guard let youth = Maintenance.youth(ofFile: name, needed) else { continue }
            guard let status = folder.status(name), status.kind == .file, status.modified < Int64(time(nil)) - youth, folder.remove(name)
            else { continue }
            result.blobsRemoved += 1
            result.blobBytesRemoved = FileStatus.total([result.blobBytesRemoved, status.size])
        }
    }

    /// Rebuilds all of SQLite's indexes.
    package func reindex(interruption: (@convention(c) (UnsafeMutableRawPointer?) -> Int32)? = nil) throws {
        try execute("REINDEX", interruption)
    }

    /// Renews the statistics that queries are planned with.
    package func optimize(isFull: Bool = false) throws {
        try execute("PRAGMA analysis_limit=\(isFull ? 0 : 400)")
        try execute("ANALYZE")
    }

    private func execute(_ sql: String, _ interruption: (@convention(c) (UnsafeMutableRawPointer?) -> Int32)? = nil) throws {
        guard let writer else { throw StoreError(.readOnly, "the database was opened for reading only", path: path) }
        try checkNoTransaction("indexes cannot be built anew")
        do {
            try writer.exclusively { store in
                store.connection.setProgressCheck(interruption)
                defer { store.connection.setProgressCheck(nil) }
                try store.connection.execute(sql)
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

extension Snapshot {
    /// The blobs that any stored revision of any document refers to. `progress` is called for each document that is looked at.
    package func referencedBlobs(progress: () throws -> Void = {}) throws -> Set<BlobDigest> {
        var digests: Set<BlobDigest> = []
        func collect(_ body: UnsafeRawBufferPointer) {
            guard let root = Value(root: body) else { return }
            BlobReferences.forEach(in: root, sharedKeys) { digest, _ in
                if let digest = BlobDigest(digest) { digests.insert(digest) }
            }
        }
        for name in collections() {
            var options = ScanOptions(order: .stored, content: .everything)
            options.includesDeleted = true
            options.onlyWithAttachments = true
            let cursor = try scan(name, options)
            while try cursor.next() {
                try progress()
                let document = try cursor.document()
                collect(document.body.bytes)
                for revision in document.tree?.revisions ?? [] {
                    revision.body?.withUnsafeBytes { collect($0) }
                }
                for remote in document.vectors?.remoteIDs ?? [] {
                    if let properties = document.vectors?.latest(onRemote: remote)?.properties { collect(properties.bytes) }
                }
            }
        }
        return digests
    }
}
