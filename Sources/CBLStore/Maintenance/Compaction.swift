import CBLFleece
import CBLSQLite
import Glibc

/// How long compaction spares what nobody refers to, in seconds.
enum UnusedBlobs {
    /// Blobs younger than this are spared: the document that will refer to them may not be committed yet.
    static let sparedTime: Int64 = 10 * 60

    /// Half written blobs younger than this are spared: whoever writes them may be waiting for more to come.
    private static let sparedTimeUnfinished: Int64 = 24 * 60 * 60

    /// How long a file beside the blobs is spared, if it goes at all: a blob that nobody needs, or one that a crash left unfinished.
    fileprivate static func sparedTime(ofFile name: String, _ needed: Set<BlobDigest>) -> Int64? {
        if let digest = BlobDigest(fileName: name) { return needed.contains(digest) ? nil : sparedTime }
        return name.hasPrefix(BlobFolder.unfinishedPrefix) ? sparedTimeUnfinished : nil
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
        /// Whether bodies go that `Database.keepsReplacedBodies` has kept. They always do where that is set.
        package var dropsReplacedBodies = false

        package init() {}
    }

    package enum CompactionStage: Sendable {
        case pruning, purging, droppingBodies, vacuuming, collectingBlobs
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
            var options = options
            if keepsReplacedBodies { options.dropsReplacedBodies = true }
            if options.pruneDepth != nil || options.purgesDeleted || options.dropsReplacedBodies { try giveUp(options, &result, progress) }
            try progress(.vacuuming)
            try writer.exclusively { file in
                file.connection.setProgressCheck(interruption)
                defer { file.connection.setProgressCheck(nil) }
                try Maintenance.optimize(file)
                try Maintenance.vacuum(file)
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
                if options.dropsReplacedBodies {
                    try progress(.droppingBodies)
                    try transaction.dropReplacedBodies(in: name) { try progress(.droppingBodies) }
                }
            }
            return (pruned, purged)
        }
    }

    private func removeUnusedBlobs(
        _ transaction: Transaction, _ result: inout Compaction, _ progress: (CompactionStage) throws -> Void
    ) throws {
        guard let folder = try blobs.folder() else { return }
        guard try folder.listing().next() != nil else { return }
        let needed = try transaction.referencedBlobs { try progress(.collectingBlobs) }
        // A document that nobody has any more must not come back without its blob.
        try transaction.connection.synchronizeLog()
        let settled = file.settledBlobs.withLock { $0?.digests ?? [] }
        var unused: [(name: String, spared: Int64)] = []
        for name in try folder.listing() {
            try progress(.collectingBlobs)
            guard var spared = UnusedBlobs.sparedTime(ofFile: name, needed) else { continue }
            if let digest = BlobDigest(fileName: name), settled.contains(digest) { spared = -1 }
            unused.append((name, spared))
        }
        for (name, spared) in unused {
            try progress(.collectingBlobs)
            guard let status = folder.status(name), status.kind == .file, status.modified < Int64(time(nil)) - spared, folder.remove(name)
            else { continue }
            result.blobsRemoved += 1
            result.blobBytesRemoved = FileStatus.total([result.blobBytesRemoved, status.size])
        }
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
                for body in try cursor.revisionsInPlace().bodies { body.withBytes(collect) }
            }
        }
        return digests
    }
}

extension Transaction {
    /// Says that a blob was written for this transaction: when it has ended, the blob need not be spared.
    package func noteBlob(_ digest: BlobDigest) {
        database.file.settledBlobs.withLock { blobs in
            let settled = blobs ?? SharedFile.SettledBlobs()
            blobs = settled
            // Of more, compaction spares the youngest.
            if settled.digests.count < 100_000 { settled.digests.insert(digest) }
        }
    }
}
