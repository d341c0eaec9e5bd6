import CBLBase
import CBLReplication
import CBLStore
import Synchronization

/// A replication of a database with another, and how it is carried out.
struct ReplicationPlan: Sendable {
    /// By what a running one is known as the same.
    let key: String
    let source: String
    let target: String
    /// Those of this server that are in it.
    let databases: Set<String>
    let database: Database
    let isContinuous: Bool
    let settings: ReplicatorSettings
    /// What the same database does afterwards, if all went well.
    var next: ReplicatorSettings?
    /// What the database is a part of, if it is there for this alone.
    var passing: PassingDatabase?
}

extension ReplicationPlan {
    /// The same with its last step.
    fileprivate func followed(by settings: ReplicatorSettings) -> ReplicationPlan {
        ReplicationPlan(
            key: key, source: source, target: target, databases: databases, database: database, isContinuous: isContinuous,
            settings: settings, passing: passing)
    }
}

/// The replications that clients have started with `_replicate`, and those of the server's configuration, while they run and a little longer.
final class Replications: Sendable {
    /// One of them, as it stands.
    struct Record: Sendable {
        /// In the order in which they were started, from 1.
        let number: Int
        let key: String
        let databases: Set<String>
        let source: String
        let target: String
        let isContinuous: Bool
        let startedAt: Int64
        /// The number as 1.x writes it.
        var session: String { Replications.name(number) }
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
        var replicators: [Int: Replicator] = [:]
        /// What those begin anew with that are about to end.
        var successors: [Int: ReplicationPlan] = [:]
        /// Those that have another step before them, or are in their last one, with the database that passes on what comes.
        var steps: [Int: ReplicationPlan] = [:]
        var observers: [Int: @Sendable () -> Void] = [:]
        var lastNumber = 0
        var lastObserver = 0
        var version = 0
        var isStopped = false
    }

    /// So long those that have ended are still told of, in seconds.
    private static let remembrance: Int64 = 10
    private static let mostRunning = 100

    private let state = Mutex(State())
    private let audit: AuditLog?
    private let log: (@Sendable (MessageLevel, String) -> Void)?

    init(audit: AuditLog? = nil, log: (@Sendable (MessageLevel, String) -> Void)? = nil) {
        self.audit = audit
        self.log = log
    }

    // Starting and stopping

    /// Starts one, or joins the same one that runs; gives its session.
    func start(_ request: ReplicateRequest) throws -> String {
        if let running = running(request.key) { return running.session }
        return Replications.name(try start(try request.plan()))
    }

    /// Starts one, or joins the same one that runs; gives its number.
    func start(_ plan: ReplicationPlan) throws -> Int {
        let number = try state.withLock { state -> Int? in
            guard !state.isStopped else { throw RESTError(503, "Service Unavailable", "the server is stopping") }
            guard state.replicators.count < Replications.mostRunning else {
                throw RESTError(503, "Service Unavailable", "too many replications run already")
            }
            guard !state.records.contains(where: { $0.key == plan.key && !$0.hasEnded }) else { return nil }
            state.lastNumber += 1
            let now = WallClock.milliseconds / 1000
            state.records.append(
                Record(
                    number: state.lastNumber, key: plan.key, databases: plan.databases, source: plan.source, target: plan.target,
                    isContinuous: plan.isContinuous, startedAt: now, updatedAt: now))
            run(plan, state.lastNumber, &state)
            return state.lastNumber
        }
        // Somebody else was quicker with the same.
        guard let number = number ?? running(plan.key)?.number else { throw RESTError.conflict() }
        return number
    }

    private func run(_ plan: ReplicationPlan, _ number: Int, _ state: inout State) {
        let replicator = Replicator(plan.database, plan.settings) { [weak self] event in self?.take(event, number) }
        state.replicators[number] = replicator
        state.steps[number] = plan.passing == nil ? nil : plan
        replicator.start()
        audit?.tell(.replicationStarted, .init(text: "\(plan.source) -> \(plan.target)", task: number))
    }

