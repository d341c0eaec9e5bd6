/// Numbers as they stand in pages and rows.
enum PageBytes {
    @inline(__always)
    static func bigEndian16(_ page: UnsafeRawPointer, _ offset: Int) -> UInt16 {
        UInt16(bigEndian: page.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
    }

    @inline(__always)
    static func bigEndian32(_ page: UnsafeRawPointer, _ offset: Int) -> UInt32 {
        UInt32(bigEndian: page.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    /// One that begins before `end`, which is moved behind it.
    @inline(__always)
    static func varint(_ bytes: UnsafeRawPointer, _ position: inout Int, _ end: Int) -> UInt64? {
        guard position < end else { return nil }
        let first = bytes.load(fromByteOffset: position, as: UInt8.self)
        if first < 0x80 {
            position &+= 1
            return UInt64(first)
        }
        return longVarint(bytes, &position, end)
    }

    private static func longVarint(_ bytes: UnsafeRawPointer, _ position: inout Int, _ end: Int) -> UInt64? {
        var result: UInt64 = 0
        for index in 0..<9 {
            guard position < end else { return nil }
            let byte = bytes.load(fromByteOffset: position, as: UInt8.self)
            position &+= 1
            if index == 8 { return result << 8 | UInt64(byte) }
            result = result << 7 | UInt64(byte & 0x7F)
            if byte < 0x80 { return result }
        }
        return nil
    }

    /// How many bytes a column of a row has.
    @inline(__always)
    static func size(ofType type: UInt64) -> Int? {
        if type >= 12 { return type <= UInt64(Int32.max) ? Int((type &- 12) >> 1) : nil }
        switch type {
        case 0, 8, 9: return 0
        case 1: return 1
        case 2: return 2
        case 3: return 3
        case 4: return 4
        case 5: return 6
        case 6, 7: return 8
        default: return nil
        }
    }

    /// The integer of a column that has one, from its bytes.
    @inline(__always)
    static func integer(ofType type: UInt64, _ bytes: UnsafeRawBufferPointer) -> Int64? {
        if type == 8 || type == 9 { return Int64(type & 1) }
        guard type <= 6, let start = bytes.baseAddress, bytes.count > 0 else { return nil }
        var result = Int64(start.load(as: Int8.self))
        for index in 1..<bytes.count { result = result << 8 | Int64(start.load(fromByteOffset: index, as: UInt8.self)) }
        return result
    }
}
