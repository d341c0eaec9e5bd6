import CBLFleece
import CBLReplicationTestSupport
import CBLStore
import CBLTestSupport
import CBLTransport
import Synchronization
import Testing

@testable import CBLReplication

/// A database that is listened for at a port of this machine.
final class TestServer: Sendable {
    let peer: PassivePeer
    let server: HTTPServer

    /// `cutAfter` gives, for each connection in turn, after how many messages it is cut; nil when it is not. `onFrame` sees what comes.
    init(
        _ database: Database, collections: [CollectionName] = [.default], cutAfter: @escaping @Sendable (Int) -> Int? = { _ in nil },
        onFrame: @escaping @Sendable ([UInt8]) -> Void = { _ in }
    ) throws {
        let peer = try PassivePeer(database, .init(collections: collections), on: EngineLoops.server)
        self.peer = peer
        let count = Mutex(0)
        var settings = HTTPServer.Settings()
        settings.address = "127.0.0.1"
        server = try HTTPServer(settings, on: EngineLoops.server) { request in
            guard request.http.path == ["db", "_blipsync"] else { return .refuse(.notFound) }
            return .webSocket(protocols: peer.protocols) { _, _ in
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                return Scissors(peer.accept(), limit: cutAfter(number) ?? .max, onFrame: onFrame)
            }
        }
    }

    func settings(_ collections: [ReplicatorSettings.Collection]) throws -> ReplicatorSettings {
        ReplicatorSettings(
            .server(ReplicatorSettings.server(try PeerURL("ws://127.0.0.1:\(server.port)/db"))), collections: collections)
    }

    deinit {
        peer.stop()
        server.stop()
    }
}

/// Cuts a connection after so many messages, in the middle of whatever it is.
final class Scissors: WebSocketDelegate, @unchecked Sendable {
    // Sendable: used on the loop only.
    private let owner: any WebSocketDelegate
    private var left: Int
    private let onFrame: @Sendable ([UInt8]) -> Void
    private var myself: Scissors?

    init(_ owner: any WebSocketDelegate, limit: Int, onFrame: @escaping @Sendable ([UInt8]) -> Void) {
        self.owner = owner
        self.onFrame = onFrame
        left = limit
        myself = self
    }

    func webSocket(_ connection: WebSocketConnection, didOpen opening: WebSocketOpening) { owner.webSocket(connection, didOpen: opening) }

    func webSocket(_ connection: WebSocketConnection, didReceive message: UnsafeRawBufferPointer) {
        left -= 1
        if left < 0 { return connection.terminate() }
        onFrame(Array(message))
        owner.webSocket(connection, didReceive: message)
    }

    func webSocketIsWritable(_ connection: WebSocketConnection) { owner.webSocketIsWritable(connection) }

    func webSocket(_ connection: WebSocketConnection, didClose closing: WebSocketClosing) {
        owner.webSocket(connection, didClose: closing)
        myself = nil
    }
}
