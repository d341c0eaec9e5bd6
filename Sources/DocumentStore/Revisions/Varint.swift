/// Unsigned LEB128: seven bits in each byte, the least significant first, the top bit set in all but the last.
enum Varint {
    static let maximumLength = 10

    /// Reads a number and moves the position behind it; nil, and no move, if the bytes end first or it exceeds 64 bits.
    @inline(__always)
    static func read(_ bytes: UnsafeRawBufferPointer, at position: inout Int) -> UInt64? {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        var index = position
        while index < bytes.count, shift < 64 {
            let byte = bytes[index]
            index += 1
            if shift == 63, byte > 1 { return nil }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 {
                position = index
                return value
            }
            shift += 7
        }
        return nil
    }

    static func length(_ value: UInt64) -> Int {
        max(1, (UInt64.bitWidth - value.leadingZeroBitCount + 6) / 7)
    }

    /// Writes a number and gives its length. There must be room for `maximumLength` bytes.
    @inline(__always)
    static func write(_ value: UInt64, to output: UnsafeMutableRawPointer) -> Int {
        var rest = value
        var length = 0
        while rest >= 0x80 {
            output.storeBytes(of: UInt8(truncatingIfNeeded: rest) | 0x80, toByteOffset: length, as: UInt8.self)
            rest >>= 7
            length += 1
        }
        output.storeBytes(of: UInt8(truncatingIfNeeded: rest), toByteOffset: length, as: UInt8.self)
        return length + 1
    }
}
