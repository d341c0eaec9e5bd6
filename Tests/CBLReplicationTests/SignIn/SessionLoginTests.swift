import CBLBase
import CBLReplicationTestSupport
import CBLStore
import CBLTestSupport
import CBLTransport
import Synchronization
import Testing

@testable import CBLReplication

/// What is sent once, for a cookie, and what happens when that is over.
@Suite struct SessionLoginTests {
    private static let ada = ServerLogin.session(.password(Credentials(user: "ada", password: "secret")))
    private let request = RemoteRequest("GET", ["db"])

    private func client(_ server: LoginServer, _ login: ServerLogin, cookies: CookieJar? = nil) throws -> WebServer {
        var settings = WebServerSettings(try PeerURL("http://127.0.0.1:\(server.port)/db"))
        settings.login = login
        if let cookies { settings.client.cookies = cookies }
        return try WebServer(settings, on: EngineLoops.client)
    }

    @Test func thePasswordIsSentOnce() throws {
        let server = try LoginServer { asked in
            switch asked.method + " " + asked.path {
            case "GET /db/_session": .says(200, #"{"userCtx":{"name":null}}"#)
            case "POST /db/_session": .says(200, cookie: "SyncGatewaySession=one; Path=/db")
            default: asked.cookie == "SyncGatewaySession=one" ? .says(200) : .says(401)
            }
        }
        let client = try client(server, SessionLoginTests.ada)
        for _ in 0..<2 { #expect(try client.send(request).status == 200) }
        #expect(server.lines == ["GET /db/_session", "POST /db/_session", "GET /db", "GET /db"])
        #expect(server.asked[1].body == #"{"name":"ada","password":"secret"}"#)
        #expect(server.asked.allSatisfy { $0.authorization == nil })
    }

    @Test func aCookieOfLastTimeIsGoodIfItIsThisUsers() throws {
        let server = try LoginServer { asked in
            switch asked.method + " " + asked.path {
            case "GET /db/_session": .says(200, #"{"userCtx":{"name":"\#(asked.cookie == "S=ada" ? "ada" : "eve")"}}"#)
            case "POST /db/_session": .says(200, cookie: "S=ada; Path=/db")
            default: asked.cookie == "S=ada" ? .says(200) : .says(401)
            }
        }
        func jar(_ value: String) -> CookieJar {
            CookieJar([
                Cookie(name: "S", value: value, domain: "127.0.0.1", isHostOnly: true, path: "/", expires: .max, isSecure: false)
            ])
        }
        #expect(try client(server, SessionLoginTests.ada, cookies: jar("ada")).send(request).status == 200)
        #expect(server.lines == ["GET /db/_session", "GET /db"])
        #expect(
            try client(server, SessionLoginTests.ada, cookies: jar("eve")).send(RemoteRequest("GET", ["db", "_session"])).status == 200)
        #expect(server.lines.suffix(3) == ["GET /db/_session", "POST /db/_session", "GET /db/_session"])
    }

    @Test func whenTheSessionIsOverThereIsANewOne() throws {
        let sessions = Mutex(0)
        let server = try LoginServer { asked in
            if asked.path == "/db/_session" {
                guard asked.method == "POST" else { return .says(200) }
                let number = sessions.withLock { sessions in
                    sessions += 1
                    return sessions
                }
                return .says(200, cookie: "S=\(number)")
            }
            return asked.cookie == "S=\(sessions.withLock { $0 })" ? .says(200) : .says(401)
        }
        let client = try client(server, SessionLoginTests.ada)
        #expect(try client.send(request).status == 200)
        sessions.withLock { $0 = 7 }
        #expect(try client.send(request).status == 200)
        #expect(sessions.withLock { $0 } == 8)
    }

    @Test func aServerThatForgetsAtOnceIsNotAskedForEver() throws {
        let server = try LoginServer { asked in asked.path == "/db/_session" ? .says(200) : .says(401) }
        #expect(try client(server, SessionLoginTests.ada).send(request).status == 401)
        #expect(server.lines.count { $0 == "POST /db/_session" } == 2)
    }

    @Test(arguments: [
        (SessionLogin.facebook("t\"1"), "/db/_facebook", #"{"access_token":"t\"1"}"#),
        (.google("t2"), "/db/_google", #"{"id_token":"t2"}"#),
        (SessionLogin(path: "_own", members: [("a", "b"), ("c", "")], title: "x"), "/db/_own", #"{"a":"b","c":""}"#),
    ])
    func tokensOfOthersAreSentOnce(login: SessionLogin, path: String, body: String) throws {
        let server = try LoginServer { $0.path == path ? .says(200) : .says($0.path == "/db" ? 200 : 404) }
        #expect(try client(server, .session(login)).send(request).status == 200)
        #expect(server.asked.first { $0.method == "POST" }.map { [$0.path, $0.body] } == [path, body])
    }

    @Test func whoIsNotLetInHearsIt() throws {
        let server = try LoginServer { $0.method == "POST" ? .says(403) : .says(200) }
        #expect {
            _ = try client(server, .session(.facebook("x"))).send(request)
        } throws: { error in
            (error as? SyncError)?.httpStatus == 401 && "\(error)".contains("does not let the owner of the Facebook token sign in")
        }
        #expect(server.lines.count { $0.hasPrefix("POST") } == 1)
    }

    /// Hostile answers to the question who one is.
    @Test(arguments: [
        "", "[]", "{", #"{"userCtx":7}"#, #"{"userCtx":{"name":[1]}}"#, #"{"userCtx":{"name":""}}"#, String(repeating: "[", count: 9999),
    ])
    func whatIsNoSessionIsNone(answer: String) throws {
        let server = try LoginServer { $0.method == "GET" && $0.path == "/db/_session" ? .says(200, answer) : .says(200) }
        #expect(try client(server, SessionLoginTests.ada).send(request).status == 200)
        #expect(server.lines.contains("POST /db/_session"))
    }

    @Test func aWebSocketIsOpenedAfterwards() async throws {
        let directory = try TemporaryDirectory(inMemory: true)
        let (here, there) = try (
            Database(path: directory.path + "/here.cblite2", options: .create),
            Database(path: directory.path + "/there.cblite2", options: .create)
        )
        try here.write { try $0.save("a", body: $0.encode(json: "{}")) }
        let peer = try PassivePeer(there, .init(collections: [.default]), on: EngineLoops.server)
        defer { peer.stop() }
        let server = try LoginServer(peer) { asked in
            if asked.path == "/db/_blipsync" { return .letsIn(asked.cookie == "SyncGatewaySession=one") }
            return asked.method == "POST" ? .says(200, cookie: "SyncGatewaySession=one") : .says(200)
        }
        var settings = ReplicatorSettings(
            .server(ReplicatorSettings.server(try PeerURL("ws://127.0.0.1:\(server.port)/db"))),
            collections: [.init(push: .once, pull: .once)])
        settings.login = SessionLoginTests.ada
        #expect(await synchronize(here, settings).isFine(pushed: 1))
        #expect(server.lines == ["GET /db/_session", "POST /db/_session", "GET /db/_blipsync"])
    }

    @Test func aWebSocketThatIsRefusedRightAfterwardsIsNotTriedAgain() async throws {
        let directory = try TemporaryDirectory(inMemory: true)
        let here = try Database(path: directory.path + "/here.cblite2", options: .create)
        let peer = try PassivePeer(here, .init(collections: [.default]), on: EngineLoops.server)
        defer { peer.stop() }
        let server = try LoginServer(peer) { asked in
            asked.path == "/db/_blipsync" ? .letsIn(false) : .says(200)
        }
        var settings = ReplicatorSettings(
            .server(ReplicatorSettings.server(try PeerURL("ws://127.0.0.1:\(server.port)/db"))),
            collections: [.init(push: .off, pull: .once)])
        settings.login = SessionLoginTests.ada
        let outcome = await synchronize(here, settings)
        #expect(outcome.failure?.error.httpStatus == 401)
        // It has signed in just now: there is nothing more to be had.
        #expect(server.lines == ["GET /db/_session", "POST /db/_session", "GET /db/_blipsync"])
    }

    @Test func anAssertionOfPersonaSaysForWhomItIs() throws {
        func part(_ json: String) -> String {
            Array(json.utf8).withUnsafeBytes { Base64.text(of: $0) }.replacing("+", with: "-").replacing("/", with: "_").replacing(
                "=", with: "")
        }
        let text = [
            "h", part(#"{"principal":{"email":"ada@example.com"}}"#), "s",
            part(#"{"aud":"https://example.com:4984/db","exp":1700000000000}"#),
            "s",
        ].joined(separator: ".")
        let assertion = try #require(PersonaAssertion(text))
        #expect(assertion.email == "ada@example.com" && assertion.text == text)
        #expect(assertion.isValid(for: try PeerURL("https://example.com:4984/other"), at: 1_699_999_999_999))
        #expect(!assertion.isValid(for: try PeerURL("https://example.com:4984/db"), at: 1_700_000_000_000))
        #expect(!assertion.isValid(for: try PeerURL("http://example.com:4984/db"), at: 0))
        for hostile in ["", "a.b.c.d", "...", "....", text.replacing("h.", with: ""), ".\(part("7")).s.\(part("{}"))"] {
            #expect(PersonaAssertion(hostile) == nil, "\(hostile)")
        }
    }
}
