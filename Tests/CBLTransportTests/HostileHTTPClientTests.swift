import CBLTestSupport
import Glibc
import Synchronization
import Testing

@testable import CBLTransport

@Suite(.timeLimit(.minutes(5))) struct HostileHTTPClientTests {
    private func reader(on loop: EventLoop = Loops.server) throws -> TestHTTPServer {
        try TestHTTPServer(on: loop) { exchange in
            let body = try exchange.readAll(piece: 5000)
            try exchange.begin(HTTPResponseHead(status: 200), length: nil)
            if exchange.request.path == ["much"] {
                let piece = [UInt8](repeating: 65, count: 100_000)
                for _ in 0..<640 { try exchange.write(piece) }
            } else {
                try exchange.write("\(body.count)")
            }
            return nil
        }
    }

    // What stands behind the message is a request to whoever takes its length for another one.
    @Test(arguments: [
        ("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\nContent-Length: 0\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 0, 4\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: +4\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: h\r\nContent-Length : 4\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", 501),
        ("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: h\r\n Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding:\u{b}chunked\r\n\r\n0\r\n\r\n", 400),
        ("POST / HTTP/1.0\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0x1\r\na\r\n0\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\na\r\n0\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1;\u{1}\r\na\r\n0\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n10000000000000001\r\na\r\n0\r\n\r\n", 413),
        ("POST / HTTP/1.1\r\nHost: h\r\nHost: i\r\n\r\n", 400), ("GET / HTTP/1.1\nHost: h\n\n\r\n\r\n", 400),
    ])
    func nobodySmugglesARequest(message: String, status: Int) throws {
        let server = try reader()
        defer { server.stop() }
        let client = try TestHTTPClient(server.port)
        client.send(message + "GET /much HTTP/1.1\r\nHost: h\r\n\r\n")
        let answer = try #require(try client.answer())
        #expect(answer.head.status == status)
        #expect(answer.head.headers["Connection"] == "close")
        #expect(client.isAtEnd())
    }

    @Test func aClientMayLeaveAtAnyMoment() throws {
        let server = try reader()
        defer { server.stop() }
        let requests = [
            "GET /much HTTP/1.1\r\nHost: h\r\n\r\n", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nsome body",
            "PUT / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nsome\r\n5\r\n body\r\n0\r\n\r\n",
        ].map { bytes($0) }
        for request in requests {
            for end in 0...request.count {
                let client = try TestHTTPClient(server.port)
                client.send(Array(request[..<end]))
                if end % 3 == 0 { RawServer.Connection(descriptor: client.descriptor).reset() }
                if end % 3 == 1 { client.endSending() }
            }
        }
        server.wait { $0.begun > 0 && $0.begun == $0.done + $0.gone + $0.refused }
        let client = try TestHTTPClient(server.port)
        client.get("/")
        #expect(try client.answer()?.text == "0")
    }

    @Test func aResponderThatDoesNotReadMakesItsClientWait() throws {
        let gate = Mutex(false)
        let server = try TestHTTPServer({ $0.maximumBody = .max }) { exchange in
            while !gate.withLock({ $0 }) { usleep(500) }
            let count = try exchange.readAll(piece: 65536).count
            try exchange.begin(HTTPResponseHead(status: 200), length: nil)
            try exchange.write("\(count)")
            return nil
        }
        defer { server.stop() }
        let client = try TestHTTPClient(server.port)
        let total = 64 << 20
        client.send("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: \(total)\r\n\r\n")
        let block = [UInt8](repeating: 7, count: 65536)
        var sent = 0
        // What the kernel's buffers hold, and the server's 64 KiB.
        var idle = 0
        while idle < 100, sent < total {
            let count = block.withUnsafeBytes {
                Glibc.send(client.descriptor, $0.baseAddress, min($0.count, total - sent), Int32(MSG_DONTWAIT))
            }
            if count > 0 { (sent, idle) = (sent + count, 0) } else { (_, idle) = (usleep(1000), idle + 1) }
        }
        #expect(sent < 32 << 20)
        gate.withLock { $0 = true }
        while sent < total {
            let count = min(block.count, total - sent)
            client.send(Array(block[..<count]))
            sent += count
        }
        #expect(try client.answer()?.text == "\(total)")
    }

    @Test func aClientThatDoesNotReadMakesTheResponderWait() throws {
        let written = Mutex(0)
        let server = try TestHTTPServer { exchange in
            try exchange.begin(HTTPResponseHead(status: 200), length: 64 << 20)
            let piece = [UInt8](repeating: 65, count: 1 << 20)
            for _ in 0..<64 {
                try exchange.write(piece)
                written.withLock { $0 += 1 }
            }
            return nil
        }
        defer { server.stop() }
        let client = try TestHTTPClient(server.port)
        client.get("/")
        var (before, idle) = (0, 0)
        while idle < 100 {
            sleepBriefly()
            let now = written.withLock { $0 }
            (before, idle) = (now, now == before ? idle + 1 : 0)
        }
        #expect(before < 32)
        #expect(try client.answer()?.body.count == 64 << 20)
    }

    @Test func aServerThatStopsLeavesNobodyWaiting() throws {
        let server = try reader()
        let clients = try (0..<8).map { _ in try TestHTTPClient(server.port) }
        for (number, client) in clients.enumerated() {
            if number % 2 == 0 { client.get("/much") } else { client.send("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000\r\n\r\n") }
            if number % 2 == 1 { client.send([UInt8](repeating: 65, count: 100_000)) }
        }
        server.wait { $0.begun == 8 }
        server.stop()
        server.wait { $0.gone == 8 }
        for client in clients { _ = client.drain() }
    }

    @Test func whatIsBeingAnsweredComesToItsEndWhenNobodyIsListenedToAnyMore() throws {
        let gate = Mutex(false)
        let server = try TestHTTPServer { exchange in
            while !gate.withLock({ $0 }) { usleep(500) }
            try exchange.write("done")
            return nil
        }
        defer { server.stop() }
        let (busy, idle) = (try TestHTTPClient(server.port), try TestHTTPClient(server.port))
        idle.get("/short")
        #expect(try idle.answer()?.head.status == 404)
        busy.get("/")
        server.wait { $0.begun == 1 }
        server.stopListening()
        #expect(idle.isAtEnd())
        gate.withLock { $0 = true }
        #expect(try busy.answer()?.text == "done")
        #expect(busy.isAtEnd())
    }

    @Test func theServerSurvivesWhateverIsSent() throws {
        let server = try reader()
        defer { server.stop() }
        var random = SeededRandom(77)
        let valid = [
            "POST /a%20b?x=y HTTP/1.1\r\nHost: h\r\nContent-Length: 12\r\nExpect: 100-continue\r\n\r\nhello, hello",
            "PUT /db HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5;x\r\nhello\r\n3\r\nxyz\r\n0\r\nA: b\r\n\r\n",
            "GET / HTTP/1.0\r\nHost: h\r\nConnection: keep-alive\r\n\r\n", "HEAD /short HTTP/1.1\r\nHost: h\r\n\r\n",
            "GET /socket HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
        ].map { bytes($0) }
        try repeatWithin(seconds: 1) {
            var stream = (0...random.below(4)).flatMap { _ in random.element(of: valid) }
            for _ in 0..<random.below(4) {
                stream[random.below(stream.count)] = random.element(of: bytes("0159af;:, \r\n\t-+x\u{1}\u{7F}"))
            }
            let client = try TestHTTPClient(server.port)
            var rest = stream[...]
            while !rest.isEmpty {
                let piece = rest.prefix(1 + random.below(60))
                rest = rest.dropFirst(piece.count)
                client.send(Array(piece))
            }
            client.endSending()
            let answer = client.some().map { String(decoding: $0, as: UTF8.self) }
            if let answer { #expect(answer.hasPrefix("HTTP/1.1 ")) }
            _ = client.drain()
        }
        server.wait { $0.begun == $0.done + $0.gone + $0.refused }
    }
}

/// All of them move a clock by hand: none of them waits.
@Suite(.timeLimit(.minutes(5))) struct SlowHTTPClientTests {
    private func withServer(
        _ answer: @escaping @Sendable (any HTTPExchange) throws -> (any HTTPFeed)? = { exchange in
            _ = try exchange.readAll()
            return nil
        },
        _ body: (TestHTTPServer, EventLoop, ManualClock) throws -> Void
    ) throws {
        let clock = ManualClock()
        let loop = EventLoop(clock: .manual(clock))
        defer { loop.stop() }
        let server = try TestHTTPServer(on: loop, answer: answer)
        defer { server.stop() }
        try body(server, loop, clock)
    }

    @Test func anIdleConnectionIsClosed() throws {
        try withServer { server, _, clock in
            let client = try TestHTTPClient(server.port)
            client.get("/short")
            #expect(try client.answer()?.head.status == 404)
            clock.advance(by: .seconds(59))
            client.get("/short")
            #expect(try client.answer()?.head.status == 404)
            clock.advance(by: .seconds(60))
            #expect(client.isAtEnd())
        }
    }

    @Test func aSecondHeadHasItsTimeLikeTheFirst() throws {
        try withServer { server, _, clock in
            let client = try TestHTTPClient(server.port)
            client.get("/short")
            #expect(try client.answer()?.head.status == 404)
            client.send("GET / HT")
            // However often the loop looks in between: the time runs from the first byte.
            for _ in 0..<40 where !client.hasSomething() {
                clock.advance(by: .milliseconds(500))
                sleepBriefly()
            }
            #expect(try client.answer()?.head.status == 408)
            #expect(client.isAtEnd())
        }
    }

    @Test func aBodyThatStopsComingIsNotWaitedFor() throws {
        try withServer { server, _, clock in
            let client = try TestHTTPClient(server.port)
            client.send("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000\r\n\r\n")
            client.send([UInt8](repeating: 65, count: 100_000))
            server.wait { $0.begun == 1 }
            while !client.hasSomething() {
                clock.advance(by: .seconds(1))
                sleepBriefly()
            }
            #expect(client.isAtEnd())
            server.wait { $0.gone == 1 }
        }
    }

    // However short it is, it does not hold a thread; and a byte now and then buys no time.
    @Test(arguments: [10, 1_000_000])
    func aBodyThatTricklesIsNotWaitedFor(length: Int) throws {
        try withServer { server, _, clock in
            let client = try TestHTTPClient(server.port)
            client.send("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: \(length)\r\n\r\n")
            if length > 100_000 {
                client.send([UInt8](repeating: 65, count: 100_000))
                server.wait { $0.begun == 1 }
            }
            var seconds = 0
            while !client.hasSomething(), seconds < 1000 {
                if seconds % 10 == 0, seconds < 90 { client.send([65]) }
                clock.advance(by: .seconds(1))
                sleepBriefly()
                seconds += 1
            }
            #expect(seconds < 200)
            server.wait { length > 100_000 ? $0.gone == 1 : $0.begun == 0 }
        }
    }

    @Test func aClientThatStopsReadingIsNotWaitedFor() throws {
        try withServer({ exchange in
            let piece = [UInt8](repeating: 65, count: 1 << 20)
            while true { try exchange.write(piece) }
        }) { server, _, clock in
            let client = try TestHTTPClient(server.port)
            client.get("/")
            server.wait { $0.begun == 1 }
            var isGone = false
            while !isGone {
                clock.advance(by: .seconds(5))
                sleepBriefly()
                server.wait { counts in
                    isGone = counts.gone == 1
                    return true
                }
            }
            #expect(client.drain() > 0)
        }
    }

    @Test func aResponderMayTakeItsTime() throws {
        let gate = Mutex(false)
        try withServer({ exchange in
            while !gate.withLock({ $0 }) { usleep(500) }
            try exchange.write("done")
            return nil
        }) { server, _, clock in
            let client = try TestHTTPClient(server.port)
            client.get("/")
            server.wait { $0.begun == 1 }
            for _ in 0..<20 {
                clock.advance(by: .seconds(60))
                sleepBriefly()
            }
            gate.withLock { $0 = true }
            #expect(try client.answer()?.text == "done")
        }
    }
}
