internal import CBLReplication
internal import CBLTransport
import Foundation
import Synchronization

/// Stands between a connection of the program and the core.
final class CarriedMessages: MessageCarrier, ReplicatorConnection, @unchecked Sendable {
    // Sendable: the program's connection is called on the queue alone; the rest is guarded by the lock.

    static let callbacks = DispatchQueue(label: "CouchbaseLiteSwift.Messages", attributes: .concurrent)

    /// What the program knows the connection by.
    let connection: any MessageEndpointConnection
    private let queue = DispatchQueue(label: "CouchbaseLiteSwift.MessageConnection", target: callbacks)
    /// Until it has been closed: the core and the program refer to each other by way of this.
    private let core = Mutex<CarriedConnection?>(nil)

    init(_ connection: any MessageEndpointConnection) { self.connection = connection }

    func start(
        _ type: ProtocolType, _ role: WebSocketRole, peer: String, protocols: [String], on loop: EventLoop,
        delegate: any WebSocketDelegate & Sendable
    ) {
        // There is no handshake in which both could agree on another than the best.
        let connection = CarriedConnection(
            self, type.framing, role, peer: peer, subprotocol: protocols.first ?? "", on: loop, delegate: delegate)
        core.withLock { $0 = connection }
        loop.perform { connection.open() }
    }

    func end() { core.withLock { $0 }?.close() }

    // MARK: The core asks

    func open(_ completion: @escaping @Sendable (TransportError?) -> Void) {
        queue.async { [self] in
            connection.open(connection: self) { isOpen, error in completion(isOpen ? nil : CarriedMessages.failure(error)) }
        }
    }

    func send(_ message: [UInt8], _ completion: @escaping @Sendable (TransportError?) -> Void) {
        queue.async { [self] in
            connection.send(message: Message.fromData(Data(message))) { isSent, error in
                completion(isSent ? nil : CarriedMessages.failure(error))
            }
        }
    }

    func close(_ error: TransportError?) {
        core.withLock { $0 = nil }
        let isFarewell = error.map { $0.code == .closed(.normal) } ?? true
        queue.async { [self] in
            connection.close(error: isFarewell ? nil : error.map { SyncError($0).libraryError }) {}
        }
    }

    private static func failure(_ error: MessagingError?) -> TransportError {
        guard let error else { return TransportError(.closed(.abnormal), "the program's connection failed") }
        return TransportError(
            .closed(error.isRecoverable ? .transientFailure : .permanentFailure), error.error.localizedDescription)
    }

    // MARK: The program tells

    func receive(message: Message) { core.withLock { $0 }?.received([UInt8](message.toData())) }

    func close(error: MessagingError?) { core.withLock { $0 }?.ended(error.map { CarriedMessages.failure($0) }) }
}
