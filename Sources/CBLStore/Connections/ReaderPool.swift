import CBLBase
import CBLFleece
import CBLSQLite
import Glibc
import Synchronization

/// A few connections for reading, made when needed and kept. Each is lent to one thread at a time.
///
/// Where SQLite's locks do not tell of other processes' changes (see `ReadAccess`), the files are looked at before each use, and connections
/// that were opened to another state of them are thrown away.
final class ReaderPool: Sendable {
    /// The state of the files that connections were opened to.
    fileprivate struct Stamp: Equatable {
        let main: FileStatus?
        let log: FileStatus?

        init(_ bundle: DatabaseBundle) {
            main = bundle.status(.main)
            log = bundle.status(.log).flatMap { $0.size > 0 ? $0 : nil }
        }
    }

    /// A way of reading that was chosen for one state of the files, and the connections opened in that way.
    final class Session: @unchecked Sendable {
        // Sendable: changed only under the pool's lock.
        fileprivate let access: ReadAccess
        fileprivate let stamp: Stamp
        fileprivate let entry: OpenFiles.Entry?
        @exclusivity(unchecked) fileprivate var idle: [FileConnection] = []

        fileprivate init(access: ReadAccess, stamp: Stamp, entry: OpenFiles.Entry?) {
            self.access = access
            self.stamp = stamp
            self.entry = entry
        }

        deinit {
            // The connections first: as long as one is open, the file must be known as open.
            idle.removeAll()
            if let entry { OpenFiles.leave(entry) }
        }
    }

    /// What another connection must have in common with one that reads, to see the same state.
    struct Position: Sendable {
        fileprivate let session: Session
        /// Nil where nobody can write.
        fileprivate let log: LogPosition?

        /// How far the log goes; nil if there is none.
        var logExtent: PageSource.Log? { log?.extent }
    }

    private static let most = 4
    /// So often and long `suspended` waits for who reads.
    private static let attempts = 500
    private static let pause = Duration.milliseconds(20)
    /// Whether idle readers keep the state that they saw for a moment: who reads one document after another then takes no locks for that. They
    /// give it up before this database writes, and soon in any case, so that the log can be emptied.
    private let keepsStates: Bool
    /// Whether some of them may have one.
    private let hasPinned = Atomic<Bool>(false)
    private let round = Atomic<Int>(0)
    private let files: FileAccess
    private var bundle: DatabaseBundle { files.bundle }
    private let session: Mutex<Session?>
    private let loans = Loans()

    init(_ files: FileAccess, keepsStates: Bool = false) {
        self.files = files
        self.keepsStates = keepsStates
        session = Mutex(nil)
    }

    /// Opens a first connection, so that what is wrong with the database is found at once.
    func open() throws {
        let (session, reader) = try begin()
        reader.end()
        giveBack(reader, to: session)
    }

    /// Has the connection that writes as its first one.
    func borrow(_ writing: FileConnection) throws {
        let fresh = try open(isCopied: false, having: writing)
        session.withLock { $0 = fresh }
    }

    /// Takes a connection out, to be used for something else; false if somebody is just using it.
    func giveUp(_ reader: FileConnection) -> Bool {
        session.withLock { session in
            guard let place = session?.idle.firstIndex(where: { $0 === reader }) else { return false }
            session?.idle.remove(at: place)
            return true
        }
    }

    var isClosed: Bool { loans.isClosed }

    /// From now on nothing is lent; false if that was so already.
    func beginClosing() -> Bool { loans.close() }

    /// Ends all connections. Those in use are interrupted, and waited for, but for those of this thread.
    func close() {
        loans.endAll()
        session.withLock { $0 = nil }
    }

    /// Runs `work` in a transaction that sees one state of the database.
    func read<Result>(_ work: (FileConnection) throws -> Result) throws -> Result {
        try visiting {
            let (session, reader) = try begin()
            return try lending(reader, of: session) {
                let result = try work(reader)
                try check(session)
                return result
            }
        }
    }

