import CBLReplication
import CBLReplicationTestSupport
import CBLStore
import CBLTestSupport
import CBLTransport
import Testing

@testable import CBLListener

/// Web pages in a browser of this machine, or of one that reaches it, and pages that pass for this server's own by another name.
@Suite(.timeLimit(.minutes(10))) struct HostilePageTests {
    private static let paths = ["/", "/db", "/nothing", "/db/_blipsync"]
    private static let upgrade =
        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        + "Sec-WebSocket-Protocol: BLIP_3+CBMobile_3\r\n"
    /// What is answered when nothing is wrong.
    private static let welcome = ["/": 200, "/db": 200, "/nothing": 404, "/db/_blipsync": 101]

    private let databases: Databases
    private let database: Database

    init() throws {
        databases = try Databases()
        database = try databases.create("m", 2)
    }

    /// The status, with `PORT` in host and origin replaced.
    private func status(_ listener: TestListener, _ path: String, host: String, _ headers: [String]) throws -> Int {
        let port = listener.listener.port
        func filled(_ text: String) -> String {
            text.split(separator: "PORT", omittingEmptySubsequences: false).joined(separator: "\(port)")
        }
        let client = try PlainClient(port: port)
        let lines = headers.map { filled($0) + "\r\n" }.joined() + (path.hasSuffix("_blipsync") ? Self.upgrade : "")
        client.write("GET \(path) HTTP/1.1\r\nHost: \(filled(host))\r\n\(lines)\r\n")
        let line = client.readLine()
        return Int(line.split(separator: " ").dropFirst().first ?? "") ?? 0
    }

    private func expect(
        _ listener: TestListener, host: String, _ headers: [String], _ refusal: Int?, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for path in Self.paths {
            let found = try status(listener, path, host: host, headers)
            #expect(found == refusal ?? Self.welcome[path], "\(host) \(headers) \(path)", sourceLocation: sourceLocation)
        }
    }

    private static let hosts: [(String, Int?)] = [
        ("localhost:PORT", nil), ("LOCALHOST:PORT", nil), ("localhost.:PORT", nil), ("127.0.0.1:PORT", nil), ("[::1]:PORT", nil),
        // Somebody may have come through a tunnel.
        ("127.0.0.1", nil), ("192.0.2.1:8080", nil),
        ("evil.example:PORT", 421), ("evil.example", 421), ("localhost.evil.example:PORT", 421), ("127.0.0.1.evil.example", 421),
        ("xlocalhost", 421), ("", 400), ("a b", 400), ("localhost:PORT:1", 400), ("evil@localhost", 400), ("localhost, evil.example", 400),
    ]

    @Test(arguments: hosts) func aServerAnswersToItsNamesAlone(host: String, refusal: Int?) throws {
        try expect(TestListener(database), host: host, [], refusal)
    }

    private static let origins: [([String], Int?)] = [
        ([], nil), (["Origin: http://localhost:PORT"], nil), (["Origin: ws://localhost:PORT"], nil),
        (["Origin: http://evil.example"], 403), (["Origin: http://localhost"], 403), (["Origin: http://localhost:1"], 403),
        (["Origin: https://localhost:PORT"], 403), (["Origin: http://127.0.0.1:PORT"], 403), (["Origin: null"], 403), (["Origin: "], 403),
        (["Origin: chrome-extension://abcdef"], 403), (["Origin: http://localhost:PORT.evil.example"], 403),
        (["Origin: http://localhost:PORT", "Origin: http://evil.example"], 400), (["Origin: http://localhost:PORT/x"], 403),
        (["Sec-Fetch-Site: cross-site"], 403), (["Sec-Fetch-Site: same-site"], 403), (["Sec-Fetch-Site: none"], nil),
        (["Sec-Fetch-Site: same-origin"], nil), (["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors"], 403),
    ]

    @Test(arguments: origins) func onlyItsOwnPagesMayAsk(headers: [String], refusal: Int?) throws {
        try expect(TestListener(database), host: "localhost:PORT", headers, refusal)
    }

    /// To follow a link tells the page nothing.
    @Test func aLinkCanBeFollowed() throws {
        let listener = try TestListener(database)
        let headers = ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate"]
        #expect(try status(listener, "/", host: "localhost", headers) == 200)
        #expect(try status(listener, "/db/_blipsync", host: "localhost", headers) == 403)
    }

    /// The page's name is this server's address all of a sudden: its origin is that of the request.
    @Test func aNameThatWasBoundAnewReadsNothing() throws {
        let listener = try TestListener(database)
        try expect(listener, host: "evil.example:PORT", ["Origin: http://evil.example:PORT"], 421)
        try expect(listener, host: "evil.example:PORT", ["Sec-Fetch-Site: same-origin"], 421)
        // Where others can connect, too.
        let open = try TestListener(database) { $0.address = nil }
        try expect(open, host: "evil.example:PORT", ["Origin: http://evil.example:PORT"], 421)
        for path in ["/", "/db", "/nothing"] { #expect(try status(open, path, host: "evil.example:PORT", []) == 421) }
    }

    /// A server has names that it does not know. A replicator that comes by one says no origin, as browsers do.
    @Test func replicatorsComeByAnyNameWhereOthersCanConnect() throws {
        let listener = try TestListener(database) { $0.address = nil }
        #expect(try status(listener, "/db/_blipsync", host: "db.corp.example:PORT", []) == 101)
        #expect(try status(listener, "/db/_blipsync", host: "db.corp.example:PORT", ["Sec-Fetch-Site: same-origin"]) == 421)
        #expect(try status(listener, "/", host: try #require(NetworkAddresses.hostName), []) == 200)
    }

    @Test func flagsAllowMore() throws {
        let some = try #require(Self.policy(["db.Example."], ["https://app.example:443", "capacitor://localhost"]))
        let listener = try TestListener(database) { $0.hosts = some }
        try expect(listener, host: "db.example", ["Origin: https://APP.example"], nil)
        try expect(listener, host: "db.example", ["Origin: capacitor://localhost"], nil)
        try expect(listener, host: "db.example", ["Origin: https://app.example", "Sec-Fetch-Site: cross-site"], nil)
        for origin in ["http://app.example", "https://app.example:444", "https://x.app.example", "https://app.example.evil.example"] {
            try expect(listener, host: "db.example", ["Origin: \(origin)"], 403)
        }
        // Who may ask has still to ask by a right name.
        try expect(listener, host: "evil.example", ["Origin: https://app.example"], 421)
        let all = try #require(Self.policy(["*"], ["*"]))
        let anybody = try TestListener(database) { $0.hosts = all }
        try expect(anybody, host: "evil.example", ["Origin: null"], nil)
        for name in ["", "a b", "a:80", "http://a"] { #expect(Self.policy([name], []) == nil, "\(name)") }
        for origin in ["", "null", "a", "https://a/b", "https://a b"] { #expect(Self.policy([], [origin]) == nil, "\(origin)") }
    }

    /// Nil if one of them cannot be allowed.
    private static func policy(_ hosts: [String], _ origins: [String]) -> HostPolicy? {
        var policy = HostPolicy()
        for host in hosts where !policy.allow(host: host) { return nil }
        for origin in origins where !policy.allow(origin: origin) { return nil }
        return policy
    }

    /// A browser sends the password that it knows: the page is refused before it is looked at, whether it is right or not.
    @Test func aPageIsRefusedBeforeItsPasswordIsLookedAt() throws {
        var users = UserList()
        users.set("ada", password: "x")
        let known = users
        let listener = try TestListener(database) { $0.users = known }
        let port = listener.listener.port
        for password in ["x", "wrong"] {
            let headers = "Origin: http://evil.example\r\n" + PlainClient.authorization("ada", password)
            let answers = Set(try ["/", "/db", "/nothing"].map { try PlainClient.get($0, port: port, headers: headers) })
            #expect(answers.count == 1 && answers.first?.hasPrefix("HTTP/1.1 403 ") == true)
        }
        #expect(try PlainClient.get("/", port: port, host: "evil.example").hasPrefix("HTTP/1.1 421 "))
        #expect(try PlainClient.get("/", port: port, headers: PlainClient.authorization("ada", "x")).hasPrefix("HTTP/1.1 200 "))
        #expect(
            try PlainClient.get("/", port: port, method: "OPTIONS", headers: "Origin: http://evil.example\r\n").hasPrefix("HTTP/1.1 403 "))
    }

    @Test func answersAreNotForOtherPages() throws {
        let listener = try TestListener(database)
        let answer = try PlainClient.get("/", port: listener.listener.port)
        for line in ["X-Content-Type-Options: nosniff", "Cross-Origin-Resource-Policy: same-origin", "Cache-Control: no-store"] {
            #expect(answer.contains("\r\n\(line)\r\n"))
        }
        #expect(!answer.contains("Access-Control-"))
    }
}
