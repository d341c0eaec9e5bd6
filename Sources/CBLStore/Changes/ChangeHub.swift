import CBLBase
import Glibc
import Synchronization

/// Hears of all that is committed to a file, by whichever process, and tells those who want to know: with one descriptor of the kernel's
/// notices and one thread, from the first subscriber to the last. It looks at the file when there is a sign that somebody wrote to it,
/// and sleeps otherwise.
final class ChangeHub: @unchecked Sendable {
    // Sendable: what is not constant is touched only under the lock.
    let removals = RemovalLog()
    let workers = WorkerPool(name: "cblite-work", limit: mostWorkers)

    /// As many as there are readers kept ready. A query or a handler that takes long has one of them for itself, and the others go on:
    /// those that wait have it by turns, and each queue one piece of work at a time. Who keeps all of them busy makes the others wait
    /// until one is done, and no longer; to start more would not make anything faster.
    private static let mostWorkers = 4
    static let threadName = "cblite-changes"

    /// So many times as long as a look took there is none, however much is written; within these limits. The first one after a pause comes at once.
    private static let restFactor = 4
    private static let rests = Duration.microseconds(500)...Duration.milliseconds(20)

    /// For so long at most a commit waits for a look to end.
    private static let longestLook = Duration.milliseconds(200)

    private let lock = WaitCondition()
    private var subscribers: [ChangeSubscriber] = []
    /// There as long as the thread is.
    private var signs: FileSigns?
    private var thread: pthread_t?
    private var hasSign = false
    /// Those whose handlers are running, and the threads that they run on.
    private var calls: [(subscriber: ChangeSubscriber, thread: pthread_t)] = []
    /// Whether somebody is finding out what subscribers have not seen yet, and telling them: the thread after a look, or whoever has committed.
    private var isTelling = false
    /// How many transactions of this process are just being committed.
    private var commits = 0
    /// Until when the kernel's notices are most likely of commits of ours that everybody knows of.
    private var isQuietUntil = Instant.now
    private var looks = 0
    private var pauses = FileSigns.pauses
    private let wantsIDs = Atomic<Bool>(false)
    private let allPassOn = Atomic<Bool>(false)

    /// Whether anybody wants to hear which documents a transaction has removed.
    var wantsDocumentIDs: Bool { wantsIDs.load(ordering: .relaxed) }
    /// For a transaction to fill, if those who listen can be told of it by the thread that commits it.
    var newNote: CommitNote? { allPassOn.load(ordering: .relaxed) ? CommitNote(hasIDs: wantsDocumentIDs) : nil }
    /// How often it was looked at the file.
    var lookCount: Int { lock.locked { looks } }

    /// For tests: when to look again after a sign.
    func setPauses(_ pauses: [Duration]) { lock.locked { self.pauses = pauses } }

    /// The number of subscribers that there ever were.
    private var additions = 0

    /// Takes one in, whom nothing is told before `admit`.
    func add(_ subscriber: ChangeSubscriber, _ handler: @escaping @Sendable (ChangeEvent) -> Void) throws(StoreError) {
        let path = subscriber.database.path
        let failure = lock.locked { () -> StoreError? in
            if signs == nil {
                do throws(StoreError) { signs = try FileSigns(path) } catch { return error }
                _ = WorkerThread(name: ChangeHub.threadName) { self.run() }
            }
            signs?.watch(path)
            subscriber.handler = handler
            // Whoever closes it from now on finds it in the list.
            subscriber.isClosed = !subscriber.database.isOpen
            subscribers.append(subscriber)
            additions += 1
            noteInterests()
            return nil
        }
        if let failure { throw failure }
    }

    /// The subscriber knows how things are: what comes now is told.
    func admit(_ subscriber: ChangeSubscriber) {
        lock.locked {
            subscriber.isAdmitted = true
            // Of what was committed since it has looked, the sign came perhaps too early.
            hasSign = true
            signs?.bell.ring()
        }
    }

    func remove(_ subscriber: ChangeSubscriber, waits: Bool) {
        // Let go of without the lock: what it refers to may end other subscriptions.
        let handler = lock.locked { take(subscriber) }
        withExtendedLifetime(handler) {}
        guard waits else { return }
        lock.locked {
            while calls.contains(where: { $0.subscriber === subscriber && pthread_equal($0.thread, pthread_self()) == 0 }) { lock.wait() }
        }
    }

