import CBLReplicationTestSupport
import CBLTestSupport
import CouchbaseLiteClassic
import Foundation
import Synchronization
import Testing

/// Ways to be let in that the vendor's library had in 1.x.
@Suite struct SignInAuthenticatorTests {
    private let database: TemporaryDatabase

    init() throws {
        database = try TemporaryDatabase(keepingFormat: true)
        try database.save("a", ["n": 1])
    }

    /// Replicates to the end, and gives the error.
    @discardableResult
    private func push(
        _ target: any Endpoint, _ authenticator: any Authenticator, stopping told: Told<Bool>? = nil
    ) async throws -> NSError? {
        var config = ReplicatorConfiguration(collections: [CollectionConfiguration(collection: database.collection)], target: target)
        config.replicatorType = .push
        config.authenticator = authenticator
        let replicator = Replicator(config: config)
        let ends = Told<NSError?>()
        let token = replicator.addChangeListener(withQueue: ends.queue) { change in
            if change.status.activity == .stopped { ends.add(change.status.error.map { $0 as NSError }) }
        }
        replicator.start()
        if let told {
            #expect(await told.waiting())
            replicator.stop()
        }
        #expect(await ends.waiting())
        token.remove()
        return ends.all.last ?? nil
    }

    private func endpoint(_ server: LoginServer) throws -> CouchDBEndpoint {
        CouchDBEndpoint(url: try #require(URL(string: "http://127.0.0.1:\(server.port)/db")))
    }

    private func gateway(_ server: LoginServer) throws -> URLEndpoint {
        URLEndpoint(url: try #require(URL(string: "ws://127.0.0.1:\(server.port)/db")))
    }

    @Test func aTokenIsSentOnceToServersOfBothKinds() async throws {
        let server = try LoginServer { asked in
            asked.method == "POST" && asked.path != "/db/_session" ? .says(200, cookie: "S=1") : .says(asked.cookie == "S=1" ? 404 : 401)
        }
        try await push(endpoint(server), TokenAuthenticator.facebook(token: "t"))
        try await push(gateway(server), TokenAuthenticator.google(idToken: "g"))
        try await push(gateway(server), TokenAuthenticator(path: "_own", parameters: ["b": "2", "a": "1"]))
        let sent = server.asked.filter { $0.method == "POST" && !$0.body.isEmpty && $0.path != "/db/_revs_diff" }
        #expect(sent.map(\.path) == ["/db/_facebook", "/db/_google", "/db/_own"])
        #expect(sent.map(\.body) == [#"{"access_token":"t"}"#, #"{"id_token":"g"}"#, #"{"a":"1","b":"2"}"#])
        #expect(server.asked.contains { $0.path == "/db/_blipsync" && $0.cookie == "S=1" })
    }

    @Test func requestsAreSignedWhereTheyCanBe() async throws {
        let server = try LoginServer { _ in .says(404) }
        let keys = OAuth1Authenticator(consumerKey: "ck", consumerSecret: "cs", token: "t", tokenSecret: "ts")
        try await push(endpoint(server), keys)
        #expect(server.asked.first?.authorization?.contains("oauth_consumer_key=\"ck\"") == true)
        let count = server.asked.count
        #expect(try await push(gateway(server), keys) != nil && server.asked.count == count)
    }

    private func openID() throws -> LoginServer {
        try LoginServer { asked in
            let page = "http://provider.test/?redirect_uri=http%3A%2F%2Fgateway.test%2Fback"
            return switch asked.path {
            case "/db/_oidc_challenge": .says(401, challenge: "OIDC login=\"\(page)\"")
            case "/db/_oidc_callback": .says(200, #"{"id_token":"t\#(asked.query["code"] ?? "")","refresh_token":"r","name":"ada"}"#)
            default: .says(asked.authorization == "Bearer tc" ? 404 : 401)
            }
        }
    }

    @Test func theAppShowsAPageOnce() async throws {
        let server = try openID()
        let storage = OpenIDConnectMemory()
        let shown = Mutex<[String]>([])
        let authenticator = OpenIDConnectAuthenticator(provider: "p", storage: storage) { page, redirect in
            shown.withLock { $0 += [page.absoluteString, redirect] }
            return try #require(URL(string: redirect + "?code=c"))
        }
        for _ in 0..<2 { try await push(gateway(server), authenticator) }
        #expect(
            shown.withLock { $0 } == ["http://provider.test/?redirect_uri=http%3A%2F%2Fgateway.test%2Fback", "http://gateway.test/back"])
        #expect(storage.load() == .init(idToken: "tc", refreshToken: "r", name: "ada"))
        #expect(server.asked.count { $0.path == "/db/_blipsync" && $0.authorization == "Bearer tc" } == 2)
    }

    @Test func whatTheAppThrowsEndsTheReplicator() async throws {
        let server = try openID()
        let authenticator = OpenIDConnectAuthenticator { _, _ in throw CocoaError(.userCancelled) }
        #expect(try await push(gateway(server), authenticator) != nil)
        #expect(!server.lines.contains("GET /db/_blipsync"))
    }

    @Test func aReplicatorCanBeStoppedWhileSomebodySignsIn() async throws {
        let server = try openID()
        let isShown = Told<Bool>()
        let authenticator = OpenIDConnectAuthenticator { _, _ in
            isShown.add(true)
            try await Task.sleep(for: .seconds(3600))
            throw CancellationError()
        }
        let error = try await push(gateway(server), authenticator, stopping: isShown)
        #expect(error == nil)
    }

    @Test func aTokenThatIsOverIsAnError() async throws {
        let server = try openID()
        #expect(try await push(gateway(server), OpenIDConnectAuthenticator(idToken: "tc"))?.code != CBLError.httpAuthRequired)
        #expect(try await push(gateway(server), OpenIDConnectAuthenticator(idToken: "old"))?.code == CBLError.httpAuthRequired)
        #expect(try await push(gateway(server), TokenAuthenticator.persona(assertion: "nonsense")) != nil)
    }
}

extension Told {
    /// Waits for something, on a thread that none of the tasks needs.
    fileprivate func waiting() async -> Bool {
        await withCheckedContinuation { done in DispatchQueue.global().async { done.resume(returning: self.wait { !$0.isEmpty }) } }
    }
}
