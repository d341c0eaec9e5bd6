/// Appends frames to a queue of bytes to be sent.
struct FrameWriter {
    private let role: WebSocketRole
    private var random: any RandomNumberGenerator
    // Keys are drawn two at a time.
    private var spareKey: UInt32?

    init(role: WebSocketRole, random: any RandomNumberGenerator = SystemRandomNumberGenerator()) {
        self.role = role
        self.random = random
    }

    mutating func append(
        _ opcode: FrameHeader.Opcode, _ payload: UnsafeRawBufferPointer, isFinal: Bool = true, to queue: inout ByteQueue
    ) {
        let mask = role == .client ? nextKey() : nil
        let header = FrameHeader(opcode, payloadLength: payload.count, isFinal: isFinal, mask: mask)
        let space = queue.space(atLeast: FrameHeader.maximumLength + payload.count)
        guard let output = space.baseAddress else { return }
        let length = header.write(to: output)
        if let mask {
            FrameMask.copy(payload, to: output + length, mask)
        } else if let source = payload.baseAddress {
            (output + length).copyMemory(from: source, byteCount: payload.count)
        }
        queue.commit(length + payload.count)
    }

    /// A close frame. A reason that has no room in it is cut between two characters.
    mutating func appendClose(_ code: CloseCode?, reason: String, to queue: inout ByteQueue) {
        var payload: [UInt8] = []
        if let code, code.isSendable {
            payload = [UInt8(code.rawValue >> 8), UInt8(code.rawValue & 0xFF)]
            for character in reason.unicodeScalars {
                let bytes = Array(String(character).utf8)
                guard payload.count + bytes.count <= FrameHeader.maximumControlPayload else { break }
                payload += bytes
            }
        }
        payload.withUnsafeBytes { append(.close, $0, to: &queue) }
    }

    private mutating func nextKey() -> UInt32 {
        if let key = spareKey {
            spareKey = nil
            return key
        }
        let keys = random.next()
        spareKey = UInt32(truncatingIfNeeded: keys >> 32)
        return UInt32(truncatingIfNeeded: keys)
    }
}
