import CBLBase

// The binary form of one version: a compressed time, then a source.
//
// A time usually ends in sixteen zero bits (the counter), which are left out; the lowest bit of the varint says whether they were.
// Further versions of a vector hold the difference to the one before, in two's complement.
extension Version {
    /// Set on the source's length byte in the current and the merged versions of a vector.
    static let currentMark: UInt8 = 0x80

    static func compress(_ time: UInt64) -> UInt64 {
        time & 0xFFFF == 0 ? time >> 15 : time << 1 | 1
    }

    static func decompress(_ compressed: UInt64) -> UInt64 {
        compressed & 1 == 0 ? compressed << 15 : compressed >> 1
    }

    static func compress(difference: UInt64) -> UInt64 {
        let signed = Int64(bitPattern: difference)
        return UInt64(bitPattern: signed & 0xFFFF == 0 ? signed >> 15 : signed << 1 | 1)
    }

    static func decompress(difference compressed: UInt64) -> UInt64 {
        let signed = Int64(bitPattern: compressed)
        return UInt64(bitPattern: signed & 1 == 0 ? signed << 15 : signed >> 1)
    }

    /// Reads the version at the position, whose time counts back from the one before if there is one.
    static func read(
        _ bytes: UnsafeRawBufferPointer, at position: inout Int, after previous: Version?
    ) -> (version: Version, isMarked: Bool)? {
        guard let compressed = Varint.read(bytes, at: &position), position < bytes.count else { return nil }
        let time = previous.map { $0.time &- decompress(difference: compressed) } ?? decompress(compressed)
        guard time > 0, time <= maximumTime else { return nil }
        let mark = bytes[position]
        position += 1
        switch mark & ~currentMark {
        case 0: return (Version(time: time, source: .local), mark & currentMark != 0)
        case UInt8(SourceID.byteCount):
            let end = position + SourceID.byteCount
            guard end <= bytes.count, let source = SourceID(UnsafeRawBufferPointer(rebasing: bytes[position..<end])) else { return nil }
            position = end
            return (Version(time: time, source: source), mark & currentMark != 0)
        default: return nil
        }
    }

    /// The longest form, without the 0 at the front of a vector.
    static let maximumBinaryLength = Varint.maximumLength + 1 + SourceID.byteCount

    /// Writes the binary form and gives its length. There must be room for `maximumBinaryLength` bytes.
    func write(to output: UnsafeMutableRawPointer, after previous: Version?, isMarked: Bool) -> Int {
        let compressed = previous.map { Version.compress(difference: $0.time &- time) } ?? Version.compress(time)
        let length = Varint.write(compressed, to: output)
        let mark = isMarked ? Version.currentMark : 0
        guard !source.isLocal else {
            output.storeBytes(of: mark, toByteOffset: length, as: UInt8.self)
            return length + 1
        }
        output.storeBytes(of: UInt8(SourceID.byteCount) | mark, toByteOffset: length, as: UInt8.self)
        source.withBytes { bytes in
            UnsafeMutableRawBufferPointer(start: output + length + 1, count: SourceID.byteCount).copyMemory(from: bytes)
        }
        return length + 1 + SourceID.byteCount
    }
}
