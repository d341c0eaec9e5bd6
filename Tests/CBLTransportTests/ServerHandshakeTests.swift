import CBLTestSupport
import Testing

@testable import CBLTransport

@Suite struct ServerHandshakeTests {
    private static let lines = [
        "Host: localhost", "Connection: keep-alive, Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: \(ClientHandshakeTests.key)", "Sec-WebSocket-Protocol: BLIP_3+CBMobile_9, BLIP_3+CBMobile_3,BLIP_3+CBMobile_2",
        "Authorization: Basic YWxpY2U6cDp3",
    ]

    private func peer(_ first: String = "GET /my%20db/_blipsync?x=1 HTTP/1.1", without: String? = nil, with: [String] = []) throws
        -> PeerRequest
    {
        let kept = Self.lines.filter { line in without.map { !line.hasPrefix($0 + ":") } ?? true }
        return try PeerRequest(
            bytes(([first] + kept + with).joined(separator: "\r\n") + "\r\n\r\n").withUnsafeBytes { try HTTPRequestHead($0) })
    }

    @Test func aRequestForAWebSocketIsUnderstood() throws {
        let request = try peer()
        #expect(request.path == ["my db", "_blipsync"])
        #expect(request.query == "x=1")
        #expect(request.credentials == Credentials(user: "alice", password: "p:w"))
        #expect(request.wantsWebSocket)
        // The client's order counts.
        #expect(request.preferredProtocol(of: ["BLIP_3+CBMobile_2", "BLIP_3+CBMobile_3"]) == "BLIP_3+CBMobile_3")
        #expect(request.preferredProtocol(of: ["BLIP_3"]) == nil)
        let answer = try #require(request.acceptance(protocol: "BLIP_3+CBMobile_3")).withUnsafeBytes { try HTTPResponseHead($0) }
        #expect(answer.status == 101)
        #expect(answer.headers["Sec-WebSocket-Accept"] == ClientHandshakeTests.accept)
        #expect(answer.headers["Sec-WebSocket-Protocol"] == "BLIP_3+CBMobile_3")
    }

    @Test func aClientAndAServerAgree() throws {
        var client = try ClientHandshake(HandshakeRequest(url: PeerURL("ws://a:b@h/db/_blipsync"), protocols: ["x", "y"]))
        let head = try client.request(key: ClientHandshakeTests.key, cookies: nil).withUnsafeBytes { try HTTPRequestHead($0) }
        let request = try PeerRequest(head)
        #expect(request.credentials == Credentials(user: "a", password: "b"))
        let name = try #require(request.preferredProtocol(of: ["y", "x"]))
        let answer = try #require(request.acceptance(protocol: name)).withUnsafeBytes { try HTTPResponseHead($0) }
        #expect(client.step(after: answer, body: []) == .opened(protocol: "x"))
    }

    @Test func anAnswerToAnOrdinaryRequestIsReadByTheClient() throws {
        #expect(try !peer(without: "Upgrade").wantsWebSocket)
        let bytes = HTTPAnswer.unauthorized(realm: "a\"b").bytes
        var queue = ByteQueue(bytes)
        var reader = HTTPHeadReader()
        let answer = try reader.response(in: &queue)
        let head = try #require(answer)
        #expect(head.status == 401)
        #expect(Credentials.isBasicChallenge(head.headers))
        var body = HTTPBodyExcerpt(head)
        let isComplete = body.read(&queue)
        #expect(isComplete)
        #expect(ClientHandshake.reason(head.headers, body.bytes) == "a user name and a password are needed")
    }

    @Test(
        arguments: [
            ("POST /db HTTP/1.1", nil, [], 405), ("GET db HTTP/1.1", nil, [], 400), ("GET /%zz HTTP/1.1", nil, [], 400),
            ("GET /a%00b HTTP/1.1", nil, [], 400), ("GET / HTTP/1.1", "Host", [], 400), ("GET / HTTP/1.1", nil, ["Host: b"], 400),
            ("GET / HTTP/1.1", "Sec-WebSocket-Version", [], 426), ("GET / HTTP/1.1", "Sec-WebSocket-Key", [], 400),
            ("GET / HTTP/1.1", "Sec-WebSocket-Key", ["Sec-WebSocket-Key: AAAA"], 400),
            ("GET / HTTP/1.1", nil, ["Sec-WebSocket-Key: \(ClientHandshakeTests.key)"], 400),
            ("GET / HTTP/1.1", nil, ["Content-Length: 7"], 400),
            ("GET / HTTP/1.1", nil, ["Transfer-Encoding: chunked"], 400),
        ] as [(String, String?, [String], Int)])
    func otherRequestsGetAnAnswer(first: String, without: String?, with: [String], status: Int) {
        let error = #expect(throws: HTTPAnswer.self) { try peer(first, without: without, with: with) }
        #expect(error?.status == status)
    }

    @Test(arguments: ["Basic", "Basic !!", "Basic YWxpY2U=", "Bearer YWxpY2U6cDp3", "Basic //8=", "YWxpY2U6cDp3"])
    func otherAuthorizationsAreNone(value: String) { #expect(Credentials(basic: value) == nil) }

    @Test func twoAuthorizationsAreNone() throws { #expect(try peer(with: ["Authorization: Basic YWxpY2U6cDp3"]).credentials == nil) }

    @Test func credentialsAreCompared() {
        let alice = Credentials(user: "alice", password: "pw")
        #expect(alice.matches(alice))
        #expect(!alice.matches(Credentials(user: "alice", password: "pW")))
        #expect(!alice.matches(Credentials(user: "alic", password: "epw")))
        #expect(!alice.matches(Credentials(user: "", password: "")))
    }
}
