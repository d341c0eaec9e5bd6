import Synchronization
import Testing

@testable import CBLTransport

/// Servers that send elsewhere, to get what was meant for them alone to somebody else, or to have it told without encryption.
@Suite(.timeLimit(.minutes(10))) struct HostileRedirectTests {
    private func redirecting(to location: String, connections: Int = 1) throws -> RawServer {
        try RawServer(connections: connections) { connection, _ in
            _ = connection.head()
            connection.write("HTTP/1.1 302 Found\r\nLocation: \(location)\r\nSet-Cookie: known=1\r\nContent-Length: 0\r\n\r\n")
        }
    }

    /// Another port of this machine is another server.
    @Test(arguments: ["127.0.0.1", "localhost"]) func nothingOfTheUsersGoesToAnotherServer(host: String) async throws {
        let heads = Mutex<[String]>([])
        let other = try RawServer { connection, _ in
            guard let head = connection.head() else { return }
            heads.withLock { $0.append(head) }
            connection.write("HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=x\r\nContent-Length: 0\r\n\r\n")
        }
        let server = try redirecting(to: "ws://\(host):\(other.port)/db/_blipsync")
        let client = try open(server.url) { settings in
            settings.handshake.credentials = Credentials(user: "ada", password: "secret")
            settings.handshake.waitsForChallenge = true
            settings.handshake.headers = ["X-Secret": "sesame", "Cookie": "SyncGatewaySession=sesame", "X-Api-Key": "sesame"]
            settings.cookies = CookieJar()
        }
        let error = try await client.failure()
        #expect(error.code == .http(401) && error.message.contains("sends elsewhere"), "\(error)")
        server.join()
        other.join()
        let head = try #require(heads.withLock { $0.first })
        #expect(!head.contains("sesame") && !head.contains("Authorization") && !head.contains("X-"), "\(head)")
        // A cookie is for the host, whatever the port.
        #expect(head.contains("Cookie: known=1") == (host == "127.0.0.1"), "\(head)")
    }

    @Test func aSecureServerDoesNotSendToAnInsecureOne() async throws {
        let heads = Mutex(0)
        let other = try RawServer { connection, _ in
            if connection.head() != nil { heads.withLock { $0 += 1 } }
        }
        var settings = HTTPServer.Settings()
        settings.address = "127.0.0.1"
        settings.identity = TestIdentities.server
        let server = try HTTPServer(settings, on: Loops.server) { [port = other.port] _ in
            .refuse(HTTPAnswer(307, "", headers: ["Location": "ws://127.0.0.1:\(port)/db"]))
        }
        defer { server.stop() }
        let client = try open("wss://localhost:\(server.port)/db") { $0.trust = .authorities(TestIdentities.authority.certificates) }
        let error = try await client.failure()
        #expect(error.code == .network(.invalidRedirect) && error.message.contains("nothing is encrypted"), "\(error)")
        // Nobody has come there: the next one who does is the first.
        let probe = try open(other.url)
        _ = try await probe.closing()
        other.join()
        #expect(heads.withLock { $0 } == 1)
    }

    /// Whom a certificate of ours is shown to is the server that was named.
    @Test func anotherServerIsShownNoCertificate() async throws {
        let seen = Mutex<[Int]>([])
        func server(_ answer: @escaping @Sendable (PeerRequest) -> HTTPServer.Answer) throws -> HTTPServer {
            var settings = HTTPServer.Settings()
            settings.address = "127.0.0.1"
            settings.identity = TestIdentities.server
            settings.clientCertificates = .check { chain in
                seen.withLock { $0.append(chain.count) }
                return true
            }
            return try HTTPServer(settings, on: Loops.server, route: answer)
        }
        let other = try server { _ in .refuse(.notFound) }
        let first = try server { [port = other.port] _ in
            .refuse(HTTPAnswer(307, "", headers: ["Location": "wss://localhost:\(port)/db"]))
        }
        let client = try open("wss://localhost:\(first.port)/db") { settings in
            settings.trust = .authorities(TestIdentities.authority.certificates)
            settings.identity = TestIdentities.client
        }
        #expect(try await client.failure().isAboutAuthentication)
        #expect(seen.withLock { $0.count } == 1)
        first.stop()
        other.stop()
    }

    @Test func aServerThatSendsInCirclesIsLeft() async throws {
        let server = try redirecting(to: "/db", connections: 11)
        let client = try open(server.url)
        #expect(try await client.failure().code == .network(.tooManyRedirects))
        server.join()
    }

    /// What a server says is one line of a message, wherever it says it.
    @Test(arguments: [
        "HTTP/1.1 403 No\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nno\u{2028}cblite: done\u{202E}\u{85}x",
        "HTTP/1.1 500 No\r\nContent-Type: application/json\r\n\r\n{\"reason\":\"no\\ncblite: done\\u001b[2J\"}",
        "HTTP/1.1 302 Found\r\nLocation: x\u{2028}cblite: done\u{9B}2J\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\u{2028}y\r\n\r\n",
    ])
    func whatAServerSaysIsOneLine(answer: String) async throws {
        let server = try RawServer { connection, _ in
            guard connection.head() != nil else { return }
            connection.write(answer)
        }
        let error = try await open(server.url).failure()
        server.join()
        #expect(
            error.description.unicodeScalars.allSatisfy { scalar in
                ![.control, .format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
            }, "\(error)")
    }

    @Test func soIsItsFarewell() async throws {
        let server = try RawServer { connection, _ in
            connection.upgrade(frame(.close, [0x03, 0xF0] + bytes("gone\u{2028}cblite: done\u{1B}[2J"), from: .server))
            connection.readToEnd()
        }
        let client = try open(server.url)
        _ = try await client.opening()
        let error = try await client.failure()
        server.join()
        #expect(error.message.hasSuffix("gone cblite: done [2J"), "\(error)")
    }
}
