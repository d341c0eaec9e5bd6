import CBLBLIP
import CBLStore
import CBLTransport

/// What happens on a connection that somebody else has opened.
package enum PassivePeerEvent: Sendable {
    /// A document came (`pull`), or was sent (`push`), or could not.
    case document(DocumentEvent, CollectionName)
    /// What it is doing; told when that changes.
    case status(SyncStatus)
    /// The last event: nil if the peer left as it should.
    case ended(SyncFailure?)
}

/// A database that others connect to: answers each connection by a session of its own.
///
///     let peer = PassivePeer(database, configuration, on: loop)
///     .webSocket(protocols: peer.protocols) { _, _ in peer.accept() }
///
/// All connections share three threads that work on the database: one reads, one stores documents, and one writes blobs that arrive, so that who
/// sends much keeps nobody waiting who only wants to read. Work is done in the order in which it comes, in small pieces, and nobody can have much of
/// it waiting.
package final class PassivePeer: @unchecked Sendable {
    // Sendable: the loop's thread alone touches what changes.

    package let database: Database
    /// What can be spoken with it.
    package let protocols: [String]
    /// How long somebody who has connected has for the first request; nil for ever.
    private let patience: Duration?
    private let limits: Limits
    private let memory: SharedMemory
    private var configuration: PassiveSession.Configuration
    private let loop: EventLoop
    private let worker = EventLoop()
    private let reader = EventLoop()
    private let blobWorker = EventLoop()
    /// What they leave here.
    private let checkpoints = CheckpointShelf()
    /// What clients have had of late: for all of them together.
    private let formerBodies = FormerBodies()
    private var connections: [ObjectIdentifier: SyncConnection<PassiveSession>] = [:]
    private var feed: ChangeFeed?
    private var isStopped = false
    private var onEmpty: [@Sendable () -> Void] = []

    /// The kind of versioning is the database's, whatever the configuration says. Peers of one server have their memory in common.
    package init(
        _ database: Database, _ configuration: PassiveSession.Configuration, patience: Duration? = nil, limits: Limits = Limits(),
        memory: SharedMemory? = nil, on loop: EventLoop
    ) throws {
        self.memory = memory ?? SharedMemory(on: loop)
        self.database = database
        self.loop = loop
        self.patience = patience
        self.limits = limits
        var configuration = configuration
        configuration.usesVectors = try database.read { $0.versioning == .vectors }
        self.configuration = configuration
        let supported: [ReplicationProtocol] = configuration.usesVectors ? [.v4] : [.v3, .v2]
        protocols = supported.map(\.name)
        try prepareChangeFeed(of: configuration.collections)
        feed = try ChangeFeed(database, on: loop) { [weak self] name in
            guard let self else { return }
            for connection in self.connections.values { connection.databaseChanged(name) }
        }
    }

    deinit {
        feed?.stop()
        worker.stop()
        reader.stop()
        blobWorker.stop()
    }

    /// Who connects from now on is served these collections.
    package func serve(_ collections: [CollectionName]) throws {
        loop.preconditionOnLoop()
        guard collections != configuration.collections else { return }
        let former = Set(configuration.collections)
        try prepareChangeFeed(of: collections.filter { !former.contains($0) })
        configuration.collections = collections
    }

    /// Who asks for changes later has them without waiting for whoever is writing then. In a large database that takes longer than somebody waits for
    /// a connection: there the first who asks has it done.
    private func prepareChangeFeed(of collections: [CollectionName]) throws {
        guard configuration.allowsPull, try database.read({ $0.isSmallFile(below: PassivePeer.fewDocuments) }) else { return }
        try database.prepareChangeFeed(of: collections)
    }

    private static let fewDocuments: Int64 = 1 << 20

    /// What somebody who connects may do.
    package struct Permissions: Sendable {
        package var allowsPush: Bool
        package var allowsPull: Bool
        /// Collections that are not there for them, and those that are in one direction alone.
        package var hidden: Set<CollectionName> = []
        package var unreadable: Set<CollectionName> = []
        package var unwritable: Set<CollectionName> = []
        /// What is taken from them.
        package var filters: [CollectionName: SyncFilter] = [:]

        package init(push: Bool = true, pull: Bool = true) {
            allowsPush = push
            allowsPull = pull
        }
    }

    /// The owner of a connection that is open, or about to be. On the loop only, and so is `observer` called. What the configuration does not
    /// allow is allowed to nobody. The connections of one visitor have what they may leave here in common.
    package func accept(
        _ permissions: Permissions = Permissions(), by visitor: String = "", user: String? = nil,
        _ observer: (@Sendable (PassivePeerEvent) -> Void)? = nil
    ) -> any WebSocketDelegate & Sendable {
        loop.preconditionOnLoop()
        var configuration = configuration
        if !permissions.allowsPush { configuration.allowsPush = false }
        if !permissions.allowsPull { configuration.allowsPull = false }
        configuration.collections.removeAll(where: permissions.hidden.contains)
        configuration.unreadable = permissions.unreadable
        configuration.unwritable = permissions.unwritable
        let stores = Dictionary(
            configuration.collections.map { name in
                var store = ReplicatedDatabase(database, collection: name, remote: 0)
                if configuration.allowsDeltas { store.formerBodies = formerBodies }
                store.origin = RevisionOrigin(user: user)
                store.visitor = ReplicatedDatabase.Visitor(
                    name: visitor, checkpoints: checkpoints, collections: configuration.collections)
                store.pullFilter = permissions.filters[name]
                return (name, store)
            }, uniquingKeysWith: { one, _ in one })
        let connection = SyncConnection(
            PassiveSession(configuration), stores: stores, blobs: database.blobs, worker: worker, reader: reader,
            blobWorker: blobWorker, limits: limits, memory: memory, on: loop)
        let key = ObjectIdentifier(connection)
        connections[key] = connection
        if let observer {
            connection.onReport = { [weak connection] report in
                guard let connection else { return }
                switch report {
                case .status(let status): observer(.status(status))
                case .document(let event): observer(.document(event, connection.session.collectionName(event.collection)))
                }
            }
        }
        connection.onEnd = { [weak self] failure in
            // Whoever is done closes: for the one who was connected to, that is how it should be.
            let isFarewell = failure?.error.domain == .webSocket && failure?.error.code == 1000
            observer?(.ended(isFarewell ? nil : failure))
            self?.left(key)
        }
        connection.start()
        if isStopped { connection.stop() }
        if let patience {
            expectRequest(of: connection, patience)
        }
        return connection
    }

    private func expectRequest(of connection: SyncConnection<PassiveSession>, _ patience: Duration) {
        loop.timer(after: patience) { [weak self, weak connection] in
            guard let self, let connection, !connection.hasReceived else { return }
            // Who is not read from cannot be heard.
            if connection.isHeldUp { return self.expectRequest(of: connection, patience) }
            connection.dismiss(SyncError(.webSocket, 1008, "no request has come"))
        }
    }

    /// Says farewell to all, and tells when they are gone and what they have sent is written, on any thread. Connections that come later find
    /// nobody. Who says nothing for longer than `silence` is cut off; without it, who does not answer the farewell in time.
    package func stop(droppingSilentAfter silence: Duration? = nil, then completion: (@Sendable () -> Void)? = nil) {
        loop.perform {
            self.isStopped = true
            if let silence { self.dropSilent(silence, since: self.loop.now) }
            self.feed?.stop()
            if let completion { self.onEmpty.append(completion) }
            for connection in self.connections.values { connection.stop() }
            self.tellIfEmpty()
        }
    }

    private func dropSilent(_ limit: Duration, since stop: LoopTime) {
        loop.timer(after: limit / 5) { [weak self] in
            guard let self, !self.connections.isEmpty else { return }
            for connection in self.connections.values where connection.isSilent(for: limit, since: stop) { connection.terminate() }
            self.dropSilent(limit, since: stop)
        }
    }

    private func left(_ key: ObjectIdentifier) {
        loop.preconditionOnLoop()
        connections[key] = nil
        tellIfEmpty()
    }

    private func tellIfEmpty() {
        guard isStopped, connections.isEmpty, !onEmpty.isEmpty else { return }
        let listeners = onEmpty
        onEmpty = []
        // Behind what still waits to be written.
        worker.perform { [self] in blobWorker.perform { for tell in listeners { tell() } } }
    }
}
