import CBLBase
import Synchronization

/// A server of HTTP, over TCP or TLS: requests are answered, and WebSockets opened.
///
///     let server = try HTTPServer(settings, on: .shared) { request in
///         request.http.path == ["db", "_blipsync"] ? .webSocket(protocols: ["BLIP_3+CBMobile_3"]) { Owner($0) } : .refuse(.notFound)
///     }
package final class HTTPServer: @unchecked Sendable {
    // Sendable: the loop's thread alone touches what changes, but for the counter, which has a mutex.

    package let port: UInt16
    let settings: Settings
    let loop: EventLoop
    let route: (PeerRequest) -> Answer
    let credentials: TLSCredentials?
    let heads: AnswerHeadWriter
    let workers = WorkerPool(name: "cblite-http", limit: HTTPServer.mostWorkers, patience: .seconds(5))
    let answering = AnswerCount()
    private let sockets: [ListeningSocket]
    private var sessions: Set<ServerSession> = []
    private var sessionCount: UInt64 = 0
    private var connections: [ObjectIdentifier: WebSocketConnection] = [:]
    private var networks: [String: Int] = [:]
    private let counter = Mutex(0)
    private var exchangeCount = 0
    private(set) var isStopped = false

    /// Threads that answer, started as they are needed. Each may wait for a client, for no longer than its limit of time: there are more than connections
    /// as a rule, so that those who take nothing keep nobody else waiting.
    private static let mostWorkers = 256

    /// Listens at once; `route` is called on the loop for each request that was let in.
    package init(_ settings: Settings, on loop: EventLoop, route: @escaping @Sendable (PeerRequest) -> Answer) throws(TransportError) {
        self.settings = settings
        self.loop = loop
        self.route = route
        credentials = try settings.identity.map { identity throws(TransportError) in try TLSCredentials(trust: nil, identity: identity) }
        heads = AnswerHeadWriter(software: settings.software)
        sockets = try ListeningSocket.all(address: settings.address, port: settings.port, on: loop)
        port = sockets[0].port
        loop.perform {
            guard !self.isStopped else { return }
            for socket in self.sockets { socket.accept { [weak self] descriptor, peer in self?.arrived(descriptor, peer) } }
        }
    }

    /// How many WebSockets are open.
    package var connectionCount: Int { counter.withLock { $0 } }

    /// Takes no more connections and requests; WebSockets that are open go on, and what is being answered comes to its end.
    package func stopListening() { loop.perform { self.endListening() } }

    private func endListening() {
        loop.preconditionOnLoop()
        isStopped = true
        for socket in sockets { socket.close() }
        for session in sessions where !session.isExchanging { session.cancel() }
    }

    /// Takes no more connections, and says farewell to those that are open. Whoever answers a request finds its client gone.
    package func stop() {
        loop.perform {
            self.endListening()
            for session in self.sessions { session.cancel() }
            for connection in self.connections.values { connection.close(.goingAway, reason: "the server stops") }
        }
    }

    /// To be called when no more requests are taken. Ends what is told of changes, waits so long for other answers, cuts them off then, and tells
    /// when nobody answers any more.
    package func finishAnswers(within patience: Duration, then completion: @escaping @Sendable () -> Void) {
        loop.perform {
            for session in self.sessions where session.feed != nil { session.cancel() }
            self.awaitAnswers(until: self.loop.now + patience, then: completion)
        }
    }

    // It takes no longer than the patience once, at the end.
    private func awaitAnswers(until end: LoopTime, then completion: @escaping @Sendable () -> Void) {
        guard answering.count > 0 else { return completion() }
        if loop.now >= end { for session in sessions where session.isExchanging { session.cancel() } }
        loop.timer(after: .milliseconds(10)) { self.awaitAnswers(until: end, then: completion) }
    }

    private func arrived(_ descriptor: Int32, _ peer: String) {
        loop.preconditionOnLoop()
        let stream = SocketStream(descriptor, on: loop, peer: peer)
        if sessions.count - exchangeCount >= settings.maximumRequests {
            sessions.filter { !$0.isExchanging }.min { $0.number < $1.number }?.cancel()
        }
        let session = ServerSession(stream, number: nextNumber(), peer: peer, server: self)
        sessions.insert(session)
        session.start()
    }

    func nextNumber() -> UInt64 {
        sessionCount += 1
        return sessionCount
    }

    /// Whether there is room for another WebSocket or request of that network.
    func hasRoom(for network: String) -> Bool {
        let open = networks[network, default: 0]
        return connections.count + exchangeCount < settings.maximumConnections && open < settings.maximumConnectionsPerAddress ?? .max
    }

    func finished(_ session: ServerSession) {
        loop.preconditionOnLoop()
        sessions.remove(session)
    }

    func beganExchange(with network: String) {
        exchangeCount += 1
        networks[network, default: 0] += 1
    }

    func endedExchange(with network: String) {
        exchangeCount -= 1
        release(network)
    }

    private func release(_ network: String) {
        let others = networks[network, default: 1] - 1
        networks[network] = others > 0 ? others : nil
    }

    func opened(_ connection: WebSocketConnection, from network: String) {
        loop.preconditionOnLoop()
        let key = ObjectIdentifier(connection)
        connections[key] = connection
        networks[network, default: 0] += 1
        counter.withLock { $0 += 1 }
        connection.onEnd = { [weak self] in
            guard let self, self.connections.removeValue(forKey: key) != nil else { return }
            self.release(network)
            self.counter.withLock { $0 -= 1 }
        }
    }
}
