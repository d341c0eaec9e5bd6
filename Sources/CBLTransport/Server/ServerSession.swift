import Glibc

/// A connection at a server: one request after another, each answered before the next is read, until it is a WebSocket or ends.
///
/// What happens is in `step`, which goes from one state to the next for as long as that is possible without waiting.
final class ServerSession: Hashable, @unchecked Sendable {
    // Sendable: the loop's thread alone touches what changes.

    enum State {
        /// TLS is agreed on.
        case opening
        /// For a request.
        case waiting
        /// For somebody's answer to a question about a request.
        case asking(PeerRequest, RequestMessage, then: (Bool) -> HTTPServer.Answer)
        case exchanging(ServerExchange)
        /// What is left of a body that nobody has read.
        case passingOver
        /// An answer that is complete, and what is next.
        case sending(Next)
        /// The last answer is on its way. A connection that is closed with something unread takes the answer with it.
        case lingering
        case finished
    }

    enum Next {
        case request
        case end
        case webSocket(() -> Void)
    }

    // How long somebody who was refused has to read the answer.
    private static let lingering = Duration.seconds(2)

    /// The longer it has been waiting for a request, the lower.
    private(set) var number: UInt64
    let peer: String
    /// What counts as one client.
    let network: String
    unowned let server: HTTPServer
    let socket: SocketStream
    var stream: any ByteStream
    var tls: TLSStream?
    var state = State.opening
    var received = ByteQueue(capacity: 1024)
    var sending = ByteQueue()
    private var headReader = HTTPHeadReader()
    /// Of the request that is being answered; nil when all of it has come.
    var body: HTTPBodyReader?
    var progress = ServerProgress()
    var feed: FeedRun?
    /// Whether another attempt to read may give something.
    var mayReadMore = true
    /// The client sends no more.
    private(set) var hasEnded = false
    /// Time runs for the head that has begun.
    private var isHeadLimited = true
    /// What the chain of the client is judged with, while somebody is asked about it.
    var judgement: ((TransportError?) -> Void)?
    private(set) lazy var deadline = LoopDeadline(on: server.loop) { [weak self] in self?.timeOut() }
    private(set) lazy var feedDeadline = LoopDeadline(on: server.loop) { [weak self] in self?.feed?.wake() }

    init(_ socket: SocketStream, number: UInt64, peer: String, server: HTTPServer) {
        self.socket = socket
        self.number = number
        self.peer = peer
        network = NetworkAddresses.network(of: peer)
        self.server = server
        stream = socket
    }

    deinit {
        // The server may be let go of without being stopped.
        guard case .exchanging(let exchange) = state else { return }
        exchange.leave()
        feed?.wake()
    }

    static func == (a: ServerSession, b: ServerSession) -> Bool { a === b }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    var certificates: [Certificate] { tls?.peerCertificates ?? [] }
    var isFinished: Bool { if case .finished = state { true } else { false } }
    var isExchanging: Bool { if case .exchanging = state { true } else { false } }

    func listen() {
        state = .waiting
        stream.onReady = { [weak self] ready in
            if ready.contains(.reading) { self?.mayReadMore = true }
            self?.proceed()
        }
        proceed()
    }

    /// Does what can be done without waiting.
    func proceed() {
        // Not for ever: others have something to say as well.
        for _ in 0..<64 { if !step() { return updateInterest() } }
        updateInterest()
        server.loop.later { [weak self] in self?.proceed() }
    }

    // True if there may be more to do.
    private func step() -> Bool {
        switch state {
        case .waiting: readRequest()
        case .exchanging(let exchange): step(exchange)
        case .passingOver: passOverBody()
        case .sending(let next): sendAnswer(next)
        case .lingering: passOver()
        case .opening, .asking, .finished: false
        }
    }

    private func updateInterest() {
        var interest: FileWatch.Readiness = []
        if !sending.isEmpty { interest.insert(.writing) }
        let isReading =
            switch state {
            case .waiting, .passingOver, .lingering: true
            case .exchanging: progress.isReading
            case .opening, .asking, .sending, .finished: false
            }
        if isReading, !hasEnded { interest.insert(.reading) }
        if !isFinished { stream.want(interest) }
    }

    private func readRequest() -> Bool {
        do throws(HTTPViolation) {
            if let head = try headReader.request(in: &received) {
                respond(to: head)
                return true
            }
        } catch {
            refuse(HTTPAnswer(error.status, error.reason))
            return true
        }
        if fill() { return true }
        if hasEnded {
            cancel()
        } else if !isHeadLimited, !received.isEmpty {
            deadline.set(after: server.settings.requestTimeout)
            isHeadLimited = true
        }
        return false
    }

    /// Reads what has come; false if that is nothing.
    func fill(atLeast room: Int = 1024) -> Bool {
        guard mayReadMore, !hasEnded else { return false }
        let space = received.space(atLeast: room)
        switch stream.read(into: space) {
        case .bytes(let count):
            received.commit(count)
            if count < space.count, stream.tellsAgain { mayReadMore = false }
            return true
        case .blocked: mayReadMore = false
        case .end, .failed: hasEnded = true
        }
        return false
    }

    /// Sends as much as goes; false if that is nothing.
    func send() -> Bool {
        guard !sending.isEmpty else { return false }
        switch stream.write(sending.bytes) {
        case .bytes(let count):
            sending.consume(count)
            return true
        case .blocked: return false
        case .end, .failed:
            cancel()
            return false
        }
    }

    private func sendAnswer(_ next: Next) -> Bool {
        if send() { return true }
        guard !isFinished, sending.isEmpty else { return false }
        switch next {
        case .request: nextRequest()
        case .end: linger()
        case .webSocket(let open):
            open()
            return false
        }
        return true
    }

    /// The one that was there is answered.
    func nextRequest() {
        guard !server.isStopped else { return linger() }
        number = server.nextNumber()
        state = .waiting
        isHeadLimited = false
        received.shrink(to: 4096)
        sending.shrink(to: 4096)
        deadline.set(after: server.settings.idleTimeout)
    }

    /// Ends the connection so that the client reads what was sent.
    func linger() {
        state = .lingering
        deadline.set(after: ServerSession.lingering)
        stream.endWriting()
    }

    private func passOver() -> Bool {
        received.removeAll()
        if fill() { return true }
        if hasEnded { cancel() }
        return false
    }

    private func timeOut() {
        switch state {
        case .waiting where isHeadLimited:
            refuse(HTTPAnswer(408, "the request did not come in time"))
            proceed()
        // Before TLS has been agreed on there is nothing to say it with, and nobody waits for an answer to an answer.
        default: cancel()
        }
    }

    /// Ends the connection. Whoever answers a request is told that nobody waits for it any more.
    func cancel() {
        guard !isFinished else { return }
        if case .exchanging(let exchange) = state {
            exchange.leave()
            endExchange()
        }
        finish()
        stream.close()
        server.finished(self)
    }

    /// Has nothing more to do with the stream.
    func finish() {
        state = .finished
        judgement = nil
        deadline.cancel()
        feedDeadline.cancel()
    }
}
