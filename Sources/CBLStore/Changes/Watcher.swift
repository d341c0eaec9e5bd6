import CBLBase
import Glibc
import Synchronization

/// Waits for committed changes, of this process and of others.
///
///     let watcher = try database.watch()
///     while try watcher.wait() {
///         for (collection, sequences) in watcher.changes { … }
///     }
package final class Watcher {
    private let database: Database
    private let bell: WatcherBell
    private let notifications: Int32
    private let isToldOfEverything: Bool
    /// How often it was looked again since the kernel's last notice.
    private var secondLooks = 0
    private let pauses: [Int]
    /// How often it was looked at all.
    private(set) var lookCount = 0
    private var seen: [CollectionName: State]
    private let noticesPurges: Bool
    /// How many documents had expired, of all collections, when it was looked last.
    private var expired: [CollectionName: Int] = [:]
    /// What the last `wait` found: for each changed collection the sequence known before, and the last one now.
    package private(set) var changes: [CollectionName: (previous: UInt64, last: UInt64)] = [:]

    /// The collections that documents were purged from since the `wait` before. Only if it was asked for.
    package private(set) var purged: Set<CollectionName> = []

    struct State {
        var lastSequence: UInt64
        var purges: Int
    }

    /// `since` is what the caller knows already: changes after it are reported by the first `wait`.
    init(
        _ database: Database, since: [CollectionName: UInt64]?, noticesPurges: Bool, pauses: [Int] = Watcher.pauses
    ) throws {
        self.database = database
        self.pauses = pauses
        self.noticesPurges = noticesPurges
        bell = try WatcherBell()
        // The kernel tells when a file of the bundle is written: the log, with each commit of any process of this machine.
        isToldOfEverything = FileSystem.isLocal(database.path)
        notifications = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        expired = database.file.expired
        seen = try database.collectionStates(withPurges: noticesPurges)
        if let since {
            for name in seen.keys { seen[name]?.lastSequence = since[name] ?? 0 }
        }
        if notifications >= 0 {
            inotify_add_watch(notifications, database.path, UInt32(IN_MODIFY) | UInt32(IN_CREATE) | UInt32(IN_MOVED_TO) | UInt32(IN_DELETE))
        }
        database.file.watchers.add(bell, of: database)
    }

    deinit {
        database.file.watchers.remove(bell)
        if notifications >= 0 { close(notifications) }
    }

    /// Waits until something has changed; false if it was cancelled or woken, or the time is over.
    package func wait(milliseconds: Int? = nil) throws -> Bool {
        let end = milliseconds.map { Watcher.now + $0 }
        while true {
            if bell.isCancelled || bell.takeCall() { return false }
            do { if try look() { return true } } catch let error as StoreError where error.code == .notOpen { return false }
            let left = end.map { max(0, $0 - Watcher.now) }
            if left == 0 { return false }
            sleep(atMost: left)
        }
    }

    /// Waits until somebody may have committed something, whatever it is, or the time is over; false if it was cancelled.
    func waitForSign(milliseconds: Int?) -> Bool {
        if !bell.isCancelled { sleep(atMost: milliseconds) }
        return !bell.isCancelled
    }

    /// Makes every `wait` from now on, on any thread, return false.
    package func cancel() { bell.cancel() }
    package var isCancelled: Bool { bell.isCancelled }
    /// Makes one `wait` return false, for other threads to hold.
    package var waker: @Sendable () -> Void { { [bell] in bell.call() } }
    /// What `cancel` acts on, for other threads to hold.
    package var canceller: @Sendable () -> Void { { [bell] in bell.cancel() } }

    private func look() throws -> Bool {
        lookCount += 1
        let expired = noticesPurges ? database.file.expired : [:]
        let now = try database.collectionStates(withPurges: noticesPurges)
        changes = [:]
        // Expiring leaves no trace in the file.
        purged = Set(expired.keys.filter { expired[$0] != self.expired[$0] })
        self.expired = expired
        for (name, state) in now {
            let before = seen[name] ?? State(lastSequence: 0, purges: 0)
            if state.lastSequence > before.lastSequence { changes[name] = (before.lastSequence, state.lastSequence) }
            if state.purges != before.purges { purged.insert(name) }
        }
        seen = now
        return !changes.isEmpty || !purged.isEmpty
    }

    /// A commit of another process can be seen a moment after its last write, which is what the kernel tells of: not before the disk has it, and
    /// that can take seconds. So there are some more looks after a notice. Then nothing happens until the next one.
    static let pauses = [5, 20, 100, 400, 1000, 2000, 4000, 8000]

    /// Where the kernel gives no notice, for example of others' writes on a network file system, look from time to time.
    private var pause: Int? {
        if notifications < 0 { return 100 }
        if !isToldOfEverything { return 1000 }
        return secondLooks < pauses.count ? pauses[secondLooks] : nil
    }

    private func sleep(atMost milliseconds: Int?) {
        let timeout = [milliseconds, pause].compactMap { $0 }.min().map { Int32(clamping: $0) } ?? -1
        var descriptors = [
            pollfd(fd: bell.descriptor, events: Int16(POLLIN), revents: 0), pollfd(fd: notifications, events: Int16(POLLIN), revents: 0),
        ]
        poll(&descriptors, notifications >= 0 ? 2 : 1, timeout)
        bell.reset()
        secondLooks += 1
        guard notifications >= 0 else { return }
        var buffer = [UInt8](repeating: 0, count: 4096)
        while read(notifications, &buffer, buffer.count) > 0 { secondLooks = 0 }
    }

    private static var now: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int(time.tv_sec) * 1000 + Int(time.tv_nsec) / 1_000_000
    }
}

