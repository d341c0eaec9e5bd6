/// Unsigned LEB128: seven bits in each byte, the least significant first, the top bit set in all but the last.
@usableFromInline package enum Varint {
    /// 64 bits take ten groups.
    @usableFromInline package static let maximumLength = 10

    @usableFromInline package enum Reading: Equatable, Sendable {
        case value(UInt64, length: Int)
        /// The bytes end before the number does.
        case incomplete
        /// More than 64 bits.
        case tooLarge
    }

    @inlinable @inline(__always)
    package static func read(_ bytes: UnsafeRawBufferPointer, at start: Int = 0) -> Reading {
        guard start < bytes.count else { return .incomplete }
        // Most are one byte long.
        if bytes[start] < 0x80 { return .value(UInt64(bytes[start]), length: 1) }
        var value: UInt64 = 0
        for index in 0..<maximumLength {
            guard start + index < bytes.count else { return .incomplete }
            let byte = bytes[start + index]
            if index == maximumLength - 1, byte > 1 { return .tooLarge }
            value |= UInt64(byte & 0x7F) << UInt64(7 * index)
            if byte < 0x80 { return .value(value, length: index + 1) }
        }
        return .tooLarge
    }

    /// Reads a number and moves the position behind it; nil, and no move, if there is none.
    @inlinable @inline(__always)
    package static func read(_ bytes: UnsafeRawBufferPointer, at position: inout Int) -> UInt64? {
        guard case .value(let value, let length) = read(bytes, at: position) else { return nil }
        position += length
        return value
    }

    @inlinable
    package static func length(of value: UInt64) -> Int { max(1, (UInt64.bitWidth - value.leadingZeroBitCount + 6) / 7) }

    /// Writes a number and gives its length. There must be room for it.
    @inlinable @inline(__always) @discardableResult
    package static func write(_ value: UInt64, to output: UnsafeMutableRawPointer) -> Int {
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

    @inlinable @inline(__always) @discardableResult
    package static func write(_ value: UInt64, to bytes: UnsafeMutableRawBufferPointer, at start: Int = 0) -> Int {
        precondition(bytes.count - start >= length(of: value))
        return write(value, to: bytes.baseAddress.unsafelyUnwrapped + start)
    }
}
