import CBLBase
import CBLReplication
import CBLSQLite
import CBLStore

/// What can be found out about a database, in one state of it.
package struct DatabaseFacts {
    /// How closely it is looked at.
    package enum Depth: Int, Comparable, Sendable {
        /// Only what is found quickly in a database of any size.
        case quick
        case full
        /// With how large the documents are.
        case withSizes

        package static func < (a: Depth, b: Depth) -> Bool { a.rawValue < b.rawValue }
    }

    package struct Collection {
        package let name: CollectionName
        package let statistics: CollectionStatistics
        /// Whether conflicts and documents with blobs were counted.
        package let isCounted: Bool
        /// Whether there are about so many documents, as far as can be seen in a moment.
        package let isEstimated: Bool
        package let lastSequence: UInt64
        package let nextExpiration: Int64?
        /// What stands in the way of looking at its documents.
        package let damage: String?
        /// It is the disk that stands there.
        package let isUnread: Bool
        /// In nanoseconds since 1970, if documents tell.
        package let changeTimes: ClosedRange<UInt64>?
        package let missingBlobs: Int
    }

    /// What somebody should know of.
    package enum Warning: Hashable, Sendable {
        case damagedFile(String)
        case damagedCollection(CollectionName, String)
        /// The disk does not give what is there.
        case unreadCollection(CollectionName, String)
        /// So many documents wait for somebody to settle a conflict.
        case conflicts(Int)
        case missingBlobs(Int)
        /// Documents whose time has come are still there; since when, in milliseconds since 1970.
        case expired(since: Int64)
        /// Deleted documents are still to be moved.
        case unfinishedUpgrade
        /// The newest changes are in a file beside the database.
        case log(size: Int)
        /// What work that did not finish left behind.
        case leftover(String)
    }

    package let size: Int
    package let logSize: Int
    package let freeSize: Int
    package let blobs: BlobFolder.Totals
    /// When a file of the bundle was changed last, in milliseconds since 1970.
    package let modified: Int64
    package let generation: SchemaGeneration
    /// How the file is encrypted; nil if it is not.
    package let cipher: String?
    package let versioning: Versioning
    package let publicUUID: UniqueID?
    package let privateUUID: UniqueID?
    package let sharedKeyCount: Int
    package let remotes: [UInt16: String]
    package let syncStates: [SyncState]
    package let checkpointCount: Int
    package let indexes: [StoredIndex]
    package let collections: [Collection]
    /// How many documents have a body of up to 2ⁿ bytes, by n. Only at level 2.
    package let distribution: [Int: Int]
    package let warnings: [Warning]

    // Of so many documents everything is looked at, without being asked.
    private static let few = 20_000

    /// `check` is called now and then: what it throws ends the search. For a person who waits, very many documents are not counted one by one.
    package init(_ database: Database, _ depth: Depth = .quick, estimates: Bool = false, check: () throws -> Void = {}) throws {
        let bundle = BundleFacts(database.path)
        let visibleDamage = database.visibleDamage
        (size, logSize, modified) = (bundle.database, bundle.log, bundle.modified)
        cipher = database.cipherName
        let limit = depth > .quick ? Int.max : DatabaseFacts.few
        blobs = try database.blobs.totals(lookingAtMost: limit, check: check)
        let facts = try database.read { snapshot in
            let names = snapshot.collections()
            // There may be a thousand collections: so many documents of all of them.
            var left = limit
            let collections = try names.map { name in
                try check()
                let collection = try Collection(name, snapshot, left, estimates: estimates)
                if collection.isCounted, limit < .max { left = max(0, left - collection.statistics.live - collection.statistics.deleted) }
                return collection
            }
            return (
                snapshot.generation, snapshot.versioning, snapshot.publicUUID, snapshot.privateUUID, snapshot.sharedKeys.count,
                try snapshot.remotes(), try DatabaseFacts.syncStates(snapshot, limit), try snapshot.checkpointCount(most: 1000),
                try snapshot.indexes(), collections, depth == .withSizes ? try DatabaseFacts.distribution(names, snapshot, check) : [:],
                try snapshot.freePages * snapshot.pageSize, try snapshot.isUpgradeUnfinished(lookingAtMost: limit)
            )
        }
        (generation, versioning, publicUUID, privateUUID, sharedKeyCount) = (facts.0, facts.1, facts.2, facts.3, facts.4)
        (remotes, syncStates, checkpointCount, indexes, collections) = (facts.5, facts.6, facts.7, facts.8, facts.9)
        (distribution, freeSize) = (facts.10, facts.11)
        warnings = DatabaseFacts.warnings(
            collections, visibleDamage: visibleDamage, isUpgradeUnfinished: facts.12, leftovers: bundle.leftovers, logSize: bundle.log)
    }

    private static func syncStates(_ snapshot: Snapshot, _ limit: Int) throws -> [SyncState] {
        do { return try snapshot.syncStates(lookingAtMost: limit) } catch let error as SQLiteError where error.isDamage { return [] }
    }

    private static func distribution(_ names: [CollectionName], _ snapshot: Snapshot, _ check: () throws -> Void) throws -> [Int: Int] {
        var result: [Int: Int] = [:]
        for name in names {
            var options = ScanOptions(order: .stored, content: .metadata)
            options.includesDeleted = true
            let cursor = try snapshot.scan(name, options)
            while try cursor.next() {
                let size = cursor.bodySize
                result[size < 2 ? 0 : Int.bitWidth - (size - 1).leadingZeroBitCount, default: 0] += 1
            }
            try check()
        }
        return result
    }

    private static func warnings(
        _ collections: [Collection], visibleDamage: String?, isUpgradeUnfinished: Bool, leftovers: [String], logSize: Int
    ) -> [Warning] {
        var warnings: [Warning] = []
        if let visibleDamage { warnings.append(.damagedFile(visibleDamage)) }
        for collection in collections {
            guard let damage = collection.damage else { continue }
            warnings.append(
                collection.isUnread ? .unreadCollection(collection.name, damage) : .damagedCollection(collection.name, damage))
        }
        let conflicts = collections.reduce(0) { $0 + $1.statistics.conflicted }
        if conflicts > 0 { warnings.append(.conflicts(conflicts)) }
        let missing = collections.reduce(0) { $0 + $1.missingBlobs }
        if missing > 0 { warnings.append(.missingBlobs(missing)) }
        if let first = collections.compactMap(\.nextExpiration).min(), first <= Transaction.now { warnings.append(.expired(since: first)) }
        if isUpgradeUnfinished { warnings.append(.unfinishedUpgrade) }
        if logSize > 0 { warnings.append(.log(size: logSize)) }
        return warnings + leftovers.map(Warning.leftover)
    }
}

