import CBLReplication
import CBLReplicationTestSupport
import CBLStore
import CBLTestSupport
import FoundationEssentials
import Glibc
import Testing

/// Ways to be let in that begin with something else than a password in each request.
@Suite struct SyncSignInTests {
    private let scratch: Scratch
    private let database: Database
    private let peer: PassivePeer

    init() throws {
        scratch = try Scratch(["a": "{}"])
        database = try Database(path: scratch.directory.path + "/server.cblite2", options: .init(access: .create))
        peer = try PassivePeer(database, .init(collections: [.default]), on: EngineLoops.server)
    }

    private func file(_ name: String, _ text: String? = nil) throws -> String {
        let path = scratch.directory.path + "/" + name
        if let text {
            try Data(text.utf8).write(to: URL(filePath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        }
        return path
    }

    private func text(_ path: String) throws -> String { String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self) }

    private func url(_ server: LoginServer, _ scheme: String = "ws") -> String { "\(scheme)://127.0.0.1:\(server.port)/db" }

    /// A gateway with sessions, which are good for an hour.
    private func sessions() throws -> LoginServer {
        try LoginServer(peer) { asked in
            if asked.path == "/db/_blipsync" { return .letsIn(asked.cookie == "SyncGatewaySession=s3cret") }
            guard asked.method == "POST" else {
                return .says(200, #"{"userCtx":{"name":\#(asked.cookie == nil ? "null" : "\"ada\"")}}"#)
            }
            guard asked.body.contains("\"pass\"") || asked.path == "/db/_facebook" else { return .says(401) }
            return .says(200, cookie: "SyncGatewaySession=s3cret; Path=/db; Max-Age=3600")
        }
    }

    @Test func aSessionIsBegunAndRemembered() throws {
        let server = try sessions()
        let file = try file("remembered")
        try scratch.expect(["push", url(server), "--user", "ada:pass", "--login", "--remember", file])
        #expect(server.lines == ["GET /db/_session", "POST /db/_session", "GET /db/_blipsync"])
        #expect(server.asked.allSatisfy { $0.authorization == nil })
        var status = stat()
        #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(try text(file).contains("s3cret"))
        // The second time nobody asks for a password.
        try scratch.expect(["push", url(server), "--user", "ada:pass", "--login", "--remember", file])
        #expect(server.lines.suffix(2) == ["GET /db/_session", "GET /db/_blipsync"])
        try scratch.expectRefusal(["push", url(server), "--user", "ada:wrong", "--login"], "the server does not let ada sign in")
        try scratch.expectRefusal(["push", url(server), "--login"], exitCode: 2, "--login needs --user")
    }

    @Test func aTokenOfAnotherServiceIsSent() throws {
        let server = try sessions()
        try scratch.expect(["push", url(server), "--login-token", "facebook:@" + file("token", "t0ken\n")])
        #expect(server.asked.first { $0.method == "POST" }?.body == #"{"access_token":"t0ken"}"#)
        for (word, message) in [
            ("facebook", "KIND:@FILE"), ("facebook:t0ken", "name of a file"), ("other:@" + (try file("token")), "none of facebook"),
            ("persona:@" + (try file("token")), "no assertion"), ("facebook:@" + (try file("empty", "\n")), "no token"),
        ] {
            try scratch.expectRefusal(["push", url(server), "--login-token", word], exitCode: 2, message)
        }
    }

    @Test func twoWaysAreOneTooMany() throws {
        let token = ":@" + (try file("token", "t"))
        for words in [
            ["--id-token", token, "--user", "ada:x"], ["--oidc", "--token", "x"], ["--oauth", token, "--login"],
            ["--oidc", "--id-token", token],
        ] {
            try scratch.expectRefusal(["push", "ws://127.0.0.1:1/db"] + words, exitCode: 2, "two ways to log in")
        }
        try scratch.expectRefusal(["push", "ws://127.0.0.1:1/db", "--oidc-provider", "x"], exitCode: 2, "is for --oidc")
        let keys = ":@" + (try file("keys", #"{"consumer_key":"a","consumer_secret":"b","token":"c","token_secret":"d"}"#))
        try scratch.expectRefusal(["push", "ws://127.0.0.1:1/db", "--oauth", keys], exitCode: 2, "for servers at http://")
        for (content, message) in [
            ("7", "no consumer_key"), ("{", "no JSON"), (#"{"signature_method":"RSA-SHA1"}"#, "HMAC-SHA1 or PLAINTEXT"),
        ] {
            let file = ":@" + (try file("wrong", content))
            try scratch.expectRefusal(["push", "http://127.0.0.1:1/db", "--oauth", file], exitCode: 2, message)
        }
    }

    @Test func requestsAreSigned() throws {
        let server = try LoginServer { _ in .says(404) }
        let keys = ":@" + (try file("keys", #"{"consumer_key":"a","consumer_secret":"s3cret","token":"c","token_secret":"d"}"#))
        #expect(try scratch.run(["push", url(server, "http"), "--oauth", keys]).exitCode == 1)
        let header = try #require(server.asked.first?.authorization)
        #expect(header.hasPrefix("OAuth ") && !header.contains("s3cret"))
    }

    /// A gateway that sends one to a page of its provider, which leads back to this machine.
    private func openID(redirect: String) throws -> LoginServer {
        let place = redirect.replacing(":", with: "%3A").replacing("/", with: "%2F")
        return try LoginServer(peer) { asked in
            switch asked.path {
            case "/db/_blipsync": .letsIn(asked.authorization == "Bearer t0ken")
            case "/db/_oidc_challenge": .says(401, challenge: "OIDC login=\"http://provider.test/?redirect_uri=\(place)&state=s\"")
            case "/db/_oidc_callback":
                asked.query["code"] == "c0de" ? .says(200, #"{"id_token":"t0ken","refresh_token":"r","name":"ada"}"#) : .says(400)
            default: .says(asked.authorization == "Bearer t0ken" ? 200 : 401)
            }
        }
    }

    /// One that nobody is given meanwhile: those that the system gives by itself are higher.
    private func freePort() -> UInt16 {
        while true {
            let port = UInt16.random(in: 20_000..<32_000)
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(descriptor) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
            let size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isFree = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) == 0 }
            }
            if isFree { return port }
        }
    }

    @Test func aBrowserComesBack() throws {
        let port = freePort()
        let server = try openID(redirect: "http://127.0.0.1:\(port)/back")
        let browser = try file(
            "browser",
            """
            #!/bin/bash
            echo "$1" > "$0.page"
            get() { until exec 3<>/dev/tcp/127.0.0.1/\(port); do sleep 0.1; done; printf 'GET %s HTTP/1.1\\r\\n\\r\\n' "$1" >&3; cat <&3 >> "$0.log"; }
            get /favicon.ico
            get "/back?code=c0de&state=s"
            """)
        let remembered = try file("remembered")
        try scratch.expect(["push", url(server), "--oidc", "--remember", remembered], environment: ["BROWSER": browser])
        #expect(try text(browser + ".page").hasPrefix("http://provider.test/?redirect_uri="))
        #expect(try text(remembered).contains("t0ken"))
        #expect(server.lines.suffix(1) == ["GET /db/_blipsync"])

        // It is known the next time, at this server; another one gets nothing of it.
        try scratch.expect(["push", url(server), "--oidc", "--remember", remembered])
        let other = try openID(redirect: "http://127.0.0.1:\(freePort())/back")
        let process = try RunningProgram(["push", scratch.path, url(other), "--oidc", "--remember", remembered])
        while other.asked.isEmpty { usleep(10_000) }
        process.send(signal: SIGINT)
        #expect(process.finish(input: []).exitCode != 0)
        #expect(other.asked.allSatisfy { $0.authorization == nil && $0.cookie == nil })
    }

    @Test func aTokenFromElsewhereIsSent() throws {
        let server = try openID(redirect: "http://127.0.0.1:1/back")
        try scratch.expect(["push", url(server), "--id-token", ":@" + file("token", "t0ken\n")])
        try scratch.expectRefusal(["push", url(server), "--id-token", ":@" + file("token", "wrong\n")], "does not accept the token")
    }

    @Test func aPageOfTheGatewaysThatIsNoneIsNotOpened() throws {
        for page in ["file:///etc/passwd?redirect_uri=http%3A%2F%2Fa%2Fb", "http://a.test/$(touch x)?redirect_uri=http%3A%2F%2Fa%2Fb"] {
            let server = try LoginServer { _ in .says(401, challenge: "OIDC login=\"\(page)\"") }
            let browser = try file("browser", "#!/bin/sh\necho \"$1\" > \"$0.page\"\n")
            let result = try scratch.run(["push", url(server), "--oidc"], environment: ["BROWSER": browser])
            #expect(result.exitCode != 0 && !FileManager.default.fileExists(atPath: browser + ".page"), "\(result.errors)")
        }
    }

    @Test(arguments: ["nonsense", "[1]", #"{"cookies":7}"#]) func aFileOfAnotherKindIsLeftAlone(content: String) throws {
        let file = try file("notes", content)
        try scratch.expectRefusal(["push", "ws://127.0.0.1:1/db", "--remember", file], "no file of --remember")
        #expect(try text(file) == content)
    }

    /// What is in such a file goes into headers.
    @Test func aHostileFileSaysNothing() throws {
        let server = try LoginServer { _ in .says(404) }
        let file = try file(
            "remembered",
            #"{"cookies":[{"name":"a\r\nX: y","value":"b","domain":"127.0.0.1"},{"name":"a","value":"b\u0000","domain":"127.0.0.1"},7,{}],"#
                + #""tokens":[7,{"server":"http://127.0.0.1:\#(server.port)/db","id_token":"a\r\nX: y"}]}"#)
        _ = try scratch.run(["push", url(server, "http"), "--remember", file])
        #expect(server.asked.count > 0 && server.asked.allSatisfy { $0.cookie == nil && $0.authorization == nil })
    }
}
