import CBLBase
import CBLReplication
import CBLStore
import Synchronization

/// The replications that clients have started with `_replicate`, while they run and a little longer.
final class Replications: Sendable {
    /// One of them, as it stands.
    struct Record: Sendable {
        let session: String
        let key: String
        let databases: Set<String>
        let source: String
        let target: String
        let isContinuous: Bool
        let startedAt: Int64
        var updatedAt: Int64
        var status = SyncStatus()
        var transferred = 0
        var failed = 0
        /// What is waited for, or what it ended with.
        var failure: SyncFailure?
        var hasEnded = false
        var isCancelled = false
        /// Higher with each change of any of them.
        var version = 0
    }

    private struct State {
        var records: [Record] = []
        var replicators: [String: Replicator] = [:]
        var observers: [Int: @Sendable () -> Void] = [:]
        var lastSession = 0
        var lastObserver = 0
        var version = 0
        var isStopped = false
    }

    /// So long those that have ended are still told of, in seconds.
    private static let remembrance: Int64 = 10
    private static let mostRunning = 100

    private let state = Mutex(State())

    // Starting and stopping

    /// Starts one, or joins the same one that runs; gives its session.
    func start(_ request: ReplicateRequest) throws -> String {
        if let running = session(of: request.key) { return running }
        let (keyspace, settings) = try request.settings()
        var names: Set<String> = [keyspace.served.name]
        if case .local(let other) = request.target { names.insert(other.served.name) }
        let databases = names
        let session = try state.withLock { state -> String? in
            guard !state.isStopped else { throw RESTError(503, "Service Unavailable", "the server is stopping") }
            guard state.replicators.count < Replications.mostRunning else {
                throw RESTError(503, "Service Unavailable", "too many replications run already")
            }
            guard !state.records.contains(where: { $0.key == request.key && !$0.hasEnded }) else { return nil }
            state.lastSession += 1
            let session = Replications.name(state.lastSession)
            let now = WallClock.milliseconds / 1000
            state.records.append(
                Record(
                    session: session, key: request.key, databases: databases, source: request.names.source, target: request.names.target,
                    isContinuous: request.isContinuous, startedAt: now, updatedAt: now))
            let replicator = Replicator(keyspace.database, settings) { [weak self] event in self?.take(event, session) }
            state.replicators[session] = replicator
            replicator.start()
            return session
        }
        // Somebody else was quicker with the same.
        guard let session = session ?? self.session(of: request.key) else { throw RESTError.conflict() }
        return session
    }

    private static func name(_ number: Int) -> String {
        let digits = String(number)
        return "repl" + String(repeating: "0", count: max(0, 3 - digits.utf8.count)) + digits
    }

    private func session(of key: String) -> String? {
        state.withLock { $0.records.first { $0.key == key && !$0.hasEnded }?.session }
    }

    /// False if there is no such one.
    func cancel(_ request: ReplicateRequest) -> Bool {
        let stopped = cancel { $0.source == request.names.source && $0.target == request.names.target }
        for replicator in stopped { replicator.stop() }
        return !stopped.isEmpty
    }

    private func cancel(_ which: (Record) -> Bool) -> [Replicator] {
        state.withLock { state in
            var replicators: [Replicator] = []
            for place in state.records.indices where !state.records[place].hasEnded && which(state.records[place]) {
                state.records[place].isCancelled = true
                if let replicator = state.replicators[state.records[place].session] { replicators.append(replicator) }
            }
            return replicators
        }
    }

    /// Ends those of a database, and comes back when they have ended.
    func stop(of database: String) { stop { $0.databases.contains(database) } }

    func stopAll() {
        state.withLock { $0.isStopped = true }
        stop { _ in true }
    }

    private func stop(_ which: @escaping @Sendable (Record) -> Bool) {
        let bell = WaitCondition()
        let observer = observe { bell.locked { bell.signal() } }
        defer { forget(observer) }
        func isRunning() -> Bool { state.withLock { state in state.records.contains { !$0.hasEnded && which($0) } } }
        for replicator in cancel(which) { replicator.stop() }
        // No longer than a stop may take.
        let end = Deadline(after: .seconds(15))
        bell.locked { while isRunning(), bell.wait(until: end) {} }
    }

    // Telling

    /// Those that run, and those that ended a moment ago.
    var records: [Record] {
        let now = WallClock.milliseconds / 1000
        return state.withLock { state in
            state.records.removeAll { $0.hasEnded && now - $0.updatedAt > Replications.remembrance }
            return state.records
        }
    }

    func record(_ session: String) -> Record? { state.withLock { state in state.records.first { $0.session == session } } }

    /// Has somebody told of each change, on whatever thread.
    func observe(_ observer: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            state.lastObserver += 1
            state.observers[state.lastObserver] = observer
            return state.lastObserver
        }
    }

    func forget(_ observer: Int) { state.withLock { $0.observers[observer] = nil } }

    private func take(_ event: ReplicatorEvent, _ session: String) {
        let observers = state.withLock { state -> [@Sendable () -> Void] in
            guard let place = state.records.firstIndex(where: { $0.session == session }) else { return [] }
            state.version += 1
            var record = state.records[place]
            record.version = state.version
            record.updatedAt = WallClock.milliseconds / 1000
            switch event {
            case .status(let status): record.status = status
            case .document(let event, _): if event.error == nil { record.transferred += 1 } else { record.failed += 1 }
            case .connected: record.failure = nil
            case .waiting(let failure, _): record.failure = failure
            case .ended(let failure):
                (record.failure, record.hasEnded) = (failure, true)
                state.replicators[session] = nil
            }
            state.records[place] = record
            return Array(state.observers.values)
        }
        for observer in observers { observer() }
    }
}
