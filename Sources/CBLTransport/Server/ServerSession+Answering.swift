// From the head of a request to whoever answers it.
extension ServerSession {
    func respond(to head: HTTPRequestHead) {
        do throws(HTTPAnswer) {
            var request = try PeerRequest(head)
            request.http.address = peer
            request.certificates = certificates
            let message = try RequestMessage(head)
            if let authenticate = server.settings.authenticate {
                guard let credentials = request.credentials, authenticate(credentials) else {
                    throw .unauthorized(realm: server.settings.realm)
                }
            }
            try act(on: server.route(request), request, message)
        } catch {
            refuse(error, isHead: head.method == "HEAD")
        }
    }

    /// What the head of a request says of the rest, and of what comes after it.
    struct RequestMessage {
        let form: HTTPBodyForm
        let terms: ServerExchange.Terms

        init(_ head: HTTPRequestHead) throws(HTTPAnswer) {
            do throws(HTTPViolation) { form = try head.bodyForm() } catch { throw HTTPAnswer(error.status, error.reason) }
            let expectation = head.version == .v11 ? head.headers["Expect"] : nil
            guard expectation.map({ isSameASCII($0, "100-continue") }) ?? true else {
                throw HTTPAnswer(417, "nothing but 100-continue can be expected here")
            }
            terms = ServerExchange.Terms(
                version: head.version, wantsConnection: head.keepsConnection, expectsContinue: expectation != nil && form.hasBody)
        }
    }

    private func act(on answer: HTTPServer.Answer, _ request: PeerRequest, _ message: RequestMessage) throws(HTTPAnswer) {
        switch answer {
        case .webSocket(let protocols, let makeOwner): try open(protocols, request, makeOwner)
        case .refuse(let answer): throw answer
        case .answer(let answer):
            // With a body that nobody reads, it would have to be passed over before the next request.
            let keeps = message.terms.wantsConnection && !message.form.hasBody
            send(answer, isHead: request.http.method == "HEAD", keepsConnection: keeps)
        case .respond(let responder, let maximumBody):
            try begin(responder, request, message, maximumBody: maximumBody ?? server.settings.maximumBody)
        case .ask(let ask, let then):
            state = .asking(request, message, then: then)
            deadline.clear()
            let loop = server.loop
            ask { answer in loop.perform { [weak self] in self?.answered(answer) } }
        }
    }

    private func answered(_ answer: Bool) {
        guard case .asking(let request, let message, let then) = state else { return }
        deadline.set(after: server.settings.requestTimeout)
        do throws(HTTPAnswer) {
            try act(on: then(answer), request, message)
        } catch {
            refuse(error, isHead: request.http.method == "HEAD")
        }
        proceed()
    }

    private func open(
        _ protocols: [String], _ request: PeerRequest, _ makeOwner: @escaping (WebSocketConnection, PeerRequest) -> any WebSocketDelegate
    ) throws(HTTPAnswer) {
        guard request.wantsWebSocket else { throw .upgradeRequired }
        guard server.hasRoom(for: network) else { throw .tooManyConnections }
        let name = request.preferredProtocol(of: protocols)
        guard let name else { throw HTTPAnswer(500, "I only speak \(protocols.joined(separator: ", ")) protocols") }
        guard let bytes = request.acceptance(protocol: name) else { throw .upgradeRequired }
        sending.append(bytes)
        state = .sending(.webSocket { [self] in becomeWebSocket(name, request, makeOwner) })
    }

    /// The connection ends with that.
    func refuse(_ answer: HTTPAnswer, isHead: Bool = false) { send(answer, isHead: isHead, keepsConnection: false) }

    private func send(_ answer: HTTPAnswer, isHead: Bool, keepsConnection: Bool) {
        sending.append(answer.bytes(isHead: isHead, keepsConnection: keepsConnection))
        state = .sending(keepsConnection ? .request : .end)
        deadline.set(after: server.settings.stallTimeout)
    }

    private func becomeWebSocket(
        _ name: String, _ request: PeerRequest, _ makeOwner: (WebSocketConnection, PeerRequest) -> any WebSocketDelegate
    ) {
        finish()
        let connection = WebSocketConnection(.server, peer: peer, limits: server.settings.limits, on: server.loop)
        let opening = WebSocketOpening(
            subprotocol: name, headers: request.http.headers, url: nil, certificates: request.certificates)
        server.opened(connection, from: network)
        let owner = makeOwner(connection, request)
        connection.start(stream, received: Array(received.bytes), opening: opening, delegate: owner)
        server.finished(self)
    }
}

extension HTTPBodyForm {
    fileprivate var hasBody: Bool { self != .none && self != .sized(0) }
}
