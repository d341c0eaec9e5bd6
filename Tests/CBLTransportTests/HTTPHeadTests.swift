import CBLTestSupport
import Testing

@testable import CBLTransport

@Suite struct HTTPHeadTests {
    @Test func theHeadOfAnAnswerIsRead() throws {
        let answer = try response(
            "HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "X-Empty:", "set-cookie: a=1", "Set-Cookie:  b=2\t")
        #expect(answer.status == 101)
        #expect(answer.reason == "Switching Protocols")
        #expect(answer.headers["UPGRADE"] == "websocket")
        #expect(answer.headers["x-empty"] == "")
        #expect(answer.headers.values("Set-Cookie") == ["a=1", "b=2"])
        #expect(try response("HTTP/1.0 200").reason == "")
    }

    @Test func listsMayBeSpreadOverSeveralFields() throws {
        let answer = try response("HTTP/1.1 200 OK", "Connection: keep-alive,  Upgrade", "Connection: ,x")
        #expect(answer.headers.list("connection") == ["keep-alive", "Upgrade", "x"])
    }

    @Test func aHeadIsFoundHoweverItArrives() throws {
        let whole = head("GET /db/_blipsync HTTP/1.1", "Host: localhost") + bytes("rest")
        for piece in 1...whole.count {
            var reader = HTTPHeadReader()
            var queue = ByteQueue()
            var found: HTTPRequestHead?
            for start in stride(from: 0, to: whole.count, by: piece) where found == nil {
                queue.append(Array(whole[start..<min(start + piece, whole.count)]))
                found = try reader.request(in: &queue)
            }
            #expect(found?.target == "/db/_blipsync")
            #expect("rest".hasPrefix(String(decoding: queue.array, as: UTF8.self)))
        }
    }

    @Test(arguments: [
        "HTTP/2 200 OK", "HTTP/1.1", "HTTP/1.1 20 OK", "HTTP/1.1 2000 OK", "HTTP/1.1 abc OK", "HTTP/1.1 -12 OK", "SSH-2.0-OpenSSH", "",
    ])
    func otherAnswersAreRefused(line: String) { #expect(throws: HTTPViolation.self) { try response(line, "A: b") } }

    @Test(arguments: [
        ("GET / HTTP/1.1\r\nHost : x", 400), ("GET / HTTP/1.1\r\n Host: x", 400), ("GET / HTTP/1.1\r\nHost: x\r\n folded", 400),
        ("GET / HTTP/1.1\r\n: x", 400), ("GET / HTTP/1.1\r\nno colon", 400), ("GET / HTTP/1.1\r\nA: \u{0}", 400),
        ("GET / HTTP/1.1\r\nA: b\rc", 400), ("GET / HTTP/1.1\nA: b", 400), ("GET  / HTTP/1.1", 400), ("GET /a b HTTP/1.1", 400),
        ("G(T / HTTP/1.1", 400), ("GET / HTTP/2.0", 505), ("GET / FTP/1.1", 400), ("\u{16}\u{3}\u{1}", 400),
        ("GET / HTTP/1.1\r\n" + String(repeating: "A: b\r\n", count: 101), 431),
    ])
    func hostileRequestsAreRefused(text: String, status: Int) {
        let error = #expect(throws: HTTPViolation.self) { try bytes(text + "\r\n\r\n").withUnsafeBytes { try HTTPRequestHead($0) } }
        #expect(error?.status == status)
    }

    @Test func aHeadThatDoesNotEndIsRefusedAtItsLimit() throws {
        var reader = HTTPHeadReader(maximumLength: 100)
        var queue = ByteQueue(bytes("GET / HTTP/1.1\r\n"))
        let early = try reader.request(in: &queue)
        #expect(early == nil)
        queue.append([UInt8](repeating: 0x61, count: 84))
        do {
            _ = try reader.request(in: &queue)
            Issue.record("collected")
        } catch { #expect(error.status == 431) }
    }

    @Test func bodiesAreCollectedInEveryForm() throws {
        func body(_ lines: [String], _ text: String) throws -> (String, Bool) {
            let answer = try bytes((["HTTP/1.1 404 Not Found"] + lines).joined(separator: "\r\n") + "\r\n\r\n").withUnsafeBytes {
                try HTTPResponseHead($0)
            }
            var body = HTTPBodyExcerpt(answer)
            var isComplete = false
            var queue = ByteQueue()
            for byte in text.utf8 where !isComplete {
                queue.append([byte])
                isComplete = body.read(&queue)
            }
            return (String(decoding: body.bytes, as: UTF8.self), isComplete)
        }
        #expect(try body(["Content-Length: 5"], "hello, more") == ("hello", true))
        #expect(try body(["Content-Length: 50"], "hello") == ("hello", false))
        #expect(try body([], "hello") == ("hello", false))
        #expect(try body(["Transfer-Encoding: chunked"], "3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\n\r\n") == ("hello", true))
        #expect(try body(["Transfer-Encoding: chunked"], "zz\r\n") == ("", true))
        #expect(try body(["Content-Length: -3"], "x") == ("", true))
        let long = String(repeating: "x", count: 20_000)
        #expect(try body([], long).0.utf8.count == HTTPBodyExcerpt.maximumLength)
        #expect(try body(["Transfer-Encoding: chunked"], "7FFFFFFFFFFFFFF\r\n" + long).0.utf8.count == HTTPBodyExcerpt.maximumLength)
    }

    @Test func nobodyCanWriteHeadersOfTheirOwn() {
        #expect(HTTPHeaders.isWritable(name: "X-Name", value: "Grüße"))
        #expect(!HTTPHeaders.isWritable(name: "X", value: "a\r\nB: c"))
        #expect(!HTTPHeaders.isWritable(name: "X: y", value: "a"))
        #expect(!HTTPHeaders.isWritable(name: "", value: "a"))
        var text = ""
        let headers: HTTPHeaders = ["A": "b", "C\r\n": "d", "E": "f\n"]
        headers.append(to: &text)
        #expect(text == "A: b\r\n")
    }

    @Test func hostileHeadsNeverCrashTheReader() {
        var random = SeededRandom(21)
        let valid = head("HTTP/1.1 401 Unauthorized", "WWW-Authenticate: Basic realm=\"x\"", "Set-Cookie: a=b; Path=/", "Content-Length: 2")
        var (read, refused) = (0, 0)
        func suffer(_ hostile: [UInt8]) {
            if hostile.withUnsafeBytes({ try? HTTPResponseHead($0) }) == nil { refused += 1 } else { read += 1 }
            _ = hostile.withUnsafeBytes { try? HTTPRequestHead($0) }
            var reader = HTTPHeadReader(maximumLength: 100)
            var queue = ByteQueue(hostile)
            if let head = try? reader.request(in: &queue) { _ = try? PeerRequest(head) }
        }
        for end in 0...valid.count { suffer(Array(valid[..<end])) }
        for bit in 0..<valid.count * 8 {
            var flipped = valid
            flipped[bit / 8] ^= 1 << (bit % 8)
            suffer(flipped)
        }
        repeatWithin(seconds: 0.5) {
            var mutated = head("GET /a%20b/_blipsync?x HTTP/1.1", "Host: h", "Connection: Upgrade", "Upgrade: websocket")
            for _ in 0...random.below(6) { mutated[random.below(mutated.count)] = UInt8(truncatingIfNeeded: random.next()) }
            suffer(mutated)
        }
        #expect(read > 100 && refused > 100)
    }
}