    /// The same if that can be done without waiting for anybody, and nil otherwise.
    func readAtOnce<Result>(_ work: (FileConnection) throws -> Result?) throws -> Result? {
        try visiting {
            let idle = session.withLockIfAvailable { current -> (Session, FileConnection)? in
                guard let session = current, session.access.isCoordinated, let reader = session.idle.popLast() else { return nil }
                return (session, reader)
            }
            guard let (session, reader) = idle.flatMap({ $0 }) else { return nil }
            return try lending(reader, of: session) {
                do { try reader.connection.withoutWaiting { try begin(reader, of: session) } } catch { return nil }
                return try work(reader)
            }
        }
    }

    /// Runs `work` with a connection that is in no transaction.
    func readWithoutTransaction<Result>(_ work: (FileConnection) throws -> Result) throws -> Result {
        try visiting {
            let (session, reader) = try take()
            reader.end()
            return try lending(reader, of: session) {
                let result = try work(reader)
                try check(session)
                return result
            }
        }
    }

    /// Ends all connections, and runs `work` while there can be none. An error if some of them are still in use after a while.
    func suspended(_ work: () throws -> Void) throws {
        for _ in 0..<ReaderPool.attempts {
            let isDone = try session.withLock { current -> Bool in
                guard loans.isIdle else { return false }
                current = nil
                try work()
                return true
            }
            if isDone { return }
            usleep(UInt32(ReaderPool.pause / .microseconds(1)))
        }
        throw StoreError(.busy, "the database is being read", path: bundle.path)
    }

    /// Runs what takes a connection out. Closing waits for it from before there is a connection until that is back, or gone: one that is left
    /// when the database is closed keeps the log from being tidied up.
    private func visiting<Result>(_ work: () throws -> Result) throws -> Result {
        loans.beginVisit()
        defer { loans.endVisit() }
        guard !isClosed else { throw StoreError.closed(bundle.path) }
        return try work()
    }

    /// Has `work` done with a connection that was taken, and puts it back.
    private func lending<Result>(_ reader: FileConnection, of session: Session, _ work: () throws -> Result) throws -> Result {
        let isLent = loans.add(reader)
        defer { loans.remove(reader) }
        defer { giveBack(reader, to: session) }
        do {
            guard isLent else { throw StoreError.closed(bundle.path) }
            let result = try work()
            rest(reader, of: session)
            return result
        } catch {
            reader.end()
            throw error
        }
    }

    /// Ends the transaction of a reader that is given back, or keeps it for the next one who reads.
    private func rest(_ reader: FileConnection, of session: Session) {
        guard keepsStates, case .ordinary = session.access, let state = reader.position?.log, reader.connection.isInTransaction else {
            return reader.end()
        }
        reader.pinned = state
        reader.pinnedIn = round.load(ordering: .relaxed)
        if !hasPinned.exchange(true, ordering: .relaxed) { IdleReaders.watch(self) }
    }

    var keepsSomeState: Bool { hasPinned.load(ordering: .relaxed) }

    /// Has idle readers give up the states that they keep; of rounds before this one only, if asked for. Gives whether there are others.
    @discardableResult
    func releaseStates(onlyOld: Bool = false) -> Bool {
        guard hasPinned.exchange(false, ordering: .relaxed) else { return false }
        let now = round.wrappingAdd(1, ordering: .relaxed).oldValue
        return session.withLock { session in
            var hasMore = false
            for reader in session?.idle ?? [] where reader.pinned != nil {
                if onlyOld && reader.pinnedIn == now { hasMore = true } else { reader.end() }
            }
            if hasMore { hasPinned.store(true, ordering: .relaxed) }
            return hasMore
        }
    }

    /// Gives a connection with a transaction begun to somebody who keeps it from call to call, until `takeBack`.
    func lend(to holder: OpenSnapshot) throws -> (Session, FileConnection) {
        try visiting {
            let (session, reader) = try begin()
            guard loans.add(reader, heldBy: holder) else {
                reader.end()
                throw StoreError.closed(bundle.path)
            }
            return (session, reader)
        }
    }

    func takeBack(_ reader: FileConnection, of session: Session) {
        rest(reader, of: session)
        giveBack(reader, to: session)
        loans.remove(reader)
    }

