import Glibc
import Synchronization
import Testing

@testable import CBLTransport

@Suite(.timeLimit(.minutes(10))) struct ConnectionTests {
    @Test func aClientAndAServerTalk() async throws {
        let echo = try EchoServer()
        defer { echo.stop() }
        let client = try open(echo.url)
        let opening = try await client.opening()
        #expect(opening.subprotocol == "BLIP_3+CBMobile_3")
        #expect(opening.url?.description == echo.url)
        for size in [0, 1, 125, 126, 65535, 65536, 1 << 20] {
            let message = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            client.send(message)
            #expect(try await client.message() == message)
        }
        client.close(.normal, reason: "done")
        let closing = try await client.closing()
        #expect(closing.code == .normal)
        #expect(closing.error == nil)
        let other = try #require(await echo.owner())
        let heard = try await other.closing()
        #expect(heard.code == .normal)
        #expect(heard.reason == "done")
        #expect(heard.error?.code == .closed(.normal))
    }

    @Test func twoEndsInOneProcessTalk() async throws {
        let one = Recorder()
        let two = Recorder(onMessage: { connection, message in connection.send(message) })
        _ = WebSocketConnection.makePair(subprotocol: "x", (Loops.client, one), (Loops.server, two))
        #expect(try await one.opening().subprotocol == "x")
        #expect(try await two.opening().subprotocol == "x")
        let large = (0..<900_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        one.send(large)
        #expect(try await one.message() == large)
        two.close(.transientFailure, reason: "later")
        let closing = try await one.closing()
        #expect(closing.code == .transientFailure)
        #expect(closing.error?.persistence == .transient)
        #expect(try await two.closing().error == nil)
    }

    @Test(arguments: [401, 403, 404, 426, 429, 500, 502, 503])
    func aRefusalIsToldWithItsReason(status: Int) async throws {
        let server = try RawServer { connection, _ in
            _ = connection.head()
            connection.write(
                "HTTP/1.1 \(status) X\r\nContent-Type: application/json\r\nContent-Length: 22\r\n\r\n{\"reason\":\"just so\"}  ")
            connection.readToEnd()
        }
        let error = try await open(server.url).failure()
        #expect(error.code == .http(status))
        #expect(error.message.contains("just so"))
        server.join()
    }

    @Test func theBodyOfARefusalMayEndWithTheConnection() async throws {
        let server = try RawServer { connection, _ in
            _ = connection.head()
            connection.write("HTTP/1.1 503 X\r\nContent-Type: text/plain\r\n\r\ncome back")
        }
        #expect(try await open(server.url).failure().message.contains("come back"))
    }

    @Test(arguments: ["SSH-2.0-OpenSSH\r\n\r\n", "HTTP/1.1 2x0 OK\r\n\r\n", ""])
    func anAnswerThatIsNoneIsAnError(answer: String) async throws {
        let server = try RawServer { connection, _ in
            _ = connection.head()
            connection.write(answer)
        }
        let error = try await open(server.url).failure()
        #expect(error.code == .closed(answer.isEmpty ? .abnormal : .protocolError))
    }

    @Test func redirectsAreFollowedToTheEnd() async throws {
        let echo = try EchoServer()
        defer { echo.stop() }
        let target = echo.server.port
        let server = try RawServer(connections: 3) { connection, number in
            _ = connection.head()
            let place = number < 2 ? "/again\(number)" : "http://localhost:\(target)/db/_blipsync"
            connection.write("HTTP/1.1 \([301, 302, 307][number]) Moved\r\nLocation: \(place)\r\nContent-Length: 0\r\n\r\n")
        }
        let client = try open("ws://alice:pw@127.0.0.1:\(server.port)/db/_blipsync")
        let opening = try await client.opening()
        #expect(opening.url?.description == echo.url)
        #expect(echo.requests.withLock { $0.last?.credentials } == nil)
        client.close()
        _ = try await client.closing()
    }

    @Test func redirectsThatDoNotEndAreGivenUp() async throws {
        let server = try RawServer(connections: 11) { connection, _ in
            _ = connection.head()
            connection.write("HTTP/1.1 302 Found\r\nLocation: /again\r\n\r\n")
        }
        #expect(try await open(server.url).failure().code == .network(.tooManyRedirects))
    }

    @Test func cookiesOfOneAnswerGoIntoTheNextRequest() async throws {
        let seen = Mutex<String?>(nil)
        let server = try RawServer(connections: 2) { connection, number in
            let head = connection.head() ?? ""
            if number == 0 {
                connection.write(
                    "HTTP/1.1 307 X\r\nSet-Cookie: SyncGatewaySession=abc; Path=/db; Max-Age=60\r\nLocation: /db/_blipsync\r\n\r\n")
            } else {
                seen.withLock { $0 = head.split(separator: "\r\n").first { $0.hasPrefix("Cookie:") }.map(String.init) }
                connection.write("HTTP/1.1 404 X\r\nContent-Length: 0\r\n\r\n")
            }
        }
        let jar = CookieJar()
        #expect(try await open(server.url) { $0.cookies = jar }.failure().code == .http(404))
        #expect(seen.withLock { $0 } == "Cookie: SyncGatewaySession=abc")
        #expect(jar.persistentCookies.map(\.name) == ["SyncGatewaySession"])
    }

    @Test func namesAndPasswordsAreChecked() async throws {
        let alice = Credentials(user: "alice", password: "geheim")
        let echo = try EchoServer { $0.authenticate = { alice.matches($0) } }
        defer { echo.stop() }
        let right = echo.url.replacing("ws://", with: "ws://alice:geheim@")
        for waits in [false, true] {
            let client = try open(right) { $0.handshake.waitsForChallenge = waits }
            _ = try await client.opening()
            client.close()
            _ = try await client.closing()
        }
        let wrong = try await open(echo.url.replacing("ws://", with: "ws://alice:falsch@")).failure()
        #expect(wrong.code == .http(401))
        #expect(wrong.message.contains("wrong user name or password"))
        #expect(try await open(echo.url).failure().message.contains("asks for a user name"))
    }

    @Test func aServerKnowsItsDatabases() async throws {
        let echo = try EchoServer()
        defer { echo.stop() }
        let error = try await open("ws://localhost:\(echo.server.port)/nodb/_blipsync").failure()
        #expect(error.code == .http(404))
        #expect(error.description.contains("no such database"))
        // Older and newer peers have no protocol in common.
        let old = try await open(echo.url) { $0.handshake.protocols = ["BLIP_2"] }.failure()
        #expect(old.code == .http(500))
        #expect(old.description.contains("I only speak BLIP_3+CBMobile_2"))
        #expect(old.description.contains("too old or too new"))
    }

    @Test func aPortWhereNobodyListensIsSaidSo() async throws {
        let server = try RawServer(connections: 0) { _, _ in }
        server.join()
        let error = try await open(server.url).failure()
        #expect(error.code == .posix(ECONNREFUSED))
        #expect(error.persistence == .transient)
        #expect(error.description.contains("127.0.0.1:\(server.port): connection refused"))
    }

    @Test func anUnknownHostIsSaidSo() async throws {
        let error = try await open("ws://no-such-host.invalid/db").failure()
        #expect(error.code == .network(.unknownHost))
        #expect(error.description.contains("no-such-host.invalid"))
    }

    @Test func anUnknownInterfaceIsSaidSo() async throws {
        let echo = try EchoServer()
        defer { echo.stop() }
        let error = try await open(echo.url) { $0.networkInterface = "if!nosuch0" }.failure()
        #expect(error.code == .network(.unknownInterface))
        #expect(throws: TransportError.self) { try EchoServer { $0.address = "nosuch0" } }
    }

    @Test func aPortInUseIsSaidSo() throws {
        let echo = try EchoServer()
        defer { echo.stop() }
        let error = #expect(throws: TransportError.self) { try EchoServer { $0.port = echo.server.port } }
        #expect(error?.code == .posix(EADDRINUSE))
    }

    @Test func whatComesWithTheAnswerIsNotLost() async throws {
        let server = try RawServer { connection, _ in
            connection.upgrade(frame(.binary, [1, 2, 3], from: .server) + frame(.close, [0x03, 0xE9] + bytes("bye"), from: .server))
            connection.readToEnd()
        }
        let client = try open(server.url)
        _ = try await client.opening()
        #expect(try await client.message() == [1, 2, 3])
        let closing = try await client.closing()
        #expect(closing.code == .goingAway)
        #expect(closing.reason == "bye")
    }

    @Test func pingsAreAnsweredAndTextIsPassedOver() async throws {
        let answered = Mutex<[Seen]>([])
        let server = try RawServer { connection, _ in
            connection.upgrade(frame(.ping, [7, 7], from: .server) + frame(.text, bytes("hello"), from: .server))
            let pong = connection.read()
            answered.withLock { $0 = read(pong, as: .server) }
            connection.write(frame(.binary, [9], from: .server))
            connection.readToEnd()
        }
        let client = try open(server.url)
        _ = try await client.opening()
        #expect(try await client.message() == [9])
        #expect(answered.withLock { $0 } == [.pong([7, 7])])
        client.close()
    }

    @Test(arguments: [false, true])
    func aConnectionThatIsLostIsAnError(isAbrupt: Bool) async throws {
        let server = try RawServer { connection, _ in
            connection.upgrade()
            if isAbrupt { connection.reset() }
        }
        let client = try open(server.url)
        _ = try await client.opening()
        let closing = try await client.closing()
        #expect(closing.code == .abnormal)
        #expect(closing.error?.persistence == .transient)
    }

    @Test(
        arguments: [
            (frame(.binary, [1], from: .client), 1002), ([0x82, 0x7F, 0, 0, 0, 0, 0x7F, 0, 0, 0], 1009), ([0xF2, 0], 1002),
            (frame(.text, [0xFF], from: .server), 1007),
        ] as [([UInt8], UInt16)])
    func aServerThatBreaksTheRulesIsToldAndLeft(hostile: [UInt8], code: UInt16) async throws {
        let told = Mutex<[Seen]>([])
        let server = try RawServer { connection, _ in
            connection.upgrade(hostile)
            let farewell = connection.read()
            told.withLock { $0 = read(farewell, as: .server) }
        }
        let client = try open(server.url)
        _ = try await client.opening()
        let closing = try await client.closing()
        #expect(closing.code.rawValue == code)
        #expect(closing.error?.code == .closed(CloseCode(rawValue: code)))
        server.join()
        guard case .close(let heard, _) = told.withLock({ $0.first }) else {
            Issue.record("not told")
            return
        }
        #expect(heard == code)
    }

    @Test func cancellingWhileConnectingEndsItQuietly() async throws {
        let server = try RawServer { connection, _ in connection.readToEnd() }
        let client = try open(server.url)
        Loops.client.perform { client.connection?.close() }
        let closing = try await client.closing()
        #expect(closing.error == nil)
    }
}