    /// Somebody in this process has committed something.
    func signal() {
        lock.locked {
            guard let signs, !hasSign else { return }
            hasSign = true
            signs.bell.ring()
        }
    }

    func beginCommit() { lock.locked { commits += 1 } }
    func endCommit() { lock.locked { commits -= 1 } }

    /// Tells of what was just committed in this process by the thread that did it, if all subscribers knew what was before, and their handlers
    /// only pass on what they hear; false if the hub has to look.
    func tell(_ commit: CommitNote.Told) -> Bool {
        let end = Deadline(after: ChangeHub.longestLook)
        let told = lock.locked { () -> [ChangeSubscriber]? in
            while subscribers.allSatisfy({ $0.isAdmitted && !$0.isClosed && $0.interest.isPassedOn }) {
                guard isTelling else {
                    isTelling = true
                    return subscribers
                }
                // A look takes a moment, and would tell of this commit and the next as of one.
                guard !isCurrent, lock.wait(until: end) else { return nil }
            }
            return nil
        }
        guard let told else { return false }
        defer { endTelling() }
        guard told.allSatisfy({ $0.hasSeenAll(before: commit) }) else { return false }
        lock.locked {
            let now = Instant.now
            if isQuietUntil < now { isQuietUntil = now + ChangeHub.rests.upperBound }
        }
        for subscriber in told { for event in subscriber.see(commit) { tell(subscriber, event) } }
        return true
    }

    private func endTelling() {
        lock.locked { isTelling = false }
        lock.signal()
    }

    /// The database is being closed: its subscribers are told, and nothing else any more.
    func end(of database: Database) {
        lock.locked {
            let own = subscribers.filter { $0.database === database }
            for subscriber in own { subscriber.isClosed = true }
            if !own.isEmpty { signs?.bell.ring() }
        }
    }

    func setAlarm(_ subscriber: ChangeSubscriber, at time: Instant) {
        lock.locked {
            guard subscriber.handler != nil else { return }
            subscriber.alarm = min(subscriber.alarm ?? time, time)
            if !isCurrent { signs?.bell.ring() }
        }
    }

    // What follows up to the thread is for those who have the lock.

    private var isCurrent: Bool { thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false }

    private func noteInterests() {
        wantsIDs.store(subscribers.contains { $0.interest.documentIDs }, ordering: .relaxed)
        allPassOn.store(!subscribers.isEmpty && subscribers.allSatisfy { $0.interest.isPassedOn }, ordering: .relaxed)
    }

    private func take(_ subscriber: ChangeSubscriber) -> (@Sendable (ChangeEvent) -> Void)? {
        guard let place = subscribers.firstIndex(where: { $0 === subscriber }) else { return nil }
        subscribers.remove(at: place)
        noteInterests()
        // The thread ends when nobody is left.
        if subscribers.isEmpty { signs?.bell.ring() }
        return subscriber.handler.take()
    }

    // The thread.

    private func run() {
        guard
            let signs = lock.locked({ () -> FileSigns? in
                thread = pthread_self()
                return self.signs
            })
        else { return }
        // How often it was looked again since the last sign of the kernel's.
        var secondLooks = 0
        var due: Instant?
        var isRested = Instant.now
        // Whether the kernel has given notice, since the last look.
        var isNoticed = false
        while true {
            guard let isRung = hasToLook() else { return }
            tellOfClosing()
            let now = Instant.now
            let start = isRung ? isRested : max(isRested, quietUntil(now))
            let mustLook = isRung || isNoticed
            if mustLook, now < start {
                ringAlarms()
                // As long as the sign stands, nobody rings because of another.
                if isRung { lock.locked { hasSign = true } }
                signs.waitForBell(atMost: min(start - now, timeLeft(until: nil) ?? .seconds(1)))
                continue
            }
            isNoticed = false
            if mustLook || due.map({ $0 <= now }) ?? false {
                if !mustLook { secondLooks += 1 }
                let retry = look()
                let end = Instant.now
                isRested = end + min(max((end - now) * ChangeHub.restFactor, ChangeHub.rests.lowerBound), ChangeHub.rests.upperBound)
                let pause = retry ?? signs.pause(secondLooks, of: lock.locked { pauses })
                due = pause.map { .now + $0 }
            }
            ringAlarms()
            guard !lock.locked({ hasSign }) else { continue }
            if signs.wait(atMost: timeLeft(until: due)) {
                secondLooks = 0
                isNoticed = true
            }
        }
    }

