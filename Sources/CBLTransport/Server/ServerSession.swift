import Glibc

/// A connection that has arrived at a server, until it is a WebSocket or has been refused.
final class ServerSession: Hashable, @unchecked Sendable {
    // Sendable: the loop's thread alone touches what changes.

    // How long somebody who was refused has to read the answer.
    private static let lingering = Duration.seconds(2)

    /// The later it came, the higher.
    let number: UInt64
    private let socket: SocketStream
    private let peer: String
    private unowned let server: WebSocketServer
    private var stream: any ByteStream
    private var tls: TLSStream?
    private var timer: LoopTimer?
    private var received = ByteQueue(capacity: 1024)
    private var headReader = HTTPHeadReader()
    private var answer: [UInt8] = []
    private var accepted: (() -> Void)?
    private var hasAnswered = false
    /// What an answer of somebody else is waited for with.
    private var question: (request: PeerRequest, then: (Bool) -> WebSocketServer.Answer)?
    private var judgement: ((TransportError?) -> Void)?
    private var isFinished = false

    init(_ socket: SocketStream, number: UInt64, peer: String, server: WebSocketServer) {
        self.socket = socket
        self.number = number
        self.peer = peer
        self.server = server
        stream = socket
    }

    static func == (a: ServerSession, b: ServerSession) -> Bool { a === b }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    func start() {
        // One limit for all of it: whoever sends a byte now and then does not get more time by that.
        startTimer()
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
            tls.handshake { [weak self] error in if error == nil { self?.listen() } else { self?.linger() } }
        } catch {
            cancel()
        }
    }

    private func startTimer() {
        timer = server.loop.timer(after: server.settings.requestTimeout) { [weak self] in self?.timeOut() }
    }

    // Whoever is asked may be a person: the client has as much time afterwards as before.
    private func ask(
        _ ask: ([Certificate], @escaping @Sendable (Bool) -> Void) -> Void, about chain: [Certificate],
        _ answer: @escaping (TransportError?) -> Void
    ) {
        timer?.cancel()
        judgement = answer
        let loop = server.loop
        ask(chain) { isTrusted in loop.perform { [weak self] in self?.judge(isTrusted) } }
    }

    private func judge(_ isTrusted: Bool) {
        guard !isFinished, let judgement else { return }
        self.judgement = nil
        startTimer()
        judgement(isTrusted ? nil : .refusedCertificate(of: peer))
    }

    func cancel() {
        guard !isFinished else { return }
        isFinished = true
        accepted = nil
        question = nil
        judgement = nil
        timer?.cancel()
        stream.close()
        server.finished(self)
    }

    // The client may have sent its request already. A connection that is closed with something unread takes with it what was said last,
    // here why there is no TLS.
    private func linger() {
        hasAnswered = true
        timer?.cancel()
        timer = server.loop.timer(after: ServerSession.lingering) { [weak self] in self?.cancel() }
        socket.endWriting()
        socket.onReady = { [weak self] _ in self?.passOver() }
        socket.want(.reading)
        passOver()
    }

    private func passOver() {
        // Not for ever: who goes on and on is heard again in the next turn.
        for _ in 0..<16 where !isFinished {
            received.removeAll()
            switch socket.read(into: received.space(atLeast: 1024)) {
            case .bytes: continue
            case .blocked: return
            case .end, .failed: return cancel()
            }
        }
    }

    private func timeOut() {
        // Before TLS has been agreed on there is nothing to say it with, and nobody waits for an answer to an answer.
        let isTalking = server.credentials == nil || tls.map { $0.onReady != nil } ?? false
        if hasAnswered || !isTalking { return cancel() }
        refuse(HTTPAnswer(408, "the request did not come in time"))
    }

    private func listen() {
        stream.onReady = { [weak self] _ in self?.proceed() }
        stream.want(.reading)
        proceed()
    }

    private func proceed() {
        guard !isFinished else { return }
        if hasAnswered { return sendAnswer() }
        while !hasAnswered, !isFinished, question == nil {
            switch stream.read(into: received.space(atLeast: 1024)) {
            case .bytes(let count): received.commit(count)
            case .blocked: return
            case .end, .failed: return cancel()
            }
            do throws(HTTPViolation) {
                if let head = try headReader.request(in: &received) { respond(to: head) }
            } catch {
                refuse(HTTPAnswer(error.status, error.reason))
            }
        }
    }

    private func respond(to head: HTTPRequestHead) {
        do throws(HTTPAnswer) {
            var request = try PeerRequest(head)
            request.address = peer
            request.certificates = tls?.peerCertificates ?? []
            if let authenticate = server.settings.authenticate {
                guard let credentials = request.credentials, authenticate(credentials) else {
                    throw .unauthorized(realm: server.settings.realm)
                }
            }
            try act(on: server.route(request), request)
        } catch {
            refuse(error)
        }
    }

    private func act(on answer: WebSocketServer.Answer, _ request: PeerRequest) throws(HTTPAnswer) {
        switch answer {
        case .webSocket(let protocols, let makeOwner): try open(protocols, request, makeOwner)
        case .refuse(let answer), .answer(let answer): throw request.method == "HEAD" ? answer.withoutBody : answer
        case .ask(let ask, let then):
            question = (request, then)
            timer?.cancel()
            stream.want([])
            let loop = server.loop
            ask { answer in loop.perform { [weak self] in self?.answered(answer) } }
        }
    }

    private func answered(_ answer: Bool) {
        guard !isFinished, let (request, then) = question else { return }
        question = nil
        startTimer()
        stream.want(.reading)
        do throws(HTTPAnswer) { try act(on: then(answer), request) } catch { refuse(error) }
    }

    private func open(
        _ protocols: [String], _ request: PeerRequest, _ makeOwner: @escaping (WebSocketConnection, PeerRequest) -> any WebSocketDelegate
    ) throws(HTTPAnswer) {
        guard request.wantsWebSocket else { throw .upgradeRequired }
        guard server.hasRoom(for: peer) else { throw .tooManyConnections }
        let name = request.preferredProtocol(of: protocols)
        guard let name else { throw HTTPAnswer(500, "I only speak \(protocols.joined(separator: ", ")) protocols") }
        guard let bytes = request.acceptance(protocol: name) else { throw .upgradeRequired }
        accepted = { [self] in becomeWebSocket(name, request, makeOwner) }
        answer = bytes
        hasAnswered = true
        sendAnswer()
    }

    private func refuse(_ refusal: HTTPAnswer) {
        guard !hasAnswered else { return }
        answer = refusal.bytes
        hasAnswered = true
        timer?.cancel()
        timer = server.loop.timer(after: ServerSession.lingering) { [weak self] in self?.cancel() }
        sendAnswer()
    }

    private func sendAnswer() {
        while !answer.isEmpty {
            switch answer.withUnsafeBytes({ stream.write($0) }) {
            case .bytes(let count): answer.removeFirst(count)
            case .blocked: return stream.want(.writing)
            case .end, .failed: return cancel()
            }
            if answer.isEmpty, accepted == nil { stream.endWriting() }
        }
        if let accepted { return accepted() }
        // A connection that is closed with something unread takes the answer with it.
        stream.want(.reading)
        for _ in 0..<16 where !isFinished {
            received.removeAll()
            switch stream.read(into: received.space(atLeast: 1024)) {
            case .bytes: continue
            case .blocked: return
            case .end, .failed: return cancel()
            }
        }
    }

    private func becomeWebSocket(
        _ name: String, _ request: PeerRequest, _ makeOwner: (WebSocketConnection, PeerRequest) -> any WebSocketDelegate
    ) {
        isFinished = true
        accepted = nil
        timer?.cancel()
        let connection = WebSocketConnection(.server, peer: peer, limits: server.settings.limits, on: server.loop)
        let opening = WebSocketOpening(subprotocol: name, headers: request.headers, url: nil, certificates: request.certificates)
        server.opened(connection, from: peer)
        let owner = makeOwner(connection, request)
        connection.start(stream, received: Array(received.bytes), opening: opening, delegate: owner)
        server.finished(self)
    }
}

extension WebSocketServer.ClientCertificates {
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
