/// How an HTTP client reaches its servers, and for how long it waits.
package struct HTTPClientSettings: Sendable {
    package var trust = TLSTrust.system
    /// What the server that is named is shown if it asks.
    package var identity: TLSIdentity?
    package var proxy = ProxyChoice.none
    /// The file, in PEM, with the authorities for proxies that are spoken to with TLS.
    package var proxyAuthorities: String?
    package var cookies: CookieJar?
    /// The interface, or the address, to connect from.
    package var networkInterface: String?
    package var userAgent = "cblite"
    package var connectTimeout = Duration.seconds(15)
    /// How long nothing may come or go; nil for ever.
    package var idleTimeout: Duration? = .seconds(60)
    /// To one server at a time. Further requests wait for one of them.
    package var mostConnections = 8
    /// So many connections are kept for the next request, and for so long.
    package var mostIdleConnections = 16
    package var idleConnectionTime = Duration.seconds(30)
    /// A body of so many bytes is not sent before the server has looked at the headers, if it does within that time.
    package var consentThreshold = 65536
    package var consentTimeout = Duration.seconds(1)

    package init() {}

    func route(to url: PeerURL, isIdentified: Bool) -> StreamOpener.Route {
        StreamOpener.Route(
            url: url, trust: trust, identity: isIdentified ? identity : nil, proxy: proxy, proxyAuthorities: proxyAuthorities,
            networkInterface: networkInterface)
    }
}
