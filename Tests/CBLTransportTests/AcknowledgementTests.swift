import Glibc
import Testing

@testable import CBLTransport

/// The system tells of a socket whether it acknowledges what comes at once. After an acknowledgement that was asked for it does not.
@Suite struct AcknowledgementTests {
    @Test func aServerAcknowledgesSoonWhatItHasRead() async throws {
        let (near, far) = try Self.connectedPair()
        defer { close(far) }
        let clock = ManualClock()
        let loop = EventLoop(clock: .manual(clock))
        defer { loop.stop() }
        #expect(send(far, "hello", 5, 0) == 5)
        var poll = pollfd(fd: near, events: Int16(POLLIN), revents: 0)
        #expect(Glibc.poll(&poll, 1, -1) == 1)
        let stream = await withCheckedContinuation { continuation in
            loop.perform { continuation.resume(returning: Owned(stream: SocketStream(near, on: loop, peer: "the test"))) }
        }
        let read = await withCheckedContinuation { continuation in
            loop.perform {
                var bytes = [UInt8](repeating: 0, count: 100)
                let results = bytes.withUnsafeMutableBytes { [stream.stream.read(into: $0), stream.stream.read(into: $0)] }
                if case .bytes(5) = results[0], case .blocked = results[1] {
                    continuation.resume(returning: true)
                } else {
                    continuation.resume(returning: false)
                }
            }
        }
        #expect(read)
        try await expectAcknowledgement(of: near, clock, loop)
        await withCheckedContinuation { continuation in
            loop.perform {
                stream.stream.close()
                continuation.resume()
            }
        }
    }

    @Test func aClientAcknowledgesSoonWhatItHasRead() async throws {
        let server = try EchoServer()
        defer { server.stop() }
        let clock = ManualClock()
        let loop = EventLoop(clock: .manual(clock))
        defer { loop.stop() }
        let client = try open(server.url, on: loop)
        _ = try await client.opening()
        client.send([1, 2, 3])
        #expect(try await client.message() == [1, 2, 3])
        try await expectAcknowledgement(of: try #require(Self.descriptor(connectedTo: server.server.port)), clock, loop)
        client.close()
        _ = try await client.closing()
    }

    private struct Owned: @unchecked Sendable {
        // Sendable: the loop's thread alone uses it.
        let stream: SocketStream
    }

    private func expectAcknowledgement(of descriptor: Int32, _ clock: ManualClock, _ loop: EventLoop) async throws {
        // What was begun with the last bytes comes first.
        await turn(loop)
        Self.acknowledgeAtOnce(descriptor)
        clock.advance(by: Acknowledger.delay - .nanoseconds(1))
        await turn(loop)
        #expect(Self.acknowledgesAtOnce(descriptor))
        clock.advance(by: .nanoseconds(1))
        await turn(loop)
        #expect(!Self.acknowledgesAtOnce(descriptor))
    }

    /// Lets the loop do what is due. Timers come after work.
    private func turn(_ loop: EventLoop) async {
        for _ in 0..<2 {
            await withCheckedContinuation { continuation in loop.perform { continuation.resume() } }
        }
    }

    private static func acknowledgeAtOnce(_ descriptor: Int32) {
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_QUICKACK, &one, socklen_t(MemoryLayout<Int32>.size))
    }

    private static func acknowledgesAtOnce(_ descriptor: Int32) -> Bool {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_QUICKACK, &value, &length) == 0 && value == 1
    }

    /// The socket of this process whose other end has that port.
    private static func descriptor(connectedTo port: UInt16) -> Int32? {
        (0..<Int32(65536)).first { descriptor in
            var address = sockaddr_in6()
            var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
            let code = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &length) }
            }
            // The port has the same place with IPv4.
            return code == 0 && [AF_INET, AF_INET6].contains(Int32(address.sin6_family)) && UInt16(bigEndian: address.sin6_port) == port
        }
    }

    /// Two ends of a connection over the loopback.
    private static func connectedPair() throws -> (Int32, Int32) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let far = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let isConnected = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && listen(listener, 1) == 0 && getsockname(listener, address, &length) == 0
                    && connect(far, address, length) == 0
            }
        }
        try #require(isConnected)
        let near = accept(listener, nil, nil)
        try #require(near >= 0)
        return (near, far)
    }
}
