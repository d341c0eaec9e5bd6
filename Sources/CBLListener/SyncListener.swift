import CBLBLIP
import CBLReplication
import CBLTransport
import Synchronization

/// Serves databases to replicators: those of apps, of other programs, and `cblite push` and `pull`.
///
///     let listener = try SyncListener([Share("travel", database, collections: [.default])], settings) { event in … }
///     … ws://host:\(listener.port)/travel …
///     listener.stop { … }
///
/// Each database is at `/NAME/_blipsync`. `ListenerRouter` maps every request to an answer.
package final class SyncListener: Sendable {
    package let shares: [Share]
    package let settings: ListenerSettings
    package let port: UInt16
    private let loop: EventLoop
    private let server: HTTPServer
    private let router: ListenerRouter

    /// Listens at once. `observer` is called on the loop.
    package init(
        _ shares: [Share], _ settings: ListenerSettings, on loop: EventLoop = .shared,
        observer: @escaping @Sendable (ListenerEvent) -> Void = { _ in }
    ) throws {
        self.shares = shares
        self.settings = settings
        self.loop = loop
        let router = try ListenerRouter(shares, settings, on: loop, observer: observer)
        self.router = router
        var server = HTTPServer.Settings()
        server.address = settings.address
        server.port = settings.port
        server.identity = settings.identity
        if let trusted = settings.clientCertificates {
            server.clientCertificates = .authorities(trusted)
        } else if let check = settings.certificateCheck {
            server.clientCertificates = .ask(check)
        }
        server.maximumConnections = settings.maximumConnections
        server.maximumConnectionsPerAddress = settings.maximumConnectionsPerAddress
        server.maximumRequests = settings.maximumRequests
        server.requestTimeout = settings.requestTimeout
        // What waits for the socket is memory of each connection; the system has buffers, too.
        server.limits.sendBuffer = 32 << 10
        server.limits.heartbeat = settings.heartbeat
        self.server = try HTTPServer(server, on: loop) { router.answer($0) }
        port = self.server.port
    }

    /// What went over all connections so far.
    package var traffic: ListenerTraffic { router.traffic.withLock { $0 } }
    package var connectionCount: Int { server.connectionCount }
    /// How many of them have something to do.
    package var busyConnectionCount: Int { router.busyConnections.withLock { $0.count } }

    /// Takes no more connections, says farewell to those that are open, and tells when they are gone and what came over them is written. Who says
    /// nothing for longer than `silence` is cut off.
    package func stop(droppingSilentAfter silence: Duration? = nil, then completion: @escaping @Sendable () -> Void) {
        server.stopListening()
        let left = Mutex(shares.count)
        for peer in router.peers.values {
            peer.stop(droppingSilentAfter: silence) { [server] in
                let isLast = left.withLock { left in
                    left -= 1
                    return left == 0
                }
                guard isLast else { return }
                server.stop()
                completion()
            }
        }
    }
}