    /// Whether somebody gave a sign; nil if nobody is there to be told, and the thread ends.
    private func hasToLook() -> Bool? {
        lock.locked {
            defer { hasSign = false }
            guard subscribers.isEmpty else { return hasSign }
            signs = nil
            thread = nil
            return nil
        }
    }

    /// Until when what the kernel notices is nothing new, as far as is known.
    private func quietUntil(_ now: Instant) -> Instant {
        lock.locked { commits > 0 ? now + ChangeHub.rests.upperBound : isQuietUntil }
    }

    private func timeLeft(until due: Instant?) -> Duration? {
        let next = lock.locked { subscribers.compactMap(\.alarm).min() }
        return [due, next].compactMap { $0 }.min().map { $0 - .now }
    }

    private func tellOfClosing() {
        for subscriber in lock.locked({ subscribers.filter { $0.isClosed && $0.isAdmitted } }) {
            tell(subscriber, .closed)
            remove(subscriber, waits: false)
        }
    }

    private func ringAlarms() {
        let now = Instant.now
        let due = lock.locked {
            let due = subscribers.filter { $0.alarm.map { $0 <= now } ?? false }
            for subscriber in due { subscriber.alarm = nil }
            return due
        }
        for subscriber in due { tell(subscriber, .alarm) }
    }

    private func tell(_ subscriber: ChangeSubscriber, _ event: ChangeEvent) {
        var handler = lock.locked { () -> (@Sendable (ChangeEvent) -> Void)? in
            if subscriber.isClosed { guard case .closed = event else { return nil } }
            if subscriber.handler != nil { calls.append((subscriber, pthread_self())) }
            return subscriber.handler
        }
        guard handler != nil else { return }
        handler?(event)
        handler = nil
        lock.locked {
            let own = calls.lastIndex { $0.subscriber === subscriber && pthread_equal($0.thread, pthread_self()) != 0 }
            if let own { calls.remove(at: own) }
        }
        // Whoever cancels may be waiting.
        lock.signal()
    }

    /// Looks at what is committed, and tells of it. Gives when to try again if it was not to be had just now.
    ///
    /// It reads with a database of one of those who are to be told, whichever is open: all of them see the same.
    private func look() -> Duration? {
        defer { endTelling() }
        let (awaiting, isEverybody, number) = lock.locked {
            while isTelling { lock.wait() }
            isTelling = true
            looks += 1
            let awaiting = subscribers.filter { !$0.isClosed && $0.isAdmitted }
            return (awaiting, awaiting.count == subscribers.count, additions)
        }
        var failure: (any Error)?
        var tried: [Database] = []
        for database in awaiting.map(\.database) where !tried.contains(where: { $0 === database }) {
            tried.append(database)
            do {
                let (found, states, expired) = try read(database, for: awaiting)
                for (subscriber, (_, seen)) in zip(awaiting, found) { subscriber.seen = seen }
                // Who has come meanwhile may know less.
                if isEverybody, lock.locked({ additions == number }) {
                    removals.forget(purgedUpTo: states.mapValues(\.purges), expiredUpTo: expired)
                }
                for (subscriber, (events, _)) in zip(awaiting, found) {
                    for event in events { tell(subscriber, event) }
                }
                return nil
            } catch let error as StoreError where error.code == .notOpen {
                continue
            } catch {
                failure = error
            }
        }
        guard let failure else { return nil }
        // Another process is at work on the files just now, or a person has interrupted what was going on.
        if let code = (failure as? StoreError)?.code, code == .busy || code == .interrupted { return ChangeHub.patience }
        for subscriber in awaiting { tell(subscriber, .failed(failure)) }
        return nil
    }

    private static let patience = Duration.milliseconds(100)

    private typealias Finding = (events: [ChangeEvent], seen: ChangeSubscriber.Seen)

    private func read(_ database: Database, for subscribers: [ChangeSubscriber]) throws
        -> ([Finding], [CollectionName: CollectionState], expired: [CollectionName: Int])
    {
        let expired = removals.expiredCounts
        return try database.readCommitted { snapshot in
            var look = try ChangeLook(snapshot, expired: expired, removals: removals)
            return (try subscribers.map { try look.events(for: $0) }, look.states, expired)
        }
    }
}
