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
    private let socket: SocketStream
    private(set) var stream: any ByteStream
    private var tls: TLSStream?
    var state = State.opening
    var received = ByteQueue(capacity: 1024)
    var sending = ByteQueue()
    private var headReader = HTTPHeadReader()
    /// Of the request that is being answered; nil when all of it has come.
    var body: HTTPBodyReader?
    var progress = ServerProgress()
    var feed: FeedRun?
    /// Whether another attempt to read may give something.
    private var mayReadMore = true
    /// The client sends no more.
    private(set) var hasEnded = false
    /// Time runs for the head that has begun.
    private var isHeadLimited = true
    private var judgement: ((TransportError?) -> Void)?
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

    func start() {
        // One limit for all of it: whoever sends a byte now and then does not get more time by that.
        deadline.set(after: server.settings.requestTimeout)
        guard let credentials = server.credentials else { return listen() }
        do throws(TransportError) {
            let policy = server.settings.clientCertificates
            let peer = peer
            let parameters = TLSStream.Parameters(
                role: .server, credentials: credentials, peer: peer,
                objection: policy.isAsking ? { chain, _ in policy.objection(to: chain, of: peer) } : nil,
                inquiry: policy.question.map { ask in { [weak self] chain, answer in self?.ask(ask, about: chain, answer) } })
            let tls = try TLSStream(parameters, over: socket)
            (stream, self.tls) = (tls, tls)
            tls.handshake { [weak self] error in if error == nil { self?.listen() } else { self?.lingerWithoutTLS() } }
        } catch {
            cancel()
        }
    }

    // Whoever is asked may be a person: the client has as much time afterwards as before.
    private func ask(
        _ ask: ([Certificate], @escaping @Sendable (Bool) -> Void) -> Void, about chain: [Certificate],
        _ answer: @escaping (TransportError?) -> Void
    ) {
        deadline.clear()
        judgement = answer
        let loop = server.loop
        ask(chain) { isTrusted in loop.perform { [weak self] in self?.judge(isTrusted) } }
    }

    private func judge(_ isTrusted: Bool) {
        guard !isFinished, let judgement else { return }
        self.judgement = nil
        deadline.set(after: server.settings.requestTimeout)
        judgement(isTrusted ? nil : .refusedCertificate(of: peer))
    }

    private func listen() {
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

    // The client may have sent its request already. What was said last here is why there is no TLS.
    private func lingerWithoutTLS() {
        stream = socket
        socket.onReady = { [weak self] _ in
            self?.mayReadMore = true
            self?.proceed()
        }
        linger()
        proceed()
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

extension HTTPServer.ClientCertificates {
    fileprivate var isAsking: Bool { if case .notAsked = self { false } else { true } }

    fileprivate func objection(to chain: [Certificate], of peer: String) -> TransportError? {
        let isTrusted =
            switch self {
            case .notAsked: true
            case .authorities(let trusted):
                // A certificate that is itself in the list needs nobody's signature.
                chain.first.map { leaf in
                    trusted.contains(leaf) ? leaf.isInItsTime : (try? Certificate.status(of: chain, trusting: trusted)) == 0
                } ?? false
            case .check(let check): !chain.isEmpty && check(chain)
            case .ask: !chain.isEmpty
            }
        return isTrusted ? nil : .refusedCertificate(of: peer)
    }

    fileprivate var question: (@Sendable ([Certificate], @escaping @Sendable (Bool) -> Void) -> Void)? {
        if case .ask(let question) = self { question } else { nil }
    }
}

extension TransportError {
    fileprivate static func refusedCertificate(of peer: String) -> TransportError {
        TransportError(.network(.tlsCertificateUntrusted), "\(peer): the client's certificate is not accepted")
    }
}
