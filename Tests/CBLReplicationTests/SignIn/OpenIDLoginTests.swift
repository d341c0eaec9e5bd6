import CBLReplicationTestSupport
import CBLStore
import CBLTestSupport
import CBLTransport
import Glibc
import Synchronization
import Testing

@testable import CBLReplication

/// The sign-in at a gateway's provider of identities.
@Suite struct OpenIDLoginTests {
    private final class Store: OpenIDTokenStore {
        private let tokens: Mutex<OpenIDTokens?>
        init(_ tokens: OpenIDTokens? = nil) { self.tokens = Mutex(tokens) }
        func load() -> OpenIDTokens? { tokens.withLock { $0 } }
        func save(_ tokens: OpenIDTokens?) { self.tokens.withLock { $0 = tokens } }
    }

    private static let redirect = "http://gateway.test/db/_oidc_callback"
    private static let page =
        "http://provider.test/authorize?client_id=1&redirect_uri=http%3A%2F%2Fgateway.test%2Fdb%2F_oidc_callback&state=s"

    /// A gateway that knows one token after another: what comes with another one is refused.
    private final class Gateway: Sendable {
        private let state: State
        let server: LoginServer

        private final class State: Sendable {
            let token = Mutex(1)
            let acceptsRefresh = Mutex(true)
        }

        init(challenge: String = "OIDC login=\"\(OpenIDLoginTests.page)\"", callback: (@Sendable (Int) -> String)? = nil) throws {
            let state = State()
            self.state = state
            let answerOf = callback ?? { #"{"id_token":"token\#($0)","refresh_token":"refresh\#($0)","name":"test_ada"}"# }
            server = try LoginServer { asked in
                let number = state.token.withLock { $0 }
                // Like a gateway, which looks at no more than a token that is wrong.
                if let authorization = asked.authorization, authorization != "Bearer token\(number)" { return .says(401) }
                switch asked.path {
                case "/db/_oidc_challenge": return .says(401, challenge: challenge)
                case "/db/_oidc_callback": return asked.query["code"] == "c" ? .says(200, answerOf(number)) : .says(400)
                case "/db/_oidc_refresh":
                    return state.acceptsRefresh.withLock { $0 } ? .says(200, answerOf(number)) : .says(401)
                default: return .says(asked.authorization == "Bearer token\(number)" || asked.cookie != nil ? 200 : 401)
                }
            }
        }

        func endTokens() { state.token.withLock { $0 += 1 } }
        func endRefresh() { state.acceptsRefresh.withLock { $0 = false } }

        func client(_ login: OpenIDLogin) throws -> WebServer {
            var settings = WebServerSettings(try PeerURL("http://127.0.0.1:\(server.port)/db"))
            settings.login = .openID(login)
            return try WebServer(settings, on: EngineLoops.client)
        }
    }

    private let request = RemoteRequest("GET", ["db"])

    @Test func somebodyLooksAtThePageOnce() throws {
        let gateway = try Gateway()
        let store = Store()
        let pages = Mutex<[String]>([])
        let login = OpenIDLogin(provider: "test", store: store) { page in
            pages.withLock { $0 += [page.url, page.redirect] }
            return OpenIDLoginTests.redirect + "?code=c&state=s%2B1"
        }
        let client = try gateway.client(login)
        #expect(try client.send(request).status == 200)
        #expect(pages.withLock { $0 } == [OpenIDLoginTests.page, OpenIDLoginTests.redirect])
        #expect(gateway.server.lines == ["GET /db/_oidc_challenge", "GET /db/_oidc_callback", "GET /db"])
        #expect(gateway.server.asked[0].query == ["provider": "test", "offline": "true"])
        #expect(gateway.server.asked[1].query == ["provider": "test", "code": "c", "state": "s+1"])
        #expect(store.load() == OpenIDTokens(idToken: "token1", refreshToken: "refresh1", user: "test_ada"))
        #expect(login.user == "test_ada")

        // A token that is over is renewed, and nobody has to look.
        gateway.endTokens()
        #expect(try client.send(request).status == 200)
        #expect(gateway.server.asked.first { $0.path == "/db/_oidc_refresh" }?.query == ["provider": "test", "refresh_token": "refresh1"])
        #expect(store.load()?.idToken == "token2" && pages.withLock { $0.count } == 2)

        // The next program begins with what is known.
        let later = OpenIDLogin(store: store) { _ in throw SyncError.http(418, "nobody should be asked") }
        #expect(try gateway.client(later).send(request).status == 200)

        // When not even that is good any more, it is forgotten, and somebody looks again.
        gateway.endTokens()
        gateway.endRefresh()
        #expect(try client.send(request).status == 200)
        #expect(store.load()?.idToken == "token3" && pages.withLock { $0.count } == 4)
    }

