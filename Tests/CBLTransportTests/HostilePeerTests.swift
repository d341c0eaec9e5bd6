import CBLTestSupport
import Glibc
import Synchronization
import Testing

@testable import CBLTransport

@Suite(.timeLimit(.minutes(10))) struct HostilePeerTests {
    /// A connection whose other end is in the test's hands.
    private func wired(_ role: WebSocketRole, _ limits: WebSocketLimits = WebSocketLimits()) async -> (Recorder, PipeStream) {
        let (end, other) = PipeStream.pair(Loops.client, Loops.client)
        let owner = Recorder()
        await onLoop(Loops.client) {
            let connection = WebSocketConnection(role, peer: "the test", limits: limits, on: Loops.client)
            let opening = WebSocketOpening(subprotocol: "", headers: [:], url: nil, certificates: [])
            connection.start(end, received: [], opening: opening, delegate: owner)
        }
        return (owner, other)
    }

    @Test func whateverAPeerSendsThereIsOneEnd() async throws {
        var random = SeededRandom(101)
        let valid: [[UInt8]] = [
            frame(.binary, [1, 2, 3]), frame(.text, bytes("x")), frame(.ping, [1]), frame(.pong, []), frame(.binary, [4], isFinal: false),
            frame(.continuation, [5]), frame(.close, [0x03, 0xE8]), frame(.close, []), frame(.binary, [UInt8](repeating: 1, count: 70_000)),
        ]
        for _ in 0..<150 {
            var stream: [UInt8] = []
            for _ in 0..<random.below(6) { stream += random.element(of: valid) }
            if !stream.isEmpty, random.below(2) == 0 { stream[random.below(min(stream.count, 40))] ^= UInt8(1 << random.below(8)) }
            let hostile = Array(stream.prefix(60_000))
            let (owner, other) = await wired(.server)
            await onLoop(Loops.client) {
                _ = hostile.withUnsafeBytes { other.write($0) }
                // Its answers are read, and then it is gone.
                var sink = [UInt8](repeating: 0, count: 4096)
                Loops.client.later {
                    while case .bytes = sink.withUnsafeMutableBytes({ other.read(into: $0) }) {}
                    other.close()
                }
            }
            var ends = 0
            while let event = await owner.next() { if case .closed = event { ends += 1 } }
            #expect(ends == 1)
        }
    }

    @Test func anEndWithoutFarewellIsAbnormalEvenIfOnlyOneDirectionEnded() async throws {
        let server = try RawServer { connection, _ in
            connection.upgrade()
            shutdown(connection.descriptor, Int32(SHUT_WR))
            connection.readToEnd()
        }
        let client = try open(server.url)
        _ = try await client.opening()
        #expect(try await client.closing().code == .abnormal)
        server.join()
    }

    @Test func messagesBeforeTheFarewellAreDeliveredAndNoneAfter() async throws {
        let (owner, other) = await wired(.server)
        let stream = frame(.binary, [1]) + frame(.binary, [2]) + frame(.close, [0x03, 0xE9]) + frame(.binary, [3])
        await onLoop(Loops.client) { _ = stream.withUnsafeBytes { other.write($0) } }
        _ = try await owner.opening()
        #expect(try await owner.message() == [1])
        #expect(try await owner.message() == [2])
        guard case .closed(let closing) = await owner.next() else {
            Issue.record("something came behind the farewell")
            return
        }
        #expect(closing.code == .goingAway)
        let answer: [UInt8] = await onLoop(Loops.client) {
            var space = [UInt8](repeating: 0, count: 100)
            guard case .bytes(let count) = space.withUnsafeMutableBytes({ other.read(into: $0) }) else { return [] }
            return Array(space.prefix(count))
        }
        #expect(read(answer, as: .client) == [.close(1001, "")])
    }

    @Test func whatIsPausedIsNotDelivered() async throws {
        let (owner, other) = await wired(.server)
        _ = try await owner.opening()
        let connection = try #require(owner.connection)
        let got = Mutex<[UInt8]>([])
        owner.replaceMessageHandler { connection, message in
            got.withLock { $0 += message }
            connection.isReadingPaused = true
        }
        let stream = frame(.binary, [1]) + frame(.binary, [2]) + frame(.binary, [3])
        await onLoop(Loops.client) { _ = stream.withUnsafeBytes { other.write($0) } }
        for expected in [[1], [1, 2], [1, 2, 3]] as [[UInt8]] {
            // Enough turns for anything that could come to come.
            for _ in 0..<10 { await onLoop(Loops.client) {} }
            #expect(got.withLock { $0 } == expected)
            await onLoop(Loops.client) { connection.isReadingPaused = false }
        }
        await onLoop(Loops.client) { connection.terminate() }
        _ = try await owner.closing()
    }

    @Test func aServerListensForBothKindsOfAddresses() async throws {
        let echo = try EchoServer { $0.address = nil }
        defer { echo.stop() }
        let hasIPv6 = access("/proc/net/if_inet6", F_OK) == 0
        for host in ["127.0.0.1"] + (hasIPv6 ? ["[::1]"] : []) {
            let client = try open("ws://\(host):\(echo.server.port)/db/_blipsync")
            _ = try await client.opening()
            client.close()
            _ = try await client.closing()
        }
        let local = try EchoServer { $0.address = "lo" }
        defer { local.stop() }
        let client = try open(local.url)
        _ = try await client.opening()
        client.close()
        _ = try await client.closing()
    }
}
