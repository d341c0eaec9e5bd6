import CBLBase
import CBLSQLite
import CBLSystemSQLite
import Synchronization

/// Ends running queries from another thread.
///
///     let cancellation = QueryCancellation()
///     let rows = try query.run(on: snapshot, options: QueryOptions(cancellation: cancellation))
///     … on another thread: cancellation.cancel()
///
/// One can serve any number of queries; once cancelled, it stays so.
package final class QueryCancellation: Sendable {
    /// Connections that are running queries of ours: the only ones that may be interrupted.
    private let running = Mutex<[Running]>([])
    private let isRequested = Atomic<Bool>(false)
    private let poll: (@Sendable () -> Bool)?

    private struct Running: @unchecked Sendable {
        // Sendable: `sqlite3_interrupt` is the one call that any thread may make, and the connection is taken off the list before it is closed.
        let handle: OpaquePointer
    }

    /// `poll` is asked again and again while a query runs, for those who can only set a flag: a signal handler does.
    package init(polling poll: (@Sendable () -> Bool)? = nil) { self.poll = poll }

    package var isCancelled: Bool { isRequested.load(ordering: .relaxed) || poll?() == true }

    package func cancel() {
        isRequested.store(true, ordering: .releasing)
        running.withLock { for connection in $0 { sqlite3_interrupt(connection.handle) } }
    }

    func begin(_ connection: Connection) {
        running.withLock { $0.append(Running(handle: connection.handle)) }
    }

    func end(_ connection: Connection) {
        running.withLock { running in
            guard let place = running.firstIndex(where: { $0.handle == connection.handle }) else { return }
            running.remove(at: place)
        }
    }
}

/// How a query is to be run.
package struct QueryOptions: Sendable {
    /// How long it may take until its last row is fetched.
    package var timeLimit: Duration?
    package var cancellation: QueryCancellation?
    /// How whole tables are read; nil to have SQLite run what the query shows, whether or not something quicker means the same.
    var pieces: ScanPieces? = .standard
    /// Whether tables may be read past SQLite then.
    var readsPages = true

    package init(timeLimit: Duration? = nil, cancellation: QueryCancellation? = nil) {
        self.timeLimit = timeLimit
        self.cancellation = cancellation
    }
}

/// Looks after one run: SQLite asks it from time to time whether to go on.
final class QueryWatch {
    private let connection: Connection
    private let cancellation: QueryCancellation?
    private let timeLimit: Duration?
    private let end: Instant?
    private var isAttached = false

    /// Nil if nothing is to be looked after.
    static func ifNeeded(_ connection: Connection, _ options: QueryOptions) -> QueryWatch? {
        options.cancellation == nil && options.timeLimit == nil ? nil : QueryWatch(connection, options)
    }

    private init(_ connection: Connection, _ options: QueryOptions) {
        self.connection = connection
        cancellation = options.cancellation
        timeLimit = options.timeLimit
        end = options.timeLimit.map { Instant.now + $0 }
    }

    deinit { detach() }

    /// A thousand instructions take some ten microseconds, or as many calls of a slow function some milliseconds.
    private static let steps: Int32 = 1000

    /// Runs a piece of a query, under watch if there is one.
    @inline(__always)
    static func watching<Result>(_ watch: QueryWatch?, _ work: () throws(SQLiteError) -> Result) throws -> Result {
        guard let watch else { return try translating(nil, work) }
        return try watch.watching(work)
    }

    private func watching<Result>(_ work: () throws(SQLiteError) -> Result) throws -> Result {
        if let failure = reason { throw failure }
        attach()
        connection.setProgressCheck(every: QueryWatch.steps, Unmanaged.passUnretained(self).toOpaque()) { watch in
            guard let watch else { return 0 }
            return Unmanaged<QueryWatch>.fromOpaque(watch).takeUnretainedValue().reason == nil ? 0 : 1
        }
        defer { connection.setProgressCheck(every: 0, nil, nil) }
        return try QueryWatch.translating(self, work)
    }

    @inline(__always)
    private static func translating<Result>(_ watch: QueryWatch?, _ work: () throws(SQLiteError) -> Result) throws -> Result {
        do { return try work() } catch {
            // Who cannot be asked any more has interrupted the connection directly.
            if error.isInterrupted { throw watch?.reason ?? .cancelled }
            if let failure = error.queryFailure { throw failure }
            throw error
        }
    }

    /// Ends what is done without SQLite.
    func check() throws { if let failure = reason { throw failure } }

    private var reason: QueryFailure? {
        if let cancellation, cancellation.isCancelled { return .cancelled }
        if let end, let timeLimit, Instant.now >= end { return .timeLimit(timeLimit) }
        return nil
    }

    private func attach() {
        guard !isAttached, let cancellation else { return }
        isAttached = true
        cancellation.begin(connection)
    }

    /// Nothing is running any more. Interrupting the connection from now on would hit somebody else.
    func detach() {
        guard isAttached else { return }
        isAttached = false
        cancellation?.end(connection)
    }
}
