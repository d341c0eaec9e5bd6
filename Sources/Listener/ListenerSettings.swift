import Transport

/// Where a listener listens, whom it lets in, and how much it bears.
public struct ListenerSettings: Sendable {
    /// An address or the name of an interface; nil is all of them.
    public var address: String? = "127.0.0.1"
    /// 0 is any that is free.
    public var port: UInt16 = 0
    /// With one there is TLS, and only TLS.
    public var identity: TLSIdentity?
    /// Those who may come in; nil is everybody.
    public var users: UserList?
    /// The certificates of clients who may come in, or of those who have signed theirs; nil is everybody. Only with TLS.
    public var clientCertificates: [Certificate]?
    /// Which names, and which web pages, are let in besides its own.
    public var hosts = HostPolicy()
    public var maximumConnections = 200
    public var maximumConnectionsPerAddress: Int?
    /// Connections that have not said yet what they want.
    public var maximumRequests = 256
    /// Bytes that all connections together may have waiting to be stored, or to be sent, before those that have much of it are made to wait.
    public var memory = 32 << 20
    /// A silent client is asked after this time whether it is still there; nil never.
    public var heartbeat: Duration? = .seconds(300)
    /// How long a client has for TLS and its request, and then for the first message.
    public var requestTimeout = Duration.seconds(10)
    public var firstMessageTimeout = Duration.seconds(30)
    /// Whether events tell of every document.
    public var reportsDocuments = false
    /// What is told to those who ask what this is.
    public var version = ""

    public init() {}
}
