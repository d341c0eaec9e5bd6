import CBLTransport
import Synchronization

/// Decides who is let in, by what comes with a request. Called on any thread.
final class Admission: Sendable {
    let isSecure: Bool
    /// Nil lets everybody in.
    private let users: UserList?
    private let now: @Sendable () -> LoopTime
    private let attempts = Mutex(Attempts())
    private let signedIn = SignedIn()

    init(_ users: UserList?, isSecure: Bool, now: @escaping @Sendable () -> LoopTime) {
        self.users = users
        self.isSecure = isSecure
        self.now = now
    }

    func admit(_ request: PeerRequest) throws(HTTPAnswer) -> Visitor {
        let certificate = request.certificates.first?.subject
        let isLocal = NetworkAddresses.isLoopback(request.http.address)
        guard let users else { return Visitor(certificate: certificate, isLocal: isLocal) }
        let (user, authentication) = try user(of: request, users)
        var visitor = Visitor(user: user, certificate: certificate, rights: users.rights(of: user) ?? UserRights(), isLocal: isLocal)
        visitor.authentication = authentication
        return visitor
    }

    private func user(of request: PeerRequest, _ users: UserList) throws(HTTPAnswer) -> (String, String) {
        if request.credentials == nil, let token = SignedIn.token(in: request.http.headers),
            let user = signedIn.user(of: token, at: now())
        {
            return (user, "cookie")
        }
        let credentials = try credentials(of: request)
        guard users.admits(credentials) else { throw wrong(credentials, from: request.http.address) }
        return (credentials.user, "default")
    }

    /// Throws if there are none, or too many were wrong of late.
    func credentials(of request: PeerRequest) throws(HTTPAnswer) -> Credentials {
        guard let credentials = request.credentials else { throw .unauthorized(realm: "cblite") }
        try waitIfNeeded(credentials, from: request.http.address)
        return credentials
    }

    private func waitIfNeeded(_ credentials: Credentials, from address: String) throws(HTTPAnswer) {
        guard attempts.withLock({ $0.mustWait(credentials.user, from: address, at: now()) }) else { return }
        let seconds = "\(Attempts.pause.components.seconds)"
        throw HTTPAnswer(429, "too many wrong passwords; try again later", headers: ["Retry-After": seconds])
    }

    func wrong(_ credentials: Credentials, from address: String) -> HTTPAnswer {
        attempts.withLock { $0.failed(credentials, from: address, at: now()) }
        return .unauthorized(realm: "cblite")
    }

    // MARK: Signing in

    /// Who it is from now on, and the header that says so.
    func signIn(_ credentials: Credentials, from address: String) throws(HTTPAnswer) -> (rights: UserRights, cookie: String) {
        try waitIfNeeded(credentials, from: address)
        guard let users, users.admits(credentials) else {
            _ = wrong(credentials, from: address)
            throw HTTPAnswer(401, "the name or the password is not right")
        }
        let token = signedIn.begin(credentials.user, at: now())
        return (users.rights(of: credentials.user) ?? UserRights(), SignedIn.header(token, isSecure: isSecure))
    }

    /// The header that has the client forget.
    func signOut(_ headers: HTTPHeaders) -> String {
        if let token = SignedIn.token(in: headers) { signedIn.end(token) }
        return SignedIn.header(nil, isSecure: isSecure)
    }
}
