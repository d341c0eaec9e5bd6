internal import CBLReplication
internal import CBLTransport
import Foundation
import Synchronization

/// What a message endpoint listener offers.
public class MessageEndpointListenerConfiguration: @unchecked Sendable {
    // Sendable: nothing of it changes.

    /// What others may replicate with: of one database.
    public let collections: [Collection]
    /// What the connections carry. The endpoints of the other side must say the same.
    public let protocolType: ProtocolType

    /// There must be at least one collection, and all must be of one database.
    public init(collections: [Collection], protocolType: ProtocolType) {
        programmerErrorUnless(!collections.isEmpty, .invalidArgument, "A listener needs at least one collection.")
        programmerErrorUnless(
            collections.allSatisfy { $0.database === collections[0].database }, .invalidArgument,
            "The collections of a listener belong to one database.")
        self.collections = collections
        self.protocolType = protocolType
    }

    var database: Database { collections[0].database }
}

/// What a connection of a listener does now.
public struct MessageEndpointListenerChange {
    /// The object that was accepted.
    public let connection: any MessageEndpointConnection
    /// What it does now, and with `stopped` why it has ended.
    public let status: Replicator.Status
}

/// Lets others replicate with collections of a database, over connections of the program.
///
///     let listener = MessageEndpointListener(config: config)
///     // when a peer has come:
///     listener.accept(connection: connection)
///
/// While there are connections, the database keeps it alive, and closes them when it is closed.
public class MessageEndpointListener: @unchecked Sendable {
    // Sendable: what changes is guarded by the lock.

    private struct State {
        var peer: PassivePeer?
        var connections: [ObjectIdentifier: CarriedMessages] = [:]
    }

    private let config: MessageEndpointListenerConfiguration
    private let state = Mutex(State())
    private let listeners = Listeners<MessageEndpointListenerChange>()
    private static let loop = EventLoop.shared

    /// Nothing is opened: the database is asked for when a connection is accepted.
    public init(config: MessageEndpointListenerConfiguration) { self.config = config }

    // MARK: Connections

    /// Those that were accepted and have not ended.
    public var connections: [any MessageEndpointConnection] { state.withLock { $0.connections.values.map(\.connection) } }

    /// Opens a connection that somebody has made, and serves whoever is at the other end. What cannot be served is told to listeners, and closed.
    public func accept(connection: any MessageEndpointConnection) {
        let key = ObjectIdentifier(connection)
        let carrier = CarriedMessages(connection)
        do {
            let peer = try openPeer()
            let isNew = state.withLock { state in
                guard state.connections[key] == nil else { return false }
                state.connections[key] = carrier
                return true
            }
            guard isNew else { return log(.listener, .warning, "A connection that was accepted before is accepted once.") }
            guard config.database.services.add(self) else {
                forget(key)
                throw libraryError(CBLError.notOpen, "The database \"\(config.database.name)\" is being closed.")
            }
            tell(key, connection, .connecting, nil)
            let type = config.protocolType
            MessageEndpointListener.loop.perform { [self] in
                let delegate = peer.accept { [self] in take($0, key, carrier) }
                carrier.start(
                    type, .server, peer: "a peer", protocols: peer.protocols, on: MessageEndpointListener.loop, delegate: delegate)
            }
        } catch {
            let error = translated(error)
            tell(key, connection, .stopped, error)
            CarriedMessages.callbacks.async { carrier.connection.close(error: error) {} }
        }
    }

    private func openPeer() throws -> PassivePeer {
        let core = try config.database.openCore()
        for collection in config.collections { _ = try collection.read { _ in } }
        return try state.withLock { state in
            if let peer = state.peer { return peer }
            let peer = try translatingErrors {
                try PassivePeer(core, .init(collections: config.collections.map(\.coreName)), on: MessageEndpointListener.loop)
            }
            state.peer = peer
            return peer
        }
    }

    private func take(_ event: PassivePeerEvent, _ key: ObjectIdentifier, _ carrier: CarriedMessages) {
        switch event {
        case .document: break
        case .status(let status):
            // The end has an event of its own.
            guard status.activity != .stopped else { return }
            tell(key, carrier.connection, status.activity == .busy ? .busy : .idle, nil)
        case .ended(let failure):
            forget(key)
            tell(key, carrier.connection, .stopped, failure?.libraryError)
        }
    }

    private func forget(_ key: ObjectIdentifier) {
        let isLast = state.withLock { state in
            state.connections[key] = nil
            return state.connections.isEmpty
        }
        if isLast { config.database.services.remove(self) }
    }

    /// Says farewell on a connection, and has the program close it.
    public func close(connection: any MessageEndpointConnection) { state.withLock { $0.connections[ObjectIdentifier(connection)] }?.end() }

    /// Says farewell on all connections, and has the program close them.
    public func closeAll() {
        for carrier in state.withLock({ Array($0.connections.values) }) { carrier.end() }
    }

    // MARK: Listeners

    private func tell(
        _ key: ObjectIdentifier, _ connection: any MessageEndpointConnection, _ activity: Replicator.ActivityLevel, _ error: NSError?
    ) {
        let status = Replicator.Status(activity: activity, progress: Replicator.Progress(completed: 0, total: 0), error: error)
        listeners.tell(MessageEndpointListenerChange(connection: connection, status: status))
    }

    /// Has the listener called on the main queue when a connection does something else than before.
    @discardableResult
    public func addChangeListener(_ listener: @escaping (MessageEndpointListenerChange) -> Void) -> ListenerToken {
        addChangeListener(withQueue: nil, listener)
    }

    /// Has the listener called on a queue, by default the main one, when a connection does something else than before.
    @discardableResult
    public func addChangeListener(
        withQueue queue: DispatchQueue?, _ listener: @escaping (MessageEndpointListenerChange) -> Void
    ) -> ListenerToken {
        listeners.add(queue, listener)
    }
}

extension MessageEndpointListener: DatabaseService {
    package func stopForClosing() {
        let peer = state.withLock { state in
            defer { state.peer = nil }
            return state.peer
        }
        guard let peer else { return }
        let done = DispatchSemaphore(value: 0)
        peer.stop { done.signal() }
        done.wait()
    }
}
