import CBLBase

/// What a frame is a part of.
enum FrameType: UInt8 {
    case request = 0
    case response = 1
    case error = 2
    case requestAcknowledgement = 4
    case responseAcknowledgement = 5
}

/// The flags of a frame; the lowest three bits are its type.
struct FrameFlags: OptionSet {
    let rawValue: UInt8

    static let compressed = FrameFlags(rawValue: 0x08)
    static let urgent = FrameFlags(rawValue: 0x10)
    static let noReply = FrameFlags(rawValue: 0x20)
    /// Not the last frame of its message.
    static let moreComing = FrameFlags(rawValue: 0x40)

    init(rawValue: UInt8) { self.rawValue = rawValue }
    init(_ type: FrameType) { rawValue = type.rawValue }

    /// Nil for a type that nobody has defined yet.
    var type: FrameType? { FrameType(rawValue: rawValue & 0x07) }

    func with(_ type: FrameType) -> FrameFlags { FrameFlags(rawValue: rawValue & ~0x07 | type.rawValue) }
}

/// `uvarint(message number) uvarint(flags)`, with which every frame begins.
struct FrameHeader {
    let number: UInt64
    let flags: FrameFlags
    /// Where the payload begins.
    let length: Int

    /// Nil if it cannot be read.
    init?(_ frame: UnsafeRawBufferPointer) {
        guard case .value(let number, let numberLength) = Varint.read(frame),
            case .value(let flags, let flagsLength) = Varint.read(frame, at: numberLength)
        else { return nil }
        self.number = number
        // Flags above the seventh bit may come to mean something; until then they are ignored.
        self.flags = FrameFlags(rawValue: UInt8(flags & 0x7F))
        length = numberLength + flagsLength
    }
}
