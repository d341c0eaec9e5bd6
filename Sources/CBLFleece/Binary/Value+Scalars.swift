extension Value {
    /// What the first byte says. Damage further on shows when the content is asked for.
    @inlinable package var kind: Kind {
        let first = byte0
        switch first >> 4 {
        case 0, 1: return .integer
        case 2: return .double
        case 3:
            switch first & 0x0C {
            case 0x00: return .null
            case 0x0C: return .undefined
            default: return .boolean
            }
        case 4: return .string
        case 5: return .data
        case 6: return .array
        case 7: return .dictionary
        default: return .undefined
        }
    }

    // No value begins with the byte of a pointer: those were followed to get here.
    @inlinable package var isUndefined: Bool { byte0 & 0xFC == 0x3C }
    @inlinable package var isNull: Bool { byte0 & 0xFC == 0x30 }
    @inlinable package var isNumber: Bool { byte0 < 0x30 }

    @inlinable package var boolean: Bool? {
        switch byte0 & 0xFC {
        case 0x34: false
        case 0x38: true
        default: nil
        }
    }

    /// Whether this is an integer in the unsigned form; it may still fit an `Int64`.
    @inlinable package var isUnsigned: Bool { byte0 & 0xF8 == 0x18 }

    /// Whether this number was declared a single-precision one, which prints with fewer digits.
    @inlinable package var isFloat: Bool { byte0 & 0xFC == 0x20 }

    /// The integer as 64 bits (`isUnsigned` says how to read the top one); nil if this is none.
    @inlinable package var integerBits: UInt64? {
        let first = byte0
        if first < 0x10 {
            let bits = UInt16(first) << 8 | UInt16(byte1)
            return UInt64(bitPattern: Int64(Int16(bitPattern: bits << 4) >> 4))
        }
        guard first < 0x20 else { return nil }
        let count = Int(first & 7) &+ 1
        guard limit &- start > count else { return nil }
        let payload = base + (start &+ 1)
        var bits: UInt64 = 0
        var index = count
        while index > 0 {
            index &-= 1
            bits = bits << 8 | UInt64(payload.load(fromByteOffset: index, as: UInt8.self))
        }
        if first & 8 == 0 {
            let unused = UInt64(64 &- count &* 8)
            bits = UInt64(bitPattern: Int64(bitPattern: bits &<< unused) &>> Int64(unused))
        }
        return bits
    }

    /// The integer, or nil if this is none or exceeds `Int64.max`.
    @inlinable package var integer: Int64? {
        guard let bits = integerBits, !isUnsigned || bits <= UInt64(Int64.max) else { return nil }
        return Int64(bitPattern: bits)
    }

    /// The integer, or nil if this is none or negative.
    @inlinable package var unsigned: UInt64? {
        guard let bits = integerBits, isUnsigned || bits <= UInt64(Int64.max) else { return nil }
        return bits
    }

    /// Any number as a double; nil if this is not a number.
    @inlinable package var double: Double? {
        let first = byte0
        if first & 0xF0 == 0x20 {
            // Bit 3 alone says how wide the payload is: readers older than the tag `24` depend on it too.
            if first & 8 != 0 {
                guard limit &- start >= 10 else { return nil }
                return Double(bitPattern: UInt64(littleEndian: base.loadUnaligned(fromByteOffset: start &+ 2, as: UInt64.self)))
            }
            guard limit &- start >= 6 else { return nil }
            return Double(Float(bitPattern: UInt32(littleEndian: base.loadUnaligned(fromByteOffset: start &+ 2, as: UInt32.self))))
        }
        guard let bits = integerBits else { return nil }
        return isUnsigned ? Double(bits) : Double(Int64(bitPattern: bits))
    }

    /// The bytes of a string, as stored: nothing has checked that they are UTF-8 unless a validator ran.
    @inlinable package var stringBytes: UnsafeRawBufferPointer? {
        byte0 & 0xF0 == 0x40 ? payload : nil
    }

    @inlinable package var dataBytes: UnsafeRawBufferPointer? {
        byte0 & 0xF0 == 0x50 ? payload : nil
    }

    /// A copy of the string; invalid UTF-8 is repaired with replacement characters.
    package var string: String? {
        guard let bytes = stringBytes else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    @inlinable @inline(__always)
    var payload: UnsafeRawBufferPointer? {
        let count = Int(byte0 & 15)
        if count < 15 {
            guard limit &- start > count else { return nil }
            return UnsafeRawBufferPointer(start: base + (start &+ 1), count: count)
        }
        return longPayload
    }

    @usableFromInline
    var longPayload: UnsafeRawBufferPointer? {
        var position = start &+ 1
        guard let count = Value.varint(base, &position, limit: limit), count <= limit &- position else { return nil }
        return UnsafeRawBufferPointer(start: base + position, count: count)
    }

    /// Reads a count of at most 32 bits at `position` and moves behind it; nil if it is longer than that or does not end before `limit`.
    @usableFromInline
    static func varint(_ base: UnsafeRawPointer, _ position: inout Int, limit: Int) -> Int? {
        var result: UInt64 = 0
        var shift: UInt64 = 0
        while position < limit, shift < 70 {
            let byte = base.load(fromByteOffset: position, as: UInt8.self)
            position &+= 1
            let group = UInt64(byte & 0x7F)
            if shift >= 35 ? group != 0 : group &<< shift > 0xFFFF_FFFF { return nil }
            result |= shift >= 35 ? 0 : group &<< shift
            if byte < 0x80 { return result <= 0xFFFF_FFFF ? Int(result) : nil }
            shift &+= 7
        }
        return nil
    }
}
