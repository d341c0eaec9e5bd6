/// What stands before the payload of a WebSocket frame (RFC 6455, section 5.2).
struct FrameHeader: Equatable {
    enum Opcode: UInt8 {
        case continuation = 0
        case text = 1
        case binary = 2
        case close = 8
        case ping = 9
        case pong = 10

        var isControl: Bool { rawValue & 8 != 0 }
    }

    static let maximumLength = 14
    static let maximumControlPayload = 125

    var opcode: Opcode
    var isFinal = true
    /// The key, its bytes in memory as in the frame; nil if the payload is in clear.
    var mask: UInt32?
    var payloadLength: Int
    /// How many bytes the header has itself.
    var length = 0

    /// Reads the header at the beginning of the bytes; nil if they end within it.
    init?(_ bytes: UnsafeRawBufferPointer) throws(WebSocketViolation) {
        guard bytes.count >= 2 else { return nil }
        guard bytes[0] & 0x70 == 0 else { throw .protocolError("reserved bits are set in a frame") }
        guard let opcode = Opcode(rawValue: bytes[0] & 0x0F) else { throw .protocolError("frame of unknown type \(bytes[0] & 0x0F)") }
        self.opcode = opcode
        isFinal = bytes[0] & 0x80 != 0
        let short = Int(bytes[1] & 0x7F)
        if opcode.isControl {
            guard isFinal else { throw .protocolError("a control frame is fragmented") }
            guard short <= FrameHeader.maximumControlPayload else { throw .protocolError("a control frame is too long") }
        }
        length = 2
        switch short {
        case 126:
            guard bytes.count >= 4 else { return nil }
            payloadLength = Int(UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self)))
            guard payloadLength > 125 else { throw .protocolError("a frame's length is not written as short as possible") }
            length = 4
        case 127:
            guard bytes.count >= 10 else { return nil }
            let wide = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt64.self))
            guard wide > 0xFFFF else { throw .protocolError("a frame's length is not written as short as possible") }
            guard wide < 1 << 62 else { throw .protocolError("a frame's length is impossible") }
            payloadLength = Int(wide)
            length = 10
        default: payloadLength = short
        }
        if bytes[1] & 0x80 != 0 {
            guard bytes.count >= length + 4 else { return nil }
            mask = bytes.loadUnaligned(fromByteOffset: length, as: UInt32.self)
            length += 4
        }
    }

    init(_ opcode: Opcode, payloadLength: Int, isFinal: Bool = true, mask: UInt32? = nil) {
        self.opcode = opcode
        self.payloadLength = payloadLength
        self.isFinal = isFinal
        self.mask = mask
    }

    /// Writes the header, and says how long it is. There must be room for `maximumLength`.
    func write(to output: UnsafeMutableRawPointer) -> Int {
        output.storeBytes(of: (isFinal ? 0x80 : 0) | opcode.rawValue, as: UInt8.self)
        let masked: UInt8 = mask == nil ? 0 : 0x80
        var length = 2
        switch payloadLength {
        case ...125: output.storeBytes(of: masked | UInt8(payloadLength), toByteOffset: 1, as: UInt8.self)
        case ...0xFFFF:
            output.storeBytes(of: masked | 126, toByteOffset: 1, as: UInt8.self)
            output.storeBytes(of: UInt16(payloadLength).bigEndian, toByteOffset: 2, as: UInt16.self)
            length = 4
        default:
            output.storeBytes(of: masked | 127, toByteOffset: 1, as: UInt8.self)
            output.storeBytes(of: UInt64(payloadLength).bigEndian, toByteOffset: 2, as: UInt64.self)
            length = 10
        }
        if let mask {
            output.storeBytes(of: mask, toByteOffset: length, as: UInt32.self)
            length += 4
        }
        return length
    }
}

/// What a peer did that the WebSocket protocol does not allow, and the code to close with.
struct WebSocketViolation: Error, Equatable {
    let code: CloseCode
    let reason: String

    static func protocolError(_ reason: String) -> WebSocketViolation { WebSocketViolation(code: .protocolError, reason: reason) }
}
