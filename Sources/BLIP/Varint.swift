/// Unsigned numbers in groups of seven bits, the least significant first; every byte but the last has its high bit set.
enum Varint {
    /// 64 bits take ten groups.
    static let maximumLength = 10

    enum Reading: Equatable {
        case value(UInt64, length: Int)
        /// The bytes end before the number does.
        case incomplete
        /// More than 64 bits.
        case tooLarge
    }

    static func read(_ bytes: UnsafeRawBufferPointer, at start: Int = 0) -> Reading {
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

    static func length(of value: UInt64) -> Int {
        var rest = value
        var length = 1
        while rest >= 0x80 {
            rest >>= 7
            length += 1
        }
        return length
    }

    /// Writes a number where there is room for it, and gives its length.
    @discardableResult
    static func write(_ value: UInt64, to bytes: UnsafeMutableRawBufferPointer, at start: Int = 0) -> Int {
        var rest = value
        var index = start
        while rest >= 0x80 {
            bytes[index] = UInt8(truncatingIfNeeded: rest) | 0x80
            rest >>= 7
            index += 1
        }
        bytes[index] = UInt8(truncatingIfNeeded: rest)
        return index + 1 - start
    }
}
