import CBLBase
import CBLStore
import CBLTransport
import Synchronization

/// One session with a server that speaks CouchDB's protocol. A push and a pull have a thread each, which waits for the server's answers; what they have
/// to tell is told on the loop.
final class CouchRun: ReplicationRun, @unchecked Sendable {
    // Sendable: the loop's thread alone touches what changes.

    private let plan: SessionPlan
    private let settings: ReplicatorSettings
    private let peer: CouchPeer
    private let database: Database
    private let loop: EventLoop
    private let progress: CouchProgress
    private let link: ReportLink
    private var servers: (calls: any RemoteServer, feed: any RemoteServer)?
    private var tasksLeft = 0
    private var failure: SyncFailure?
    private(set) var hasOpened = false
    private(set) var savedCheckpoints: Set<Int> = []
    private var isStopping = false
    private var hasEnded = false
    private var isCutOff = false
    private var interruption: LoopTimer?

    var onOpen: ((WebSocketOpening) -> Void)?
    var onReport: ((Report) -> Void)? {
        get { link.onReport }
        set { link.onReport = newValue }
    }
    /// Called once.
    var onEnd: ((SyncFailure?) -> Void)?

    /// From the threads to whoever listens on the loop.
    private final class ReportLink: @unchecked Sendable {
        // Sendable: the loop's thread alone touches what changes.
        var onReport: ((Report) -> Void)?
    }

    init(_ plan: SessionPlan, _ settings: ReplicatorSettings, _ peer: CouchPeer, _ database: Database, on loop: EventLoop) {
        self.plan = plan
        self.settings = settings
        self.peer = peer
        self.database = database
        self.loop = loop
        let link = ReportLink()
        self.link = link
        progress = CouchProgress { report in loop.perform { link.onReport?(report) } }
    }

    func start() {
        loop.preconditionOnLoop()
        do {
            let servers = (calls: try peer.connect(loop, .calls), feed: try peer.connect(loop, .feed))
            self.servers = servers
            let tasks = try tasks(servers.calls, servers.feed)
            tasksLeft = tasks.count
            guard !tasks.isEmpty else { return loop.perform { self.end(nil) } }
            run { [self] in
                let headers = try greet(servers.calls)
                for task in tasks { task.remote.learn(from: headers) }
                loop.perform { self.begin(tasks) }
            }
        } catch {
            let failure = CouchRun.failure(error)
            loop.perform { self.end(failure) }
        }
    }

    func stop() {
        loop.preconditionOnLoop()
        isStopping = true
        progress.stop()
        interrupt()
    }

    /// Until all have ended: who looked whether it is time to stop a moment ago may begin to wait only now.
    private func interrupt() {
        guard !hasEnded, let servers else { return }
        servers.feed.interrupt()
        if isCutOff { servers.calls.interrupt() }
        interruption?.cancel()
        interruption = loop.timer(after: .milliseconds(200)) { [weak self] in self?.interrupt() }
    }

    func terminate() {
        loop.preconditionOnLoop()
        isStopping = true
        progress.terminate()
        isCutOff = true
        interrupt()
    }

    func databaseChanged(_ name: CollectionName) { progress.databaseChanged(name) }

    // Threads

    /// One direction of one collection.
    private struct Task: Sendable {
        let index: Int
        let isPush: Bool
        let isContinuous: Bool
        let remote: RemoteDatabase
        let work: @Sendable () throws -> Bool
    }

    private func run(_ body: @escaping @Sendable () throws -> Void) {
        _ = WorkerThread(name: "replicator") { [loop] in
            do { try body() } catch {
                let failure = CouchRun.failure(error)
                loop.perform { self.end(failure) }
            }
        }
    }

    /// That the database is there, and what the server is.
    private func greet(_ server: any RemoteServer) throws -> HTTPHeaders {
        let database = RemoteDatabase(server, feed: server, peer.database, .default)
        let headers: HTTPHeaders
        do {
            if peer.createsTarget, settings.pushes {
                try database.create()
                for collection in settings.collections where !collection.name.isDefault {
                    try RemoteDatabase(server, feed: server, peer.database, collection.name).create()
                }
            }
            headers = try database.greet()
        } catch let error as SyncError where error.domain == .http {
            throw TransportError.refused(error.code, error.message, by: peer.id, hadCredentials: peer.user != nil)
        }
        loop.perform { [self] in
            hasOpened = true
            onOpen?(WebSocketOpening(subprotocol: CouchPeer.protocolName, headers: headers, url: peer.settings?.url, certificates: []))
        }
        return headers
    }

