import DocumentStore
import Transport

/// A database that others connect to: answers each connection by a session of its own.
///
///     let peer = PassivePeer(database, configuration, on: loop)
///     .webSocket(protocols: peer.protocols) { _, _ in peer.accept() }
public final class PassivePeer: @unchecked Sendable {
    // Sendable: the loop's thread alone touches what changes.

    public let database: Database
    /// What can be spoken with it.
    public let protocols: [String]
    private let configuration: PassiveSession.Configuration
    private let loop: EventLoop
    private let worker = EventLoop()
    private var connections: [ObjectIdentifier: SyncConnection<PassiveSession>] = [:]
    private var feed: ChangeFeed?
    private var isStopped = false

    /// The kind of versioning is the database's, whatever the configuration says.
    public init(_ database: Database, _ configuration: PassiveSession.Configuration, on loop: EventLoop) throws {
        self.database = database
        self.loop = loop
        var configuration = configuration
        configuration.usesVectors = try database.read { $0.versioning == .vectors }
        self.configuration = configuration
        let supported: [ReplicationProtocol] = configuration.usesVectors ? [.v4] : [.v3, .v2]
        protocols = supported.map(\.name)
        if configuration.allowsPull { for name in configuration.collections { try database.prepareChangeFeed(of: name) } }
        feed = try ChangeFeed(database, on: loop) { [weak self] name in
            guard let self else { return }
            for connection in self.connections.values { connection.databaseChanged(name) }
        }
    }

    deinit {
        feed?.stop()
        worker.stop()
    }

    /// The owner of a connection that is open, or about to be. On the loop only.
    public func accept() -> any WebSocketDelegate & Sendable {
        let stores = Dictionary(
            configuration.collections.map { ($0, DatabaseStore(database, collection: $0, remote: 0)) }, uniquingKeysWith: { one, _ in one })
        let connection = SyncConnection(
            PassiveSession(configuration), stores: stores, blobs: database.blobs, worker: worker, on: loop)
        let key = ObjectIdentifier(connection)
        connections[key] = connection
        connection.onEnd = { [weak self] _ in self?.connections[key] = nil }
        connection.start()
        if isStopped { connection.stop() }
        return connection
    }

    /// Says farewell to all. Connections that come later find nobody.
    public func stop() {
        loop.perform {
            self.isStopped = true
            self.feed?.stop()
            for connection in self.connections.values { connection.stop() }
        }
    }
}
