import CBLTransport

/// Where a listener listens, whom it lets in, and how much it bears.
package struct ListenerSettings: Sendable {
    /// An address or the name of an interface; nil is all of them.
    package var address: String? = "127.0.0.1"
    /// 0 is any that is free.
    package var port: UInt16 = 0
    /// With one there is TLS, and only TLS.
    package var identity: TLSIdentity?
    /// Those who may come in; nil is everybody.
    package var users: UserList?
    /// With users: what those may who say nothing of themselves; nil if they are not let in.
    package var anonymous: UserRights?
    /// With users: what those may who show a certificate alone, if it names nobody of the list; nil if that is not enough.
    package var certificateHolders: UserRights?
    /// Decides about names and passwords when there is no such list. It is called on the loop, and answers once, on any thread.
    package var passwordCheck: (@Sendable (Credentials, @escaping @Sendable (Bool) -> Void) -> Void)?
    /// The certificates of clients who may come in, or of those who have signed theirs; nil is everybody. Only with TLS.
    package var clientCertificates: [Certificate]?
    /// Decides about the certificates of clients, their own first, when there is no such list. Called, and answering, as for passwords.
    package var certificateCheck: (@Sendable ([Certificate], @escaping @Sendable (Bool) -> Void) -> Void)?
    /// Which names, and which web pages, are let in besides its own.
    package var hosts = HostPolicy()
    package var maximumConnections = 200
    package var maximumConnectionsPerAddress: Int?
    /// Connections that have not said yet what they want.
    package var maximumRequests = 256
    /// Bytes that all connections together may have waiting to be stored, or to be sent, before those that have much of it are made to wait.
    package var memory = 32 << 20
    /// A silent client is asked after this time whether it is still there; nil never.
    package var heartbeat: Duration? = .seconds(300)
    /// How long a client has for TLS and its request, and then for the first message.
    package var requestTimeout = Duration.seconds(10)
    package var firstMessageTimeout = Duration.seconds(30)
    /// What tells of what was done, for those who have to know later.
    package var audit: AuditLog?
    /// Whether events tell of every document.
    package var reportsDocuments = false
    /// Whether events tell of every answer of the REST API.
    package var reportsRequests = false
    /// Answers the REST API too.
    package var rest: RESTService.Settings?
    /// What is told to those who ask what this is.
    package var version = ""

    package init() {}
}
