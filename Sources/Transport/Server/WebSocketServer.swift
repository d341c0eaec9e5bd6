import Synchronization

/// A server that WebSockets are opened with, over TCP or TLS.
///
///     let server = try WebSocketServer(settings, on: .shared) { request in
///         request.path == ["db", "_blipsync"] ? .webSocket(protocols: ["BLIP_3+CBMobile_3"]) { Owner($0) } : .refuse(.notFound)
///     }
public final class WebSocketServer: @unchecked Sendable {
    // Sendable: the loop's thread alone touches what changes, but for the counter, which has a mutex.

    public struct Settings: Sendable {
        /// An address or the name of an interface; nil is all of them.
        public var address: String?
        /// 0 is any that is free.
        public var port: UInt16 = 0
        /// With one the server speaks TLS, and only TLS.
        public var identity: TLSIdentity?
        public var clientCertificates = ClientCertificates.notAsked
        /// Whether somebody is let in. Nil lets in everybody. It is called on the loop, so it must not take long.
        public var authenticate: (@Sendable (Credentials) -> Bool)?
        /// What the person is told who is asked for a name and a password.
        public var realm = "cblite"
        public var maximumConnections = 200
        /// How long a client has for TLS and its request.
        public var requestTimeout = Duration.seconds(10)
        public var limits = WebSocketLimits()

        public init() {}
    }

    public enum ClientCertificates: Sendable {
        case notAsked
        /// Signed by one of these.
        case authorities([Certificate])
        /// The chain of the client, its own certificate first, is looked at by the server's owner.
        case check(@Sendable ([Certificate]) -> Bool)
    }

    public enum Answer {
        /// A WebSocket with the first of the client's protocols that is among these. The closure gives the owner of the connection, which
        /// somebody has to keep.
        case webSocket(protocols: [String], (WebSocketConnection, PeerRequest) -> any WebSocketDelegate)
        case refuse(HTTPAnswer)
    }

    public let port: UInt16
    let settings: Settings
    let loop: EventLoop
    let route: (PeerRequest) -> Answer
    let credentials: TLSCredentials?
    private let socket: ListeningSocket
    private var sessions: Set<ServerSession> = []
    private var connections: [ObjectIdentifier: WebSocketConnection] = [:]
    private let counter = Mutex(0)
    private var isStopped = false

    /// Listens at once; `route` is called on the loop for each request that was let in.
    public init(_ settings: Settings, on loop: EventLoop, route: @escaping @Sendable (PeerRequest) -> Answer) throws(TransportError) {
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
    public var connectionCount: Int { counter.withLock { $0 } }

    /// Takes no more connections, and says farewell to those that are open.
    public func stop() {
        loop.perform {
            self.isStopped = true
            self.socket.close()
            for session in self.sessions { session.cancel() }
            self.sessions = []
            for connection in self.connections.values { connection.close(.goingAway, reason: "the server stops") }
        }
    }

    private func arrived(_ descriptor: Int32, _ peer: String) {
        let stream = SocketStream(descriptor, on: loop, peer: peer)
        // Somewhat more may ask, so that they can be told that there are too many.
        guard sessions.count + connections.count < settings.maximumConnections + 32 else { return stream.close() }
        let session = ServerSession(stream, peer: peer, server: self)
        sessions.insert(session)
        session.start()
    }

    var isFull: Bool { connections.count >= settings.maximumConnections }

    func finished(_ session: ServerSession) { sessions.remove(session) }

    func opened(_ connection: WebSocketConnection) {
        let key = ObjectIdentifier(connection)
        connections[key] = connection
        counter.withLock { $0 += 1 }
        connection.onEnd = { [weak self] in
            guard let self, self.connections.removeValue(forKey: key) != nil else { return }
            self.counter.withLock { $0 -= 1 }
        }
    }
}
