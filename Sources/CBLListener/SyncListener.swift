import CBLBLIP
import CBLBase
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
    package let databases: ServedDatabases
    package let settings: ListenerSettings
    package let port: UInt16
    private let loop: EventLoop
    private let server: HTTPServer
    private let router: ListenerRouter

    /// What was named to be served; a directory may have more.
    package var shares: [Share] { databases.shares }

    package convenience init(
        _ shares: [Share], _ settings: ListenerSettings, on loop: EventLoop = .shared,
        observer: @escaping @Sendable (ListenerEvent) -> Void = { _ in }
    ) throws { try self.init(ServedDatabases(shares), settings, on: loop, observer: observer) }

    /// Listens at once. `observer` is called on the loop.
    package init(
        _ databases: ServedDatabases, _ settings: ListenerSettings, on loop: EventLoop = .shared,
        observer: @escaping @Sendable (ListenerEvent) -> Void = { _ in }
    ) throws {
        self.databases = databases
        self.settings = settings
        self.loop = loop
        let router = try ListenerRouter(databases, settings, on: loop, observer: observer)
        self.router = router
        var server = HTTPServer.Settings()
        server.address = settings.address
        server.port = settings.port
        server.identity = settings.identity
        // Replicators of 1.x and of Sync Gateway know their kind by it.
        if settings.rest != nil { server.software = "CouchbaseLite \(settings.version)" }
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

    var service: RESTService? { router.service }

    /// What went over all connections so far.
    package var traffic: ListenerTraffic { router.traffic.withLock { $0 } }
    package var connectionCount: Int { server.connectionCount }
    /// How many of them have something to do.
    package var busyConnectionCount: Int { router.busyConnections.withLock { $0.count } }

    /// Takes no more connections, says farewell to those that are open, and tells when they are gone and what came over them is written. Who says
    /// nothing for longer than `silence` is cut off.
    package func stop(droppingSilentAfter silence: Duration? = nil, then completion: @escaping @Sendable () -> Void) {
        server.stopListening()
        loop.perform { [self] in
            let peers = Array(router.peers.values)
            let left = Mutex(peers.count + 2)
            let finish: @Sendable () -> Void = { [self] in
                let isLast = left.withLock { left in
                    left -= 1
                    return left == 0
                }
                guard isLast else { return }
                server.stop()
                databases.close()
                completion()
            }
            for peer in peers { peer.stop(droppingSilentAfter: silence, then: finish) }
            _ = WorkerThread(name: "replications") { [self] in
                router.service?.stop()
                loop.perform(finish)
            }
            server.finishAnswers(within: SyncListener.answerPatience, then: finish)
        }
    }

    /// How long answers that are under way have when the listener stops.
    private static let answerPatience = Duration.seconds(2)
}
