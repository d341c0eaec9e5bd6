import CBLTestSupport
import Testing

@testable import CBLTransport

/// Reads a body that arrives in pieces of such sizes, and is taken in others. Nil for what has not come to its end; the rest is what stands
/// behind it.
private func readBody(
    _ bytes: [UInt8], _ form: HTTPBodyForm, limit: Int = .max, piece: Int = .max, taking: Int = .max, isEnd: Bool = false
) throws -> (body: [UInt8], rest: [UInt8])? {
    var reader = try HTTPBodyReader(form, limit: limit)
    var queue = ByteQueue()
    var body: [UInt8] = []
    var arriving = bytes[...]
    while true {
        guard let count = try reader.available(in: &queue) else { return (body, queue.array + arriving) }
        if count > 0 {
            let taken = min(count, taking)
            body += queue.bytes[..<taken]
            reader.consume(taken, of: &queue)
        } else if !arriving.isEmpty {
            queue.append(Array(arriving.prefix(piece)))
            arriving = arriving.dropFirst(piece)
        } else {
            guard isEnd else { return nil }
            try reader.end()
        }
    }
}

private func write(_ pieces: [[UInt8]], _ form: HTTPBodyForm) throws -> [UInt8] {
    var writer = HTTPBodyWriter(form)
    var queue = ByteQueue()
    for piece in pieces { try piece.withUnsafeBytes { try writer.append($0, to: &queue) } }
    try writer.end(in: &queue)
    return queue.array
}

@Suite struct HTTPBodyTests {
    @Test(
        arguments: [
            ([], .none), (["Content-Length: 0"], .sized(0)), (["content-length:  12 "], .sized(12)),
            (["Transfer-Encoding: Chunked"], .chunked),
        ] as [([String], HTTPBodyForm)])
    func aRequestSaysHowLongItIs(lines: [String], form: HTTPBodyForm) throws {
        let head = try bytes((["POST / HTTP/1.1"] + lines).joined(separator: "\r\n") + "\r\n\r\n").withUnsafeBytes {
            try HTTPRequestHead($0)
        }
        #expect(try head.bodyForm() == form)
    }

    @Test(arguments: [
        (["Content-Length: 5", "Transfer-Encoding: chunked"], 400), (["Transfer-Encoding: chunked", "Content-Length: 5"], 400),
        (["Content-Length: 5", "Content-Length: 6"], 400), (["Content-Length: 5", "Content-Length: 5"], 400),
        (["Content-Length: 5, 5"], 400),
        (["Content-Length:"], 400), (["Content-Length: +5"], 400), (["Content-Length: -5"], 400), (["Content-Length: 0x5"], 400),
        (["Content-Length: 5 5"], 400), (["Content-Length: ٥"], 400), (["Content-Length: 99999999999999999999"], 413),
        (["Transfer-Encoding: gzip"], 501), (["Transfer-Encoding: gzip, chunked"], 501), (["Transfer-Encoding: xchunked"], 501),
        (["Transfer-Encoding: \"chunked\""], 501), (["Transfer-Encoding: chunked;a=b"], 501),
        (["Transfer-Encoding: chunked, gzip"], 400), (["Transfer-Encoding: chunked", "Transfer-Encoding: identity"], 400),
        (["Transfer-Encoding: chunked, chunked"], 400), (["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"], 400),
        (["Transfer-Encoding:"], 400), (["Transfer-Encoding: ,"], 400),
    ])
    func aRequestThatCanBeReadInTwoWaysIsRefused(lines: [String], status: Int) throws {
        let head = try bytes((["POST / HTTP/1.1"] + lines).joined(separator: "\r\n") + "\r\n\r\n").withUnsafeBytes {
            try HTTPRequestHead($0)
        }
        #expect(#expect(throws: HTTPViolation.self) { try head.bodyForm() }?.status == status)
    }

    @Test func oldRequestsAreNotChunked() throws {
        let head = try request("POST / HTTP/1.0", "Transfer-Encoding: chunked")
        #expect(throws: HTTPViolation.self) { try head.bodyForm() }
    }

