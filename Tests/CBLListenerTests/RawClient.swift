import CBLBase
import CBLReplication
import CBLReplicationTestSupport
import CBLTestSupport
import CBLTransport
import Glibc
import Synchronization
import Testing

@testable import CBLBLIP
@testable import CBLListener

/// A client that says what a test wants, and no more.
///
///     let client = try await RawClient(url)
///     let answer = await client.ask("getCheckpoint", ["client": "x"])      // nil: the connection is gone
final class RawClient: WebSocketDelegate, @unchecked Sendable {
    // Sendable: the loop's thread alone touches what changes, but for the queue, which only the test reads.

    enum Event: Sendable {
        case opened
        case message(IncomingMessage)
        case closed(WebSocketClosing)
    }

    struct NotOpened: Error { let closing: WebSocketClosing? }

    private var connection: WebSocketConnection?
    private let blip: BLIPConnection
    private let stream: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation
    /// What the listener asked and the test has not looked at.
    private let requests = Mutex<[IncomingMessage]>([])
    private let end = Mutex<WebSocketClosing?>(nil)

    init(_ url: PeerURL, user: Credentials? = nil, subprotocol: String = "BLIP_3+CBMobile_3", compressionLevel: Int = 6) async throws {
        blip = BLIPConnection(compressionLevel: compressionLevel)
        (stream, continuation) = AsyncStream.makeStream()
        var settings = WebSocketClientSettings(HandshakeRequest(url: url.appending("_blipsync"), protocols: [subprotocol]))
        settings.handshake.credentials = user
        settings.trust = .anything
        settings.connectTimeout = Patience.duration
        let complete = settings
        EngineLoops.client.perform {
            let connection = WebSocketConnection(complete, on: EngineLoops.client, delegate: self)
            self.connection = connection
            connection.open()
        }
        guard case .opened? = await next() else { throw NotOpened(closing: end.withLock { $0 }) }
    }

    private func next() async -> Event? {
        var iterator = stream.makeAsyncIterator()
        let event = await iterator.next()
        if case .closed(let closing)? = event { end.withLock { $0 = closing } }
        return event
    }

