import Synchronization
import Testing

@testable import CBLTransport

/// Says what it is given, a line each time it is woken.
private final class TestFeed: HTTPFeed {
    private struct State {
        var wake: (@Sendable () -> Void)?
        var lines: [String] = []
        var proceeds = 0
        var stops = 0
        var isComplete = false
    }

    private let state = Mutex(State())
    private let patience: Duration?

    init(patience: Duration? = nil) { self.patience = patience }

    func say(_ line: String, isLast: Bool = false) {
        state.withLock { state in
            state.lines.append(line)
            state.isComplete = isLast
        }
        state.withLock { $0.wake }?()
    }

    var proceeds: Int { state.withLock { $0.proceeds } }
    var stops: Int { state.withLock { $0.stops } }

    func start(wake: @escaping @Sendable () -> Void) { state.withLock { $0.wake = wake } }

    func proceed(_ exchange: any HTTPExchange) throws(HTTPInterruption) -> HTTPFeedState {
        let (lines, isComplete) = state.withLock { state in
            state.proceeds += 1
            defer { state.lines = [] }
            return (state.lines.isEmpty ? ["\n"] : state.lines, state.isComplete)
        }
        var text = lines.joined()
        do {
            try text.withUTF8 { try exchange.write(UnsafeRawBufferPointer($0)) }
        } catch {
            throw .gone
        }
        return isComplete ? .complete : .waiting(patience)
    }

    func stop() { state.withLock { $0.stops += 1 } }
}

@Suite(.timeLimit(.minutes(5))) struct HTTPFeedTests {
    private func server(_ feed: TestFeed, on loop: EventLoop = Loops.server) throws -> TestHTTPServer {
        try TestHTTPServer(on: loop) { exchange in
            guard exchange.request.path == ["feed"] else { return nil }
            try exchange.begin(HTTPResponseHead(status: 200), length: nil)
            return feed
        }
    }

    /// What stands in the chunks that come next.
    private func text(_ client: TestHTTPClient, until end: String) -> String {
        var all: [UInt8] = []
        while let more = client.some() {
            all += more
            if String(decoding: all.suffix(more.count + end.utf8.count), as: UTF8.self).contains(end) { break }
        }
        return String(decoding: all, as: UTF8.self)
    }

    @Test func aFeedSaysWhatThereIsWhenItIsWoken() throws {
        let feed = TestFeed()
        let server = try server(feed)
        defer { server.stop() }
        let client = try TestHTTPClient(server.port)
        client.get("/feed")
        #expect(try client.head()?.headers["Transfer-Encoding"] == "chunked")
        #expect(text(client, until: "\n\r\n") == "1\r\n\n\r\n")
        for number in 0..<50 {
            feed.say("line \(number);")
            #expect(text(client, until: ";").contains("line \(number);"))
        }
        feed.say("end;", isLast: true)
        #expect(text(client, until: "0\r\n\r\n").contains("end;"))
        #expect(feed.stops == 1)
        // It was a request like others.
        client.get("/")
        #expect(try client.answer()?.head.status == 200)
        feed.say("nobody")
        #expect(feed.stops == 1)
    }

    @Test func aFeedProceedsWhenItsTimeHasPassed() throws {
        let clock = ManualClock()
        let loop = EventLoop(clock: .manual(clock))
        defer { loop.stop() }
        let feed = TestFeed(patience: .seconds(30))
        let server = try server(feed, on: loop)
        defer { server.stop() }
        let client = try TestHTTPClient(server.port)
        client.get("/feed")
        #expect(try client.head()?.status == 200)
        #expect(text(client, until: "\n\r\n") == "1\r\n\n\r\n")
        #expect(feed.proceeds == 1)
        for _ in 0..<5 {
            let before = feed.proceeds
            // The loop may not have been told yet of how long to wait.
            while feed.proceeds == before {
                clock.advance(by: .seconds(30))
                sleepBriefly()
            }
        }
        feed.say("end;", isLast: true)
        let lines = text(client, until: "end;").split(separator: "1\r\n\n\r\n", omittingEmptySubsequences: false).count - 1
        #expect(lines == feed.proceeds - 2)
    }

    @Test(arguments: [false, true])
    func aFeedStopsWhenItsClientLeaves(isAbrupt: Bool) throws {
        let feed = TestFeed()
        let server = try server(feed)
        defer { server.stop() }
        do {
            let client = try TestHTTPClient(server.port)
            client.get("/feed")
            #expect(try client.head()?.status == 200)
            _ = text(client, until: "\n\r\n")
            if isAbrupt { RawServer.Connection(descriptor: client.descriptor).reset() }
        }
        while feed.stops == 0 { sleepBriefly() }
        feed.say("nobody")
        #expect(feed.stops == 1)
    }

    @Test func aFeedStopsWithItsServer() throws {
        let feed = TestFeed()
        let server = try server(feed)
        let client = try TestHTTPClient(server.port)
        client.get("/feed")
        #expect(try client.head()?.status == 200)
        server.stop()
        while feed.stops == 0 { sleepBriefly() }
        #expect(client.drain() < 1000)
    }

    @Test func manyFeedsHoldNoThreads() throws {
        let feeds = (0..<60).map { _ in TestFeed() }
        let server = try TestHTTPServer { exchange in
            guard let number = exchange.request.path.last.flatMap({ Int($0) }) else { return nil }
            try exchange.begin(HTTPResponseHead(status: 200), length: nil)
            return feeds[number]
        }
        defer { server.stop() }
        let clients = try (0..<60).map { number in
            let client = try TestHTTPClient(server.port)
            client.get("/\(number)")
            return client
        }
        for client in clients { #expect(try client.head()?.status == 200) }
        let other = try TestHTTPClient(server.port)
        other.get("/")
        #expect(try other.answer()?.head.status == 200)
        for (number, feed) in feeds.enumerated() { feed.say("to \(number);") }
        for (number, client) in clients.enumerated() { #expect(text(client, until: ";").contains("to \(number);")) }
    }

    @Test func aFeedWaitsForAClientThatDoesNotRead() throws {
        let feed = TestFeed()
        let server = try server(feed)
        defer { server.stop() }
        let client = try TestHTTPClient(server.port)
        client.get("/feed")
        #expect(try client.head()?.status == 200)
        let line = String(repeating: "x", count: 50_000)
        for _ in 0..<2000 {
            let before = feed.proceeds
            feed.say(line)
            for _ in 0..<20 where feed.proceeds == before { sleepBriefly() }
            if feed.proceeds == before { break }
        }
        // What the kernel and the server hold, and no more.
        let proceeds = feed.proceeds
        #expect(proceeds * 50_000 < 30 << 20)
        feed.say("end;", isLast: true)
        #expect(text(client, until: "end;").hasSuffix("end;\r\n0\r\n\r\n"))
    }
}
