import CBLBase
import Glibc
import Synchronization
import Testing

@testable import CBLTransport

/// The owner of a connection in a test: what happens is told in order to whoever awaits it.
final class Recorder: WebSocketDelegate, Sendable {
    enum Event: Sendable {
        case opened(WebSocketOpening)
        case message([UInt8])
        case writable
        case closed(WebSocketClosing)
    }

    private struct State {
        var connection: WebSocketConnection?
        var certificates: [Certificate] = []
        var onMessage: (@Sendable (WebSocketConnection, UnsafeRawBufferPointer) -> Void)?
        var onWritable: (@Sendable (WebSocketConnection) -> Void)?
    }

    private let stream: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation
    private let state = Mutex(State())

    init(
        onMessage: (@Sendable (WebSocketConnection, UnsafeRawBufferPointer) -> Void)? = nil,
        onWritable: (@Sendable (WebSocketConnection) -> Void)? = nil
    ) {
        (stream, continuation) = AsyncStream.makeStream()
        state.withLock { state in
            state.onMessage = onMessage
            state.onWritable = onWritable
        }
    }

    func replaceMessageHandler(_ handler: @escaping @Sendable (WebSocketConnection, UnsafeRawBufferPointer) -> Void) {
        state.withLock { $0.onMessage = handler }
    }

    var connection: WebSocketConnection? {
        get { state.withLock { $0.connection } }
        set { state.withLock { $0.connection = newValue } }
    }

    /// What the peer had shown when the connection ended.
    var certificates: [Certificate] { state.withLock { $0.certificates } }

    func webSocket(_ connection: WebSocketConnection, didOpen opening: WebSocketOpening) {
        self.connection = connection
        continuation.yield(.opened(opening))
    }

    func webSocket(_ connection: WebSocketConnection, didReceive message: UnsafeRawBufferPointer) {
        if let handler = state.withLock({ $0.onMessage }) {
            handler(connection, message)
        } else {
            continuation.yield(.message(Array(message)))
        }
    }

    func webSocketIsWritable(_ connection: WebSocketConnection) {
        if let handler = state.withLock({ $0.onWritable }) { handler(connection) } else { continuation.yield(.writable) }
    }

    func webSocket(_ connection: WebSocketConnection, didClose closing: WebSocketClosing) {
        let certificates = connection.certificates
        state.withLock { $0.certificates = certificates }
        continuation.yield(.closed(closing))
        continuation.finish()
        self.connection = nil
    }

    func next() async -> Event? {
        var iterator = stream.makeAsyncIterator()
        return await iterator.next()
    }

    /// The opening that must come next.
    func opening() async throws -> WebSocketOpening {
        switch await next() {
        case .opened(let opening): return opening
        case .closed(let closing): throw closing.error ?? TransportError(.network(.unknown), "closed: \(closing.code)")
        case let other: throw TransportError(.network(.unknown), "unexpected: \(String(describing: other))")
        }
    }

    func message() async throws -> [UInt8] {
        guard case .message(let bytes) = await next() else { throw TransportError(.network(.unknown), "no message came") }
        return bytes
    }

    /// How it ends, whatever comes before.
    func closing() async throws -> WebSocketClosing {
        while let event = await next() { if case .closed(let closing) = event { return closing } }
        throw TransportError(.network(.unknown), "there was no end")
    }

    /// The error it ends with.
    func failure() async throws -> TransportError { try #require(try await closing().error) }

    func send(_ bytes: [UInt8]) {
        guard let connection else { return }
        connection.loop.perform { bytes.withUnsafeBytes { connection.send($0) } }
    }

    func close(_ code: CloseCode = .normal, reason: String = "") {
        guard let connection else { return }
        connection.loop.perform { connection.close(code, reason: reason) }
    }
}

/// Loops of the tests: their threads are few, however many tests run at the same time.
enum Loops {
    static let client = EventLoop()
    static let server = EventLoop()
}

/// Opens a client's connection, and gives its owner.
func open(_ url: String, on loop: EventLoop = Loops.client, _ change: (inout WebSocketClientSettings) throws -> Void = { _ in }) throws
    -> Recorder
{
    var settings = WebSocketClientSettings(HandshakeRequest(url: try PeerURL(url), protocols: ["BLIP_3+CBMobile_3", "BLIP_3+CBMobile_2"]))
    try change(&settings)
    let recorder = Recorder()
    let complete = settings
    loop.perform {
        let connection = WebSocketConnection(complete, on: loop, delegate: recorder)
        recorder.connection = connection
        connection.open()
    }
    return recorder
}

/// A server whose connections say back whatever they hear.
final class EchoServer: Sendable {
    let server: HTTPServer
    private let loop: EventLoop
    private let owners = Mutex<[Recorder]>([])
    let requests = Mutex<[PeerRequest]>([])

