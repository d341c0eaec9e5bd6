/// Opens a way for bytes to a server: connects, by a proxy if there is one, and agrees on TLS if the URL asks for it.
final class StreamOpener {
    struct Route {
        var url: PeerURL
        var trust = TLSTrust.system
        /// What the server is shown if it asks.
        var identity: TLSIdentity?
        var proxy = ProxyChoice.none
        /// The file, in PEM, with the authorities for proxies that are spoken to with TLS.
        var proxyAuthorities: String?
        /// The interface, or the address, to connect from.
        var networkInterface: String?
    }

    typealias Completion = (Result<any ByteStream, TransportError>) -> Void

    private let route: Route
    private let loop: EventLoop
    private var completion: Completion?
    private var connector: CurlConnector?
    private var tls: TLSStream?
    /// Those of the server if it was spoken to with TLS, trusted or not.
    private(set) var serverCertificates: [Certificate] = []

    init(_ route: Route, on loop: EventLoop, _ completion: @escaping Completion) {
        self.route = route
        self.loop = loop
        self.completion = completion
    }

    func start() {
        do {
            let url = route.url
            let target = CurlConnector.Target(
                host: url.host, port: url.port, proxy: try route.proxy.proxy(for: url), interface: route.networkInterface,
                trustsAnyProxy: { if case .anything = route.trust { true } else { false } }(), proxyAuthorities: route.proxyAuthorities)
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
        connector?.cancel()
        connector = nil
        tls?.close()
        tls = nil
    }

    private func finish(_ result: Result<any ByteStream, TransportError>) {
        let completion = completion
        self.completion = nil
        if case .failure = result { tls?.close() }
        tls = nil
        completion?(result)
    }

    private func connected(_ raw: any ByteStream) throws(TransportError) {
        guard route.url.isSecure else { return finish(.success(raw)) }
        let trust = route.trust
        let host = route.url.host
        let parameters = TLSStream.Parameters(
            role: .client, credentials: try TLSCredentials.shared(trust: trust, identity: route.identity), peer: host,
            objection: { chain, status in trust.objection(to: chain, of: host, status: status) })
        let tls = try TLSStream(parameters, over: raw)
        self.tls = tls
        tls.handshake { [weak self, weak tls] error in
            guard let self, let tls else { return }
            self.serverCertificates = tls.peerCertificates
            self.finish(error.map { .failure($0) } ?? .success(tls))
        }
    }
}

/// By which proxy, if any, servers are reached.
package enum ProxyChoice: Sendable {
    /// What the given variables say; see `Proxy.fromEnvironment`.
    case environment([String: String])
    case proxy(Proxy)
    case none

    func proxy(for url: PeerURL) throws(TransportError) -> Proxy? {
        switch self {
        case .none: nil
        case .proxy(let proxy): proxy
        case .environment(let variables): try Proxy.fromEnvironment(variables, for: url)
        }
    }
}
