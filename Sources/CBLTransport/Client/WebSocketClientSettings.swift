/// How a WebSocket is opened, and kept.
package struct WebSocketClientSettings: Sendable {
    package var handshake: HandshakeRequest
    package var trust = TLSTrust.system
    /// What the server is shown if it asks.
    package var identity: TLSIdentity?
    package var proxy = ProxyChoice.none
    /// The file, in PEM, with the authorities for proxies that are spoken to with TLS.
    package var proxyAuthorities: String?
    package var cookies: CookieJar?
    /// The interface, or the address, to connect from.
    package var networkInterface: String?
    package var connectTimeout = Duration.seconds(15)
    package var limits = WebSocketLimits()

    package init(_ handshake: HandshakeRequest) { self.handshake = handshake }
}

/// How much a connection takes, and for how long it waits.
package struct WebSocketLimits: Sendable {
    /// The largest message that is accepted.
    package var messageSize = 1 << 20
    /// The owner is asked for messages while less than this waits to be sent.
    package var sendBuffer = 65536
    /// A silent peer is asked after this time whether it is still there; nil never.
    package var heartbeat: Duration? = .seconds(300)
    /// How long the peer has to answer a farewell.
    package var closeTimeout = Duration.seconds(5)

    package init() {}
}
