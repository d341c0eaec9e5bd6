internal import CBLBase
internal import CBLReplication
internal import CBLStore
internal import CBLTransport
import Foundation

/// A replicator between a start and its end.
final class ReplicatorRun: @unchecked Sendable {
    // Sendable: the loop's thread alone touches what events change; the rest is guarded by the condition.

    /// How often listeners hear of progress, and how long documents wait for others that are told of together with them.
    private static let progressInterval = Duration.milliseconds(100)
    private static let documentDelay = Duration.milliseconds(20)
    /// How long a database that is being closed waits before the connection is cut.
    private static let patience = Duration.seconds(3)

    private let owner: Replicator
    private var databases: [Database] { [owner.config.database] + [(owner.config.target as? DatabaseEndpoint)?.database].compactMap { $0 } }

    private let condition = WaitCondition()
    private var engine: CBLReplication.Replicator?
    private var isStopping = false
    private var isOver = false

    private var activity = Replicator.ActivityLevel.connecting
    private var progress = Replicator.Progress(completed: 0, total: 0)
    private var error: NSError?
    private var lastTold: LoopTime?
    private var pushed: [ReplicatedDocument] = []
    private var pulled: [ReplicatedDocument] = []
    private var hasTimer = false
    private var journal: ReplicationJournal
    private var failure: SyncFailure?
    private let object: String

    init(_ owner: Replicator) {
        self.owner = owner
        journal = ReplicationJournal()
        object = journal.object
    }

    // MARK: From the program's threads

    func begin(isReset: Bool) {
        owner.update(Replicator.Status(activity: .connecting, progress: progress, error: nil), tells: true)
        do {
            let engine = try prepare(isReset)
            let isStopped = condition.locked {
                self.engine = engine
                return isStopping
            }
            engine.start()
            if isStopped { engine.stop() }
        } catch {
            let error = translated(error)
            EventLoop.shared.perform { self.end(error) }
        }
    }

    private func prepare(_ isReset: Bool) throws -> CBLReplication.Replicator {
        let config = owner.config
        let core = try config.database.openCore()
        guard !core.isInTransaction else {
            throw libraryError(CBLError.transactionNotClosed, "A replicator cannot be started inside a batch.")
        }
        for configuration in config.collections { _ = try configuration.collection.read { _ in } }
        let settings = try config.settings(isReset: isReset)
        for database in databases where !database.services.add(owner) {
            throw libraryError(CBLError.notOpen, "The database \"\(database.name)\" is being closed.")
        }
        // Before there is an engine, nobody else is there.
        journal.begin(settings, of: config.database.name, tell)
        return CBLReplication.Replicator(core, settings) { [self] event in take(event) }
    }

    func stop() {
        let engine = condition.locked {
            // To the engine a second time means at once.
            defer { isStopping = true }
            return isStopping ? nil : self.engine
        }
        engine?.stop()
    }

    func stopAndWait() {
        stop()
        guard !AwaitedCallback.isRunning else {
            // It may be this replicator that waits for the caller, or one that waits for that. Nothing can be stored any more: it ends at once.
            condition.locked { engine }?.stop()
            return
        }
        let end = Deadline(after: ReplicatorRun.patience)
        condition.locked {
            while !isOver, condition.wait(until: end) {}
            guard !isOver else { return }
            engine?.stop()
            while !isOver { condition.wait() }
        }
    }

    // MARK: On the loop

    /// What the journal has to say.
    private func tell(_ level: MessageLevel, _ message: () -> String) { log(.replicator, LogLevel(level), message(), about: object) }

    private func take(_ event: ReplicatorEvent) {
        // The end comes a little later, and may have another reason.
        if case .ended = event {} else { journal.take(event, tell) }
        switch event {
        case .connected(let opening): owner.connected(opening.headers[CorrelationID.header], opening.certificates.first)
        case .status(let status): take(status)
        case .document(let event, let collection): take(event, collection)
        case .waiting(let failure, _):
            note(failure)
            error = failure.libraryError
            change(to: .offline)
        case .ended(let failure):
            if let failure { note(failure) }
            self.failure = failure
            // Who closes the database at the end is not to lose what the server has set.
            owner.config.database.cookies.whenWritten { EventLoop.shared.perform { self.end(failure?.libraryError) } }
        }
    }

    private func note(_ failure: SyncFailure) {
        if let certificate = failure.certificates.first { owner.refused(certificate) }
    }

    private func take(_ status: SyncStatus) {
        progress = Replicator.Progress(completed: status.completed, total: status.total)
        switch status.activity {
        // What has ended or waits is told by events of its own.
        case .stopped, .offline: break
        case .connecting: change(to: .connecting)
        case .idle, .busy:
            error = nil
            change(to: status.activity == .idle ? .idle : .busy)
        }
    }

    private func change(to new: Replicator.ActivityLevel) {
        let isNew = new != activity
        activity = new
        if isNew { tellDocuments() }
        let now = EventLoop.shared.now
        let tells = isNew || lastTold.map { now.since($0) >= ReplicatorRun.progressInterval } ?? true
        if tells { lastTold = now }
        owner.update(Replicator.Status(activity: new, progress: progress, error: error), tells: tells)
    }

    private func take(_ event: DocumentEvent, _ collection: CollectionName) {
        // What a filter has not let through was not replicated.
        if event.direction == .pull, event.error == .filteredOut { return }
        guard owner.tellsDocuments else { return }
        let document = ReplicatedDocument(
            id: event.documentID, flags: DocumentFlags(event.flags), error: event.error?.libraryError, scope: collection.scope,
            collection: collection.name)
        if event.direction == .push { pushed.append(document) } else { pulled.append(document) }
        guard !hasTimer else { return }
        hasTimer = true
        EventLoop.shared.timer(after: ReplicatorRun.documentDelay) { self.tellDocuments() }
    }

    private func tellDocuments() {
        hasTimer = false
        if !pushed.isEmpty { owner.replicated(pushed, isPush: true) }
        if !pulled.isEmpty { owner.replicated(pulled, isPush: false) }
        pushed = []
        pulled = []
    }

    private func end(_ error: NSError?) {
        tellDocuments()
        let status = Replicator.Status(activity: .stopped, progress: progress, error: error)
        journal.end(failure, saying: error?.localizedDescription, tell)
        for database in databases { database.services.remove(owner) }
        owner.ended(self, status)
        condition.locked {
            isOver = true
            engine = nil
        }
        condition.signal()
    }
}