    private func onLoop<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { done in EngineLoops.client.perform { done.resume(returning: work()) } }
    }

    private func pump() {
        var buffer = [UInt8](repeating: 0, count: FrameSize.maximum)
        buffer.withUnsafeMutableBytes { buffer in
            while blip.hasFrames, let connection, connection.wantsMessages, let frame = try? blip.nextFrame(into: buffer) {
                connection.send(UnsafeRawBufferPointer(rebasing: buffer[..<frame.count]))
            }
        }
    }

    // MARK: What a test does

    /// Asks without waiting for an answer.
    @discardableResult
    func send(
        _ profile: String, _ properties: [String: String] = [:], _ body: [UInt8] = [], isNoReply: Bool = false, isCompressed: Bool = false
    ) async -> SentMessage? {
        await onLoop {
            var message = OutgoingMessage(profile: profile, body: .bytes(body), isCompressed: isCompressed, isNoReply: isNoReply)
            for (name, value) in properties.sorted(by: { $0.key < $1.key }) { message.properties.append(name, value) }
            let sent = try? self.blip.send(message)
            self.pump()
            return sent
        }
    }

    /// Says that more is coming, and sends no more. It goes in one frame, and compressed: what an honest sender puts into one is no rule.
    func sendHalf(_ profile: String, _ properties: [(String, String)], _ body: [UInt8]) async throws {
        let area = ([("Profile", profile)] + properties).flatMap { Array("\($0)\0\($1)\0".utf8) }
        let payload = [UInt8(area.count)] + area + body
        let deflater = try Deflater(level: 6)
        var frame = [UInt8](repeating: 0, count: payload.count + 100)
        (frame[0], frame[1]) = (1, 0x48)
        var checksum = Checksum()
        let count = try frame.withUnsafeMutableBytes { frame in
            try payload.withUnsafeBytes { payload in
                checksum.update(payload)
                let count = 2 + (try deflater.deflate(payload, into: UnsafeMutableRawBufferPointer(rebasing: frame[2...])))
                frame.storeBytes(of: checksum.value.bigEndian, toByteOffset: count, as: UInt32.self)
                return count + 4
            }
        }
        await send(raw: Array(frame[..<count]))
    }

    /// The answer; nil if the connection ends before.
    func ask(
        _ profile: String, _ properties: [String: String] = [:], _ body: [UInt8] = [], isCompressed: Bool = false
    ) async -> IncomingMessage? {
        guard let sent = await send(profile, properties, body, isCompressed: isCompressed) else { return nil }
        while let event = await next() {
            guard case .message(let message) = event else { return nil }
            if case .response(to: sent) = message.origin { return message }
            if case .request = message.origin { requests.withLock { $0.append(message) } }
        }
        return nil
    }

    /// The next request of the listener's that is of that kind; what it asks besides is passed over.
    func request(_ profile: String) async -> IncomingMessage? {
        let known = requests.withLock { requests in requests.firstIndex { $0.profile == profile }.map { requests.remove(at: $0) } }
        if let known { return known }
        while let event = await next() {
            guard case .message(let message) = event else { return nil }
            if case .request = message.origin, message.profile == profile { return message }
        }
        return nil
    }

    func answer(_ request: IncomingMessage?, _ body: [UInt8] = []) async {
        await onLoop {
            guard case .request(let request)? = request?.origin else { return }
            _ = try? self.blip.respond(to: request, OutgoingMessage(body: .bytes(body)))
            self.pump()
        }
    }

    /// A binary message as it is, past everything that makes frames right.
    func send(raw bytes: [UInt8]) async { await onLoop { bytes.withUnsafeBytes { self.connection?.send($0) } } }

    func stopReading() async { await onLoop { self.connection?.isReadingPaused = true } }
    func leave() { EngineLoops.client.perform { self.connection?.terminate() } }

    /// How it ends, whatever comes before.
    func closing() async -> WebSocketClosing? {
        while let event = await next() { if case .closed(let closing) = event { return closing } }
        return end.withLock { $0 }
    }

    // MARK: The connection

    func webSocket(_ connection: WebSocketConnection, didOpen opening: WebSocketOpening) { continuation.yield(.opened) }

    func webSocket(_ connection: WebSocketConnection, didReceive message: UnsafeRawBufferPointer) {
        if let event = try? blip.receive(message), case .received(let message) = event { continuation.yield(.message(message)) }
        pump()
    }

    func webSocketIsWritable(_ connection: WebSocketConnection) { pump() }

    func webSocket(_ connection: WebSocketConnection, didClose closing: WebSocketClosing) {
        continuation.yield(.closed(closing))
        continuation.finish()
        self.connection = nil
    }
}

extension IncomingMessage {
    /// `HTTP 403`, `BLIP 400`; nil if it is no error.
    var errorCode: String? { error.map { "\($0.domain) \($0.code)" } }
    var text: String { String(decoding: body, as: UTF8.self) }
}

/// A plain connection to the port, for what is no WebSocket.
final class PlainClient {
    private let descriptor: Int32

    init(port: UInt16) throws {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        let isConnected = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        try #require(isConnected)
    }

    deinit { close(descriptor) }

    func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    /// The first line of the answer.
    func readLine() -> String {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while recv(descriptor, &byte, 1, 0) == 1, byte != UInt8(ascii: "\n") { bytes.append(byte) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Everything until the listener closes the connection.
    func readToEnd() -> String {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(descriptor, &piece, piece.count, 0)
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += piece[..<count]
        }
    }

    static func authorization(_ user: String, _ password: String) -> String {
        "Authorization: Basic \(Array("\(user):\(password)".utf8).withUnsafeBytes { Base64.text(of: $0) })\r\n"
    }

    static func get(_ path: String, port: UInt16, method: String = "GET", host: String = "localhost", headers: String = "") throws -> String
    {
        let client = try PlainClient(port: port)
        client.write("\(method) \(path) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\(headers)\r\n")
        return client.readToEnd()
    }
}
