import CBLTransport
import Synchronization

/// Decides who is let in, by what comes with a request. Called on any thread.
final class Admission: Sendable {
    /// Whom it lets in.
    package struct Policy: Sendable {
        /// Nil lets everybody in.
        package var users: UserList?
        /// Whether those may come who say nothing of themselves; what they may then. Nil if not.
        package var anonymous: UserRights?
        /// Whether a certificate is enough, of whomever it names; what those may of whom the list has nothing.
        package var certificates: UserRights?

        package init(_ users: UserList? = nil) { self.users = users }
    }

    let isSecure: Bool
    private let policy: Policy
    let now: @Sendable () -> LoopTime
    private let attempts = Mutex(Attempts())
    private let signedIn = SignedIn()
    private let lately = RightPasswords()

    private var users: UserList? { policy.users }

    convenience init(_ users: UserList?, isSecure: Bool, now: @escaping @Sendable () -> LoopTime) {
        self.init(Policy(users), isSecure: isSecure, now: now)
    }

    init(_ policy: Policy, isSecure: Bool, now: @escaping @Sendable () -> LoopTime) {
        self.policy = policy
        self.isSecure = isSecure
        self.now = now
    }

    func admit(_ request: PeerRequest) throws(HTTPAnswer) -> Visitor {
        let certificate = request.certificates.first?.subject
        let isLocal = NetworkAddresses.isLoopback(request.http.address)
        guard let users else { return Visitor(certificate: certificate, isLocal: isLocal) }
        guard saysSomething(request) else {
            if let certificate, let rights = policy.certificates {
                return Visitor(user: nil, certificate: certificate, rights: users.rights(of: certificate) ?? rights, isLocal: isLocal)
            }
            if let rights = policy.anonymous { return Visitor(certificate: certificate, rights: rights, isLocal: isLocal) }
            throw .unauthorized(realm: "cblite")
        }
        let (user, authentication) = try user(of: request, users)
        var visitor = Visitor(user: user, certificate: certificate, rights: users.rights(of: user) ?? UserRights(), isLocal: isLocal)
        visitor.authentication = authentication
        return visitor
    }

    private func saysSomething(_ request: PeerRequest) -> Bool {
        request.credentials != nil || request.http.headers["Authorization"] != nil || SignedIn.token(in: request.http.headers) != nil
    }

    private func user(of request: PeerRequest, _ users: UserList) throws(HTTPAnswer) -> (String, String) {
        if request.credentials == nil, let token = SignedIn.token(in: request.http.headers),
            let user = signedIn.user(of: token, at: now())
        {
            return (user, "cookie")
        }
        let credentials = try credentials(of: request)
        guard admits(credentials) else { throw wrong(credentials, from: request.http.address) }
        return (credentials.user, "default")
    }

    // Passwords that take their time

    /// What is to be looked at on a thread that may take long, before `admit` is asked; nil if nothing is.
    func slowCredentials(of request: PeerRequest) -> Credentials? {
        guard let users, users.takesTime, let credentials = request.credentials, !lately.contains(credentials) else { return nil }
        let mustWait = attempts.withLock { $0.mustWait(credentials.user, from: request.http.address, at: now()) }
        return mustWait ? nil : credentials
    }

    /// Looks at a password, and remembers one that is right.
    func admits(_ credentials: Credentials) -> Bool {
        guard let users else { return false }
        if users.takesTime, lately.contains(credentials) { return true }
        guard users.admits(credentials) else { return false }
        if users.takesTime { lately.insert(credentials) }
        return true
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
        guard let users, admits(credentials) else {
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
