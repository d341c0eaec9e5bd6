import DocumentStore
import Fleece
import Synchronization
import TestSupport
import Testing
import Transport

@testable import Replication

/// Loops of the tests: their threads are few, however many tests run at the same time.
enum EngineLoops {
    static let client = EventLoop()
    static let server = EventLoop()
}

/// What came of a replicator.
struct SyncOutcome: Sendable {
    var failure: SyncFailure?
    var pushed: [String] = []
    var pulled: [String] = []
    var errors: [DocumentEvent] = []
    var connections = 0
    var waits: [Int] = []
    var status = SyncStatus()

    mutating func take(_ event: ReplicatorEvent) {
        switch event {
        case .status(let status): self.status = status
        case .document(let event, _):
            if event.error != nil {
                errors.append(event)
            } else if event.direction == .push {
                pushed.append(event.documentID)
            } else {
                pulled.append(event.documentID)
            }
        case .connected: connections += 1
        case .waiting(_, let seconds): waits.append(seconds)
        case .ended(let failure): self.failure = failure
        }
    }

    /// Nothing went wrong, and so many documents went each way.
    func isFine(pushed: Int? = nil, pulled: Int? = nil) -> Bool {
        failure == nil && errors.isEmpty && (pushed ?? self.pushed.count) == self.pushed.count
            && (pulled ?? self.pulled.count) == self.pulled.count
    }
}

/// Runs a replicator to its end. `onEvent` sees each event on the loop, and may stop it.
func synchronize(
    _ database: Database, _ settings: ReplicatorSettings, on loop: EventLoop = EngineLoops.client,
    onEvent: @escaping @Sendable (Replicator, ReplicatorEvent) -> Void = { _, _ in }
) async -> SyncOutcome {
    let (stream, continuation) = AsyncStream<ReplicatorEvent>.makeStream()
    let box = Mutex<Replicator?>(nil)
    let replicator = Replicator(database, settings, on: loop) { event in
        if let replicator = box.withLock({ $0 }) { onEvent(replicator, event) }
        continuation.yield(event)
        if case .ended = event { continuation.finish() }
    }
    box.withLock { $0 = replicator }
    replicator.start()
    var outcome = SyncOutcome()
    for await event in stream { outcome.take(event) }
    box.withLock { $0 = nil }
    return outcome
}

/// A database that is listened for at a port of this machine.
final class TestServer: Sendable {
    let peer: PassivePeer
    let server: WebSocketServer

    /// `cutAfter` gives, for each connection in turn, after how many messages it is cut; nil when it is not. `onFrame` sees what comes.
    init(
        _ database: Database, collections: [CollectionName] = [.default], cutAfter: @escaping @Sendable (Int) -> Int? = { _ in nil },
        onFrame: @escaping @Sendable ([UInt8]) -> Void = { _ in }
    ) throws {
        let peer = try PassivePeer(database, .init(collections: collections), on: EngineLoops.server)
        self.peer = peer
        let count = Mutex(0)
        var settings = WebSocketServer.Settings()
        settings.address = "127.0.0.1"
        server = try WebSocketServer(settings, on: EngineLoops.server) { request in
            guard request.path == ["db", "_blipsync"] else { return .refuse(.notFound) }
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

/// ID, revision, deletion and properties of all documents.
func documents(of database: Database, in collection: CollectionName = .default) throws -> [String: String] {
    try database.read { snapshot in
        var options = ScanOptions(content: .everything)
        options.includesDeleted = true
        let cursor = try snapshot.scan(collection, options)
        var content: [String: String] = [:]
        while let document = try cursor.nextDocument() {
            let json = document.body.withRoot { $0.json(keys: snapshot.sharedKeys, style: .canonical) }
            content[document.id] = "\(snapshot.global(document.revision)) \(document.isDeleted) \(json)"
        }
        return content
    }
}