    /// Has one that runs begin anew, with what has changed meanwhile. One that has ended stays so.
    func restart(_ number: Int, _ plan: ReplicationPlan) {
        let replicator = state.withLock { state -> Replicator? in
            guard let replicator = state.replicators[number], state.records.contains(where: { $0.number == number && !$0.isCancelled })
            else {
                return nil
            }
            state.successors[number] = plan
            return replicator
        }
        replicator?.stop()
    }

    private static func name(_ number: Int) -> String {
        let digits = String(number)
        return "repl" + String(repeating: "0", count: max(0, 3 - digits.utf8.count)) + digits
    }

    private func running(_ key: String) -> Record? { state.withLock { $0.records.first { $0.key == key && !$0.hasEnded } } }

    /// False if there is no such one.
    func cancel(_ request: ReplicateRequest) -> Bool {
        let stopped = cancel { $0.source == request.names.source && $0.target == request.names.target }
        for replicator in stopped { replicator.stop() }
        return !stopped.isEmpty
    }

    /// False if there is no such one. It is told of no more when it has ended.
    func cancel(_ number: Int) -> Bool {
        let stopped = cancel { $0.number == number }
        for replicator in stopped { replicator.stop() }
        return !stopped.isEmpty
            || state.withLock { state in
                guard let place = state.records.firstIndex(where: { $0.number == number }) else { return false }
                if state.records[place].hasEnded { state.records.remove(at: place) }
                return true
            }
    }

    private func cancel(_ which: (Record) -> Bool) -> [Replicator] {
        state.withLock { state in
            var replicators: [Replicator] = []
            for place in state.records.indices where !state.records[place].hasEnded && which(state.records[place]) {
                state.records[place].isCancelled = true
                state.successors[state.records[place].number] = nil
                if let replicator = state.replicators[state.records[place].number] { replicators.append(replicator) }
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

    private func note(_ event: ReplicatorEvent, _ number: Int) {
        guard let log else { return }
        switch event {
        case .status: break
        case .connected: log(.info, "replication \(number) has connected")
        case .waiting(let failure, _): log(.warning, "replication \(number) waits: \(failure.description)")
        case .document(let event, _):
            let verb = event.direction == .push ? "sent" : "received"
            guard let error = event.error else { return log(.verbose, "replication \(number) has \(verb) \(event.documentID)") }
            log(.warning, "replication \(number): \(event.documentID) was not \(verb): \(error.description)")
        case .ended(nil): log(.info, "replication \(number) has ended")
        case .ended(let failure?): log(.error, "replication \(number) has ended: \(failure.description)")
        }
    }

    private func take(_ event: ReplicatorEvent, _ number: Int) {
        if case .document(let event, _) = event, event.error?.isConflict == true {
            audit?.tell(.replicationConflict, .init(document: event.documentID, task: number))
        }
        note(event, number)
        if case .ended(let failure) = event { audit?.tell(.replicationStopped, .init(text: failure?.description, task: number)) }
        // It goes when nobody holds the lock: that takes its time.
        var last: ReplicationPlan?
        defer { _ = last }
        let observers = state.withLock { state -> [@Sendable () -> Void] in
            guard let place = state.records.firstIndex(where: { $0.number == number }) else { return [] }
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
                state.replicators[number] = nil
                if let plan = state.successors.removeValue(forKey: number), !state.isStopped {
                    record.failure = nil
                    run(plan, number, &state)
                } else if failure == nil, !record.isCancelled, !state.isStopped, let step = state.steps[number], let next = step.next {
                    // What counts is what arrives in the end.
                    (record.failure, record.transferred) = (nil, 0)
                    run(step.followed(by: next), number, &state)
                } else {
                    last = state.steps.removeValue(forKey: number)
                    (record.failure, record.hasEnded) = (failure, true)
                }
            }
            state.records[place] = record
            return Array(state.observers.values)
        }
        for observer in observers { observer() }
    }
}
