import CBLTestSupport
import Testing

@testable import CBLTransport

@Suite struct ClientHandshakeTests {
    static let key = "dGhlIHNhbXBsZSBub25jZQ=="
    static let accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
    static let protocols = ["BLIP_3+CBMobile_3", "BLIP_3+CBMobile_2"]

    private func wanted(_ url: String = "wss://alice:pw@host:4984/db/_blipsync") throws -> HandshakeRequest {
        try HandshakeRequest(url: PeerURL(url), protocols: Self.protocols)
    }

    private func sent(_ handshake: inout ClientHandshake, cookies: String? = nil) throws -> HTTPRequestHead {
        try handshake.request(key: Self.key, cookies: cookies).withUnsafeBytes { try HTTPRequestHead($0) }
    }

    /// The answer that opens the WebSocket, with some lines different.
    private func upgrade(_ changes: [String: String?] = [:]) throws -> HTTPResponseHead {
        var head = try response(
            "HTTP/1.1 101 Switching Protocols", "Connection: upgrade", "Upgrade: WebSocket", "Sec-WebSocket-Accept: \(Self.accept)",
            "Sec-WebSocket-Protocol: BLIP_3+CBMobile_2")
        for (name, value) in changes {
            head.headers.remove(name)
            if let value { head.headers.add(name, value) }
        }
        return head
    }

