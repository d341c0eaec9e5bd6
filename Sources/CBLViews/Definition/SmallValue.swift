import CBLFleece

/// Whole encodings of single small values, written without an encoder: most keys are such.
enum SmallValue {
    /// A value of two bytes.
    @inline(__always)
    static func append(_ slot: UInt16, to buffer: inout ByteBuffer) {
        buffer.append(UInt8(slot >> 8))
        buffer.append(UInt8(truncatingIfNeeded: slot))
    }

    /// False if it is too large.
    @inline(__always)
    static func append(integer: Int64, to buffer: inout ByteBuffer) -> Bool {
        guard integer >= -2048, integer <= 2047 else { return false }
        append(UInt16(truncatingIfNeeded: integer) & 0x0FFF, to: &buffer)
        return true
    }

    @inline(__always)
    static func append(string: UnsafeRawBufferPointer, to buffer: inout ByteBuffer) -> Bool {
        let count = string.count
        guard count < 15 else { return false }
        if count < 2 {
            append(0x4000 | UInt16(count) << 8 | (string.first.map(UInt16.init) ?? 0), to: &buffer)
            return true
        }
        buffer.append(0x40 | UInt8(truncatingIfNeeded: count))
        buffer.append(string)
        if count & 1 == 0 { buffer.append(0) }
        // The root leads back to the string, in units of two bytes.
        append(0x8000 | UInt16((count &+ 2) >> 1), to: &buffer)
        return true
    }
}
