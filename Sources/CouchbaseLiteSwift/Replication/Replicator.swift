internal import CBLReplication
internal import CBLTransport
import Foundation
import Synchronization

/// Replicates collections of a database with those of another one.
///
///     let replicator = Replicator(config: config)
///     let token = replicator.addChangeListener { print($0.status.activity) }
///     replicator.start()
///
/// While it runs, the database keeps it alive. One that has stopped can be started again.
public final class Replicator: @unchecked Sendable {
    // Sendable: what changes is guarded by the lock.

    private struct State {
        var status = Status(activity: .stopped, progress: Progress(completed: 0, total: 0), error: nil)
        var run: ReplicatorRun?
        var certificate: Certificate?
        var correlationID: String?
    }

    /// As it was given; later changes of the caller's copy do not reach it.
    public let config: ReplicatorConfiguration
    private let state = Mutex(State())
    private let listeners = Listeners<ReplicatorChange>()
    private let documentListeners = Listeners<DocumentReplication>()

    /// Nothing happens before `start()`.
    public init(config: ReplicatorConfiguration) { self.config = config }

    /// What it is doing now. It may be ahead of what listeners have been told.
    public var status: Status { state.withLock { $0.status } }

    /// What the server has shown at the last connection with TLS, trusted or not; nil before, and without TLS.
    public var serverCertificate: SecCertificate? { state.withLock { $0.certificate }.map { SecCertificate($0) } }

    /// By what the other side calls the connection in its log; nil before the first one.
    public var correlationID: String? { state.withLock { $0.correlationID } }

    // MARK: Running

    /// Begins, and returns at once. One that runs already goes on. The database must be open.
    public func start() { start(reset: false) }

    /// Begins, and returns at once. With a reset everything is compared anew, whatever earlier replications have found out.
    public func start(reset: Bool) {
        guard !begin(isReset: reset) else { return }
        log(.replicator, .warning, "The replicator runs already: to start it again does nothing.")
    }

    /// False if it runs already.
    func begin(isReset: Bool) -> Bool {
        let database = config.database
        programmerErrorUnless(
            database.core.isOpen, .internalInconsistency, "A replicator cannot be started: the database \"\(database.name)\" is closed.")
        let run = ReplicatorRun(self)
        let isNew = state.withLock { state in
            guard state.run == nil else { return false }
            state.run = run
            state.certificate = nil
            return true
        }
        guard isNew else { return false }
        run.begin(isReset: isReset)
        return true
    }

    /// Comes to an end at a point from which the next run goes on, and returns at once: the end is told to listeners.
    public func stop() { state.withLock { $0.run }?.stop() }

    // MARK: What a run tells

    func update(_ status: Status, tells: Bool) {
        state.withLock { $0.status = status }
        if tells { listeners.tell(ReplicatorChange(replicator: self, status: status)) }
    }

    func connected(_ id: String?, _ certificate: Certificate?) {
        state.withLock { state in
            if let id, !id.isEmpty { state.correlationID = id }
            state.certificate = certificate
        }
    }

    func refused(_ certificate: Certificate) { state.withLock { $0.certificate = certificate } }

    var tellsDocuments: Bool { !documentListeners.isEmpty }

    func replicated(_ documents: [ReplicatedDocument], isPush: Bool) {
        documentListeners.tell(DocumentReplication(replicator: self, isPush: isPush, documents: documents))
    }

    /// From now on it can be started again.
    func ended(_ run: ReplicatorRun, _ status: Status) {
        state.withLock { state in
            if state.run === run { state.run = nil }
            state.status = status
        }
        update(status, tells: true)
    }

    // MARK: Listeners

    /// Has the listener called on the main queue when the status changes.
    @discardableResult
    public func addChangeListener(_ listener: @escaping (ReplicatorChange) -> Void) -> ListenerToken {
        addChangeListener(withQueue: nil, listener)
    }

    /// Has the listener called on a queue, by default the main one, when the status changes.
    @discardableResult
    public func addChangeListener(
        withQueue queue: DispatchQueue?, _ listener: @escaping (ReplicatorChange) -> Void
    ) -> ListenerToken {
        listeners.add(queue, listener)
    }

    /// Has the listener called on the main queue with the documents that were replicated, or could not be.
    @discardableResult
    public func addDocumentReplicationListener(_ listener: @escaping (DocumentReplication) -> Void) -> ListenerToken {
        addDocumentReplicationListener(withQueue: nil, listener)
    }

    /// Has the listener called on a queue, by default the main one, with the documents that were replicated, or could not be. Add it before the
    /// start: what was replicated before is not told.
    @discardableResult
    public func addDocumentReplicationListener(
        withQueue queue: DispatchQueue?, _ listener: @escaping (DocumentReplication) -> Void
    ) -> ListenerToken {
        documentListeners.add(queue, listener)
    }
}

extension Replicator: DatabaseService {
    package func stopForClosing() { state.withLock { $0.run }?.stopAndWait() }
}
