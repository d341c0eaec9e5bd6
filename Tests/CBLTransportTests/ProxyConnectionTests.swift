import CBLBase
import Glibc
import Synchronization
import Testing

@testable import CBLTransport

/// A proxy that does what it is asked: `CONNECT`, with a password if it wants one.
final class TestProxy: Sendable {
    let server: RawServer
    let heads = Mutex<[String]>([])

    init(connections: Int = 1, password: String? = nil, answer: String? = nil) throws {
        final class Box: Sendable { let proxy = Mutex<TestProxy?>(nil) }
        let box = Box()
        server = try RawServer(connections: connections) { client, _ in
            guard let head = client.head() else { return }
            box.proxy.withLock { $0 }?.heads.withLock { $0.append(head) }
            if let answer { return client.write(answer) }
            if let password, !head.contains("Proxy-Authorization: Basic \(password)\r\n") {
                return client.write(
                    "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"p\"\r\nContent-Length: 0\r\n\r\n")
            }
            guard let port = head.split(separator: " ").dropFirst().first?.split(separator: ":").last.flatMap({ UInt16($0) }),
                let target = try? connect(to: port)
            else { return client.write("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n") }
            client.write("HTTP/1.1 200 Connection established\r\n\r\n")
            let peer = RawServer.Connection(descriptor: target)
            let back = WorkerThread {
                while case let bytes = peer.read(), !bytes.isEmpty { client.write(bytes) }
                shutdown(client.descriptor, Int32(SHUT_RDWR))
            }
            while case let bytes = client.read(), !bytes.isEmpty { peer.write(bytes) }
            shutdown(target, Int32(SHUT_RDWR))
            back.join()
            Glibc.close(target)
        }
        box.proxy.withLock { $0 = self }
    }
}

@Suite(.timeLimit(.minutes(10))) struct ProxyConnectionTests {
    @Test(arguments: [false, true])
    func aProxyOpensTheWay(isSecure: Bool) async throws {
        let echo = try EchoServer { if isSecure { $0.identity = TestIdentities.server } }
        defer { echo.stop() }
        let proxy = try TestProxy(password: "bWU6cHc=")
        let client = try open(echo.url) {
            $0.trust = .authorities(TestIdentities.authority.certificates)
            $0.proxy = .proxy(try Proxy("http://me:pw@127.0.0.1:\(proxy.server.port)"))
        }
        _ = try await client.opening()
        let message = [UInt8](repeating: 3, count: 300_000)
        client.send(message)
        #expect(try await client.message() == message)
        client.close()
        #expect(try await client.closing().error == nil)
        proxy.server.join()
        let head = try #require(proxy.heads.withLock { $0.first })
        #expect(head.hasPrefix("CONNECT localhost:\(echo.server.port) HTTP/1.1\r\n"))
        // What is for the server is not for the proxy.
        #expect(!head.contains("Sec-WebSocket"))
    }

    @Test func theEnvironmentsProxyIsUsed() async throws {
        let echo = try EchoServer()
        defer { echo.stop() }
        let proxy = try TestProxy()
        let client = try open(echo.url) { $0.proxy = .environment(["http_proxy": "http://127.0.0.1:\(proxy.server.port)"]) }
        _ = try await client.opening()
        client.close()
        _ = try await client.closing()
        #expect(proxy.heads.withLock { $0.count } == 1)
    }

    @Test func aProxyThatRefusesIsNamed() async throws {
        func error(_ proxy: TestProxy) async throws -> TransportError {
            try await open("ws://localhost:1/db") { $0.proxy = .proxy(Proxy(host: "127.0.0.1", port: proxy.server.port)) }.failure()
        }
        let asking = try await error(TestProxy(password: "x"))
        #expect(asking.code == .http(407))
        #expect(asking.isAboutAuthentication)
        #expect(asking.description.contains("proxy"))
        #expect(try await error(TestProxy()).code == .http(502))
        #expect(try await error(TestProxy(answer: "nonsense\r\n\r\n")).description.contains("127.0.0.1"))
        #expect(try await error(TestProxy(answer: "")).description.contains("127.0.0.1"))
    }

    @Test func aProxyThatIsNotThereIsNamed() async throws {
        let gone = try RawServer(connections: 0) { _, _ in }
        gone.join()
        let error = try await open("ws://localhost:1/db") { $0.proxy = .proxy(Proxy(host: "127.0.0.1", port: gone.port)) }.failure()
        #expect(error.code == .posix(ECONNREFUSED))
        #expect(error.description.contains("http://127.0.0.1:\(gone.port)"))
        let unknown = try await open("ws://localhost:1/db") { $0.proxy = .proxy(Proxy(host: "no-such-proxy.invalid", port: 1)) }.failure()
        #expect(unknown.description.contains("no-such-proxy.invalid"))
    }
}
