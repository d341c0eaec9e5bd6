// TLS, and who the client shows itself to be, before anything is said.
extension ServerSession {
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
