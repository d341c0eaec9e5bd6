extension HTTPServer {
    package struct Settings: Sendable {
        /// An address or the name of an interface; nil is all of them.
        package var address: String?
        /// 0 is any that is free.
        package var port: UInt16 = 0
        /// With one the server speaks TLS, and only TLS.
        package var identity: TLSIdentity?
        package var clientCertificates = ClientCertificates.notAsked
        /// Whether somebody is let in. Nil lets in everybody. It is called on the loop, so it must not take long.
        package var authenticate: (@Sendable (Credentials) -> Bool)?
        /// What the person is told who is asked for a name and a password.
        package var realm = "cblite"
        /// What the server says that it is.
        package var software = "cblite"
        /// Of WebSockets, and of requests that are being answered, together.
        package var maximumConnections = 200
        /// How many of them may come from one address.
        package var maximumConnectionsPerAddress: Int?
        /// How many may be about to say what they want. Beyond that whoever takes longest is sent away: somebody who has opened a connection
        /// in order to say nothing does not keep out others.
        package var maximumRequests = 256
        /// Of a request's body, if whoever answers it does not say otherwise.
        package var maximumBody = 64 << 20
        /// How long a client has for TLS and its request.
        package var requestTimeout = Duration.seconds(10)
        /// How long a connection is kept that nothing is asked over.
        package var idleTimeout = Duration.seconds(60)
        /// How long a client has for the next few KiB of a body, in either direction.
        package var stallTimeout = Duration.seconds(60)
        package var limits = WebSocketLimits()

        package init() {}
    }

    package enum ClientCertificates: Sendable {
        case notAsked
        /// Signed by one of these, or one of these itself.
        case authorities([Certificate])
        /// The chain of the client, its own certificate first, is looked at by the server's owner.
        case check(@Sendable ([Certificate]) -> Bool)
        /// The same, for those who take their time: they are called on the loop, and answer once, on any thread.
        case ask(@Sendable ([Certificate], @escaping @Sendable (Bool) -> Void) -> Void)
    }

    package indirect enum Answer {
        /// A WebSocket with the first of the client's protocols that is among these. The closure gives the owner of the connection, which
        /// somebody has to keep.
        case webSocket(protocols: [String], (WebSocketConnection, PeerRequest) -> any WebSocketDelegate)
        /// The connection ends with it.
        case refuse(HTTPAnswer)
        /// An answer to a request that wants no WebSocket.
        case answer(HTTPAnswer)
        /// An answer by somebody who may take their time, to a body of so many bytes at most.
        case respond(any HTTPResponder, maximumBody: Int? = nil)
        /// Somebody has to be asked first, who answers once, on any thread. What that means for the request is asked for on the loop.
        case ask((@escaping @Sendable (Bool) -> Void) -> Void, then: (Bool) -> Answer)
    }
}