    @Test func aSessionNeedsNoToken() throws {
        let gateway = try Gateway { _ in #"{"id_token":"t","session_id":"s"}"# }
        let login = OpenIDLogin(store: Store()) { _ in OpenIDLoginTests.redirect + "?code=c" }
        _ = try gateway.client(login).send(request)
        #expect(gateway.server.asked.allSatisfy { $0.authorization == nil })
    }

    @Test func aTokenOfTheAppsOwnIsSent() throws {
        let gateway = try Gateway()
        let client = try gateway.client(OpenIDLogin(idToken: "token1"))
        #expect(try client.send(request).status == 200)
        #expect(gateway.server.lines == ["GET /db"])
        gateway.endTokens()
        #expect {
            _ = try client.send(request)
        } throws: { error in (error as? SyncError)?.httpStatus == 401 && "\(error)".contains("does not accept the token") }
    }

    /// What the browser came back with does not go elsewhere.
    @Test(arguments: [
        "http://evil.test/db/_oidc_callback?code=c", "https://gateway.test/db/_oidc_callback?code=c", "", "nonsense", "\u{1b}[2J",
    ])
    func aPlaceThatIsNotTheGatewaysIsRefused(place: String) throws {
        let gateway = try Gateway()
        #expect {
            _ = try gateway.client(OpenIDLogin(store: Store()) { _ in place }).send(request)
        } throws: { "\($0)".contains("is not at \(OpenIDLoginTests.redirect)") }
        #expect(gateway.server.lines == ["GET /db/_oidc_challenge"])
    }

    @Test(arguments: ["Basic realm=\"x\"", "OIDC login=\"nonsense\"", "OIDC login=\"http://a.test/?x=1\"", "OIDC login=\"", "OIDC"])
    func whatIsNoChallengeIsNone(challenge: String) throws {
        let gateway = try Gateway(challenge: challenge)
        #expect {
            _ = try gateway.client(OpenIDLogin(store: Store()) { _ in throw CancellationError() }).send(request)
        } throws: { "\($0)".contains("no sign-in with OpenID Connect") }
    }

    @Test(arguments: ["", "[]", #"{"id_token":7}"#, #"{"id_token":"a\r\nX: y"}"#, "{}", String(repeating: "[", count: 5000)])
    func whatIsNoTokenIsNone(answer: String) throws {
        let gateway = try Gateway { _ in answer }
        let store = Store()
        #expect {
            _ = try gateway.client(OpenIDLogin(store: store) { _ in OpenIDLoginTests.redirect + "?code=c" }).send(request)
        } throws: { ($0 as? SyncError)?.httpStatus == 502 }
        #expect(store.load() == nil)
    }

    /// Before the page is shown, or while somebody looks at it.
    @Test(arguments: [true, false]) func aSignInThatWaitsCanBeGivenUp(atOnce: Bool) async throws {
        let gateway = try Gateway()
        let directory = try TemporaryDirectory(inMemory: true)
        let here = try Database(path: directory.path + "/here.cblite2", options: .create)
        let (pages, page) = AsyncStream<Void>.makeStream()
        let (events, event) = AsyncStream<ReplicatorEvent>.makeStream()
        let login = OpenIDLogin(store: Store()) { shown in
            page.yield()
            while !shown.isGivenUp() { usleep(1000) }
            throw CancellationError()
        }
        var settings = ReplicatorSettings(
            .server(ReplicatorSettings.server(try PeerURL("ws://127.0.0.1:\(gateway.server.port)/db"))),
            collections: [.init(push: .off, pull: .once)])
        settings.login = .openID(login)
        let replicator = Replicator(here, settings, on: EngineLoops.client) { event.yield($0) }
        replicator.start()
        if !atOnce { for await _ in pages { break } }
        replicator.stop()
        for await event in events {
            guard case .ended(let failure) = event else { continue }
            #expect(failure == nil)
            break
        }
    }
}
