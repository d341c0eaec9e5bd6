import Glibc

/// Opens a WebSocket: connects, agrees on TLS, asks, and reads the answer; again elsewhere, if that is the answer.
final class ClientOpener {
    struct Opened {
        let stream: any ByteStream
        /// What the server sent already behind its answer.
        let received: [UInt8]
        let opening: WebSocketOpening
    }

    private let settings: WebSocketClientSettings
    private let loop: EventLoop
    private var completion: ((Result<Opened, TransportError>) -> Void)?
    private var handshake: ClientHandshake
    private var timer: LoopTimer?
    private var connector: CurlConnector?
    private var stream: (any ByteStream)?
    private var request: [UInt8] = []
    private var received = ByteQueue()
    private var headReader = HTTPHeadReader()
    private var answer: (head: HTTPResponseHead, body: HTTPBodyExcerpt)?
    /// Those of the last server that was spoken to with TLS, trusted or not.
    private(set) var serverCertificates: [Certificate] = []

    init(_ settings: WebSocketClientSettings, on loop: EventLoop, _ completion: @escaping (Result<Opened, TransportError>) -> Void) {
        self.settings = settings
        self.loop = loop
        self.completion = completion
        handshake = ClientHandshake(settings.handshake)
    }

    func start() {
        let limit = settings.connectTimeout
        timer = loop.timer(after: limit) { [weak self] in
            guard let self else { return }
            self.finish(.failure(.timeout(self.handshake.url, after: limit, "there is no answer")))
        }
        do {
            let url = handshake.url
            let target = CurlConnector.Target(
                host: url.host, port: url.port, proxy: try proxy(for: url), interface: settings.networkInterface,
                trustsAnyProxy: { if case .anything = settings.trust { true } else { false } }(),
                proxyAuthorities: settings.proxyAuthorities)
            connector = try CurlConnector(target, on: loop) { [weak self] result in
                self?.connector = nil
                do throws(TransportError) { try self?.connected(result.get()) } catch { self?.finish(.failure(error)) }
            }
        } catch {
            // Its owner is told later, never while it still asks.
            loop.later { [weak self] in self?.finish(.failure(error)) }
        }
    }

    /// Nothing is told afterwards.
    func cancel() {
        completion = nil
        release()
    }

    private func release() {
        timer?.cancel()
        connector?.cancel()
        connector = nil
        stream?.close()
        stream = nil
    }

    private func finish(_ result: Result<Opened, TransportError>) {
        let completion = completion
        self.completion = nil
        if case .success = result {
            timer?.cancel()
            stream = nil
        } else {
            release()
        }
        completion?(result)
    }

    private func proxy(for url: PeerURL) throws(TransportError) -> Proxy? {
        switch settings.proxy {
        case .none: return nil
        case .proxy(let proxy): return proxy
        case .environment(let variables): return try Proxy.fromEnvironment(variables, for: url)
        }
    }

    private func connected(_ raw: any ByteStream) throws(TransportError) {
        let url = handshake.url
        guard url.isSecure else { return ask(over: raw) }
        stream = raw
        let trust = settings.trust
        // The identity is for the server that was named, not for one that it sends to.
        let identity = settings.handshake.url.isSameOrigin(as: url) ? settings.identity : nil
        let parameters = TLSStream.Parameters(
            role: .client, credentials: try TLSCredentials.shared(trust: trust, identity: identity), peer: url.host,
            objection: { chain, status in trust.objection(to: chain, of: url.host, status: status) })
        let tls = try TLSStream(parameters, over: raw)
        stream = tls
        tls.handshake { [weak self, weak tls] error in
            guard let self, let tls else { return }
            self.serverCertificates = tls.peerCertificates
            if let error { self.finish(.failure(error)) } else { self.ask(over: tls) }
        }
    }

    private func ask(over stream: any ByteStream) {
        self.stream = stream
        var random = SystemRandomNumberGenerator()
        request = handshake.request(key: WebSocketKey.random(using: &random), cookies: settings.cookies?.header(for: handshake.url))
        received.removeAll()
        headReader = HTTPHeadReader()
        answer = nil
        stream.onReady = { [weak self] _ in self?.proceed() }
        proceed()
    }

    private func proceed() {
        guard let stream, completion != nil else { return }
        while !request.isEmpty {
            switch request.withUnsafeBytes({ stream.write($0) }) {
            case .bytes(let count): request.removeFirst(count)
            // The server may have answered, and closed, before it read everything: what it says is more than that it closed.
            case .failed, .end: request = []
            case .blocked: return stream.want(.writing)
            }
        }
        stream.want(.reading)
        while completion != nil, self.stream === stream {
            let result = stream.read(into: received.space(atLeast: 4096))
            switch result {
            case .bytes(let count):
                received.commit(count)
                if take(isEnd: false) { return }
            case .blocked: return
            case .end:
                if !take(isEnd: true) { finish(.failure(.closed(.abnormal, reason: "", by: "\(handshake.url.hostHeader)"))) }
                return
            case .failed(let error):
                if !take(isEnd: true) { finish(.failure(error)) }
                return
            }
        }
    }

    // Whether what has arrived is enough.
    private func take(isEnd: Bool) -> Bool {
        if answer == nil {
            do {
                // Some servers announce that they go on before they do; those answers are passed over.
                while let head = try headReader.response(in: &received) {
                    if head.status >= 200 || head.status == 101 {
                        answer = (head, HTTPBodyExcerpt(head))
                        break
                    }
                }
            } catch {
                finish(.failure(.malformed(error.reason, by: handshake.url)))
                return true
            }
        }
        guard let head = answer?.head else { return false }
        if handshake.wantsBody(of: head) {
            let isComplete = answer?.body.read(&received) ?? true
            guard isComplete || isEnd else { return false }
        }
        settings.cookies?.add(from: head.headers, of: handshake.url)
        act(on: handshake.step(after: head, body: answer?.body.bytes ?? []), head)
        return true
    }

    private func act(on step: ClientHandshake.Step, _ head: HTTPResponseHead) {
        switch step {
        case .failed(let error): finish(.failure(error))
        case .opened(let name):
            guard let stream else { return }
            let opening = WebSocketOpening(
                subprotocol: name, headers: head.headers, url: handshake.url, certificates: serverCertificates)
            finish(.success(Opened(stream: stream, received: Array(received.bytes), opening: opening)))
        case .again:
            release()
            start()
        }
    }
}
