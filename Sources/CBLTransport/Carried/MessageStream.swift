/// What a WebSocket is spoken over when something else carries its bytes, or its messages.
///
/// A carrier that keeps messages apart sees no frames: they are taken off what is sent, and put around what comes.
final class MessageStream: ByteStream {
    /// What the carrier has been given and has not got rid of, before more has to wait.
    private static let mostUnsent = 256 << 10
    private static let largestPiece = 64 << 10

    private let carrier: any MessageCarrier
    private let framing: MessageFraming
    private let loop: EventLoop
    private var incoming = ByteQueue()
    private var reader = FrameReader(role: .client, maximumMessageSize: .max)
    private var framed = ByteQueue()
    private var unsent = 0
    private var end: StreamResult?
    private var interest: FileWatch.Readiness = []
    private var isTelling = false
    private var isClosed = false
    var onReady: ((FileWatch.Readiness) -> Void)?
    var isLocal: Bool { false }

    init(_ carrier: any MessageCarrier, _ framing: MessageFraming, on loop: EventLoop) {
        self.carrier = carrier
        self.framing = framing
        self.loop = loop
    }

    /// The end of a WebSocket that this stream is for. Who needs no frames need not mask them either.
    static func role(_ role: WebSocketRole, _ framing: MessageFraming) -> WebSocketRole { framing == .messages ? .server : role }

    // MARK: From the peer

    func received(_ bytes: [UInt8]) {
        loop.preconditionOnLoop()
        guard !isClosed, end == nil else { return }
        switch framing {
        case .bytes: incoming.append(bytes)
        case .messages: bytes.withUnsafeBytes { append(.binary, $0) }
        }
        tell()
    }

    /// As a client would send it; a key of zeros changes nothing.
    private func append(_ opcode: FrameHeader.Opcode, _ payload: UnsafeRawBufferPointer) {
        let header = FrameHeader(opcode, payloadLength: payload.count, mask: 0)
        guard let output = incoming.space(atLeast: FrameHeader.maximumLength).baseAddress else { return }
        incoming.commit(header.write(to: output))
        incoming.append(payload)
    }

    /// Nothing more comes, and nothing can be sent.
    func ended(_ error: TransportError) {
        loop.preconditionOnLoop()
        guard !isClosed, end == nil else { return }
        end = .failed(error)
        tell()
    }

    func read(into space: UnsafeMutableRawBufferPointer) -> StreamResult {
        let count = min(space.count, incoming.count)
        guard count > 0 else { return end ?? .blocked }
        space.copyMemory(from: UnsafeRawBufferPointer(rebasing: incoming.bytes[..<count]))
        incoming.consume(count)
        incoming.shrink(to: ByteQueue.smallestCapacity)
        return .bytes(count)
    }

    var unreadBytes: Int { incoming.count }

    // MARK: To the peer

    func write(_ bytes: UnsafeRawBufferPointer) -> StreamResult {
        if let end { return end }
        guard !isClosed, bytes.count > 0, unsent < MessageStream.mostUnsent else { return .blocked }
        let piece = UnsafeRawBufferPointer(rebasing: bytes.prefix(MessageStream.largestPiece))
        switch framing {
        case .bytes: send(Array(piece))
        case .messages:
            framed.append(piece)
            do { try sendMessages() } catch { end = .failed(.violation(error, by: "this side")) }
        }
        return .bytes(piece.count)
    }

    private func sendMessages() throws(WebSocketViolation) {
        while let event = try reader.next(in: &framed) {
            switch event {
            case .binary(let message): send(Array(message))
            case .close(let code, _):
                // There is nobody who would answer it.
                withUnsafeBytes(of: code.rawValue.bigEndian) { append(.close, $0) }
                tell()
            case .text, .ping, .pong: break
            }
        }
        framed.shrink(to: ByteQueue.smallestCapacity)
    }

    private func send(_ message: [UInt8]) {
        unsent += message.count
        let count = message.count
        let loop = loop
        let stream = WeakStream(self)
        carrier.send(message) { error in loop.perform { stream.stream?.sent(count, error) } }
    }

    private func sent(_ count: Int, _ error: TransportError?) {
        unsent -= count
        if let error { return ended(error) }
        tell()
    }

    // MARK: Readiness

    func want(_ interest: FileWatch.Readiness) {
        let added = interest.subtracting(self.interest)
        self.interest = interest
        // What is there already is told nowhere else.
        if !added.isEmpty { tell() }
    }

    private var ready: FileWatch.Readiness {
        var ready: FileWatch.Readiness = []
        if !incoming.isEmpty || end != nil { ready.insert(.reading) }
        if unsent < MessageStream.mostUnsent || end != nil { ready.insert(.writing) }
        return ready.intersection(interest)
    }

    private func tell() {
        guard !isTelling, !ready.isEmpty else { return }
        isTelling = true
        loop.later { [weak self] in
            guard let self else { return }
            self.isTelling = false
            if !self.isClosed, !self.ready.isEmpty { self.onReady?(self.ready) }
        }
    }

    func endWriting() {}

    func close() {
        guard !isClosed else { return }
        isClosed = true
        onReady = nil
        incoming.removeAll()
        if case .failed(let error)? = end { carrier.close(error) } else { carrier.close(nil) }
    }

    /// For a completion that comes on another thread, and is brought back to the loop.
    private final class WeakStream: @unchecked Sendable {
        // Sendable: only the loop's thread looks what is in it.
        weak var stream: MessageStream?
        init(_ stream: MessageStream) { self.stream = stream }
    }
}
