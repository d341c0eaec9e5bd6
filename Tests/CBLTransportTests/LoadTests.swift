import Glibc
import Synchronization
import Testing

@testable import CBLTransport

@Suite(.timeLimit(.minutes(10))) struct LoadTests {
    /// Much more than all buffers together. `CBLITE_LOAD_MEGABYTES` has more sent.
    static let megabytes = getenv("CBLITE_LOAD_MEGABYTES").flatMap { Int(String(cString: $0)) } ?? 48

    @Test(arguments: [false, true])
    func aSlowReaderMakesTheSenderWait(isSecure: Bool) async throws {
        let message = [UInt8](repeating: 0x5A, count: 16 * 1024)
        let total = Self.megabytes * 64
        struct ProgressLine {
            var sent = 0
            var received = 0
            var mostUnsent = 0
        }
        let progress = Mutex(ProgressLine())
        let echo = try EchoServer { if isSecure { $0.identity = TestIdentities.server } }
        defer { echo.stop() }
        let isDone = AsyncStream<Void>.makeStream()
        // The client sends whatever it may; the server's side reads, stops, and begins again.
        @Sendable func pump(_ connection: WebSocketConnection) {
            while connection.wantsMessages, progress.withLock({ $0.sent < total }) {
                message.withUnsafeBytes { connection.send($0) }
                progress.withLock { progress in
                    progress.sent += 1
                    progress.mostUnsent = max(progress.mostUnsent, connection.unsentBytes)
                }
            }
        }
        var settings = WebSocketClientSettings(HandshakeRequest(url: try PeerURL(echo.url), protocols: ["BLIP_3+CBMobile_2"]))
        settings.trust = .anything
        let complete = settings
        let heard = Recorder(onWritable: { pump($0) })
        Loops.client.perform { WebSocketConnection(complete, on: Loops.client, delegate: heard).open() }
        _ = try await heard.opening()
        let reader = try #require(await echo.owner())
        _ = try await reader.opening()
        reader.replaceMessageHandler { connection, bytes in
            let count = progress.withLock { progress in
                progress.received += 1
                return progress.received
            }
            if count == total { isDone.continuation.yield() }
            guard count.isMultiple(of: 100) else { return }
            connection.isReadingPaused = true
            connection.loop.perform { connection.loop.later { connection.isReadingPaused = false } }
        }
        // As long as nobody reads, only so much is taken as the buffers of the connection and of the kernel hold.
        let paused = try #require(reader.connection)
        await onLoop(paused.loop) { paused.isReadingPaused = true }
        let sender = try #require(heard.connection)
        await onLoop(sender.loop) { pump(sender) }
        await onLoop(sender.loop) {}
        #expect(progress.withLock { $0.received } == 0)
        #expect(progress.withLock { $0.sent } < total)
        await onLoop(paused.loop) { paused.isReadingPaused = false }
        for await _ in isDone.stream { break }
        let end = progress.withLock { $0 }
        #expect(end.received == total)
        // The limit, and the one message that crossed it.
        #expect(end.mostUnsent <= 65536 + 16 * 1024 + 14)
        let capacities = await onLoop(sender.loop) { sender.outgoing.capacity }
        #expect(capacities <= 256 * 1024)
        let received = await onLoop(paused.loop) { paused.received.capacity }
        #expect(received <= 64 * 1024)
        heard.close()
        #expect(try await heard.closing().error == nil)
    }

    @Test func twoHundredClientsAreServedAndOneMoreIsToldToWait() async throws {
        let echo = try EchoServer { $0.identity = TestIdentities.server }
        defer { echo.stop() }
        var clients: [Recorder] = []
        for _ in 0..<200 {
            clients.append(try open(echo.url) { $0.trust = .pinned([.certificate(TestIdentities.server.certificates[0])]) })
        }
        for client in clients { _ = try await client.opening() }
        #expect(echo.server.connectionCount == 200)
        let oneMore = try await open(echo.url) { $0.trust = .anything }.failure()
        #expect(oneMore.code == .http(503))
        #expect(oneMore.persistence == .transient)
        for (number, client) in clients.enumerated() { client.send([UInt8(number), 1]) }
        for (number, client) in clients.enumerated() { #expect(try await client.message() == [UInt8(number), 1]) }
        // A server that stops says so to everybody.
        echo.stop()
        for client in clients { #expect(try await client.closing().code == .goingAway) }
        for _ in 0..<1000 where echo.server.connectionCount > 0 { await onLoop(Loops.server) {} }
        #expect(echo.server.connectionCount == 0)
    }

    @Test func aServerSurvivesWhateverIsSentToIt() async throws {
        let echo = try EchoServer()
        defer { echo.stop() }
        let hostile: [[UInt8]] = [
            [], [0], bytes("\r\n\r\n"), bytes("GET / HTTP/1.1\r\n\r\n"), bytes("GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n"),
            bytes("GET /db/_blipsync HTTP/1.1\r\nHost: x\r\n\r\n"), [UInt8](repeating: 0x41, count: 20_000),
            [0x16, 3, 1, 0, 5, 1, 2, 3, 4, 5],
            bytes("POST /db HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n"),
        ]
        let statuses = [nil, "400", "400", "400", "400", "426", "431", "400", "413"]
        for (bytes, status) in zip(hostile, statuses) {
            let descriptor = try connect(to: echo.server.port)
            let connection = RawServer.Connection(descriptor: descriptor)
            connection.write(bytes)
            shutdown(descriptor, Int32(SHUT_WR))
            let answer = String(decoding: connection.read(), as: UTF8.self)
            if let status { #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)") }
            Glibc.close(descriptor)
        }
        let client = try open(echo.url)
        _ = try await client.opening()
        client.close()
        #expect(try await client.closing().error == nil)
    }

    @Test func aPeerThatOnlyPingsDoesNotFillTheMemory() async throws {
        let server = try RawServer { connection, _ in
            connection.upgrade()
            let pings = (0..<500).flatMap { _ in frame(.ping, [UInt8](repeating: 1, count: 125), from: .server) }
            // Nothing is read of the answers, which come to more than the kernel holds for both.
            for _ in 0..<200 { connection.write(pings) }
            connection.write(frame(.binary, [1], from: .server))
            connection.readToEnd()
        }
        let client = try open(server.url)
        _ = try await client.opening()
        #expect(try await client.message() == [1])
        let connection = try #require(client.connection)
        let unsent = await onLoop(connection.loop) { connection.unsentBytes }
        #expect(unsent <= 3 * 65536)
        await onLoop(connection.loop) { connection.terminate() }
        _ = try await client.closing()
        server.join()
    }
}

/// Does it on a loop, after everything that was given to the loop before.
@discardableResult
func onLoop<Result: Sendable>(_ loop: EventLoop, _ body: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { done in loop.perform { done.resume(returning: body()) } }
}
