/// How a WebSocket is opened, and kept.
public struct WebSocketClientSettings: Sendable {
    public enum ProxyChoice: Sendable {
        /// What the given variables say; see `Proxy.fromEnvironment`.
        case environment([String: String])
        case proxy(Proxy)
        case none
    }

    public var handshake: HandshakeRequest
    public var trust = TLSTrust.system
    /// What the server is shown if it asks.
    public var identity: TLSIdentity?
    public var proxy = ProxyChoice.none
    /// The file, in PEM, with the authorities for proxies that are spoken to with TLS.
    public var proxyAuthorities: String?
    public var cookies: CookieJar?
    /// The interface, or the address, to connect from.
    public var networkInterface: String?
    public var connectTimeout = Duration.seconds(15)
    public var limits = WebSocketLimits()

    public init(_ handshake: HandshakeRequest) { self.handshake = handshake }
}

/// How much a connection takes, and for how long it waits.
public struct WebSocketLimits: Sendable {
    /// The largest message that is accepted.
    public var messageSize = 1 << 20
    /// The owner is asked for messages while less than this waits to be sent.
    public var sendBuffer = 65536
    /// A silent peer is asked after this time whether it is still there; nil never.
    public var heartbeat: Duration? = .seconds(300)
    /// How long the peer has to answer a farewell.
    public var closeTimeout = Duration.seconds(5)

    public init() {}
}
