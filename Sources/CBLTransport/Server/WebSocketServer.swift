import Synchronization

/// A server that WebSockets are opened with, over TCP or TLS.
///
///     let server = try WebSocketServer(settings, on: .shared) { request in
///         request.path == ["db", "_blipsync"] ? .webSocket(protocols: ["BLIP_3+CBMobile_3"]) { Owner($0) } : .refuse(.notFound)
///     }
package final class WebSocketServer: @unchecked Sendable {
    // Sendable: the loop's thread alone touches what changes, but for the counter, which has a mutex.

    package struct Settings: Sendable {
        /// An address or the name of an interface; nil is all of them.
        package var address: String?
        /// 0 is any that is free.
        package var port: UInt16 = 0
        /// With one the server speaks TLS, and only TLS.
        package var identity: TLSIdentity?
        package var clientCertificates = ClientCertificates.notAsked
        /// Whether somebody is let in. Nil lets in everybody. It is called on the loop, so it must not take long.
        package var authenticate: (@Sendable (Credentials) -> Bool)?
        /// What the person is told who is asked for a name and a password.
        package var realm = "cblite"
        package var maximumConnections = 200
        /// How many of them may come from one address.
        package var maximumConnectionsPerAddress: Int?
        /// How many may be about to say what they want. Beyond that whoever takes longest is sent away: somebody who has opened a connection
        /// in order to say nothing does not keep out others.
        package var maximumRequests = 256
        /// How long a client has for TLS and its request.
        package var requestTimeout = Duration.seconds(10)
        package var limits = WebSocketLimits()

        package init() {}
    }

    package enum ClientCertificates: Sendable {
        case notAsked
        /// Signed by one of these, or one of these itself.
        case authorities([Certificate])
        /// The chain of the client, its own certificate first, is looked at by the server's owner.
        case check(@Sendable ([Certificate]) -> Bool)
        /// The same, for those who take their time: they are called on the loop, and answer once, on any thread.
        case ask(@Sendable ([Certificate], @escaping @Sendable (Bool) -> Void) -> Void)
    }

    package indirect enum Answer {
        /// A WebSocket with the first of the client's protocols that is among these. The closure gives the owner of the connection, which
        /// somebody has to keep.
        case webSocket(protocols: [String], (WebSocketConnection, PeerRequest) -> any WebSocketDelegate)
        case refuse(HTTPAnswer)
        /// An answer to a request that wants no WebSocket.
        case answer(HTTPAnswer)
        /// Somebody has to be asked first, who answers once, on any thread. What that means for the request is asked for on the loop.
        case ask((@escaping @Sendable (Bool) -> Void) -> Void, then: (Bool) -> Answer)
    }

    package let port: UInt16
    let settings: Settings
    let loop: EventLoop
    let route: (PeerRequest) -> Answer
    let credentials: TLSCredentials?
    private let socket: ListeningSocket
    private var sessions: Set<ServerSession> = []
    private var sessionCount: UInt64 = 0
    private var connections: [ObjectIdentifier: WebSocketConnection] = [:]
    private var addresses: [String: Int] = [:]
    private let counter = Mutex(0)
    private var isStopped = false

    /// Listens at once; `route` is called on the loop for each request that was let in.
    package init(_ settings: Settings, on loop: EventLoop, route: @escaping @Sendable (PeerRequest) -> Answer) throws(TransportError) {
        self.settings = settings
        self.loop = loop
        self.route = route
        credentials = try settings.identity.map { identity throws(TransportError) in try TLSCredentials(trust: nil, identity: identity) }
        socket = try ListeningSocket(address: settings.address, port: settings.port, on: loop)
        port = socket.port
        loop.perform {
            guard !self.isStopped else { return }
            self.socket.accept { [weak self] descriptor, peer in self?.arrived(descriptor, peer) }
        }
    }

    /// How many WebSockets are open.
    package var connectionCount: Int { counter.withLock { $0 } }

    /// Takes no more connections; those that are open go on.
    package func stopListening() { loop.perform { self.endListening() } }

    private func endListening() {
        loop.preconditionOnLoop()
        isStopped = true
        socket.close()
        for session in sessions { session.cancel() }
        sessions = []
    }

    /// Takes no more connections, and says farewell to those that are open.
    package func stop() {
        loop.perform {
            self.endListening()
            for connection in self.connections.values { connection.close(.goingAway, reason: "the server stops") }
        }
    }

    private func arrived(_ descriptor: Int32, _ peer: String) {
        loop.preconditionOnLoop()
        let stream = SocketStream(descriptor, on: loop, peer: peer)
        if sessions.count >= settings.maximumRequests { sessions.min { $0.number < $1.number }?.cancel() }
        sessionCount += 1
        let session = ServerSession(stream, number: sessionCount, peer: peer, server: self)
        sessions.insert(session)
        session.start()
    }

    /// Whether there is room for another WebSocket of that address.
    func hasRoom(for address: String) -> Bool {
        let open = addresses[NetworkAddresses.network(of: address), default: 0]
        return connections.count < settings.maximumConnections && open < settings.maximumConnectionsPerAddress ?? .max
    }

    func finished(_ session: ServerSession) {
        loop.preconditionOnLoop()
        sessions.remove(session)
    }

    func opened(_ connection: WebSocketConnection, from address: String) {
        loop.preconditionOnLoop()
        let address = NetworkAddresses.network(of: address)
        let key = ObjectIdentifier(connection)
        connections[key] = connection
        addresses[address, default: 0] += 1
        counter.withLock { $0 += 1 }
        connection.onEnd = { [weak self] in
            guard let self, self.connections.removeValue(forKey: key) != nil else { return }
            let others = self.addresses[address, default: 1] - 1
            self.addresses[address] = others > 0 ? others : nil
            self.counter.withLock { $0 -= 1 }
        }
    }
}
