import CBLLanguage
import CBLReplication
import CBLSQLite
import CBLStore
import FoundationEssentials
import Glibc

/// What `info` finds out about a database, in one state of it. Without `-v` it looks only at what is found quickly in a database of any size.
struct InfoFacts {
    struct Collection {
        let name: CollectionName
        let statistics: CollectionStatistics
        /// Whether conflicts and documents with blobs were counted.
        let isCounted: Bool
        let lastSequence: UInt64
        let nextExpiration: Int64?
        /// What stands in the way of looking at its documents.
        let damage: String?
        /// In nanoseconds since 1970, if documents tell.
        let changeTimes: ClosedRange<UInt64>?
        let missingBlobs: Int
    }

    struct Warning {
        let code: String
        let text: String
    }

    let path: String
    let size: Int
    let logSize: Int
    let freeSize: Int
    let blobCount: Int
    let blobSize: Int
    /// When a file of the bundle was changed last, in milliseconds since 1970.
    let modified: Int64
    let generation: SchemaGeneration
    let versioning: Versioning
    let publicUUID: UUID?
    let privateUUID: UUID?
    let sharedKeyCount: Int
    let remotes: [UInt16: String]
    let syncStates: [SyncState]
    let checkpointCount: Int
    let indexes: [StoredIndex]
    let collections: [Collection]
    /// How many documents have a body of up to 2ⁿ bytes, by n. Only at level 2.
    let distribution: [Int: Int]
    let warnings: [Warning]

    // Of so many documents everything is looked at, without being asked.
    private static let few = 20_000

    init(_ database: Database, level: Int) throws {
        let bundle = BundleFacts(database.path)
        let blobs = try database.blobs.sizes()
        let visibleDamage = database.visibleDamage
        (path, size, logSize, modified) = (InfoPage.fullPath(database.path), bundle.database, bundle.log, bundle.modified)
        blobCount = blobs.count
        blobSize = BundleFacts.total(blobs.values)
        let limit = level > 0 ? Int.max : InfoFacts.few
        let facts = try database.read { snapshot in
            let names = snapshot.collections()
            let collections = try names.map { name in
                try Interruption.check()
                return try Collection(name, snapshot, limit)
            }
            return (
                snapshot.generation, snapshot.versioning, snapshot.publicUUID, snapshot.privateUUID, snapshot.sharedKeys.count,
                try snapshot.remotes(), try InfoFacts.syncStates(snapshot, limit), try snapshot.checkpointCount(most: 1000),
                try snapshot.indexes(), collections, level > 1 ? try InfoFacts.distribution(names, snapshot) : [:],
                try snapshot.freePages * snapshot.pageSize, try snapshot.isUpgradeUnfinished(lookingAtMost: limit)
            )
        }
        (generation, versioning, publicUUID, privateUUID, sharedKeyCount) = (facts.0, facts.1, facts.2, facts.3, facts.4)
        (remotes, syncStates, checkpointCount, indexes, collections) = (facts.5, facts.6, facts.7, facts.8, facts.9)
        (distribution, freeSize) = (facts.10, facts.11)
        warnings = InfoFacts.warnings(
            collections, visibleDamage: visibleDamage, isUpgradeUnfinished: facts.12, leftovers: bundle.leftovers, logSize: bundle.log)
    }

    private static func syncStates(_ snapshot: Snapshot, _ limit: Int) throws -> [SyncState] {
        do { return try snapshot.syncStates(lookingAtMost: limit) } catch let error as SQLiteError where error.isDamage { return [] }
    }

    private static func distribution(_ names: [CollectionName], _ snapshot: Snapshot) throws -> [Int: Int] {
        var result: [Int: Int] = [:]
        for name in names {
            var options = ScanOptions(order: .stored, content: .metadata)
            options.includesDeleted = true
            let cursor = try snapshot.scan(name, options)
            while try cursor.next() {
                let size = cursor.bodySize
                result[size < 2 ? 0 : Int.bitWidth - (size - 1).leadingZeroBitCount, default: 0] += 1
            }
            try Interruption.check()
        }
        return result
    }

