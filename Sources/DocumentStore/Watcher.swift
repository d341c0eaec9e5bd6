import Glibc
import Synchronization

/// Waits for committed changes, of this process and of others.
///
///     let watcher = try database.watch()
///     while try watcher.wait() {
///         for (collection, sequences) in watcher.changes { … }
///     }
public final class Watcher {
    private let database: Database
    private let bell: Bell
    private let notifications: Int32
    private var seen: [CollectionName: UInt64]
    /// What the last `wait` found: for each changed collection the sequence known before, and the last one now.
    public private(set) var changes: [CollectionName: (previous: UInt64, last: UInt64)] = [:]

    /// `since` is what the caller knows already: changes after it are reported by the first `wait`.
    init(_ database: Database, since: [CollectionName: UInt64]?) throws {
        self.database = database
        bell = try Bell()
        // The kernel tells when a file of the bundle is written: the log, with each commit of any process.
        notifications = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        seen = try since ?? database.lastSequences()
        if notifications >= 0 {
            inotify_add_watch(notifications, database.path, UInt32(IN_MODIFY) | UInt32(IN_CREATE) | UInt32(IN_MOVED_TO) | UInt32(IN_DELETE))
        }
        database.watchers.add(bell)
    }

    deinit {
        database.watchers.remove(bell)
        if notifications >= 0 { close(notifications) }
    }

    /// Waits until something has changed; false if it was cancelled, or the time is over.
    public func wait(milliseconds: Int? = nil) throws -> Bool {
        let end = milliseconds.map { Watcher.now + $0 }
        while true {
            if bell.isCancelled { return false }
            if try look() { return true }
            let left = end.map { max(0, $0 - Watcher.now) }
            if left == 0 { return false }
            // Where the kernel gives no notice, for example on a network file system, look from time to time.
            sleep(atMost: min(left ?? 1000, notifications >= 0 ? 1000 : 100))
        }
    }

    /// Makes a `wait`, on any thread, return false.
    public func cancel() { bell.cancel() }
    /// What `cancel` acts on, for other threads to hold.
    public var canceller: @Sendable () -> Void { { [bell] in bell.cancel() } }

    private func look() throws -> Bool {
        let now = try database.lastSequences()
        changes = [:]
        for (name, last) in now where last > seen[name] ?? 0 { changes[name] = (seen[name] ?? 0, last) }
        seen = now
        return !changes.isEmpty
    }

    private func sleep(atMost milliseconds: Int) {
        var descriptors = [
            pollfd(fd: bell.descriptor, events: Int16(POLLIN), revents: 0), pollfd(fd: notifications, events: Int16(POLLIN), revents: 0),
        ]
        poll(&descriptors, notifications >= 0 ? 2 : 1, Int32(clamping: milliseconds))
        bell.reset()
        var buffer = [UInt8](repeating: 0, count: 4096)
        if notifications >= 0 { while read(notifications, &buffer, buffer.count) > 0 {} }
    }

    private static var now: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int(time.tv_sec) * 1000 + Int(time.tv_nsec) / 1_000_000
    }
}

/// A file descriptor that becomes readable when somebody rings.
final class Bell: Sendable {
    let descriptor: Int32
    private let cord: Int32
    private let cancelled = Atomic<Bool>(false)

    init() throws(StoreError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw StoreError(.inputOutput, "cannot wait for changes: \(FileStatus.reason())") }
        (descriptor, cord) = (ends[0], ends[1])
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
    }

    deinit {
        close(descriptor)
        close(cord)
    }

    var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

    func cancel() {
        cancelled.store(true, ordering: .releasing)
        ring()
    }

    /// If the pipe is full, the bell is ringing already.
    func ring() {
        var byte: UInt8 = 0
        _ = write(cord, &byte, 1)
    }

    func reset() {
        var bytes = [UInt8](repeating: 0, count: 256)
        while read(descriptor, &bytes, bytes.count) > 0 {}
    }
}

/// The bells of a database's watchers.
final class WatcherList: Sendable {
    private let bells = Mutex<[Bell]>([])

    func add(_ bell: Bell) { bells.withLock { $0.append(bell) } }
    func remove(_ bell: Bell) { bells.withLock { $0.removeAll { $0 === bell } } }
    func signal() { bells.withLock { $0.forEach { $0.ring() } } }
    func cancel() { bells.withLock { $0.forEach { $0.cancel() } } }
}

extension Database {
    /// Watches all collections. `since` is what the caller knows of each already; by default everything up to now.
    public func watch(since: [CollectionName: UInt64]? = nil) throws -> Watcher { try Watcher(self, since: since) }

    func lastSequences() throws -> [CollectionName: UInt64] {
        try read { snapshot in
            var sequences: [CollectionName: UInt64] = [:]
            for name in snapshot.collections() { sequences[name] = try snapshot.lastSequence(of: name) }
            return sequences
        }
    }

    /// Makes the indexes by sequence that a change feed is quick with, as the vendor's library does when one is first needed.
    /// A database that is read only is left as it is, and sorts.
    public func prepareChangeFeed(of collection: CollectionName) throws {
        try prepareIndexes(of: collection, "_seqs", Schema.sequenceIndex)
    }

    /// Makes the indexes that conflicted documents are found with, likewise.
    public func prepareConflictSearch(of collection: CollectionName) throws {
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
            try transaction.store.reloadSchema()
        }
    }
}