    @Test func theAnswerToTheKeyIsThatOfTheStandard() { #expect(WebSocketKey.answer(to: Self.key) == Self.accept) }

    @Test func theRequestSaysWhatTheServerNeeds() throws {
        var wanted = try wanted()
        wanted.headers = ["X-Trace": "7", "Host": "evil", "sec-websocket-KEY": "evil", "Cookie": "own=1", "User-Agent": "app/1"]
        var handshake = ClientHandshake(wanted)
        let head = try sent(&handshake, cookies: "stored=2")
        #expect(head.method == "GET")
        #expect(head.target == "/db/_blipsync")
        let expected = [
            "Host": "host:4984", "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": Self.key, "Sec-WebSocket-Protocol": "BLIP_3+CBMobile_3, BLIP_3+CBMobile_2",
            "Authorization": "Basic YWxpY2U6cHc=", "Cookie": "own=1; stored=2", "X-Trace": "7", "User-Agent": "app/1",
        ]
        for (name, value) in expected { #expect(head.headers.values(name) == [value]) }
        #expect(head.headers["Origin"] == nil)
        #expect(head.headers["Sec-WebSocket-Extensions"] == nil)
    }

    @Test func aProperAnswerOpensTheWebSocket() throws {
        var handshake = try ClientHandshake(wanted())
        _ = try sent(&handshake)
        #expect(try handshake.step(after: upgrade(), body: []) == .opened(protocol: "BLIP_3+CBMobile_2"))
    }

    @Test(
        arguments: [
            ("Connection", "close", 1002), ("Connection", nil, 1002), ("Upgrade", "h2c", 1002), ("Sec-WebSocket-Accept", nil, 1002),
            ("Sec-WebSocket-Accept", "c3pPLMBiTxaQ9kYGzzhZRbK+xOo=", 1002), ("Sec-WebSocket-Protocol", nil, 1002),
            ("Sec-WebSocket-Protocol", "BLIP_3+CBMobile_9", 403), ("Sec-WebSocket-Extensions", "permessage-deflate", 1002),
        ] as [(String, String?, Int)])
    func otherAnswersAreRefused(name: String, value: String?, number: Int) throws {
        var handshake = try ClientHandshake(wanted())
        _ = try sent(&handshake)
        guard case .failed(let error) = handshake.step(after: try upgrade([name: value]), body: []) else {
            Issue.record("accepted")
            return
        }
        #expect(error.number == number)
        #expect(error.persistence == .permanent)
    }

    @Test(arguments: [
        (401, "wrong user name or password", TransportError.Persistence.permanent), (403, "not allowed", .permanent),
        (404, "no such database", .permanent), (407, "proxy", .permanent), (200, "does not speak WebSocket", .permanent),
        (426, "does not speak WebSocket", .permanent), (429, "fewer requests", .transient), (500, "cannot serve", .permanent),
        (502, "cannot serve", .transient), (503, "cannot serve", .transient), (504, "cannot serve", .transient),
        (418, "refuses", .permanent),
    ])
    func eachStatusIsSaidInWords(status: Int, words: String, persistence: TransportError.Persistence) throws {
        var handshake = try ClientHandshake(wanted())
        _ = try sent(&handshake)
        let head = try response("HTTP/1.1 \(status) X", "Content-Type: application/json; charset=utf-8")
        guard case .failed(let error) = handshake.step(after: head, body: bytes(#"{"error":"x","reason":"be\u001b[31mcause"}"#)) else {
            Issue.record("accepted")
            return
        }
        #expect(error.code == (status == 200 ? .closed(.protocolError) : .http(status)))
        #expect(error.description.contains(words))
        // Nothing of a server reaches the terminal that could steer it.
        #expect(error.description.contains("be [31mcause"))
        #expect(error.persistence == persistence)
        #expect(!error.description.contains("pw"))
    }

    @Test(
        arguments: [
            ("text/plain", "just text\n", "just text"), ("text/html", "<p>", nil), ("application/json", "{\"error\":\"e\"}", "e"),
            ("application/json", "[1]", nil), ("application/json", "{\"reason\":", nil), ("application/json", "{\"reason\":7}", nil),
            ("text/plain", "", nil),
        ] as [(String, String, String?)])
    func theReasonIsFoundInTheBody(type: String, body: String, reason: String?) {
        #expect(ClientHandshake.reason(["Content-Type": type], bytes(body)) == reason)
    }

    @Test func credentialsWaitForTheChallengeIfAsked() throws {
        var wanted = try wanted()
        wanted.waitsForChallenge = true
        var handshake = ClientHandshake(wanted)
        #expect(try sent(&handshake).headers["Authorization"] == nil)
        let challenge = try response("HTTP/1.1 401 Unauthorized", "WWW-Authenticate: Digest realm=x, Basic realm=\"y\"")
        #expect(handshake.step(after: challenge, body: []) == .again)
        #expect(try sent(&handshake).headers["Authorization"] == "Basic YWxpY2U6cHc=")
        guard case .failed(let error) = handshake.step(after: challenge, body: []) else {
            Issue.record("asked twice")
            return
        }
        #expect(error.code == .http(401))
        #expect(error.isAboutAuthentication)
    }

    @Test(arguments: [
        ("/other/_blipsync", "wss://host:4984/other/_blipsync", true), ("https://host:4984/x?y=z", "wss://host:4984/x?y=z", true),
        ("https://host/x", "wss://host/x", false), ("wss://host.:4984/db", "wss://host.:4984/db", false),
        ("wss://elsewhere:4984/db", "wss://elsewhere:4984/db", false), ("wss://bob:x@elsewhere/db", "wss://elsewhere/db", false),
    ])
    func redirectsAreFollowedAndSecretsStayAtHome(location: String, url: String, keepsSecrets: Bool) throws {
        for status in [301, 302, 307] {
            var wanted = try wanted()
            wanted.headers = ["Cookie": "SyncGatewaySession=1", "X-Secret": "2", "User-Agent": "secret/3"]
            var handshake = ClientHandshake(wanted)
            _ = try sent(&handshake)
            #expect(try handshake.step(after: response("HTTP/1.1 \(status) Moved", "Location: \(location)"), body: []) == .again)
            #expect(handshake.url.description == url)
            let head = try sent(&handshake)
            #expect((head.headers["Authorization"] != nil) == keepsSecrets)
            #expect((head.headers["Cookie"] != nil) == keepsSecrets)
            #expect((head.headers["X-Secret"] != nil) == keepsSecrets)
            #expect((head.headers["User-Agent"] == "secret/3") == keepsSecrets)
        }
    }

    @Test func secretsThatWereLeftBehindAreNotTakenUpAgain() throws {
        var handshake = try ClientHandshake(wanted("ws://alice:pw@host/db"))
        for location in ["https://host/db", "https://alice:pw@host/db2", "/db3"] {
            _ = try sent(&handshake)
            #expect(try handshake.step(after: response("HTTP/1.1 301 Moved", "Location: \(location)"), body: []) == .again)
        }
        #expect(try sent(&handshake).headers["Authorization"] == nil)
        let challenge = try response("HTTP/1.1 401 Unauthorized", "WWW-Authenticate: Basic")
        guard case .failed(let error) = handshake.step(after: challenge, body: []) else {
            Issue.record("told")
            return
        }
        #expect(error.code == .http(401) && error.message.contains("sends elsewhere, to wss://host/db3"), "\(error)")
    }

    @Test(arguments: ["http://host:4984/db", "ws://elsewhere/db", "blip://host/db"])
    func aRedirectDoesNotEndEncryption(location: String) throws {
        var handshake = try ClientHandshake(wanted())
        _ = try sent(&handshake)
        let step = try handshake.step(after: response("HTTP/1.1 302 Found", "Location: \(location)"), body: [])
        guard case .failed(let error) = step else {
            Issue.record("followed")
            return
        }
        #expect(error.code == .network(.invalidRedirect) && error.message.contains("nothing is encrypted"))
    }

    @Test func thereIsAnEndToRedirects() throws {
        var handshake = try ClientHandshake(wanted())
        let redirect = try response("HTTP/1.1 302 Found", "Location: /again")
        for _ in 0..<10 {
            _ = try sent(&handshake)
            #expect(handshake.step(after: redirect, body: []) == .again)
        }
        guard case .failed(let error) = handshake.step(after: redirect, body: []) else {
            Issue.record("followed an eleventh")
            return
        }
        #expect(error.code == .network(.tooManyRedirects))
    }

    @Test(arguments: [nil, "", "//", "a\\b", "ftp://host/x", "javascript:1"] as [String?])
    func aRedirectToNowhereIsAnError(location: String?) throws {
        var handshake = try ClientHandshake(wanted())
        _ = try sent(&handshake)
        let lines = ["HTTP/1.1 302 Found"] + (location.map { ["Location: \($0)"] } ?? [])
        let head = try bytes(lines.joined(separator: "\r\n") + "\r\n\r\n").withUnsafeBytes { try HTTPResponseHead($0) }
        guard case .failed(let error) = handshake.step(after: head, body: []) else {
            Issue.record("followed")
            return
        }
        #expect(error.code == .network(.invalidRedirect))
    }

    @Test func aServerDoesNotChooseTheProxy() throws {
        var handshake = try ClientHandshake(wanted())
        let head = try response("HTTP/1.1 305 Use Proxy", "Location: http://proxy:3128/")
        guard case .failed(let error) = handshake.step(after: head, body: []) else {
            Issue.record("used it")
            return
        }
        #expect(error.code == .http(305))
    }

    @Test func hostileAnswersNeverCrashTheClient() throws {
        var random = SeededRandom(51)
        let names = [
            "Location", "WWW-Authenticate", "Connection", "Upgrade", "Content-Type", "Sec-WebSocket-Accept", "Sec-WebSocket-Protocol",
        ]
        let values = [
            "", "/", "ws://h/x", "//", "Basic", "basic realm=", "Upgrade", "websocket", "application/json", Self.accept, "\u{1b}", ",,",
            "%",
        ]
        let statuses = [101, 200, 301, 302, 305, 307, 401, 404, 503, 999]
        let wanted = try wanted()
        repeatWithin(seconds: 0.3) {
            var handshake = ClientHandshake(wanted)
            for _ in 0..<12 {
                _ = handshake.request(key: Self.key, cookies: nil)
                var headers = HTTPHeaders()
                for _ in 0..<random.below(6) { headers.add(random.element(of: names), random.element(of: values)) }
                let head = HTTPResponseHead(status: random.element(of: statuses), reason: "", headers: headers)
                let body = (0..<random.below(9)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
                if case .failed = handshake.step(after: head, body: body) { break }
            }
        }
    }
}
