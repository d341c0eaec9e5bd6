/// Hexadecimal digits, written in lower case.
@usableFromInline package enum Hex {
    package static func text(of bytes: UnsafeRawBufferPointer) -> String {
        String(unsafeUninitializedCapacity: bytes.count * 2) { output in
            guard let start = output.baseAddress else { return 0 }
            return write(bytes, to: UnsafeMutableRawPointer(start))
        }
    }

    /// Writes two digits for each byte, and says how many. There must be room for them. Hot: a digest is in each row of a listing.
    package static func write(_ bytes: UnsafeRawBufferPointer, to output: UnsafeMutableRawPointer) -> Int {
        var index = 0
        // Four bytes at a time: their eight halves are spread over the bytes of a word, and become digits together.
        while index &+ 4 <= bytes.count {
            let word = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt32.self))
            output.storeBytes(of: digits(word).littleEndian, toByteOffset: index &* 2, as: UInt64.self)
            index &+= 4
        }
        while index < bytes.count {
            output.storeBytes(of: digit(bytes[index] >> 4), toByteOffset: index &* 2, as: UInt8.self)
            output.storeBytes(of: digit(bytes[index] & 15), toByteOffset: index &* 2 &+ 1, as: UInt8.self)
            index &+= 1
        }
        return index &* 2
    }

    @inline(__always)
    private static func digits(_ word: UInt32) -> UInt64 {
        var spread = UInt64(word)
        spread = (spread | spread << 16) & 0x0000_FFFF_0000_FFFF
        spread = (spread | spread << 8) & 0x00FF_00FF_00FF_00FF
        let halves = (spread >> 4) & 0x000F_000F_000F_000F | (spread & 0x000F_000F_000F_000F) << 8
        // Halves above nine are letters, which stand 39 places behind the digits.
        let letters = ((halves &+ 0x0606_0606_0606_0606) >> 4) & 0x0101_0101_0101_0101
        return halves &+ 0x3030_3030_3030_3030 &+ letters &* 39
    }

    /// The bytes that an even number of digits stands for; nil if there is anything else. Reads both cases.
    package static func bytes(of text: String) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = value(ofDigit: lowerCase(digits[index])), let low = value(ofDigit: lowerCase(digits[index + 1])) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    @inlinable @inline(__always)
    package static func digit(_ nibble: UInt8) -> UInt8 {
        nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") - 10 + nibble
    }

    /// What a lower-case digit is worth.
    @inlinable @inline(__always)
    package static func value(ofDigit digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }

    private static func lowerCase(_ character: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(character) ? character + 0x20 : character
    }
}