    /// Refuses what was read while another program changed the file under the eyes of nobody.
    func check(_ session: Session) throws {
        guard hasChanged(since: session) else { return }
        throw StoreError(.busy, "another program changed the database while it was being read; please repeat")
    }

    func check(_ position: Position) throws { try check(position.session) }

    /// Runs `work` on a connection that sees the same state as the one at `position`; nil if the database has moved on from there.
    func read<Result>(at position: Position, _ work: (FileConnection) throws -> Result) throws -> Result? {
        let session = position.session
        return try visiting {
            let idle = self.session.withLock { $0 === session ? session.idle.popLast() : nil }
            let reader = try idle ?? FileConnection(try session.access.connect(files))
            return try lending(reader, of: session) {
                try reader.begin()
                // The position is that of a moment after the state was pinned: if it is still the old one, nothing came in between.
                let log = session.access.isCoordinated ? LogPosition(of: reader) : nil
                guard !session.access.isCoordinated || log == position.log else { return nil }
                reader.position = Position(session: session, log: log)
                return try work(reader)
            }
        }
    }

    /// A connection with a transaction begun.
    private func begin() throws -> (Session, FileConnection) {
        var (session, reader) = try take()
        do { try begin(reader, of: session) } catch let error as SQLiteError where error.isReadOnly || error.cannotOpen {
            // The process whose shared memory this one read is gone: choose again.
            self.session.withLock { if $0 === session { $0 = nil } }
            (session, reader) = try take()
            try begin(reader, of: session)
        }
        // Somebody may have changed the file between the look at it and the first page read from it.
        for _ in 0..<20 {
            guard hasChanged(since: session) else { break }
            reader.end()
            (session, reader) = try take()
            try begin(reader, of: session)
        }
        return (session, reader)
    }

    /// Whether the file is not any more what the session's connections believe to read.
    private func hasChanged(since session: Session) -> Bool {
        !session.access.isCoordinated && bundle.status(.main) != session.stamp.main
    }

    private func begin(_ reader: FileConnection, of session: Session) throws {
        reader.position = nil
        if let pinned = reader.pinned, pinned.isCurrent {
            reader.pinned = nil
            reader.position = Position(session: session, log: pinned)
            return
        }
        guard session.access.canBeShared else { return try reader.begin() }
        guard session.access.isCoordinated else {
            try reader.begin()
            reader.position = Position(session: session, log: nil)
            return
        }
        let before = LogPosition(of: reader)
        try reader.begin()
        if let before, before == LogPosition(of: reader) { reader.position = Position(session: session, log: before) }
    }

    private func take() throws -> (Session, FileConnection) {
        guard !isClosed else { throw StoreError.closed(bundle.path) }
        // A connection can fail because the way to read was right a moment ago and is not any more: look again.
        for attempt in 1... {
            do {
                let (session, reader) = try session.withLock { current -> (Session, FileConnection?) in
                    if let session = current, session.access.isCoordinated || session.stamp == Stamp(bundle) {
                        return (session, session.idle.popLast())
                    }
                    current = nil
                    let fresh = try open(isCopied: attempt > 2)
                    current = fresh
                    return (fresh, fresh.idle.popLast())
                }
                if let reader { return (session, reader) }
                return (session, try FileConnection(try session.access.connect(files)))
            } catch let error as SQLiteError where attempt < 4 && (error.isReadOnly || error.cannotOpen || error.isBusy) {
                session.withLock { $0 = nil }
                usleep(UInt32(20_000 * attempt))
            }
        }
        throw StoreError(.busy, "the database cannot be read while another program changes it")
    }

    private func open(isCopied: Bool, having known: FileConnection? = nil) throws -> Session {
        guard let status = bundle.status(.main) else { throw StoreError(.notFound, "the database is gone") }
        let stamp = Stamp(bundle)
        var pair: (FileConnection, ReadAccess)?
        let (_, entry) = try OpenFiles.enter(status) { present in
            try files.check(present, forWriting: false)
            let access: ReadAccess = isCopied ? .copied(try TemporaryCopy(of: files)) : try .choose(files, present: present)
            pair = (try known ?? FileConnection(try access.connect(files)), access)
            return ((), use: access.use)
        }
        guard let (reader, access) = pair else { throw StoreError(.notFound, "the database is gone") }
        let session = Session(access: access, stamp: stamp, entry: entry)
        session.idle.append(reader)
        return session
    }

