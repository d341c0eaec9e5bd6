import CBLReplicationTestSupport
import CBLTransport
import Synchronization

@testable import CBLReplication

/// Stands between our side and a real gateway, passes on what both say, and writes it down.
final class GatewayTap: WebSocketDelegate, @unchecked Sendable {
    // Sendable: the loop's thread alone touches what changes.

    private let settings: WebSocketClientSettings
    private let finish: @Sendable (Recording.Session) -> Void
    private var session = Recording.Session()
    private var ours = OurMessages()
    private var gateway: WebSocketConnection?
    private var isOpen = false
    private var waiting: [[UInt8]] = []
    private var upstream: Upstream?

    init(_ settings: WebSocketClientSettings, finish: @escaping @Sendable (Recording.Session) -> Void) {
        self.settings = settings
        self.finish = finish
    }

    func webSocket(_ connection: WebSocketConnection, didOpen opening: WebSocketOpening) {
        let upstream = Upstream(self, connection)
        self.upstream = upstream
        var settings = settings
        settings.handshake.protocols = [opening.subprotocol]
        gateway = WebSocketConnection(settings, on: EngineLoops.server, delegate: upstream)
        gateway?.open()
    }

    func webSocket(_ connection: WebSocketConnection, didReceive message: UnsafeRawBufferPointer) {
        if let said = try? ours.listen(message) { session.steps.append(.ours(said)) }
        if isOpen { gateway?.send(message) } else { waiting.append(Array(message)) }
    }

    func webSocketIsWritable(_ connection: WebSocketConnection) {}

    func webSocket(_ connection: WebSocketConnection, didClose closing: WebSocketClosing) {
        gateway?.close(closing.code, reason: closing.reason)
        upstream = nil
        finish(session)
    }

    /// The gateway's end.
    private final class Upstream: WebSocketDelegate {
        private let tap: GatewayTap
        private let client: WebSocketConnection

        init(_ tap: GatewayTap, _ client: WebSocketConnection) {
            self.tap = tap
            self.client = client
        }

        func webSocket(_ connection: WebSocketConnection, didOpen opening: WebSocketOpening) {
            tap.isOpen = true
            for message in tap.waiting { message.withUnsafeBytes { connection.send($0) } }
            tap.waiting = []
        }

        func webSocket(_ connection: WebSocketConnection, didReceive message: UnsafeRawBufferPointer) {
            let frame = Array(message)
            try? tap.ours.listen(toGateway: frame)
            tap.session.steps.append(.gateway(frame: frame))
            client.send(message)
        }

        func webSocketIsWritable(_ connection: WebSocketConnection) {}
        func webSocket(_ connection: WebSocketConnection, didClose closing: WebSocketClosing) { client.close(closing.code) }
    }
}
