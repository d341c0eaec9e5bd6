import Synchronization

/// Which documents this process has removed without a trace: purged, or because their time had come. The file tells only how many were
/// purged, and of those that expired nothing.
///
/// Of each there is a count that only grows: that of the purges in the file, and one here of those that expired. A subscriber that knew
/// one value of it and sees another now is told the IDs that were noted between them.
final class RemovalLog: Sendable {
    /// How many IDs of a collection are kept, and told at a time.
    static let mostIDs = 5000
    private static let mostEntries = 1000

    /// What one transaction removed.
    struct Removed {
        /// How many rows of which it is known what became of them.
        var count = 0
        /// Nil if they are too many.
        var ids: [String]? = []

        mutating func note(_ id: String?) {
            guard let id, let known = ids?.count, known < RemovalLog.mostIDs else { return ids = nil }
            ids?.append(id)
        }

        mutating func merge(_ other: Removed) {
            count = count.addingClamped(other.count)
            guard let known = ids?.count, let others = other.ids, known + others.count <= RemovalLog.mostIDs else { return ids = nil }
            ids?.append(contentsOf: others)
        }

        func merged(with other: Removed) -> Removed {
            var both = self
            both.merge(other)
            return both
        }
    }

    private struct Entry {
        let end: Int
        let removed: Removed
        let transaction: Int
    }

    private struct Contents {
        var purged: [CollectionName: [Entry]] = [:]
        var expired: [CollectionName: [Entry]] = [:]
        var expiredCounts: [CollectionName: Int] = [:]
        var lastTransaction = 0
    }

    private let contents = Mutex(Contents())

    /// How many documents of each collection have expired.
    var expiredCounts: [CollectionName: Int] { contents.withLock(\.expiredCounts) }

    /// Notes what a transaction purges, before it is committed: `end` is what the count will be then. Who sees that count knows of it,
    /// nobody does before. Gives what to call it if nothing comes of it.
    func notePurged(_ removed: [CollectionName: (removed: Removed, end: Int)]) -> Int {
        contents.withLock { contents in
            contents.lastTransaction += 1
            for (name, (removed, end)) in removed {
                RemovalLog.append(
                    Entry(end: end, removed: removed, transaction: contents.lastTransaction), to: &contents.purged[name, default: []])
            }
            return contents.lastTransaction
        }
    }

    func takeBack(_ transaction: Int) {
        contents.withLock { contents in
            for name in contents.purged.keys { contents.purged[name]?.removeAll { $0.transaction == transaction } }
        }
    }

    /// Notes what had expired and was purged, after it is committed.
    func noteExpired(_ removed: [CollectionName: Removed], keepsIDs: Bool) {
        guard !removed.isEmpty else { return }
        contents.withLock { contents in
            for (name, removed) in removed {
                let end = (contents.expiredCounts[name] ?? 0).addingClamped(removed.count)
                contents.expiredCounts[name] = end
                if keepsIDs {
                    RemovalLog.append(Entry(end: end, removed: removed, transaction: 0), to: &contents.expired[name, default: []])
                }
            }
        }
    }

    func purged(from collection: CollectionName, after start: Int, upTo end: Int) -> Removed {
        contents.withLock { RemovalLog.sum($0.purged[collection], after: start, upTo: end) }
    }

    func expired(from collection: CollectionName, after start: Int, upTo end: Int) -> Removed {
        contents.withLock { RemovalLog.sum($0.expired[collection], after: start, upTo: end) }
    }

    /// Forgets what all subscribers know: those who saw these counts.
    func forget(purgedUpTo purged: [CollectionName: Int], expiredUpTo expired: [CollectionName: Int]) {
        contents.withLock { contents in
            for (name, count) in purged { contents.purged[name]?.removeAll { $0.end <= count } }
            for (name, count) in expired { contents.expired[name]?.removeAll { $0.end <= count } }
        }
    }

    private static func append(_ entry: Entry, to entries: inout [Entry]) {
        // Nobody has asked for long: whoever does will hear that some are not known.
        if entries.count >= mostEntries { entries.removeFirst(mostEntries / 2) }
        entries.append(entry)
    }

    private static func sum(_ entries: [Entry]?, after start: Int, upTo end: Int) -> Removed {
        var sum = Removed()
        for entry in entries ?? [] where entry.end > start && entry.end <= end { sum.merge(entry.removed) }
        return sum
    }
}

/// What a transaction has removed so far.
struct Removals {
    typealias Removed = RemovalLog.Removed

    /// By collection, with the number of rows that the file counts as purged.
    private(set) var purged: [CollectionName: Removed] = [:]
    private(set) var expired: [CollectionName: Removed] = [:]
    /// Those that were deleted as a whole.
    var collections: [CollectionName] = []

    mutating func notePurged(_ id: String?, from collection: CollectionName) { purged[collection, default: Removed()].note(id) }
    mutating func countPurged(_ count: Int, from collection: CollectionName) { purged[collection, default: Removed()].count += count }

    mutating func noteExpired(_ id: String?, from collection: CollectionName) {
        expired[collection, default: Removed()].count += 1
        expired[collection, default: Removed()].note(id)
    }

    /// Of which nobody knows what they were called.
    mutating func countExpired(_ count: Int, from collection: CollectionName) {
        guard count > 0 else { return }
        expired[collection, default: Removed()].count += count
        expired[collection]?.ids = nil
    }

    mutating func merge(_ inner: Removals) {
        purged.merge(inner.purged) { $0.merged(with: $1) }
        expired.merge(inner.expired) { $0.merged(with: $1) }
        collections += inner.collections
    }

    /// The file counts no purges: then they are as traceless as what has expired.
    mutating func takePurgedForExpired() {
        expired.merge(purged) { $0.merged(with: $1) }
        purged = [:]
    }
}