    private func giveBack(_ reader: FileConnection, to session: Session) {
        // It holds the session, which is to hold the reader.
        reader.position = nil
        self.session.withLock { current in
            if current === session && session.idle.count < ReaderPool.most && !isClosed { session.idle.append(reader) }
        }
    }
}

/// The connections that are in use, and by whom.
private final class Loans: @unchecked Sendable {
    // Sendable: everything is touched only under the lock; a connection may be interrupted by any thread while it is open.
    private let lock = WaitCondition()
    @exclusivity(unchecked) private var lent: [(reader: FileConnection, thread: pthread_t)] = []
    @exclusivity(unchecked) private var held: [(reader: FileConnection, holder: Weak)] = []
    /// Written only under the lock.
    private let hasEnded = Atomic<Bool>(false)
    /// How many are between taking a connection and having put it back.
    private let visits = Atomic<Int>(0)

    private struct Weak {
        weak var holder: OpenSnapshot?
    }

    /// So often and long closing waits for who does not heed the interrupt, ten seconds in all. The connection then ends when it is given back.
    private static let attempts = 500
    private static let pause = Duration.milliseconds(20)

    // A visit begins and then looks; closing says so and then counts: one of the two sees the other.
    var isClosed: Bool { hasEnded.load(ordering: .sequentiallyConsistent) }

    func close() -> Bool { lock.locked { !hasEnded.exchange(true, ordering: .sequentiallyConsistent) } }

    /// Whether nobody has a connection, or is about to have one.
    var isIdle: Bool { visits.load(ordering: .sequentiallyConsistent) == 0 && lock.locked { held.isEmpty } }

    func beginVisit() { visits.add(1, ordering: .sequentiallyConsistent) }

    func endVisit() {
        visits.subtract(1, ordering: .sequentiallyConsistent)
        if isClosed { lock.locked { lock.signal() } }
    }

    func add(_ reader: FileConnection) -> Bool {
        lock.locked {
            if !isClosed { lent.append((reader, pthread_self())) }
            return !isClosed
        }
    }

    func add(_ reader: FileConnection, heldBy holder: OpenSnapshot) -> Bool {
        lock.locked {
            if !isClosed { held.append((reader, Weak(holder: holder))) }
            return !isClosed
        }
    }

    func remove(_ reader: FileConnection) {
        lock.locked {
            if !held.isEmpty, let place = held.lastIndex(where: { $0.reader === reader }) { held.remove(at: place) }
            if let place = lent.lastIndex(where: { $0.reader === reader }) { lent.remove(at: place) }
        }
    }

    func endAll() {
        // Under the lock they would wait for each other.
        for (reader, holder) in lock.locked({ held }) { end(reader, holder) }
        for _ in 0..<Loans.attempts {
            let isDone = lock.locked {
                // Who is just between two statements does not hear of it.
                for loan in lent { loan.reader.connection.interrupt() }
                if !hasOthers { return true }
                _ = lock.wait(until: Deadline(after: Loans.pause))
                return !hasOthers
            }
            if isDone { return }
        }
    }

    private func end(_ reader: FileConnection, _ holder: Weak) {
        guard let holder = holder.holder else { return }
        for _ in 0..<Loans.attempts {
            // What has given a row and not the last one hears of it in any case.
            reader.connection.interrupt()
            if holder.endIfIdle() { return }
            usleep(UInt32(Loans.pause / .microseconds(1)))
        }
    }

    /// Whether some other thread is visiting. To be called under the lock.
    private var hasOthers: Bool {
        visits.load(ordering: .sequentiallyConsistent) > lent.count { pthread_equal($0.thread, pthread_self()) != 0 }
    }
}

extension SQLiteError {
    var cannotOpen: Bool { code == 14 }
}
