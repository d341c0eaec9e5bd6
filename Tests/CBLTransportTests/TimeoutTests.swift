import Glibc
import Synchronization
import Testing

@testable import CBLTransport

/// All of them move a clock by hand: none of them waits.
@Suite(.timeLimit(.minutes(10))) struct TimeoutTests {
    @Test func aServerThatNeverAnswersIsGivenUp() async throws {
        let clock = ManualClock()
        let loop = EventLoop(clock: .manual(clock))
        defer { loop.stop() }
        let hasAsked = AsyncStream<Void>.makeStream()
        let server = try RawServer { connection, _ in
            _ = connection.head()
            hasAsked.continuation.yield()
            connection.readToEnd()
        }
        let client = try open(server.url, on: loop)
        for await _ in hasAsked.stream { break }
        clock.advance(by: .seconds(15))
        let error = try await client.failure()
        #expect(error.code == .posix(ETIMEDOUT))
        #expect(error.description.contains("15 seconds"))
        server.join()
    }

    @Test func aPeerThatFallsSilentIsAskedAndGivenUp() async throws {
        let clock = ManualClock()
        let loop = EventLoop(clock: .manual(clock))
        defer { loop.stop() }
        let hasPinged = AsyncStream<[Seen]>.makeStream()
        let server = try RawServer { connection, _ in
            connection.upgrade()
            hasPinged.continuation.yield(read(connection.read(), as: .server))
            connection.readToEnd()
        }
        let client = try open(server.url, on: loop)
        _ = try await client.opening()
        clock.advance(by: .seconds(300))
        var seen: [Seen] = []
        for await events in hasPinged.stream {
            seen = events
            break
        }
        #expect(seen == [.ping([])])
        clock.advance(by: .seconds(20))
        #expect(try await client.failure().code == .posix(ETIMEDOUT))
        server.join()
    }

    @Test func anyAnswerKeepsTheConnection() async throws {
        let clock = ManualClock()
        let loop = EventLoop(clock: .manual(clock))
        defer { loop.stop() }
        let echo = try EchoServer()
        defer { echo.stop() }
        let client = try open(echo.url, on: loop)
        _ = try await client.opening()
        for round in 0..<5 {
            clock.advance(by: .seconds(300))
            // The answer to the ping comes before that to the message.
            client.send([UInt8(round)])
            #expect(try await client.message() == [UInt8(round)])
        }
        client.close()
        #expect(try await client.closing().error == nil)
    }

    @Test func aPeerThatDoesNotSayFarewellIsNotWaitedForLong() async throws {
        let clock = ManualClock()
        let loop = EventLoop(clock: .manual(clock))
        defer { loop.stop() }
        let hasHeard = AsyncStream<[Seen]>.makeStream()
        let server = try RawServer { connection, _ in
            connection.upgrade()
            hasHeard.continuation.yield(read(connection.read(), as: .server))
            connection.readToEnd()
        }
        let client = try open(server.url, on: loop)
        _ = try await client.opening()
        client.close(.normal, reason: "enough")
        for await events in hasHeard.stream {
            #expect(events == [.close(1000, "enough")])
            break
        }
        clock.advance(by: .seconds(5))
        #expect(try await client.closing().code == .normal)
        server.join()
    }

    @Test(arguments: [false, true])
    func whoAsksTooSlowlyIsSentAway(saysSomething: Bool) async throws {
        let clock = ManualClock()
        let loop = EventLoop(clock: .manual(clock))
        defer { loop.stop() }
        let echo = try EchoServer(on: loop)
        defer { echo.stop() }
        let descriptor = try connect(to: echo.server.port)
        defer { Glibc.close(descriptor) }
        let connection = RawServer.Connection(descriptor: descriptor)
        if saysSomething { connection.write("GET /db HTTP/1.1\r\nHost: x\r\n") }
        // The server has seen the connection when it has seen the one behind it.
        let client = try open(echo.url)
        _ = try await client.opening()
        for _ in 0..<10 {
            if saysSomething { connection.write("A: b\r\n") }
            clock.advance(by: .seconds(1))
        }
        #expect(connection.head()?.hasPrefix("HTTP/1.1 408") == true)
        client.close()
        _ = try await client.closing()
    }

    /// As after a stop of the whole process: both limits are over, of a client that may be silent for a while and of one that has yet to say
    /// something.
    @Test func whoSpokeWhileTheLoopCouldNotListenIsHeardBeforeTheTimeIsUp() throws {
        let clock = ManualClock()
        let loop = EventLoop(clock: .manual(clock))
        defer { loop.stop() }
        let server = try TestHTTPServer(on: loop) { exchange in
            try exchange.begin(HTTPResponseHead(status: 200), length: 0)
            return nil
        }
        defer { server.stop() }
        let fresh = try TestHTTPClient(server.port)
        let known = try TestHTTPClient(server.port)
        known.get("/a")
        #expect(try known.answer()?.head.status == 200)
        let isStopped = Atomic(false)
        let goesOn = Atomic(false)
        let stop: @Sendable () -> Void = {
            isStopped.store(true, ordering: .releasing)
            while !goesOn.load(ordering: .acquiring) { usleep(500) }
        }
        loop.perform(stop)
        while !isStopped.load(ordering: .acquiring) { usleep(500) }
        for client in [known, fresh] { client.get("/a") }
        clock.advance(by: .seconds(600))
        goesOn.store(true, ordering: .releasing)
        for client in [known, fresh] { #expect(try client.answer()?.head.status == 200) }
        // Who says nothing is given up as before.
        clock.advance(by: .seconds(600))
        #expect(known.isAtEnd())
    }

    @Test func timersFireInOrderAndOnlyIfNotCancelled() async {
        let clock = ManualClock()
        let loop = EventLoop(clock: .manual(clock))
        defer { loop.stop() }
        let fired = AsyncStream<Int>.makeStream()
        loop.perform {
            for delay in [5, 1, 4, 2, 3, 9, 7, 8, 6] {
                let timer = loop.timer(after: .seconds(delay)) { fired.continuation.yield(delay) }
                if delay.isMultiple(of: 3) { timer.cancel() }
            }
            clock.advance(by: .seconds(10))
        }
        var order: [Int] = []
        for await delay in fired.stream {
            order.append(delay)
            if order.count == 6 { break }
        }
        #expect(order == [1, 2, 4, 5, 7, 8])
    }
}

/// A plain connection to a port of this machine.
func connect(to port: UInt16) throws -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    let isConnected = withUnsafePointer(to: &address) { address in
        address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
    }
    guard isConnected else { throw TransportError.posix(errno, "test client") }
    return descriptor
}