    init(on loop: EventLoop = Loops.server, _ change: (inout HTTPServer.Settings) -> Void = { _ in }) throws {
        self.loop = loop
        var settings = HTTPServer.Settings()
        settings.address = "127.0.0.1"
        change(&settings)
        // The server keeps the closure, so the closure does not keep the server.
        struct Weak { weak var server: EchoServer? }
        final class Box: Sendable { let server = Mutex(Weak()) }
        let box = Box()
        server = try HTTPServer(settings, on: loop) { request in
            let echo = box.server.withLock { $0.server }
            echo?.requests.withLock { $0.append(request) }
            guard request.http.path == ["db", "_blipsync"] else { return .refuse(.notFound) }
            return .webSocket(protocols: ["BLIP_3+CBMobile_2", "BLIP_3+CBMobile_3"]) { connection, _ in
                let owner = Recorder(onMessage: { connection, message in connection.send(message) })
                echo?.owners.withLock { $0.append(owner) }
                return owner
            }
        }
        box.server.withLock { $0.server = self }
    }

    var url: String { "ws\(server.settings.identity == nil ? "" : "s")://localhost:\(server.port)/db/_blipsync" }

    /// The owner of the server's end of the last connection. The loop that has just accepted a client makes it in the same turn.
    func owner() async -> Recorder? {
        await onLoop(loop) {}
        return owners.withLock { $0.last }
    }

    func stop() { server.stop() }
}

/// A server that does exactly what a test says, with blocking sockets on a thread of its own.
final class RawServer: Sendable {
    struct Connection {
        let descriptor: Int32

        /// Up to the empty line; nil if the client goes away before.
        func head() -> String? {
            var bytes: [UInt8] = []
            var byte: UInt8 = 0
            while recv(descriptor, &byte, 1, 0) == 1 {
                bytes.append(byte)
                if bytes.suffix(4) == [13, 10, 13, 10] { return String(decoding: bytes, as: UTF8.self) }
            }
            return nil
        }

        func write(_ bytes: [UInt8]) {
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }

        func write(_ text: String) { write(Array(text.utf8)) }

        /// Some bytes, or none at the end.
        func read() -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: 65536)
            let count = recv(descriptor, &bytes, bytes.count, 0)
            return Array(bytes.prefix(max(0, count)))
        }

        func readToEnd() { while !read().isEmpty {} }

        /// Makes the end of the connection an abrupt one.
        func reset() {
            var option = linger(l_onoff: 1, l_linger: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        }

        /// Answers a request for a WebSocket as it should be.
        func upgrade(_ more: [UInt8] = []) {
            guard let head = head() else { return }
            write(RawServer.upgrade(head) + more)
        }
    }

    static func upgrade(_ head: String) -> [UInt8] {
        let request = Array(head.utf8).withUnsafeBytes { try? HTTPRequestHead($0) }
        let peer = request.flatMap { try? PeerRequest($0) }
        return peer?.acceptance(protocol: "BLIP_3+CBMobile_2") ?? []
    }

    let port: UInt16
    private let descriptor: Int32
    private let thread: WorkerThread
    let heads = Mutex<[String]>([])

    /// `serve` is called for each connection in turn with its number; the connection is closed when it returns.
    init(connections: Int = 1, _ serve: @escaping @Sendable (Connection, Int) -> Void) throws {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && listen(listener, 16) == 0 && getsockname(listener, address, &length) == 0
            }
        }
        guard isBound else { throw TransportError.posix(errno, "test server") }
        port = UInt16(bigEndian: address.sin_port)
        descriptor = listener
        thread = WorkerThread {
            for number in 0..<connections {
                let accepted = accept(listener, nil, nil)
                guard accepted >= 0 else { return }
                serve(Connection(descriptor: accepted), number)
                Glibc.close(accepted)
            }
            Glibc.close(listener)
        }
    }

    var url: String { "ws://127.0.0.1:\(port)/db/_blipsync" }
    func join() { thread.join() }
}

/// Certificates for tests, made once.
enum TestIdentities {
    static let now = Int64(time(nil))
    static let year: Int64 = 365 * 86400

    static let authority = make(.authority, ["Test authority"])
    static let otherAuthority = make(.authority, ["Other authority"])
    static let server = make(.server, ["localhost", "127.0.0.1"], issuer: authority)
    static let expired = make(.server, ["localhost"], from: now - 2 * year, to: now - year, issuer: authority)
    static let early = make(.server, ["localhost"], from: now + year, to: now + 2 * year, issuer: authority)
    static let wrongHost = make(.server, ["elsewhere.example"], issuer: authority)
    static let selfSigned = make(.server, ["localhost"])
    static let client = make(.client, ["alice"], issuer: authority)
    static let strangeClient = make(.client, ["mallory"], issuer: otherAuthority)

    private static func make(
        _ purpose: TLSIdentity.Purpose, _ hosts: [String], from: Int64? = nil, to: Int64? = nil, issuer: TLSIdentity? = nil
    ) -> TLSIdentity {
        do {
            return try TLSIdentity.make(purpose, hosts: hosts, from: from ?? now - 3600, to: to ?? now + year, issuer: issuer)
        } catch {
            fatalError("no test certificate: \(error)")
        }
    }
}
