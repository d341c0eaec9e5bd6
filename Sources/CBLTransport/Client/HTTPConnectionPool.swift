/// The connections of a client: those of use for the next request, and who waits for one. On its loop only.
final class HTTPConnectionPool {
    /// What a connection leads to. What else it depends on is the same for all of a client's.
    struct Key: Hashable {
        let isSecure: Bool
        let host: String
        let port: UInt16
        /// Whether the server was shown who we are.
        let isIdentified: Bool

        init(_ url: PeerURL, isIdentified: Bool) {
            (isSecure, host, port) = (url.isSecure, url.host, url.port)
            self.isIdentified = isIdentified
        }
    }

    /// Somebody who wants a connection.
    final class Ticket {
        typealias Completion = (Result<(connection: HTTPClientConnection, isUsed: Bool), TransportError>) -> Void

        let key: Key
        let url: PeerURL
        fileprivate var completion: Completion?
        fileprivate var opener: StreamOpener?
        fileprivate var timer: LoopTimer?
        var isPending: Bool { completion != nil }

        fileprivate init(_ key: Key, _ url: PeerURL, _ completion: @escaping Completion) {
            self.key = key
            self.url = url
            self.completion = completion
        }
    }

    private let settings: HTTPClientSettings
    private let loop: EventLoop
    // The last ones were of use most recently.
    private var idle: [(key: Key, connection: HTTPClientConnection)] = []
    // All of them: in use, idle, and being opened.
    private var counts: [Key: Int] = [:]
    private var waiting: [Ticket] = []
    private var sweep: LoopTimer?

    init(_ settings: HTTPClientSettings, on loop: EventLoop) {
        self.settings = settings
        self.loop = loop
    }

    deinit { sweep?.cancel() }

    /// An idle connection at once; otherwise a new one, or the next one that somebody gives back. A `fresh` one was never used.
    func connection(for key: Key, to url: PeerURL, fresh: Bool, _ completion: @escaping Ticket.Completion) -> Ticket {
        let ticket = Ticket(key, url, completion)
        if !fresh, let connection = takeIdle(key) {
            finish(ticket, .success((connection, true)))
        } else if fresh || counts[key, default: 0] < settings.mostConnections {
            open(ticket)
        } else {
            waiting.append(ticket)
        }
        return ticket
    }

    /// Nothing is told afterwards.
    func cancel(_ ticket: Ticket) {
        ticket.completion = nil
        waiting.removeAll { $0 === ticket }
        stopOpening(ticket)
    }

    private func stopOpening(_ ticket: Ticket) {
        guard let opener = ticket.opener else { return }
        ticket.opener = nil
        ticket.timer?.cancel()
        opener.cancel()
        leave(ticket.key)
    }

    /// A request is done with it. It is kept if it can be used again.
    func giveBack(_ connection: HTTPClientConnection, _ key: Key) {
        guard connection.isIdle else { return leave(key) }
        if let index = waiting.firstIndex(where: { $0.key == key }) {
            return finish(waiting.remove(at: index), .success((connection, true)))
        }
        connection.onEnd = { [weak self] in self?.forget($0) }
        idle.append((key, connection))
        if idle.count > settings.mostIdleConnections { drop(0) }
        startSweep()
    }

    func closeIdle() { while !idle.isEmpty { drop(idle.count - 1) } }

    private func takeIdle(_ key: Key) -> HTTPClientConnection? {
        while let index = idle.lastIndex(where: { $0.key == key }) {
            let connection = idle.remove(at: index).connection
            connection.onEnd = nil
            if connection.isStillUsable() { return connection }
            leave(key)
        }
        return nil
    }

    private func drop(_ index: Int) {
        let (key, connection) = idle.remove(at: index)
        connection.onEnd = nil
        connection.close()
        leave(key)
    }

    private func forget(_ connection: HTTPClientConnection) {
        if let index = idle.firstIndex(where: { $0.connection === connection }) { drop(index) }
    }

    // There is one less.
    private func leave(_ key: Key) {
        let count = counts[key, default: 1] - 1
        counts[key] = count > 0 ? count : nil
        guard count < settings.mostConnections, let index = waiting.firstIndex(where: { $0.key == key }) else { return }
        open(waiting.remove(at: index))
    }

    private func open(_ ticket: Ticket) {
        counts[ticket.key, default: 0] += 1
        let opener = StreamOpener(settings.route(to: ticket.url, isIdentified: ticket.key.isIdentified), on: loop) {
            [weak self, weak ticket] result in
            guard let self, let ticket else { return }
            ticket.opener = nil
            ticket.timer?.cancel()
            switch result {
            case .success(let stream):
                self.finish(ticket, .success((HTTPClientConnection(stream, to: ticket.url, on: self.loop), false)))
            case .failure(let error):
                self.leave(ticket.key)
                self.finish(ticket, .failure(error))
            }
        }
        ticket.opener = opener
        let limit = settings.connectTimeout
        ticket.timer = loop.timer(after: limit) { [weak self, weak ticket] in
            guard let self, let ticket else { return }
            self.stopOpening(ticket)
            self.finish(ticket, .failure(.timeout(ticket.url, after: limit, "there is no connection")))
        }
        opener.start()
    }

    private func finish(_ ticket: Ticket, _ result: Result<(connection: HTTPClientConnection, isUsed: Bool), TransportError>) {
        let completion = ticket.completion
        ticket.completion = nil
        completion?(result)
    }

    private func startSweep() {
        guard sweep == nil, let oldest = idle.first else { return }
        let age = loop.now.since(oldest.connection.lastMove)
        sweep = loop.timer(after: max(settings.idleConnectionTime - age, .milliseconds(1))) { [weak self] in
            guard let self else { return }
            self.sweep = nil
            while let oldest = self.idle.first, self.loop.now.since(oldest.connection.lastMove) >= self.settings.idleConnectionTime {
                self.drop(0)
            }
            self.startSweep()
        }
    }
}
