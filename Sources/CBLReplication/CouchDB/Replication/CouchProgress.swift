import CBLBase
import CBLStore

/// What the threads of a replication with a server of CouchDB's kind share: whether it goes on, and what there is to tell.
final class CouchProgress: @unchecked Sendable {
    // Sendable: everything that changes is touched under the lock alone.

    /// It was cut off; nothing more is to be done.
    struct Terminated: Error {}

    private let lock = WaitCondition()
    private let tell: @Sendable (Report) -> Void
    private var isEnding = false
    private var isOver = false
    private var changed: Set<CollectionName> = []
    private var held: Set<String> = []
    private var refused: ByDocument<RevisionID> = [:]
    private var status = SyncStatus()
    private var busy = 0

    /// `tell` is called on any thread.
    init(tell: @escaping @Sendable (Report) -> Void) { self.tell = tell }

    // Going on, or not

    /// Whether it was asked to come to an end.
    var isStopping: Bool { lock.locked { isEnding || isOver } }

    func stop() {
        lock.locked { isEnding = true }
        lock.signal()
    }

    func terminate() {
        lock.locked { isOver = true }
        lock.signal()
    }

    func check() throws(Terminated) { if lock.locked({ isOver }) { throw Terminated() } }

    func databaseChanged(_ name: CollectionName) {
        lock.locked { _ = changed.insert(name) }
        lock.signal()
    }

    /// Waits until a collection has changed. False if it is time to stop.
    func waitForChange(of name: CollectionName) -> Bool {
        lock.locked {
            while !isEnding, !isOver {
                if changed.remove(name) != nil { return true }
                lock.wait()
            }
            return false
        }
    }

    /// Does something with documents, and no other thread does anything with these meanwhile: while a conflict is settled, it is to be known
    /// what the server has, and what of them is on its way there. None holds some of them and waits for others.
    func alone<Result>(with ids: [String], _ body: () throws -> Result) throws -> Result {
        try lock.locked {
            while !held.isDisjoint(with: ids) {
                if isOver { throw Terminated() }
                lock.wait()
            }
            held.formUnion(ids)
        }
        defer {
            lock.locked { held.subtract(ids) }
            lock.signal()
        }
        return try body()
    }

    /// Lets time pass, unless it is time to stop.
    func pause(_ duration: Duration) {
        let end = Deadline(after: duration)
        lock.locked { while !isEnding, !isOver, lock.wait(until: end) {} }
    }

    // Telling

    /// One more, or one less, of those that have something to do.
    func isBusy(_ more: Bool) {
        change { _ in busy += more ? 1 : -1 }
    }

    /// So much more has come up, or was done.
    func add(total: Int = 0, completed: Int = 0, documents: Int = 0) {
        change { status in
            status.total += UInt64(total)
            status.completed += UInt64(completed)
            status.documents += UInt64(documents)
        }
    }

    private func change(_ change: (inout SyncStatus) -> Void) {
        let status = lock.locked {
            change(&self.status)
            self.status.activity = busy > 0 ? .busy : .idle
            return self.status
        }
        tell(.status(status))
    }

    /// Notes that a revision of ours was refused for a conflict. False if that is known.
    func isNewConflict(_ id: String, _ revision: RevisionID) -> Bool {
        lock.locked {
            defer { refused[id] = revision }
            return refused[id] != revision
        }
    }

    func report(_ event: DocumentEvent) { tell(.document(event)) }
}
