import CBLBase
import CBLFleece
import CBLTransport
import Synchronization

/// What a gateway gave for the word of a provider of identities.
package struct OpenIDTokens: Sendable, Hashable {
    package var idToken: String
    /// With which there are new ones when these are over.
    package var refreshToken: String?
    package var user: String?
    /// The gateway has set a cookie, and needs no token with each request.
    var hasSession = false

    package init(idToken: String, refreshToken: String? = nil, user: String? = nil) {
        self.idToken = idToken
        self.refreshToken = refreshToken
        self.user = user
    }
}

/// Where tokens outlast a program.
package protocol OpenIDTokenStore: Sendable {
    func load() throws -> OpenIDTokens?
    /// Nil forgets them.
    func save(_ tokens: OpenIDTokens?) throws
}

/// Signs in with OpenID Connect at a gateway, which sends one to its provider of identities: with what is remembered, or by having somebody look at
/// the provider's page.
package final class OpenIDLogin: Sendable {
    /// What somebody has to look at.
    package struct Page: Sendable {
        /// The provider's.
        package let url: String
        /// The page that it leads to at last begins so.
        package let redirect: String
        /// Whether nobody waits for it any more.
        package let isGivenUp: @Sendable () -> Bool
    }

    /// Which of the gateway's providers; nil for the usual one.
    let provider: String?
    private let store: any OpenIDTokenStore
    /// Gives the URL to which the provider's page has led. Called on a thread that may wait. Nil where there is nobody to look at it.
    private let open: (@Sendable (Page) throws -> String)?
    private let tokens = Mutex<OpenIDTokens?>(nil)

    package init(provider: String? = nil, store: any OpenIDTokenStore, open: (@Sendable (Page) throws -> String)?) {
        self.provider = provider
        self.store = store
        self.open = open
    }

    /// A token that somebody has got elsewhere. It is sent with each request, or once if the gateway has sessions.
    package convenience init(idToken: String) {
        self.init(store: FixedToken(tokens: OpenIDTokens(idToken: idToken)), open: nil)
        tokens.withLock { $0 = OpenIDTokens(idToken: idToken) }
    }

    private static let isOver = SyncError.http(401, "the server does not accept the token: it may be over")

    private struct FixedToken: OpenIDTokenStore {
        let tokens: OpenIDTokens
        func load() -> OpenIDTokens? { tokens }
        func save(_ tokens: OpenIDTokens?) {}
    }

    package var user: String? { tokens.withLock { $0?.user } }

    /// What is sent with each request; nil if a cookie is enough.
    var bearer: String? { tokens.withLock { $0.flatMap { $0.hasSession ? nil : $0.idToken } } }

    typealias Send = (RemoteRequest) throws -> RemoteAnswer

    /// Sees to it that there are tokens, new ones if those that are known are over.
    func begin(isOver: Bool, at database: String, isGivenUp: @escaping @Sendable () -> Bool, _ send: Send) throws {
        let known = try tokens.withLock { $0 } ?? store.load()
        if !isOver, let known {
            // They may be good still.
            return tokens.withLock { $0 = known }
        }
        guard let open else { throw OpenIDLogin.isOver }
        // What is over is not sent along with that.
        tokens.withLock { $0 = nil }
        if let refresh = known?.refreshToken {
            let answer = try send(request(database, "_oidc_refresh", [("refresh_token", refresh)]))
            if answer.status != 401 { return try take(answer, refresh: refresh) }
            try forget()
        }
        let page = try challenge(database, isGivenUp, send)
        let place = try open(page)
        guard let url = try? PeerURL(place), let redirect = try? PeerURL(page.redirect), url.isSameOrigin(as: redirect) else {
            throw SyncError(.invalidURL, "the page that the provider has led to is not at \(page.redirect)")
        }
        // As it came: the gateway looks at what it has sent there itself.
        let query = HTTPQuery(encoded: url.query ?? "")?.items.map { (name: $0.name, value: $0.value) } ?? []
        try take(send(request(database, "_oidc_callback", query, isCallback: true)), refresh: nil)
    }

    private func request(
        _ database: String, _ operation: String, _ query: [(name: String, value: String)], isCallback: Bool = false
    ) -> RemoteRequest {
        var items = HTTPQuery()
        for (name, value) in query { items.add(name, value) }
        if let provider, !isCallback || items["provider"] == nil { items.add("provider", provider) }
        return RemoteRequest("GET", [database, operation], query: items)
    }

    private func challenge(_ database: String, _ isGivenUp: @escaping @Sendable () -> Bool, _ send: Send) throws -> Page {
        let answer = try send(request(database, "_oidc_challenge", [("offline", "true")]))
        defer { _ = try? answer.readAll(most: 1 << 16) }
        guard answer.status == 401,
            let url = AuthenticationChallenge.all(in: answer.headers).first(where: { $0.scheme == "oidc" })?.parameters["login"],
            let page = try? PeerURL(url), let redirect = HTTPQuery(encoded: page.query ?? "")?["redirect_uri"]
        else {
            throw SyncError.http(
                answer.isSuccess || answer.status == 401 ? 502 : answer.status, "the server has no sign-in with OpenID Connect")
        }
        return Page(url: url, redirect: redirect, isGivenUp: isGivenUp)
    }

    private func take(_ answer: RemoteAnswer, refresh: String?) throws {
        guard answer.isSuccess else { throw RemoteDatabase.failure(answer) }
        let encoder = FleeceEncoder()
        let text = try answer.readAll(most: 1 << 20)
        do { try text.withUnsafeBytes { try JSONParser.parse($0, into: encoder) } } catch {
            throw SyncError.http(502, "the server's answer to the sign-in cannot be read: \(error)")
        }
        let new = try encoder.finish().withRoot { root -> OpenIDTokens? in
            func member(_ name: String) -> String? { root.dictionary?.value(forKey: name, nil)?.string }
            guard let token = member("id_token") else { return nil }
            var tokens = OpenIDTokens(idToken: token, refreshToken: member("refresh_token") ?? refresh, user: member("name"))
            tokens.hasSession = member("session_id").map { !$0.isEmpty } ?? false
            return tokens
        }
        guard let new, HTTPHeaders.isWritable(name: "Authorization", value: new.idToken) else {
            throw SyncError.http(502, "the server gave no token for the sign-in")
        }
        tokens.withLock { $0 = new }
        try store.save(new)
    }

    /// Somebody has to look at the provider's page the next time.
    package func forget() throws {
        tokens.withLock { $0 = nil }
        try store.save(nil)
    }
}
