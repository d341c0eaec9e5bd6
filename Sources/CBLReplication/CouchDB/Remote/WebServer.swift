import CBLBase
import CBLFleece
import CBLTransport

/// How to reach a server that speaks CouchDB's protocol, and who one is there.
package struct WebServerSettings: Sendable {
    /// Of the database.
    package var url: PeerURL
    package var login = ServerLogin.nobody
    package var headers: HTTPHeaders = [:]
    package var client = HTTPClientSettings()

    package init(_ url: PeerURL) {
        self.url = url
        self.url.credentials = nil
        login = url.credentials.map { .password($0, waitsForChallenge: false) } ?? .nobody
        client.cookies = CookieJar()
    }

    /// For what is asked beside a WebSocket: the same server, reached in the same way.
    package init(beside server: WebSocketClientSettings, _ login: ServerLogin) {
        var url = server.handshake.url
        url.path = SyncEndpoint.removed(from: url.path)
        while url.path.hasSuffix("/") { url.path.removeLast() }
        self.init(url)
        self.login = login
        headers = server.handshake.headers
        client.userAgent = server.handshake.userAgent
        client.trust = server.trust
        client.identity = server.identity
        client.proxy = server.proxy
        client.proxyAuthorities = server.proxyAuthorities
        client.cookies = server.cookies ?? client.cookies
        client.networkInterface = server.networkInterface
        client.connectTimeout = server.connectTimeout
    }

    /// Signs in now, while there is somebody who can be asked. Called on a thread that may wait.
    package func signIn(on loop: EventLoop = .shared) throws {
        guard login.isBeforehand else { return }
        let server = try WebServer(self, on: loop)
        let answer = try server.send(RemoteRequest("GET", [try place().database, SessionLogin.usualPath]))
        _ = try? answer.readAll(most: 1 << 20)
        guard answer.status != 401 else { throw SyncError.http(401, "the server does not accept the sign-in") }
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
    private let signIn: SignIn

    init(_ settings: WebServerSettings, on loop: EventLoop) throws {
        self.settings = settings
        (base, database) = try settings.place()
        client = HTTPClient(settings.client, on: loop)
        signIn = SignIn(settings.login, at: database)
    }

    deinit { client.close() }

    func interrupt() {
        signIn.interrupt()
        client.close()
    }

    /// Signs in, if that is needed and was not done yet; gives what is sent with each request afterwards, beside cookies. With `again`, anew: the
    /// server does not know one any more. Ends when there is another interruption than so many.
    func signedIn(again: Bool, interruptions: Int) throws -> (authorization: String?, isNew: Bool) {
        let number = signIn.number
        try signIn.ensure(since: again ? number : nil, interruptions: interruptions) { try sendOnce($0) }
        return (signIn.authorization, signIn.number != number)
    }

    var interruptionCount: Int { signIn.interruptionCount }

    /// What the server has set.
    var cookies: CookieJar? { settings.client.cookies }

    func send(_ request: RemoteRequest) throws -> RemoteAnswer {
        guard settings.login.isBeforehand else { return try sendOnce(request) }
        try signIn.ensure { try sendOnce($0) }
        let number = signIn.number
        let answer = try sendOnce(request)
        // The session is over; a body that was made on the way cannot be made again.
        guard answer.status == 401 else { return answer }
        if case .product = request.body { return answer }
        _ = try? answer.readAll(most: 1 << 16)
        try signIn.ensure(since: number) { try sendOnce($0) }
        return try sendOnce(request)
    }

    private func sendOnce(_ request: RemoteRequest) throws -> RemoteAnswer {
        var url = base
        // Some servers read a `+` in a path as a blank.
        for component in request.path {
            let text = PercentEncoding.unreserved(component)
            // As they are these mean other places, to whoever is on the way.
            url.path += "/" + (text == "." || text == ".." ? text.replacing(".", with: "%2E") : text)
        }
        if !request.query.items.isEmpty { url.query = request.query.encoded }
        var sent = HTTPClientRequest(request.method, url, headers: request.allHeaders)
        for field in settings.headers.fields { sent.headers.set(field.name, field.value) }
        if case .password(let credentials, let waits) = settings.login {
            sent.credentials = credentials
            sent.waitsForChallenge = waits
        }
        if case .signatures(let keys) = settings.login { sent.signature = keys }
        if let authorization = signIn.authorization { sent.headers.set("Authorization", authorization) }
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
}
