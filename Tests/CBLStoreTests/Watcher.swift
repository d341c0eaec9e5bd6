import CBLBase

@testable import CBLStore

/// A subscription that a test waits for.
final class Watcher: @unchecked Sendable {
    // Sendable: what is told is touched only under the lock, what was taken by the test's thread alone.
    private let lock = WaitCondition()
    private var told: [DatabaseChanges] = []
    private var failure: (any Error)?
    private var isOver = false
    let subscription: ChangeSubscription
    /// What the last `wait` took, of several notices the first sequence and the last.
    private(set) var changes: [CollectionName: (previous: UInt64, last: UInt64)] = [:]
    private(set) var purged: Set<CollectionName> = []
    /// Of each notice.
    private(set) var notices: [DatabaseChanges] = []

    init(_ database: Database, _ interest: ChangeInterest, since: [CollectionName: UInt64]?) throws {
        subscription = ChangeSubscription(database, interest, since: since)
        try subscription.start { [weak self] in self?.hear($0) }
    }

    private func hear(_ event: ChangeEvent) {
        lock.locked {
            switch event {
            case .changed(let changes): told.append(changes)
            case .failed(let error): failure = error
            case .closed: isOver = true
            case .alarm, .nextExpiration: break
            }
        }
        lock.signal()
    }

    var isCancelled: Bool { lock.locked { isOver } }

    func cancel() {
        subscription.cancel()
        lock.locked { isOver = true }
        lock.signal()
    }

    /// Waits for something; false if nothing comes in time, or any more.
    func wait(milliseconds: Int = 120_000) throws -> Bool {
        let end = Deadline(after: .milliseconds(milliseconds))
        notices = try lock.locked {
            while told.isEmpty, failure == nil, !isOver, lock.wait(until: end) {}
            defer { told = [] }
            if let failure { throw failure }
            return told
        }
        (changes, purged) = ([:], [])
        for (name, change) in notices.flatMap(\.collections) {
            if change.isChanged { changes[name] = (changes[name]?.previous ?? change.previous, change.last) }
            if change.isPurged { purged.insert(name) }
        }
        return !notices.isEmpty
    }
}

extension Database {
    func watch(since: [CollectionName: UInt64]? = nil, noticingPurges: Bool = false, documentIDs: Bool = false) throws -> Watcher {
        try Watcher(self, ChangeInterest(purges: noticingPurges, documentIDs: documentIDs), since: since)
    }
}