    @Test(
        arguments: [
            (200, "GET", [], .untilEnd), (200, "GET", ["Content-Length: 7"], .sized(7)), (200, "HEAD", ["Content-Length: 7"], .none),
            (204, "GET", ["Content-Length: 7"], .none), (304, "GET", ["Transfer-Encoding: chunked"], .none), (100, "PUT", [], .none),
            (200, "CONNECT", ["Content-Length: 7"], .none), (407, "CONNECT", ["Content-Length: 7"], .sized(7)),
            (200, "GET", ["Transfer-Encoding: chunked"], .chunked), (200, "GET", ["Content-Length: 7", "Content-Length: 7"], .sized(7)),
            (200, "GET", ["Transfer-Encoding: chunked", "Content-Length: 7"], .chunked),
        ] as [(Int, String, [String], HTTPBodyForm)])
    func anAnswerSaysHowLongItIs(status: Int, method: String, lines: [String], form: HTTPBodyForm) throws {
        let text = (["HTTP/1.1 \(status) x"] + lines).joined(separator: "\r\n") + "\r\n\r\n"
        #expect(try bytes(text).withUnsafeBytes { try HTTPResponseHead($0) }.bodyForm(answering: method) == form)
    }

    @Test(arguments: ["Content-Length: x", "Content-Length: -1", "Transfer-Encoding: gzip", "Content-Length: 1\r\nContent-Length: 2"])
    func anAnswerOfNoLengthIsRefused(line: String) throws {
        #expect(throws: HTTPViolation.self) { try response("HTTP/1.1 200 OK", line).bodyForm(answering: "GET") }
    }

    @Test(
        arguments: [
            ("1.1", nil, true), ("1.1", "close", false), ("1.1", "Keep-Alive, CLOSE", false), ("1.1", "Upgrade", true), ("1.0", nil, false),
            ("1.0", "keep-alive", true), ("1.0", "keep-alive, close", false),
        ] as [(String, String?, Bool)])
    func aConnectionStaysOrEnds(version: String, option: String?, stays: Bool) throws {
        let line = option.map { "Connection: \($0)" } ?? "X: y"
        #expect(try request("GET / HTTP/\(version)", line).keepsConnection == stays)
        #expect(try response("HTTP/\(version) 200 OK", line).keepsConnection == stays)
    }

    @Test func anAnswerWithTwoLengthsEndsItsConnection() throws {
        #expect(try !response("HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "Content-Length: 3").keepsConnection)
    }

    @Test func bodiesAreReadInEveryFormHoweverTheyArrive() throws {
        let cases: [(String, HTTPBodyForm, String, String)] = [
            ("hello, more", .sized(5), "hello", ", more"), ("more", .none, "", "more"), ("more", .sized(0), "", "more"),
            ("hello", .untilEnd, "hello", ""), ("0\r\n\r\nmore", .chunked, "", "more"),
            ("3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\n\r\nmore", .chunked, "hello", "more"),
            (
                "A  \r\n0123456789\r\n00b ;x=\"y\"\r\n0123456789a\r\n000;z\r\nA: b\r\nC: d\r\n\r\nmore", .chunked, "01234567890123456789a",
                "more"
            ),
        ]
        for (text, form, body, rest) in cases {
            for piece in 1...text.utf8.count {
                for taking in [1, 2, Int.max] {
                    let read = try readBody(bytes(text), form, piece: piece, taking: taking, isEnd: form == .untilEnd)
                    #expect(read?.body == bytes(body))
                    #expect(read?.rest == bytes(rest))
                }
            }
        }
    }

    @Test(arguments: ["", "5", "5\r\nhel", "5\r\nhello", "5\r\nhello\r", "5\r\nhello\r\n0\r\n", "0\r\nA: b\r\n"])
    func whatIsCutOffIsNoBody(text: String) throws {
        #expect(try readBody(bytes(text), .chunked) == nil)
        #expect(throws: HTTPViolation.self) { try readBody(bytes(text), .chunked, isEnd: true) }
        #expect(throws: HTTPViolation.self) { try readBody(bytes(text), .sized(100), isEnd: true) }
    }

