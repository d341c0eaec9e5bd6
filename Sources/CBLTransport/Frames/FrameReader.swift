import CBLBase
import CBLFleece

/// Which end of a WebSocket this is: clients mask what they send.
package enum WebSocketRole: Sendable {
    case client
    case server
}

/// Reads frames out of a queue of received bytes, and gives each message whole. A message of one frame, which is the rule, is handed out
/// where it lies in the queue.
///
///     while let event = try reader.next(in: &received) { … }
struct FrameReader: ~Copyable {
    enum Event {
        /// A whole message, its bytes valid until the next call.
        case binary(UnsafeRawBufferPointer)
        case text(UnsafeRawBufferPointer)
        case ping(UnsafeRawBufferPointer)
        case pong(UnsafeRawBufferPointer)
        /// The peer's close frame. Nothing that comes behind it is read.
        case close(CloseCode, reason: String)
    }

    private let role: WebSocketRole
    private let maximumMessageSize: Int
    /// The bytes of the event that was handed out last.
    private var lent = 0
    /// The type and the pieces of a message that comes in several frames.
    private var fragmented: FrameHeader.Opcode?
    private var pieces = ByteQueue(capacity: 64)
    private(set) var isClosed = false

    init(role: WebSocketRole, maximumMessageSize: Int) {
        self.role = role
        self.maximumMessageSize = maximumMessageSize
    }

    /// The next event; nil if the queue does not hold all of it yet.
    mutating func next(in queue: inout ByteQueue) throws(WebSocketViolation) -> Event? {
        release(from: &queue)
        while !isClosed {
            guard let header = try FrameHeader(queue.bytes) else { return nil }
            try check(header)
            let total = header.length + header.payloadLength
            guard queue.count >= total else { return nil }
            let payload = UnsafeMutableRawBufferPointer(rebasing: queue.mutableBytes[header.length..<total])
            if let mask = header.mask { FrameMask.apply(mask, to: payload) }
            if let event = try event(header, UnsafeRawBufferPointer(payload)) {
                lent = total
                return event
            }
            queue.consume(total)
        }
        return nil
    }

    /// The pieces of a message that is not complete.
    var pieceBytes: Int { pieces.count }

    /// What lies in the queue behind the event that was handed out last, and whether that has a whole frame.
    func rest(of queue: borrowing ByteQueue) -> (count: Int, hasFrame: Bool) {
        let rest = UnsafeRawBufferPointer(rebasing: queue.bytes[lent...])
        guard !isClosed, let header = try? FrameHeader(rest) else { return (rest.count, false) }
        return (rest.count, rest.count >= header.length + header.payloadLength)
    }

    /// The event that was handed out last is done with.
    mutating func release(from queue: inout ByteQueue) {
        queue.consume(lent)
        lent = 0
        pieces.shrink(to: 4096)
    }

    /// How many bytes the frame that has begun to arrive has in all, as far as its header tells.
    func neededBytes(in queue: borrowing ByteQueue) -> Int {
        guard !isClosed, let header = try? FrameHeader(queue.bytes) else { return FrameHeader.maximumLength }
        return header.length + header.payloadLength
    }

    // Looked at before the payload is there, so that a frame that is too long is refused and not collected.
    private func check(_ header: FrameHeader) throws(WebSocketViolation) {
        switch role {
        case .client: guard header.mask == nil else { throw .protocolError("the server masks its frames") }
        case .server: guard header.mask != nil else { throw .protocolError("the client does not mask its frames") }
        }
        switch header.opcode {
        case .continuation: guard fragmented != nil else { throw .protocolError("a message continues that has not begun") }
        case .text, .binary: guard fragmented == nil else { throw .protocolError("a message begins within another one") }
        default: return
        }
        guard header.payloadLength <= maximumMessageSize - pieces.count else {
            throw WebSocketViolation(code: .tooBig, reason: "a message is larger than \(maximumMessageSize) bytes")
        }
    }

    private mutating func event(_ header: FrameHeader, _ payload: UnsafeRawBufferPointer) throws(WebSocketViolation) -> Event? {
        switch header.opcode {
        case .ping: return .ping(payload)
        case .pong: return .pong(payload)
        case .close:
            isClosed = true
            return try FrameReader.close(payload)
        case .text, .binary:
            if header.isFinal { return try message(header.opcode, payload) }
            fragmented = header.opcode
            pieces.append(payload)
            return nil
        case .continuation:
            pieces.append(payload)
            guard header.isFinal, let opcode = fragmented else { return nil }
            fragmented = nil
            let count = pieces.count
            let whole = pieces.bytes
            // The bytes stay where they are until the next call.
            pieces.consume(count)
            return try message(opcode, whole)
        }
    }

    private func message(_ opcode: FrameHeader.Opcode, _ bytes: UnsafeRawBufferPointer) throws(WebSocketViolation) -> Event {
        guard opcode == .text else { return .binary(bytes) }
        guard isUTF8(bytes) else { throw WebSocketViolation(code: .badPayload, reason: "a text message is not UTF-8") }
        return .text(bytes)
    }

    private static func close(_ payload: UnsafeRawBufferPointer) throws(WebSocketViolation) -> Event {
        if payload.count == 0 { return .close(.noCode, reason: "") }
        guard payload.count >= 2 else { throw .protocolError("a close frame has half a code") }
        let code = CloseCode(rawValue: UInt16(bigEndian: payload.loadUnaligned(as: UInt16.self)))
        guard code.isSendable else { throw .protocolError("close code \(code.rawValue) may not be sent") }
        let reason = UnsafeRawBufferPointer(rebasing: payload[2...])
        guard isUTF8(reason) else { throw WebSocketViolation(code: .badPayload, reason: "the reason for closing is not UTF-8") }
        return .close(code, reason: String(decoding: reason, as: UTF8.self))
    }
}