extension DatabaseFacts.Collection {
    fileprivate init(_ name: CollectionName, _ snapshot: Snapshot, _ limit: Int, estimates: Bool) throws {
        self.name = name
        lastSequence = try snapshot.lastSequence(of: name)
        let found: Look
        do {
            (found, damage, isUnread) = (try Look(name, snapshot, limit, estimates: estimates), nil, false)
        } catch let error as SQLiteError where error.isDamage {
            // The rest of the page is worth all the more.
            var rest = Look()
            if let counts = try? snapshot.counts(of: name) { rest.statistics = CollectionStatistics(counts) }
            (found, damage, isUnread) = (rest, error.message, error.extendedCode == SQLiteError.failedRead)
        }
        (statistics, isCounted, isEstimated) = (found.statistics, found.isCounted, found.isEstimated)
        (nextExpiration, changeTimes, missingBlobs) = (found.nextExpiration, found.changeTimes, found.missingBlobs)
    }
}

/// What looking at the documents of a collection shows: all of them, or only what indexes tell.
private struct Look {
    var statistics = CollectionStatistics()
    var isCounted = false
    var isEstimated = false
    var nextExpiration: Int64?
    var changeTimes: ClosedRange<UInt64>?
    var missingBlobs = 0

    init() {}

    init(_ name: CollectionName, _ snapshot: Snapshot, _ limit: Int, estimates: Bool) throws {
        // Counting alone is quicker than looking at every record.
        isCounted = try limit == Int.max || snapshot.isSmall(name, limit)
        if isCounted {
            statistics = try snapshot.statistics(of: name)
        } else {
            let counts = try estimates ? snapshot.quickCounts(of: name) : snapshot.counts(of: name)
            (statistics, isEstimated) = (CollectionStatistics(counts), !counts.isExact)
        }
        nextExpiration = try snapshot.nextExpiration(of: name)
        guard isCounted else {
            statistics.expiring = try snapshot.expiringCount(of: name)
            return
        }
        changeTimes = try snapshot.changeTimes(of: name)
        if statistics.withBlobs > 0 { missingBlobs = try snapshot.missingBlobs(of: name).count }
    }
}

extension DatabaseFacts {
    /// The first and the last change of all documents, if all of them tell.
    package var changeTimes: ClosedRange<UInt64>? {
        guard collections.allSatisfy(\.isCounted) else { return nil }
        let times = collections.compactMap(\.changeTimes)
        guard let first = times.map(\.lowerBound).min(), let last = times.map(\.upperBound).max() else { return nil }
        return first...last
    }

    package var nextExpiration: Int64? { collections.compactMap(\.nextExpiration).min() }
    package var documents: Int { collections.reduce(0) { $0 + $1.statistics.live } }
}
