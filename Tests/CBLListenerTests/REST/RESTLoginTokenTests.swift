import CBLBase
import CBLReplicationTestSupport
import CBLTestSupport
import CBLTransport
import Testing

@testable import CBLListener

/// What is registered for replications that sign in later.
@Suite struct RESTLoginTokenTests {
    private let server: RESTServer

    init() throws { server = try RESTServer.withDatabase() }

    private func replicate(from gateway: LoginServer, _ proof: String) throws -> RESTAnswer {
        let source = #"{"url":"http://127.0.0.1:\#(gateway.port)/remote","auth":{\#(proof)}}"#
        let feed = try server.feed("/_replicate", "POST", #"{"source":\#(source),"target":"db"}"#)
        try feed.run { $0.exchange.answer.hasEnded }
        return RESTAnswer(feed.exchange.answer)
    }

    @Test func aTokenOfFacebookIsUsed() throws {
        let gateway = try LoginServer { $0.path == "/remote/_facebook" ? .says(200, cookie: "S=1") : .says($0.cookie == "S=1" ? 404 : 401) }
        let proof = #""facebook":{"email":"ada@example.com"}"#
        #expect(try server.send("POST", "/_facebook_token", "{}").status == 400)
        let remote = "http://127.0.0.1:\(gateway.port)/remote"
        let answer = try server.send(
            "POST", "/_facebook_token", #"{"email":"ada@example.com","remote_url":"\#(remote)","access_token":"secret"}"#)
        #expect(answer.json == #"{"email":"ada@example.com","ok":"registered"}"#)
        _ = try replicate(from: gateway, proof)
        let asked = try #require(gateway.asked.first { $0.method == "POST" })
        #expect(asked.path == "/remote/_facebook" && asked.body == #"{"access_token":"secret"}"#)
        #expect(gateway.asked.last?.cookie == "S=1")
    }

    @Test func anAssertionOfPersonaIsUsedWhileItIsGood() throws {
        func part(_ json: String) -> String { Array(json.utf8).withUnsafeBytes { Base64.text(of: $0, isPadded: false) } }
        let gateway = try LoginServer { _ in .says(404) }
        let origin = "http://127.0.0.1:\(gateway.port)"
        func register(_ expires: Int64) throws -> RESTAnswer {
            let who = part(#"{"principal":{"email":"ada@example.com"}}"#)
            let whom = part(#"{"aud":"\#(origin)","exp":\#(expires)}"#)
            return try server.send("POST", "/_persona_assertion", #"{"assertion":"h.\#(who).s.\#(whom).s"}"#)
        }
        let proof = #""persona":{"email":"ada@example.com"}"#
        #expect(try register(WallClock.milliseconds + 3_600_000)["ok"] == "registered")
        _ = try replicate(from: gateway, proof)
        #expect(gateway.lines.contains("POST /remote/_persona"))
        #expect(try register(WallClock.milliseconds - 1).status == 200)
        let source = #"{"url":"\#(origin)/remote","auth":{\#(proof)}}"#
        #expect(try server.send("POST", "/_replicate", #"{"source":\#(source),"target":"db"}"#).status == 400)
        #expect(try server.send("POST", "/_persona_assertion", #"{"assertion":"nonsense"}"#)["reason"] == "invalid assertion")
    }

    @Test func requestsAreSigned() throws {
        let gateway = try LoginServer { _ in .says(404) }
        _ = try replicate(
            from: gateway,
            #""oauth":{"consumer_key":"ck","consumer_secret":"cs","token":"t","token_secret":"ts","signature_method":"HMAC-SHA1"}"#)
        let header = try #require(gateway.asked.first?.authorization)
        #expect(header.hasPrefix("OAuth ") && header.contains("oauth_consumer_key=\"ck\""))
    }

    /// Who may not have this server talk to others says nothing of how.
    @Test func strangersRegisterNothing() throws {
        let stranger = Visitor(user: "eve", rights: UserRights(role: .user, rules: AccessRules()), isLocal: false)
        for path in ["/_facebook_token", "/_persona_assertion"] {
            let answer = try server.send("POST", path, #"{"email":"a","remote_url":"http://a/b","access_token":"x"}"#, as: stranger)
            #expect([401, 403].contains(answer.status), "\(path) \(answer.text)")
        }
    }

    @Test func thereIsAnEndToHowMany() throws {
        func register(_ number: Int) throws -> Int {
            try server.send(
                "POST", "/_facebook_token", #"{"email":"\#(number)","remote_url":"http://a/b","access_token":"x"}"#
            ).status
        }
        for number in 0..<1000 { #expect(try register(number) == 200) }
        #expect(try register(1000) == 503)
        #expect(try register(7) == 200)
    }
}