    private static func warnings(
        _ collections: [Collection], visibleDamage: String?, isUpgradeUnfinished: Bool, leftovers: [String], logSize: Int
    ) -> [Warning] {
        var warnings: [Warning] = []
        func warn(_ code: String, _ text: String) { warnings.append(Warning(code: code, text: text)) }
        func count(_ number: Int, _ one: String, _ many: String) -> String { "\(ProgressLine.grouped(number)) \(number == 1 ? one : many)" }
        if let visibleDamage { warn("damaged", "The file is damaged: \(visibleDamage). \"cblite check\" tells more.") }
        for collection in collections {
            guard let damage = collection.damage else { continue }
            warn("damaged", "Collection \"\(collection.name)\" is damaged: \(damage). \"cblite check\" tells more.")
        }
        let conflicts = collections.reduce(0) { $0 + $1.statistics.conflicted }
        if conflicts > 0 {
            warn("conflicts", "\(count(conflicts, "document is", "documents are")) in conflict: \"cblite conflicts\" lists them.")
        }
        let missing = collections.reduce(0) { $0 + $1.missingBlobs }
        if missing > 0 { warn("missingBlobs", "\(count(missing, "blob is", "blobs are")) missing that documents refer to.") }
        if let first = collections.compactMap(\.nextExpiration).min(), first <= InfoFacts.now {
            warn(
                "expired", "Documents have expired since \(TimeText.iso8601(first)) and are still there: the app removes them when it runs."
            )
        }
        if isUpgradeUnfinished {
            warn(
                "unfinishedUpgrade",
                "An upgrade has not finished: deleted documents are still to be moved, which the app does when it runs.")
        }
        if logSize > 0 {
            warn(
                "log",
                "The newest changes are in the log, db.sqlite3-wal, of \(SizeText.text(logSize)): it must go along when files are copied.")
        }
        for name in leftovers { warn("leftover", "\(name) was left behind by work that did not finish.") }
        return warnings
    }

    private static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}

extension InfoFacts.Collection {
    fileprivate init(_ name: CollectionName, _ snapshot: Snapshot, _ limit: Int) throws {
        self.name = name
        lastSequence = try snapshot.lastSequence(of: name)
        let found: Look
        do {
            (found, damage) = (try Look(name, snapshot, limit), nil)
        } catch let error as SQLiteError where error.isDamage {
            // The rest of the page is worth all the more.
            var rest = Look()
            if let counts = try? snapshot.counts(of: name) { rest.statistics = CollectionStatistics(counts) }
            (found, damage) = (rest, error.message)
        }
        (statistics, isCounted, nextExpiration) = (found.statistics, found.isCounted, found.nextExpiration)
        (changeTimes, missingBlobs) = (found.changeTimes, found.missingBlobs)
    }
}

/// What looking at the documents of a collection shows: all of them, or only what indexes tell.
private struct Look {
    var statistics = CollectionStatistics()
    var isCounted = false
    var nextExpiration: Int64?
    var changeTimes: ClosedRange<UInt64>?
    var missingBlobs = 0

    init() {}

    init(_ name: CollectionName, _ snapshot: Snapshot, _ limit: Int) throws {
        // Counting alone is quicker than looking at every record.
        isCounted = try limit == Int.max || snapshot.isSmall(name, limit)
        statistics = try isCounted ? snapshot.statistics(of: name) : CollectionStatistics(snapshot.counts(of: name))
        nextExpiration = try snapshot.nextExpiration(of: name)
        guard isCounted else {
            statistics.expiring = try snapshot.expiringCount(of: name)
            return
        }
        changeTimes = try snapshot.changeTimes(of: name)
        if statistics.withBlobs > 0 { missingBlobs = try snapshot.missingBlobs(of: name).count }
    }
}

extension InfoFacts {
    /// The first and the last change of all documents, if all of them tell.
    var changeTimes: ClosedRange<UInt64>? {
        guard collections.allSatisfy(\.isCounted) else { return nil }
        let times = collections.compactMap(\.changeTimes)
        guard let first = times.map(\.lowerBound).min(), let last = times.map(\.upperBound).max() else { return nil }
        return first...last
    }

    var nextExpiration: Int64? { collections.compactMap(\.nextExpiration).min() }
    var documents: Int { collections.reduce(0) { $0 + $1.statistics.live } }
}
