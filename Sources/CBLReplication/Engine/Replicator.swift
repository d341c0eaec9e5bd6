import CBLStore
import CBLTransport

/// What a replicator has to tell.
package enum ReplicatorEvent: Sendable {
    /// Sizes and counts are those of all sessions together.
    case status(SyncStatus)
    case document(DocumentEvent, CollectionName)
    /// A connection is open.
    case connected(WebSocketOpening)
    /// It is tried again, after so many seconds.
    case waiting(SyncFailure, seconds: Int)
    /// The last event: nil if all is done, or it was stopped.
    case ended(SyncFailure?)
}

/// Replicates a database with another one, from session to session until it is done or stopped.
///
///     let replicator = Replicator(database, settings) { event in … }
///     replicator.start()
///
/// Events come on the loop's thread. It keeps itself alive until it has ended.
package final class Replicator: @unchecked Sendable {
    // Sendable: the loop's thread alone touches what changes.

    private enum State {
        case idle
        /// The database is looked at.
        case preparing
        case connected(any ReplicationRun)
        case waiting(LoopTimer)
        case ended
    }

    package let database: Database
    package let settings: ReplicatorSettings
    private let loop: EventLoop
    private let observer: @Sendable (ReplicatorEvent) -> Void
    private let worker = EventLoop()
    private let retry: RetryPolicy

    private var state = State.idle
    /// Nobody else has to keep it between `start` and the end.
    private var myself: Replicator?
    private var isStopping = false
    private var stopTimer: LoopTimer?
    private var failures = 0
    private var toReset: Set<Int>
    private var feed: ChangeFeed?
    /// Where one signs in before a WebSocket is opened, if that is needed; what is sent with its handshake then, and whether somebody has just
    /// signed in.
    private var gate: WebServer?
    private var entry: (authorization: String?, isNew: Bool) = (nil, false)
    private var mustEnterAgain = false
    /// The other database, if it is in this process.
    private var peer: PassivePeer?
    private var status = SyncStatus()
    /// What earlier sessions did.
    private var done = SyncStatus()

    package init(
        _ database: Database, _ settings: ReplicatorSettings, on loop: EventLoop = .shared,
        observer: @escaping @Sendable (ReplicatorEvent) -> Void
    ) {
        self.database = database
        self.settings = settings
        self.loop = loop
        self.observer = observer
        var retry = settings.retry ?? .standard(isContinuous: settings.isContinuous)
        if case .couch = settings.peer { retry.retriesServerErrors = true }
        self.retry = retry
        toReset = settings.isReset ? Set(settings.collections.indices) : []
    }

    /// Begins. A replicator is started once.
    package func start() {
        loop.perform {
            guard case .idle = self.state else { return }
            self.myself = self
            self.prepare()
        }
    }

    /// Comes to an end at a checkpoint. Called again, or if it takes too long, the connection is cut.
    package func stop() { loop.perform { self.beginStopping() } }

    private func beginStopping() {
        loop.preconditionOnLoop()
        let isSecond = isStopping
        isStopping = true
        switch state {
        case .idle: end(nil)
        case .waiting(let timer):
            timer.cancel()
            end(nil)
        case .connected(let connection):
            if isSecond { return connection.terminate() }
            stopTimer = loop.timer(after: settings.stopTimeout) { connection.terminate() }
            connection.stop()
        case .preparing: gate?.interrupt()
        case .ended: break
        }
    }

    // MARK: A session

    /// Reads what is needed of the database, behind what is still to be written by the session before.
    private func prepare() {
        loop.preconditionOnLoop()
        state = .preparing
        let reset = toReset
        let again = mustEnterAgain
        mustEnterAgain = false
        do { try findGate() } catch { return end(CouchRun.failure(error)) }
        let interruptions = gate?.interruptionCount ?? 0
        worker.perform { [self, gate] in
            do {
                let entry = try gate?.signedIn(again: again, interruptions: interruptions)
                let plan = Result { try SessionPlan(settings, database, reset: reset) }
                loop.perform { self.prepared(plan, entry) }
            } catch {
                let failure = CouchRun.failure(error)
                loop.perform { self.isStopping ? self.end(nil) : self.tryAgain(after: failure) }
            }
        }
    }

    private func findGate() throws {
        guard gate == nil, settings.login.isBeforehand, case .server(let server) = settings.peer else { return }
        gate = try WebServer(WebServerSettings(beside: server, settings.login), on: loop)
    }

    private func prepared(_ plan: Result<SessionPlan, any Error>, _ entry: (authorization: String?, isNew: Bool)?) {
        loop.preconditionOnLoop()
        self.entry = entry ?? (nil, false)
        if isStopping { return end(nil) }
        do {
            let plan = try plan.get()
            if feed == nil, settings.collections.contains(where: { $0.push == .continuous }) {
                feed = try ChangeFeed(database, on: loop) { [weak self] name in
                    if case .connected(let connection)? = self?.state { connection.databaseChanged(name) }
                }
            }
            try connect(plan)
        } catch {
            end(SyncFailure(ReplicatedDatabase.translate(error)))
        }
    }

    private func connect(_ plan: SessionPlan) throws {
        loop.preconditionOnLoop()
        if case .couch(let peer) = settings.peer { talk(to: peer, plan) } else { try open(plan) }
        guard status.activity == .offline else { return }
        status.activity = .connecting
        observer(.status(status))
    }

    private func talk(to peer: CouchPeer, _ plan: SessionPlan) {
        let run = CouchRun(plan, settings, peer, database, on: loop)
        run.onOpen = { [observer] in observer(.connected($0)) }
        run.onReport = { [weak self] in self?.report($0) }
        run.onEnd = { [weak self, weak run] failure in if let run { self?.ended(run, failure) } }
        state = .connected(run)
        run.start()
    }

    private func open(_ plan: SessionPlan) throws {
        let connection = SyncConnection(
            ActiveSession(plan.configuration), stores: plan.stores, blobs: database.blobs, worker: worker, on: loop)
        connection.onOpen = { [observer] in observer(.connected($0)) }
        connection.onReport = { [weak self] in self?.report($0) }
        connection.onEnd = { [weak self, weak connection] failure in if let connection { self?.ended(connection, failure) } }
        switch settings.peer {
        case .server(var server):
            server.handshake.protocols = plan.protocols.map(\.name)
            if let gate { server.cookies = gate.cookies }
            if let authorization = entry.authorization { server.handshake.headers.set("Authorization", authorization) }
            state = .connected(connection)
            connection.start(opening: WebSocketConnection(server, on: loop, delegate: connection))
            if let patience = settings.patience { connection.expectAnswers(within: patience, isOnce: !settings.isContinuous) }
        case .database(let other):
            let peer = try self.peer ?? localPeer(other)
            self.peer = peer
            guard let version = plan.protocols.first(where: { peer.protocols.contains($0.name) }) else {
                throw SyncError(
                    .other, 0, "one of the databases has version vectors and the other revision trees: only a push into trees is possible")
            }
            state = .connected(connection)
            connection.start()
            var permissions = PassivePeer.Permissions()
            for collection in settings.collections { permissions.filters[collection.name] = collection.peerFilter }
            _ = WebSocketConnection.makePair(subprotocol: version.name, (loop, connection), (loop, peer.accept(permissions)))
        case .transport(let transport, _):
            state = .connected(connection)
            connection.start()
            transport.connect(protocols: plan.protocols.map(\.name), on: loop, delegate: connection)
        case .couch: break
        }
    }

    /// The other database, with those of the collections that it has: who asks for another is told.
    private func localPeer(_ other: Database) throws -> PassivePeer {
        let wanted = settings.collections.map(\.name)
        let present = try other.read { snapshot in wanted.filter { $0.isDefault || snapshot.hasCollection($0) } }
        var configuration = PassiveSession.Configuration(collections: present)
        configuration.allowsDeltas = settings.allowsDeltas
        return try PassivePeer(other, configuration, on: loop)
    }

    private func report(_ report: Report) {
        switch report {
        case .status(let session):
            status = session
            status.completed += done.completed
            status.total += done.total
            status.documents += done.documents
            // Whether it is over is not for one session to say.
            if session.activity == .stopped { status.activity = .offline }
            observer(.status(status))
        case .document(let event): observer(.document(event, settings.collections[event.collection].name))
        }
    }

    private func ended(_ connection: any ReplicationRun, _ failure: SyncFailure?) {
        loop.preconditionOnLoop()
        stopTimer?.cancel()
        toReset.subtract(connection.savedCheckpoints)
        let moved = status.documents > done.documents
        done = status
        guard let failure, !isStopping else { return end(nil) }
        // A connection that came about, and was of use, is a new beginning.
        if connection.hasOpened, moved || settings.isContinuous { failures = 0 }
        // A session that was begun long ago is over.
        if gate != nil, failure.error.httpStatus == 401, !entry.isNew {
            mustEnterAgain = true
            return prepare()
        }
        tryAgain(after: failure)
    }

    /// Later, if it may be of use.
    private func tryAgain(after failure: SyncFailure) {
        failures += 1
        switch retry.decision(after: failure.error, failures: failures, isContinuous: settings.isContinuous) {
        case .giveUp: end(failure)
        case .retry(let seconds), .waitForNetwork(let seconds):
            observer(.waiting(failure, seconds: seconds))
            state = .waiting(loop.timer(after: .seconds(seconds)) { self.prepare() })
        }
    }

    private func end(_ failure: SyncFailure?) {
        loop.preconditionOnLoop()
        if case .ended = state { return }
        state = .ended
        feed?.stop()
        status.activity = .stopped
        observer(.status(status))
        // What the last session wanted written is on disk when the end is told, on both sides if both are here.
        let tell: @Sendable () -> Void = { [self] in
            worker.perform { [self] in
                loop.perform {
                    self.observer(.ended(failure))
                    self.peer = nil
                    self.myself = nil
                }
            }
        }
        if let peer { peer.stop(then: tell) } else { tell() }
    }

    deinit { worker.stop() }
}