    /// What comes to an end happens one after the other in each direction, and in that of the pull first where conflicts are settled, so that what
    /// settles them is pushed, too. What does not come to an end happens at the same time.
    private func begin(_ tasks: [Task]) {
        loop.preconditionOnLoop()
        let (pushes, pulls) = (tasks.filter(\.isPush), tasks.filter { !$0.isPush })
        let queues =
            if tasks.contains(where: \.isContinuous) {
                tasks.map { [$0] }
            } else {
                settings.collections.contains { $0.pull != .off && !keepsConflicts($0) } ? [pulls + pushes] : [pushes, pulls]
            }
        for queue in queues where !queue.isEmpty {
            _ = WorkerThread(name: "replicator") { [loop] in
                for task in queue {
                    let result = Result { try task.work() }
                    loop.perform { self.ended(task, result) }
                }
            }
        }
    }

    private func ended(_ task: Task, _ result: Result<Bool, any Error>) {
        loop.preconditionOnLoop()
        tasksLeft -= 1
        switch result {
        case .success(let isSaved): if isSaved { savedCheckpoints.insert(task.index) }
        case .failure(let error):
            failure = failure ?? CouchRun.failure(error)
            // The others are to begin anew with it.
            if task.isContinuous {
                progress.stop()
                interrupt()
            }
        }
        if tasksLeft == 0 { end(failure) }
    }

    private func end(_ failure: SyncFailure?) {
        loop.preconditionOnLoop()
        guard !hasEnded else { return }
        hasEnded = true
        interruption?.cancel()
        progress.terminate()
        servers = nil
        onEnd?(isStopping ? nil : failure)
        (onEnd, onOpen, onReport) = (nil, nil, nil)
    }

    static func failure(_ error: any Error) -> SyncFailure {
        if let error = error as? TransportError { return SyncFailure(SyncError(error), cause: error) }
        return SyncFailure(ReplicatedDatabase.translate(error))
    }

    // What there is to do

    private func keepsConflicts(_ collection: ReplicatorSettings.Collection) -> Bool {
        collection.keepsConflicts && !plan.configuration.usesVectors
    }

    private func tasks(_ calls: any RemoteServer, _ feed: any RemoteServer) throws -> [Task] {
        return try settings.collections.enumerated().flatMap { index, collection -> [Task] in
            guard let store = plan.stores[collection.name] else { return [] }
            let configuration = plan.configuration.collections[index]
            let remote = RemoteDatabase(calls, feed: feed, peer.database, collection.name)
            let keepsConflicts = keepsConflicts(collection)
            var tasks: [Task] = []
            if collection.push != .off {
                let scope = try CouchCheckpointScope(collection, peer, pushes: true, in: database)
                tasks.append(
                    Task(index: index, isPush: true, isContinuous: collection.push == .continuous, remote: remote) { [progress, database] in
                        let checkpoint = try CouchCheckpoint(scope, of: database, at: remote)
                        let pusher = CouchPusher(
                            store: store, remote: remote, index: index, isContinuous: collection.push == .continuous, progress: progress,
                            checkpoint: checkpoint)
                        try pusher.run(isReset: configuration.isReset)
                        return checkpoint.isSaved
                    })
            }
            if collection.pull != .off {
                let scope = try CouchCheckpointScope(collection, peer, pushes: false, in: database)
                tasks.append(
                    Task(index: index, isPush: false, isContinuous: collection.pull == .continuous, remote: remote) {
                        [progress, database] in
                        let checkpoint = try CouchCheckpoint(scope, of: database, at: remote)
                        let puller = CouchPuller(
                            store: store, remote: remote, settings: collection, index: index, keepsConflicts: keepsConflicts,
                            isEmpty: configuration.isEmpty, progress: progress, checkpoint: checkpoint)
                        try puller.run(isReset: configuration.isReset)
                        return checkpoint.isSaved
                    })
            }
            return tasks
        }
    }
}
