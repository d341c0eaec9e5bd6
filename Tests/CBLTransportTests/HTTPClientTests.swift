import CBLBase
import CBLTestSupport
import Glibc
import Synchronization
import Testing

@testable import CBLTransport

/// Does it on a thread that may wait.
func waiting<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { done in
        _ = WorkerThread { done.resume(with: Swift.Result { try body() }) }
    }
}

extension RawServer {
    var webURL: String { "http://127.0.0.1:\(port)" }
}

extension RawServer.Connection {
    /// So many bytes, or what there is of them.
    func read(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            var space = [UInt8](repeating: 0, count: min(65536, count - bytes.count))
            let got = recv(descriptor, &space, space.count, 0)
            guard got > 0 else { break }
            bytes += space[..<got]
        }
        return bytes
    }

    func answer(_ body: String, _ headers: String...) {
        let lines = ["HTTP/1.1 200 OK", "Content-Length: \(body.utf8.count)"] + headers
        write(lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
    }
}

@Suite(.timeLimit(.minutes(10))) struct HTTPClientTests {
    private static func settings(_ change: (inout HTTPClientSettings) -> Void = { _ in }) -> HTTPClientSettings {
        var settings = HTTPClientSettings()
        change(&settings)
        return settings
    }

    /// What a server's bytes mean to a client; the server closes behind them.
    private func body(_ answer: [UInt8], _ change: @escaping @Sendable (inout HTTPClientRequest) -> Void = { _ in }) async throws -> [UInt8]
    {
        let server = try RawServer { connection, _ in
            _ = connection.head()
            connection.write(answer)
        }
        return try await waiting {
            let client = HTTPClient(on: Loops.client)
            defer { client.close() }
            var request = HTTPClientRequest("GET", try PeerURL(server.webURL + "/db"))
            change(&request)
            return try client.send(request).readAll()
        }
    }

    private static let gzipped: [UInt8] = {
        var bytes: [UInt8] = []
        guard let compressor = try? Compressor(.gzip) else { return [] }
        [UInt8](repeating: 65, count: 500_000).withUnsafeBytes { compressor.encode($0, .finish) { bytes.append(contentsOf: $0) } }
        return bytes
    }()

    @Test func bodiesAreReadInEveryForm() async throws {
        #expect(try await body(head("HTTP/1.1 200 OK", "Content-Length: 5") + bytes("hello")) == bytes("hello"))
        #expect(
            try await body(head("HTTP/1.1 200 OK", "Transfer-Encoding: chunked") + bytes("3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n"))
                == bytes("hello"))
        #expect(try await body(head("HTTP/1.0 200 OK") + bytes("hello")) == bytes("hello"))
        #expect(try await body(head("HTTP/1.1 204 No Content")) == [])
        #expect(try await body(head("HTTP/1.1 103 Early Hints", "Link: x") + head("HTTP/1.1 200 OK", "Content-Length: 1") + [7]) == [7])
        let packed = head("HTTP/1.1 200 OK", "Content-Encoding: gzip", "Content-Length: \(Self.gzipped.count)") + Self.gzipped
        #expect(try await body(packed) == [UInt8](repeating: 65, count: 500_000))
        #expect(try await body(packed) { $0.unpacksAnswer = false } == Self.gzipped)
    }

    @Test func answersThatMakeNoSenseAreErrors() async throws {
        let answers = [
            [], bytes("HTTP/1.1 200"), bytes("SSH-2.0\r\n\r\n"), head("HTTP/1.1 200 OK", "Content-Length: 5") + bytes("hell"),
            head("HTTP/1.1 200 OK", "Transfer-Encoding: chunked") + bytes("5\r\nhello\r\n"), head("HTTP/1.1 101 Switching Protocols"),
            head("HTTP/1.1 200 OK", "Content-Length: 5", "Content-Length: 6") + bytes("hello!"),
            (0..<30).flatMap { _ in head("HTTP/1.1 102 Processing") }, head("HTTP/1.1 200 OK", "Content-Encoding: br", "Content-Length: 0"),
            head("HTTP/1.1 200 OK", "Content-Encoding: gzip") + Self.gzipped.dropLast(),
            head("HTTP/1.1 200 OK", "Content-Encoding: gzip") + bytes("no gzip"),
            bytes("HTTP/1.1 200 OK\r\n" + String(repeating: "A: b\r\n", count: 20_000)),
        ]
        for answer in answers { await #expect(throws: TransportError.self) { try await body(answer) } }
        let long = head("HTTP/1.1 200 OK", "Content-Encoding: gzip") + Self.gzipped
        await #expect(throws: TransportError.self) { try await body(long) { $0.mostAnswerBytes = 499_999 } }
    }

    @Test func oneConnectionServesManyRequests() async throws {
        let server = try RawServer { connection, _ in
            var count = 0
            while connection.head() != nil {
                count += 1
                connection.answer("\(count)")
            }
        }
        let bodies = try await waiting {
            let client = HTTPClient(on: Loops.client)
            defer { client.close() }
            let url = try PeerURL(server.webURL + "/db")
            return try (0..<5).map { _ in try client.send(HTTPClientRequest("GET", url)).readAll() }
        }
        #expect(bodies == ["1", "2", "3", "4", "5"].map(bytes))
        server.join()
    }

    @Test func aKeptConnectionThatHasDiedIsReplacedIfNothingIsDoneTwice() async throws {
        func run(_ method: String) async throws -> [UInt8] {
            let server = try RawServer(connections: 2) { connection, number in
                _ = connection.head()
                connection.answer("\(number)")
                // The next request is not answered.
                if number == 0 { _ = connection.head() }
            }
            return try await waiting {
                let client = HTTPClient(on: Loops.client)
                defer { client.close() }
                let url = try PeerURL(server.webURL + "/db")
                _ = try client.send(HTTPClientRequest("GET", url)).readAll()
                return try client.send(HTTPClientRequest(method, url, body: method == "GET" ? .none : .bytes([]))).readAll()
            }
        }
        #expect(try await run("GET") == bytes("1"))
        #expect(try await run("PUT") == bytes("1"))
        let error = await #expect(throws: TransportError.self) { try await run("POST") }
        #expect(error?.persistence == .transient)
    }

    @Test func moreRequestsThanConnectionsWait() async throws {
        let open = Mutex((now: 0, most: 0))
        let servers = try RawServer { connection, _ in
            open.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            while connection.head() != nil { connection.answer("x") }
            open.withLock { $0.now -= 1 }
        }
        let client = HTTPClient(Self.settings { $0.mostConnections = 1 }, on: Loops.client)
        defer { client.close() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<6 {
                group.addTask {
                    try await waiting { _ = try client.send(HTTPClientRequest("GET", PeerURL(servers.webURL))).readAll() }
                }
            }
            try await group.waitForAll()
        }
        #expect(open.withLock { $0.most } == 1)
    }

    @Test func redirectsAndCookiesAreFollowed() async throws {
        let heads = Mutex<[String]>([])
        let server = try RawServer { connection, _ in
            while let head = connection.head() {
                heads.withLock { $0.append(head) }
                if head.hasPrefix("GET /there ") {
                    connection.answer("arrived")
                } else {
                    connection.write("HTTP/1.1 302 Found\r\nLocation: there\r\nSet-Cookie: a=b\r\nContent-Length: 4\r\n\r\ngone")
                }
            }
        }
        let (text, place) = try await waiting {
            let client = HTTPClient(Self.settings { $0.cookies = CookieJar() }, on: Loops.client)
            defer { client.close() }
            let answer = try client.send(HTTPClientRequest("GET", PeerURL(server.webURL + "/here")))
            return (try answer.readAll(), answer.url.path)
        }
        #expect(text == bytes("arrived") && place == "/there")
        server.join()
        #expect(heads.withLock { $0.map { $0.contains("Cookie: a=b\r\n") } } == [false, true])
    }

    @Test func aServerThatWantsAProofGetsItWithEachRequest() async throws {
        let heads = Mutex<[String]>([])
        let server = try RawServer { connection, _ in
            while let head = connection.head() {
                heads.withLock { $0.append(head) }
                if head.contains("Authorization: Digest") {
                    connection.answer("in")
                } else {
                    connection.write(
                        "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Digest realm=x, nonce=y, qop=\"auth\"\r\nContent-Length: 0\r\n\r\n")
                }
            }
        }
        let bodies = try await waiting {
            let client = HTTPClient(on: Loops.client)
            defer { client.close() }
            var request = HTTPClientRequest("GET", try PeerURL("http://ada:secret@127.0.0.1:\(server.port)/db"))
            request.waitsForChallenge = true
            return try (0..<2).map { _ in try client.send(request).readAll() }
        }
        #expect(bodies == [bytes("in"), bytes("in")])
        server.join()
        #expect(heads.withLock { $0.map { head in [1, 2].first { head.contains("nc=0000000\($0)") } } } == [nil, 1, 2])
    }

    @Test func proxiesAreGoneThrough() async throws {
        let server = try RawServer { connection, _ in
            _ = connection.head()
            connection.answer("through")
        }
        let proxy = try TestProxy(password: "bWU6cHc=")
        let text = try await waiting {
            let choice = ProxyChoice.proxy(try Proxy("http://me:pw@127.0.0.1:\(proxy.server.port)"))
            let client = HTTPClient(Self.settings { $0.proxy = choice }, on: Loops.client)
            defer { client.close() }
            return try client.send(HTTPClientRequest("GET", PeerURL(server.webURL))).readAll()
        }
        #expect(text == bytes("through"))
        server.join()
    }

    @Test func serversHaveToBeTheOnesThatAreTrusted() async throws {
        var listening = HTTPServer.Settings()
        listening.address = "127.0.0.1"
        listening.identity = TestIdentities.selfSigned
        let server = try HTTPServer(listening, on: Loops.server) { _ in .refuse(HTTPAnswer(404, "nothing here")) }
        defer { server.stop() }
        let own = try #require(TestIdentities.selfSigned.certificates.first)
        let other = try #require(TestIdentities.server.certificates.first)
        @Sendable func status(_ trust: TLSTrust) async throws -> Int {
            try await waiting {
                let client = HTTPClient(Self.settings { $0.trust = trust }, on: Loops.client)
                defer { client.close() }
                return try client.send(HTTPClientRequest("GET", PeerURL("https://localhost:\(server.port)/"))).head.status
            }
        }
        #expect(try await status(.pinned([.certificate(own)])) == 404)
        for trust in [TLSTrust.pinned([.certificate(other)]), .system] {
            let error = await #expect(throws: TransportError.self) { try await status(trust) }
            #expect(error?.isAboutTLS ?? false)
        }
    }

    @Test func aServerThatIsNotThereOrSaysNothingIsLeft() async throws {
        let gone = try RawServer(connections: 0) { _, _ in }
        gone.join()
        let silent = try RawServer { connection, _ in connection.readToEnd() }
        @Sendable func error(_ url: String, _ timeout: Duration?) async -> TransportError? {
            await #expect(throws: TransportError.self) {
                try await waiting {
                    let client = HTTPClient(Self.settings { $0.idleTimeout = .milliseconds(100) }, on: Loops.client)
                    defer { client.close() }
                    var request = HTTPClientRequest("GET", try PeerURL(url))
                    request.timeout = timeout
                    _ = try client.send(request)
                }
            }
        }
        #expect(await error(gone.webURL, nil)?.code == .posix(ECONNREFUSED))
        #expect(await error(silent.webURL, nil)?.code == .posix(ETIMEDOUT))
        silent.join()
        let slow = try RawServer { connection, _ in connection.readToEnd() }
        #expect(await error(slow.webURL, .milliseconds(50))?.code == .posix(ETIMEDOUT))
        slow.join()
    }

    /// Each byte of a head is no reason to wait once more.
    @Test func aHeadThatComesDropByDropIsNotWaitedFor() async throws {
        let isOver = Mutex(false)
        let dripping = try RawServer { connection, _ in
            _ = connection.head()
            connection.write("HTTP/1.1 ")
            for _ in 0..<1000 where !isOver.withLock({ $0 }) {
                usleep(20_000)
                connection.write("2")
            }
        }
        let start = ContinuousClock.now
        let error = await #expect(throws: TransportError.self) {
            try await waiting {
                let client = HTTPClient(Self.settings { $0.idleTimeout = .milliseconds(200) }, on: Loops.client)
                defer { client.close() }
                _ = try client.send(HTTPClientRequest("GET", try PeerURL(dripping.webURL)))
            }
        }
        #expect(error?.code == .posix(ETIMEDOUT) && ContinuousClock.now - start < .seconds(10))
        isOver.withLock { $0 = true }
        dripping.join()
    }

    @Test func whatIsNotReadIsNotSent() async throws {
        let sent = Mutex(0)
        let total = 64 << 20
        let server = try RawServer { connection, _ in
            _ = connection.head()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(total)\r\n\r\n")
            let piece = [UInt8](repeating: 1, count: 65536)
            for _ in 0..<total / piece.count {
                connection.write(piece)
                sent.withLock { $0 += piece.count }
            }
        }
        let early = try await waiting {
            let client = HTTPClient(on: Loops.client)
            defer { client.close() }
            let answer = try client.send(HTTPClientRequest("GET", PeerURL(server.webURL)))
            var space = [UInt8](repeating: 0, count: 65536)
            var count = try space.withUnsafeMutableBytes { try answer.read(into: $0) }
            // Long enough for everything to come that would.
            var before = -1
            while case let now = sent.withLock({ $0 }), now != before {
                before = now
                usleep(100_000)
            }
            let early = sent.withLock { $0 }
            while case let got = try space.withUnsafeMutableBytes({ try answer.read(into: $0) }), got > 0 { count += got }
            #expect(count == total)
            return early
        }
        #expect(early < total / 2)
        server.join()
    }

    @Test func whoeverCancelsHearsNothingMore() async throws {
        let server = try RawServer { connection, _ in
            _ = connection.head()
            connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n")
            connection.readToEnd()
        }
        try await waiting {
            let client = HTTPClient(on: Loops.client)
            let answer = try client.send(HTTPClientRequest("GET", PeerURL(server.webURL)))
            var byte: UInt8 = 0
            #expect(try withUnsafeMutableBytes(of: &byte) { try answer.read(into: $0) } == 1)
            answer.cancel()
        }
        // Its connection is closed.
        server.join()
    }
}
