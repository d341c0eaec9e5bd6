import CBLBase
import CBLFleece
import CBLTransport
import Synchronization

/// How to reach a server that speaks CouchDB's protocol, and who one is there.
package struct WebServerSettings: Sendable {
    /// How one is let in.
    package enum Login: Sendable {
        case nobody
        /// A name and a password with every request, or proofs of it if the server asks for these.
        case password(Credentials, waitsForChallenge: Bool)
        /// A name and a password once, for a cookie.
        case session(Credentials)
    }

    /// Of the database.
    package var url: PeerURL
    package var login = Login.nobody
    package var headers: HTTPHeaders = [:]
    package var client = HTTPClientSettings()

    package init(_ url: PeerURL) {
        self.url = url
        self.url.credentials = nil
        login = url.credentials.map { .password($0, waitsForChallenge: false) } ?? .nobody
        client.cookies = CookieJar()
    }

    /// By that name, if by any.
    package var user: String? {
        switch login {
        case .nobody: nil
        case .password(let credentials, _), .session(let credentials): credentials.user
        }
    }

    /// The name of the database, and what stands in front of it in the URL.
    func place() throws(SyncError) -> (server: PeerURL, database: String) {
        var components = url.path.split(separator: "/")
        guard let last = components.popLast(), let name = PercentEncoding.decode(last), !name.isEmpty else {
            throw SyncError(.invalidURL, "\(url.webDescription): the name of the database is missing")
        }
        var server = url
        server.path = components.map { "/" + $0 }.joined()
        server.query = nil
        return (server, name)
    }
}

/// A server at the other end of the network.
final class WebServer: RemoteServer {
    let mostRequests = 8
    private let settings: WebServerSettings
    private let base: PeerURL
    private let database: String
    private let client: HTTPClient
    private let isSignedIn = Mutex(false)

    init(_ settings: WebServerSettings, on loop: EventLoop) throws {
        self.settings = settings
        (base, database) = try settings.place()
        client = HTTPClient(settings.client, on: loop)
    }

    deinit { client.close() }

    func interrupt() { client.close() }

    func send(_ request: RemoteRequest) throws -> RemoteAnswer {
        guard case .session(let credentials) = settings.login else { return try sendOnce(request) }
        if !isSignedIn.withLock({ $0 }) { try signIn(credentials) }
        let answer = try sendOnce(request)
        // The session is over; a body that was made on the way cannot be made again.
        guard answer.status == 401 else { return answer }
        if case .product = request.body { return answer }
        try signIn(credentials)
        return try sendOnce(request)
    }

    private func sendOnce(_ request: RemoteRequest) throws -> RemoteAnswer {
        var url = base
        // Some servers read a `+` in a path as a blank.
        for component in request.path { url.path += "/" + PercentEncoding.unreserved(component) }
        if !request.query.items.isEmpty { url.query = request.query.encoded }
        var sent = HTTPClientRequest(request.method, url, headers: request.allHeaders)
        for field in settings.headers.fields { sent.headers.set(field.name, field.value) }
        if case .password(let credentials, let waits) = settings.login {
            sent.credentials = credentials
            sent.waitsForChallenge = waits
        }
        // All of them can be: revisions are named by those who made them.
        sent.isRepeatable = true
        var product: HTTPProduct?
        switch request.body {
        case .none: break
        case .json(let bytes): sent.body = .bytes(bytes)
        case .product(let given, _): product = given
        }
        let answer = try client.send(sent, product)
        return RemoteAnswer(answer.head.status, answer.head.headers) { try answer.read(into: $0) }
    }

    /// A name and a password become a cookie: at the database, as with Sync Gateway, or at the server, as with CouchDB.
    private func signIn(_ credentials: Credentials) throws {
        var object = JSONObjectWriter(capacity: 128)
        object.begin()
        object.add("name", credentials.user)
        object.add("password", credentials.password)
        object.end()
        let body = RemoteRequest.Body.json(object.buffer.withBytes { Array($0) })
        var answer = try sendOnce(RemoteRequest("POST", [database, "_session"], body: body))
        if [401, 404, 405].contains(answer.status) {
            let again = try sendOnce(RemoteRequest("POST", ["_session"], body: body))
            // Where there is no such thing, what was said of the name and the password counts.
            if answer.status != 401 || ![404, 405].contains(again.status) { answer = again }
        }
        guard answer.isSuccess else {
            throw SyncError.http(answer.status == 403 ? 401 : answer.status, "the server does not let \(credentials.user) sign in")
        }
        _ = try answer.readAll(most: 1 << 20)
        isSignedIn.withLock { $0 = true }
    }
}
