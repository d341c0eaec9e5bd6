import CBLTestSupport
import FoundationEssentials
import Synchronization
import Testing

@testable import CBLTransport

/// A proxy that is itself spoken to with TLS, made of the streams under test. Everything of it happens on one loop.
private final class SecureProxy: @unchecked Sendable {
    // Sendable: the loop's thread alone touches what changes.

    private final class Relay {
        var streams: [any ByteStream] = []
        var pending: [[UInt8]] = [[], []]
        var isEnded = [false, false]
        var head = ByteQueue()
        var reader = HTTPHeadReader()
        var connector: CurlConnector?

        /// Moves what there is from one side to the other, both ways.
        func pump() {
            guard streams.count == 2 else { return }
            for from in 0...1 {
                let to = 1 - from
                var isBlocked = false
                while !isBlocked {
                    while !pending[to].isEmpty, !isBlocked {
                        switch pending[to].withUnsafeBytes({ streams[to].write($0) }) {
                        case .bytes(let count): pending[to].removeFirst(count)
                        default: isBlocked = true
                        }
                    }
                    guard !isBlocked, !isEnded[from] else { break }
                    var space = [UInt8](repeating: 0, count: 10_000)
                    switch space.withUnsafeMutableBytes({ streams[from].read(into: $0) }) {
                    case .bytes(let count): pending[to] = Array(space.prefix(count))
                    case .blocked: isBlocked = true
                    case .end, .failed:
                        isEnded[from] = true
                        streams[to].endWriting()
                    }
                }
            }
            for side in 0...1 { streams[side].want(interest(side)) }
            if isEnded[0], isEnded[1] { for stream in streams { stream.close() } }
        }

        private func interest(_ side: Int) -> FileWatch.Readiness {
            var interest: FileWatch.Readiness = []
            if !pending[side].isEmpty { interest.insert(.writing) }
            if !isEnded[side], pending[1 - side].isEmpty { interest.insert(.reading) }
            return interest
        }
    }

    let port: UInt16
    private let loop: EventLoop
    private let socket: ListeningSocket
    private let credentials: TLSCredentials
    private var relays: [Relay] = []

    init(_ identity: TLSIdentity, on loop: EventLoop) throws {
        self.loop = loop
        credentials = try TLSCredentials(trust: nil, identity: identity)
        socket = try ListeningSocket(address: "127.0.0.1", port: 0, on: loop)
        port = socket.port
        loop.perform { self.socket.accept { descriptor, peer in self.arrived(descriptor, peer) } }
    }

    func stop() {
        loop.perform {
            self.socket.close()
            self.relays = []
        }
    }

    private func arrived(_ descriptor: Int32, _ peer: String) {
        let relay = Relay()
        let parameters = TLSStream.Parameters(role: .server, credentials: credentials, peer: peer, objection: nil)
        guard let tls = try? TLSStream(parameters, over: SocketStream(descriptor, on: loop, peer: peer)) else { return }
        relay.streams = [tls]
        relays.append(relay)
        tls.handshake { [loop] error in
            guard error == nil else { return }
            tls.onReady = { [weak relay, weak tls] _ in
                guard let relay, let tls, relay.connector == nil, relay.streams.count == 1 else {
                    relay?.pump()
                    return
                }
                while case .bytes(let count) = tls.read(into: relay.head.space(atLeast: 4096)) { relay.head.commit(count) }
                guard let request = try? relay.reader.request(in: &relay.head),
                    let port = request.target.split(separator: ":").last.flatMap({ UInt16($0) })
                else { return }
                let target = CurlConnector.Target(host: "127.0.0.1", port: port)
                tls.want([])
                relay.connector = try? CurlConnector(target, on: loop) { [weak relay, weak tls] result in
                    guard let relay, let tls, let stream = try? result.get() else { return }
                    _ = bytes("HTTP/1.1 200 OK\r\n\r\n").withUnsafeBytes { tls.write($0) }
                    stream.onReady = { [weak relay] _ in relay?.pump() }
                    relay.streams.append(stream)
                    relay.pump()
                }
            }
            tls.want(.reading)
        }
    }
}

@Suite(.timeLimit(.minutes(10))) struct SecureProxyTests {
    @Test(arguments: [false, true])
    func aProxyWithTLSIsGoneThrough(isPeerSecure: Bool) async throws {
        let directory = try TemporaryDirectory()
        let file = directory.path + "/authority.pem"
        try TestIdentities.authority.certificatePEM.write(toFile: file, atomically: true, encoding: .utf8)
        let echo = try EchoServer { if isPeerSecure { $0.identity = TestIdentities.server } }
        defer { echo.stop() }
        let proxy = try SecureProxy(TestIdentities.server, on: Loops.server)
        defer { proxy.stop() }
        let client = try open(echo.url) {
            $0.trust = .authorities(TestIdentities.authority.certificates)
            $0.proxy = .proxy(Proxy(isSecure: true, host: "127.0.0.1", port: proxy.port))
            $0.proxyAuthorities = file
        }
        _ = try await client.opening()
        for size in [1, 16_000, 1 << 20, 5] {
            let message = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 11) }
            client.send(message)
            #expect(try await client.message() == message)
        }
        client.close()
        #expect(try await client.closing().error == nil)
    }

    @Test func aProxyThatIsNotTrustedIsNotUsed() async throws {
        let proxy = try SecureProxy(TestIdentities.server, on: Loops.server)
        defer { proxy.stop() }
        let error = try await open("ws://localhost:1/db") {
            $0.proxy = .proxy(Proxy(isSecure: true, host: "127.0.0.1", port: proxy.port))
        }.failure()
        #expect(error.code == .network(.tlsCertificateUntrusted))
        #expect(error.description.contains("https://127.0.0.1:\(proxy.port)"))
    }
}
