import CBLBase
import Glibc

/// One who wants to know what is committed to a database, by whichever process.
///
///     let subscription = try database.subscribe { event in
///         if case .changed(let changes) = event { … }
///     }
///     …
///     subscription.cancel()
///
/// Each hears of every change once, in order, and not of what was committed before. The handler runs on a thread that all subscribers of
/// the file have in common, or on the one that has committed (`ChangeInterest.isPassedOn`), and under no lock: what takes long belongs elsewhere, on
/// a `SerialQueue` for example. It ends with `cancel`, when nobody holds the subscription any more, or when the database is closed.
package final class ChangeSubscription: Sendable {
    let subscriber: ChangeSubscriber
    private var hub: ChangeHub { subscriber.hub }

    /// `since` is what is known of each collection already; by default everything up to `start`.
    package init(_ database: Database, _ interest: ChangeInterest = ChangeInterest(), since: [CollectionName: UInt64]? = nil) {
        subscriber = ChangeSubscriber(database, interest, since: since)
    }

    deinit { hub.remove(subscriber, waits: false) }

    /// Begins. Once only.
    package func start(_ handler: @escaping @Sendable (ChangeEvent) -> Void) throws {
        try hub.add(subscriber, handler)
        do { try subscriber.begin() } catch {
            hub.remove(subscriber, waits: false)
            throw error
        }
        hub.admit(subscriber)
    }

    /// When this returns, the handler is not called any more, and not running either; unless it is the handler that has called this.
    package func cancel() { hub.remove(subscriber, waits: true) }

    /// Has the handler called with `alarm` after a while, or sooner if that was asked for before.
    package func setAlarm(after duration: Duration) { hub.setAlarm(subscriber, at: .now + duration) }
}

extension Database {
    /// Has the handler told of what is committed from now on, or after `since`, until the subscription ends.
    package func subscribe(
        _ interest: ChangeInterest = ChangeInterest(), since: [CollectionName: UInt64]? = nil,
        handler: @escaping @Sendable (ChangeEvent) -> Void
    ) throws -> ChangeSubscription {
        let subscription = ChangeSubscription(self, interest, since: since)
        try subscription.start(handler)
        return subscription
    }

    /// Threads for what subscribers have to do: shared by all of the file. Readers kept ready are no more than these.
    package var changeWorkers: WorkerPool { file.hub.workers }
}

/// What the hub keeps of a subscription.
final class ChangeSubscriber: @unchecked Sendable {
    // Sendable: what the subscriber has seen is touched by who begins it, and then by the hub's thread alone; the rest is guarded by the
    // hub's lock, or does not change.

    /// What it was told, or did not want to know.
    struct Seen {
        var states: [CollectionName: CollectionState] = [:]
        /// The collections that were there.
        var present: Set<CollectionName> = []
        var expired: [CollectionName: Int] = [:]
        /// The sequence of the one document that it is about.
        var sequence: UInt64?
        var nextExpiration: Int64??
    }

    let database: Database
    let interest: ChangeInterest
    private let since: [CollectionName: UInt64]?
    var hub: ChangeHub { database.file.hub }

    var seen = Seen()

    // Guarded by the hub's lock.
    var handler: (@Sendable (ChangeEvent) -> Void)?
    var isAdmitted = false
    var isClosed = false
    var alarm: Instant?

    init(_ database: Database, _ interest: ChangeInterest, since: [CollectionName: UInt64]?) {
        self.database = database
        self.interest = interest
        self.since = since
    }

    /// Notes how things are.
    func begin() throws {
        // Before the file is read: what has expired until then cannot be seen there any more.
        let expired = hub.removals.expiredCounts
        // What may yet be rolled back is no change.
        seen = try database.readCommitted { snapshot in
            let states = try snapshot.collectionStates()
            var seen = Seen(states: states, present: Set(states.keys), expired: expired)
            if let id = interest.document, let name = interest.collections?.first {
                seen.sequence = try snapshot.sequence(of: id, in: name)
            }
            return seen
        }
        guard let since else { return }
        for name in seen.states.keys { seen.states[name]?.lastSequence = since[name] ?? 0 }
    }
}

// What a commit in this process was, told without a look. Only for who finds out what subscribers have not seen: see `ChangeHub.tell`.
extension ChangeSubscriber {
    /// Whether there is nothing before these changes that it was not told.
    func hasSeenAll(before commit: CommitNote.Told) -> Bool {
        guard commit.hasIDs || !interest.documentIDs else { return false }
        return commit.collections.allSatisfy { name, told in
            guard interest.collections?.contains(name) ?? true else { return true }
            // A purge leaves the sequences as they are: a look may have seen it already.
            if told.purges > 0, told.purgesBefore != seen.states[name]?.purges ?? 0 { return false }
            guard let start = told.start else { return true }
            return seen.states[name]?.lastSequence ?? 0 == start && seen.present.contains(name)
        }
    }

    /// Notes what it is told from now on.
    func see(_ commit: CommitNote.Told) -> [ChangeEvent] {
        var changes = DatabaseChanges()
        for (name, told) in commit.collections where interest.collections?.contains(name) ?? true {
            var state = seen.states[name] ?? CollectionState()
            let previous = state.lastSequence
            if let last = told.last { state.lastSequence = last }
            state.purges = state.purges.addingClamped(told.purges)
            seen.states[name] = state
            var change = DatabaseChanges.Collection(previous: previous, last: state.lastSequence)
            change.isPurged = interest.purges && told.purges > 0
            guard change.isChanged || change.isPurged else { continue }
            if interest.documentIDs { change.documentIDs = interest.purges ? told.documentIDs : told.savedIDs }
            if let id = interest.document {
                guard let sequence = told.sequence(of: id) else { continue }
                seen.sequence = sequence
                change.documentIDs = [id]
            }
            changes.collections[name] = change
        }
        var events: [ChangeEvent] = changes.isEmpty ? [] : [.changed(changes)]
        // What was to expire and is gone is not noticed here: its time passes.
        let next = seen.nextExpiration.flatMap { $0 }.flatMap { $0 > Transaction.now ? $0 : nil }
        if interest.nextExpiration, let time = commit.expiration, time < next ?? .max {
            seen.nextExpiration = .some(time)
            events.append(.nextExpiration(time))
        }
        return events
    }
}
