import CBLTestSupport
import Glibc
import Synchronization
import Testing

@testable import CBLTransport

@Suite(.timeLimit(.minutes(5))) struct HTTPServerTests {
    /// Says what was asked, and the body back.
    private func echo(_ change: (inout HTTPServer.Settings) -> Void = { _ in }) throws -> TestHTTPServer {
        try TestHTTPServer(change) { exchange in
            let body = try exchange.readAll()
            try exchange.begin(
                HTTPResponseHead(status: 200, headers: ["X-Path": exchange.request.path.joined(separator: "|")]), length: nil)
            try exchange.write(body)
            return nil
        }
    }

    @Test func aConnectionServesOneRequestAfterAnother() throws {
        let server = try echo()
        defer { server.stop() }
        let client = try TestHTTPClient(server.port)
        for number in 0..<20 {
            client.send("PUT /db/a%2Fb\(number)?x=1 HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello")
            let answer = try #require(try client.answer())
            #expect(answer.head.status == 200)
            #expect(answer.text == "hello")
            #expect(answer.head.headers["X-Path"] == "db|a/b\(number)")
            #expect(answer.head.headers["Content-Length"] == "5")
            #expect(answer.head.headers["Server"] == "cblite")
            #expect(answer.head.headers["Date"]?.hasSuffix(" GMT") == true)
            #expect(answer.head.headers["Connection"] == nil)
        }
        client.get("/", "Connection: close\r\n")
        #expect(try client.answer()?.head.headers["Connection"] == "close")
        #expect(client.isAtEnd())
    }

    @Test func localhostIsThisMachineInBothVersionsOfTheProtocol() throws {
        let server = try echo { $0.address = "localhost" }
        defer { server.stop() }
        for host in ["127.0.0.1", "[::1]"] where host == "127.0.0.1" || Self.hasIPv6 {
            let client = HTTPClient()
            defer { client.close() }
            let answer = try client.send(HTTPClientRequest("GET", try PeerURL("http://\(host):\(server.port)/a")))
            #expect(answer.head.status == 200 && answer.head.headers["X-Path"] == "a")
            _ = try answer.readAll()
        }
        // Who would be found at one of the two is somebody else.
        for address in ["127.0.0.1", "::1"] where address == "127.0.0.1" || Self.hasIPv6 {
            let other = try echo { $0.address = address }
            defer { other.stop() }
            #expect(throws: TransportError.self) {
                try echo {
                    $0.address = "localhost"
                    $0.port = other.port
                }
            }
        }
    }

    private static let hasIPv6 = (try? ListeningSocket(address: "::1", port: 0, on: Loops.server)) != nil

    @Test func pipelinedRequestsAreAnsweredInTheirOrder() throws {
        let server = try echo()
        defer { server.stop() }
        let client = try TestHTTPClient(server.port)
        let requests = (0..<300).map { number in
            switch number % 4 {
            case 0: "GET /\(number) HTTP/1.1\r\nHost: h\r\n\r\n"
            case 1: "POST /\(number) HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
            case 2: "GET /short HTTP/1.1\r\nHost: h\r\n\r\n"
            default: "GET /asked HTTP/1.1\r\nHost: h\r\n\r\n"
            }
        }
        client.send(requests.joined())
        client.endSending()
        for number in 0..<300 {
            let answer = try #require(try client.answer())
            #expect(answer.head.status == (number % 4 < 2 ? 200 : 404))
            if number % 4 == 1 { #expect(answer.text == "abcde") }
            if number % 4 < 2 { #expect(answer.head.headers["X-Path"] == "\(number)") }
        }
        #expect(client.isAtEnd())
    }

    @Test func bodiesOfEverySizeGoBothWays() throws {
        let server = try echo()
        defer { server.stop() }
        let client = try TestHTTPClient(server.port)
        var random = SeededRandom(5)
        for size in [0, 1, 1000, 16_383, 16_384, 16_385, 65_536, 100_000, 3_000_000] {
            let body = (0..<size).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: \(size)\r\n\r\n")
            client.send(body)
            #expect(try client.answer()?.body == body)
            client.send("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")
            var rest = body[...]
            while !rest.isEmpty {
                let piece = rest.prefix(1 + random.below(50_000))
                rest = rest.dropFirst(piece.count)
                client.send("\(String(piece.count, radix: 16));x=y\r\n")
                client.send(Array(piece) + [13, 10])
            }
            client.send("0\r\nTrailer: x\r\n\r\n")
            #expect(try client.answer()?.body == body)
        }
    }

    @Test func headAndEmptyAnswersHaveNoBody() throws {
        let server = try TestHTTPServer { exchange in
            let status = exchange.request.path.first.flatMap { Int($0) } ?? 200
            let knows = exchange.request.query["length"]
            try exchange.begin(HTTPResponseHead(status: status), length: knows.flatMap { Int($0) })
            if exchange.request.query["silent"] == nil { try exchange.write("hello") }
            return nil
        }
        defer { server.stop() }
        let client = try TestHTTPClient(server.port)
        for (method, path, length) in [
            ("HEAD", "/?length=5", "5"), ("HEAD", "/?length=5&silent", "5"), ("HEAD", "/", "5"), ("HEAD", "/?silent", nil),
            ("GET", "/204", nil), ("GET", "/304", nil), ("GET", "/?silent", "0"), ("HEAD", "/short", "8"),
        ] as [(String, String, String?)] {
            client.send("\(method) \(path) HTTP/1.1\r\nHost: h\r\n\r\n")
            let answer = try #require(try client.answer(to: method))
            #expect(answer.body.isEmpty)
            #expect(answer.head.headers["Content-Length"] == length, "\(method) \(path)")
            #expect(answer.head.headers["Transfer-Encoding"] == nil)
        }
        client.get("/")
        #expect(try client.answer()?.text == "hello")
    }

    @Test func anAnswerThatGrowsIsSentInChunksOrUntilTheEnd() throws {
        let server = try TestHTTPServer { exchange in
            try exchange.begin(HTTPResponseHead(status: 200), length: nil)
            for number in 0..<10_000 { try exchange.write("line \(number)\n") }
            return nil
        }
        defer { server.stop() }
        let expected = (0..<10_000).map { "line \($0)\n" }.joined()
        let client = try TestHTTPClient(server.port)
        client.get("/")
        let answer = try #require(try client.answer())
        #expect(answer.text == expected)
        #expect(answer.head.headers["Transfer-Encoding"] == "chunked")
        client.send("GET / HTTP/1.0\r\nHost: h\r\nConnection: keep-alive\r\n\r\n")
        let old = try #require(try client.answer())
        #expect(old.text == expected)
        #expect(old.head.headers["Transfer-Encoding"] == nil)
        #expect(old.head.headers["Connection"] == "close")
        #expect(client.isAtEnd())
    }

    @Test func oldClientsMayKeepTheirConnections() throws {
        let server = try echo()
        defer { server.stop() }
        let client = try TestHTTPClient(server.port)
        client.send("GET / HTTP/1.0\r\nHost: h\r\nConnection: keep-alive\r\n\r\n")
        #expect(try client.answer()?.head.headers["Connection"] == "keep-alive")
        client.send("GET / HTTP/1.0\r\nHost: h\r\n\r\n")
        #expect(try client.answer()?.head.headers["Connection"] == "close")
        #expect(client.isAtEnd())
    }

    @Test func theClientIsToldToGoOnWhenTheBodyIsRead() throws {
        let server = try TestHTTPServer { exchange in
            if exchange.request.path == ["read"] { #expect(try exchange.readAll().count == 5) }
            try exchange.begin(HTTPResponseHead(status: exchange.request.path == ["read"] ? 201 : 403), length: 0)
            return nil
        }
        defer { server.stop() }
        let client = try TestHTTPClient(server.port)
        client.send("PUT /read HTTP/1.1\r\nHost: h\r\nExpect: 100-Continue\r\nContent-Length: 5\r\n\r\n")
        #expect(try client.head()?.status == 100)
        client.send("hello")
        #expect(try client.answer()?.head.status == 201)
        // Nobody wants it, and nobody knows whether it comes all the same.
        client.send("PUT /other HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n")
        let refusal = try #require(try client.answer())
        #expect(refusal.head.status == 403)
        #expect(refusal.head.headers["Connection"] == "close")
        #expect(client.isAtEnd())
        let other = try TestHTTPClient(server.port)
        other.send("PUT /read HTTP/1.1\r\nHost: h\r\nExpect: wonders\r\nContent-Length: 5\r\n\r\n")
        #expect(try other.answer()?.head.status == 417)
    }

    @Test func aBodyThatNobodyReadsIsPassedOverIfItIsShort() throws {
        let server = try TestHTTPServer { exchange in
            try exchange.begin(HTTPResponseHead(status: 403), length: 2)
            try exchange.write("no")
            return nil
        }
        defer { server.stop() }
        let client = try TestHTTPClient(server.port)
        for size in [10, 100_000, 250_000] {
            client.send("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: \(size)\r\n\r\n")
            client.send([UInt8](repeating: 65, count: size))
            #expect(try client.answer()?.head.status == 403)
        }
        // An answer to a body that is still on its way, which ends the connection.
        client.send("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 50000000\r\n\r\n")
        client.send([UInt8](repeating: 65, count: 100_000))
        #expect(try client.answer()?.text == "no")
        client.send([UInt8](repeating: 65, count: 3_000_000))
        #expect(client.isAtEnd())
    }

    @Test func anAnswerOfAnotherLengthEndsTheConnection() throws {
        let server = try TestHTTPServer { exchange in
            try exchange.begin(HTTPResponseHead(status: 200), length: 10)
            try exchange.write(exchange.request.path == ["more"] ? "hello, hello" : "hello")
            return nil
        }
        defer { server.stop() }
        for path in ["/more", "/less"] {
            let client = try TestHTTPClient(server.port)
            client.get(path)
            do {
                let answer = try client.answer()
                #expect(answer == nil)
            } catch { #expect(error is HTTPViolation) }
        }
    }

    @Test func aConnectionBecomesAWebSocketAfterOtherRequests() throws {
        let server = try echo()
        defer { server.stop() }
        let client = try TestHTTPClient(server.port)
        for _ in 0..<3 {
            client.get("/x")
            #expect(try client.answer()?.head.status == 200)
        }
        client.get(
            "/socket",
            "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                + "Sec-WebSocket-Protocol: BLIP_3+CBMobile_2\r\n")
        #expect(try client.head()?.status == 101)
        client.send(frame(.close, [3, 232]))
        #expect(client.drain() > 0)
    }

    @Test(arguments: [0, 4, 6])
    func aBodyThatIsTooLongIsRefused(sent: Int) throws {
        let server = try echo { $0.maximumBody = 10 }
        defer { server.stop() }
        let client = try TestHTTPClient(server.port)
        client.send("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 11\r\n\r\n" + String(repeating: "x", count: sent))
        #expect(try client.answer()?.head.status == 413)
        let other = try TestHTTPClient(server.port)
        other.send(
            "PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n6\r\nhello,\r\n6\r\n" + String(repeating: "x", count: sent))
        #expect(try other.answer()?.head.status == 413)
        #expect(other.isAtEnd())
    }

    @Test func moreRequestsThanAreAnsweredAtOnceAreRefused() throws {
        let gate = Mutex(false)
        let server = try TestHTTPServer({ $0.maximumConnections = 2 }) { _ in
            while !gate.withLock({ $0 }) { usleep(500) }
            return nil
        }
        defer { server.stop() }
        let clients = try (0..<2).map { _ in try TestHTTPClient(server.port) }
        for client in clients { client.get("/") }
        server.wait { $0.begun == 2 }
        let third = try TestHTTPClient(server.port)
        third.get("/")
        #expect(try third.answer()?.head.status == 503)
        gate.withLock { $0 = true }
        for client in clients { #expect(try client.answer()?.head.status == 200) }
        let fourth = try TestHTTPClient(server.port)
        fourth.get("/")
        #expect(try fourth.answer()?.head.status == 200)
    }

    @Test func whoeverSaysNothingLongestMakesRoom() throws {
        let server = try echo { $0.maximumRequests = 3 }
        defer { server.stop() }
        let clients = try (0..<3).map { _ in try TestHTTPClient(server.port) }
        for client in clients {
            client.get("/")
            #expect(try client.answer()?.head.status == 200)
        }
        // The first one asked again: the second one has been idle for longest.
        clients[0].get("/")
        #expect(try clients[0].answer()?.head.status == 200)
        let newcomer = try TestHTTPClient(server.port)
        newcomer.get("/")
        #expect(try newcomer.answer()?.head.status == 200)
        #expect(clients[1].isAtEnd())
        clients[0].get("/")
        #expect(try clients[0].answer()?.head.status == 200)
    }

    @Test func theSameIsSaidOverTLS() async throws {
        let server = try TestHTTPServer({ $0.identity = TestIdentities.server }) { exchange in
            let body = try exchange.readAll()
            try exchange.begin(HTTPResponseHead(status: 200), length: body.count)
            try exchange.write(body)
            return nil
        }
        defer { server.stop() }
        let body = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let answers = try await TLSTestClient.exchange(server.port, requests: 3, body: body)
        #expect(answers.count == 3)
        for answer in answers { #expect(answer == body) }
    }
}