/// What a watcher hears: that there is something to look at, that it is called, that it is over.
final class WatcherBell: Sendable {
    private let bell: Bell
    private let cancelled = Atomic<Bool>(false)
    private let called = Atomic<Bool>(false)

    init() throws(StoreError) {
        do { bell = try Bell() } catch {
            throw StoreError(.inputOutput, "cannot wait for changes: \(FileStatus.reason(error.errno))")
        }
    }

    var descriptor: Int32 { bell.descriptor }
    var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

    func cancel() {
        cancelled.store(true, ordering: .releasing)
        ring()
    }

    /// Rings for whoever waits to come, once.
    func call() {
        called.store(true, ordering: .releasing)
        ring()
    }

    func takeCall() -> Bool { called.exchange(false, ordering: .acquiring) }

    func ring() { bell.ring() }
    func reset() { bell.reset() }
}

/// The bells of those who watch a file, through whichever database.
final class WatcherList: Sendable {
    private let bells = Mutex<[(bell: WatcherBell, owner: ObjectIdentifier)]>([])

    /// A database that is closed already is waited for no more.
    func add(_ bell: WatcherBell, of database: Database) {
        bells.withLock { $0.append((bell, ObjectIdentifier(database))) }
        if !database.isOpen { bell.cancel() }
    }
    func remove(_ bell: WatcherBell) { bells.withLock { $0.removeAll { $0.bell === bell } } }
    func signal() { bells.withLock { $0.forEach { $0.bell.ring() } } }
    func cancel(of database: Database) {
        bells.withLock { $0.forEach { if $0.owner == ObjectIdentifier(database) { $0.bell.cancel() } } }
    }
}

extension Database {
    /// Watches all collections. `since` is what the caller knows of each already; by default everything up to now. Purges leave no sequence
    /// behind: they are looked for only if `noticingPurges`.
    package func watch(since: [CollectionName: UInt64]? = nil, noticingPurges: Bool = false) throws -> Watcher {
        try Watcher(self, since: since, noticesPurges: noticingPurges)
    }

    func collectionStates(withPurges: Bool) throws -> [CollectionName: Watcher.State] {
        // What may yet be rolled back is no change.
        try readCommitted { snapshot in
            var states: [CollectionName: Watcher.State] = [:]
            for name in snapshot.collections() {
                states[name] = Watcher.State(
                    lastSequence: try snapshot.lastSequence(of: name), purges: withPurges ? try snapshot.purgeCount(of: name) : 0)
            }
            return states
        }
    }

    /// Makes the indexes by sequence that a change feed is quick with, as the vendor's library does when one is first needed.
    /// A database that is read only is left as it is, and sorts.
    package func prepareChangeFeed(of collection: CollectionName) throws {
        try prepareIndexes(of: collection, "_seqs", Schema.sequenceIndex)
    }

    /// Makes the indexes that conflicted documents are found with, likewise.
    package func prepareConflictSearch(of collection: CollectionName) throws {
        try prepareIndexes(of: collection, "_conflicts", Schema.conflictIndex)
    }

    private func prepareIndexes(of collection: CollectionName, _ suffix: String, _ sql: (_ table: String) -> String) throws {
        guard !isReadOnly else { return }
        let isMissing = try read { snapshot in
            try snapshot.tables(collection).all.contains { !snapshot.catalog.indexNames.contains($0.name + suffix) }
        }
        guard isMissing else { return }
        try write { transaction in
            for table in try transaction.tables(collection).all { try transaction.connection.execute(sql(table.name)) }
            try transaction.file.reloadSchema()
        }
    }
}