    @Test(arguments: [
        "\n", "\r\n", "zz\r\n", "5\nhello\r\n", "5\r\nhello\n0\r\n", "5\r\nhello!\r\n", "5\r\nhello0\r\n\r\n", "+5\r\nhello", "-5\r\nhello",
        "0x5\r\nhello", " 5\r\nhello", "5 5\r\nhello", "5;a\u{0}\r\nhello", "5;a\rb\r\nhello", ";a\r\n", "5,\r\nhello", "٥\r\n",
        "10000000000000000\r\n", "fffffffffffffffffffff\r\n", "7fffffffffffffff\r\n", "0\r\nA: b\n\r\n", "0\r\n\n", "0\r\nA: \u{1}\r\n\r\n",
        "5;" + String(repeating: "x", count: 100), String(repeating: "0", count: 100), "0\r\n" + String(repeating: "A: b\r\n", count: 1000),
        "0\r\n" + String(repeating: "x", count: 5000),
    ])
    func hostileChunksAreRefused(text: String) {
        for piece in [1, Int.max] {
            #expect(throws: HTTPViolation.self) { try readBody(bytes(text), .chunked, limit: 1 << 40, piece: piece) }
        }
    }

    @Test func aBodyIsRefusedAsSoonAsItIsTooLong() throws {
        #expect(#expect(throws: HTTPViolation.self) { try HTTPBodyReader(.sized(11), limit: 10) }?.status == 413)
        // Before a byte of the chunk has come.
        #expect(#expect(throws: HTTPViolation.self) { try readBody(bytes("b\r\n"), .chunked, limit: 10) }?.status == 413)
        #expect(throws: HTTPViolation.self) { try readBody(bytes("6\r\nhello \r\n5\r\n"), .chunked, limit: 10) }
        #expect(throws: HTTPViolation.self) { try readBody(bytes("hello, hello"), .untilEnd, limit: 10, piece: 3, isEnd: true) }
        #expect(try readBody(bytes("a\r\n0123456789\r\n0\r\n\r\n"), .chunked, limit: 10)?.body.count == 10)
    }

    @Test func whatIsWrittenIsRead() throws {
        var random = SeededRandom(11)
        for count in 0..<60 {
            let pieces = (0..<count % 7).map { _ in (0..<random.below(count == 59 ? 70_000 : 300)).map { UInt8(truncatingIfNeeded: $0) } }
            let body = Array(pieces.joined())
            for form in [HTTPBodyForm.chunked, .sized(body.count), .untilEnd] {
                let written = try write(pieces, form)
                #expect(try readBody(written, form, piece: 1 + random.below(500), isEnd: form == .untilEnd)?.body == body)
            }
            #expect(try write(pieces, .none).isEmpty)
        }
        #expect(try write([bytes("0123456789abcdef"), [], bytes("x")], .chunked) == bytes("10\r\n0123456789abcdef\r\n1\r\nx\r\n0\r\n\r\n"))
    }

    @Test func aBodyOfAnotherLengthIsFoundOut() {
        #expect(throws: HTTPBodyWriter.WrongLength(announced: 5, written: 6)) { try write([bytes("hello"), bytes("!")], .sized(5)) }
        #expect(throws: HTTPBodyWriter.WrongLength(announced: 5, written: 4)) { try write([bytes("hell")], .sized(5)) }
    }

    @Test func hostileBodiesNeverCrashTheReader() throws {
        var random = SeededRandom(33)
        let valid = bytes("5;a=b\r\nhello\r\n1a\r\nabcdefghijklmnopqrstuvwxyz\r\n0\r\nTrailer: x\r\n\r\n")
        var (read, refused) = (0, 0)
        func suffer(_ hostile: [UInt8]) {
            func outcome(_ piece: Int) -> String {
                do {
                    return try readBody(hostile, .chunked, limit: 1000, piece: piece, taking: 1 + random.below(9)).map { "\($0)" }
                        ?? "unfinished"
                } catch { return "refused" }
            }
            let whole = outcome(.max)
            #expect(outcome(1) == whole)
            #expect(outcome(1 + random.below(20)) == whole)
            if whole == "refused" { refused += 1 } else { read += 1 }
        }
        for end in 0...valid.count { suffer(Array(valid[..<end])) }
        for bit in 0..<valid.count * 8 {
            var flipped = valid
            flipped[bit / 8] ^= 1 << (bit % 8)
            suffer(flipped)
        }
        repeatWithin(seconds: 0.5) {
            var mutated = valid
            for _ in 0...random.below(6) { mutated[random.below(mutated.count)] = random.element(of: bytes("0159afF;\r\n -+x")) }
            suffer(mutated)
        }
        #expect(read > 100 && refused > 100)
    }
}
