import CBLBase

// Strings, data and numbers on their way into a buffer. Hot: they are nearly all of a JSON text.

extension ByteBuffer {
    /// Appends UTF-8 bytes as a JSON string. What is not UTF-8 becomes U+FFFD, for the text must be valid whatever was stored.
    @inline(__always)
    mutating func append(quoted bytes: UnsafeRawBufferPointer) {
        if bytes.count <= 16, appendPlain(bytes) { return }
        appendString(bytes)
    }

    /// Appends at most 16 bytes as a string if none of them needs a closer look.
    @inline(__always)
    private mutating func appendPlain(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let length = bytes.count
        let packed = PackedBytes(bytes)
        // The bytes that are not there become blanks, which are nothing special.
        let blanks: UInt64 = 0x2020_2020_2020_2020
        let unused = UInt64(truncatingIfNeeded: length &* 8)
        let low = length < 8 ? packed.low | blanks &<< unused : packed.low
        let high = length < 8 ? blanks : length < 16 ? packed.high | blanks &<< (unused &- 64) : packed.high
        guard Self.specialBytes(low) | Self.specialBytes(high) == 0 else { return false }
        reserve(24)
        let target = memory + used
        target.storeBytes(of: UInt8(ascii: "\""), as: UInt8.self)
        packed.store(to: target + 1)
        target.storeBytes(of: UInt8(ascii: "\""), toByteOffset: length &+ 1, as: UInt8.self)
        used &+= length &+ 2
        return true
    }

    /// Appends the name of a shared key, quotes and colon around it. It needs no escapes.
    @inline(__always)
    mutating func append(plainKey packed: PackedBytes, length: Int, needsComma: Bool) {
        reserve(24)
        var target = memory + used
        target.storeBytes(of: needsComma ? UInt16(littleEndian: 0x222C) : 0x22, as: UInt16.self)
        target += needsComma ? 2 : 1
        packed.store(to: target)
        target.storeBytes(of: UInt16(littleEndian: 0x3A22), toByteOffset: length, as: UInt16.self)
        used = target - memory &+ length &+ 2
    }

    @inline(never)
    private mutating func appendString(_ bytes: UnsafeRawBufferPointer) {
        var left = bytes.count
        // Room for all of it as it is; each escape makes room for what follows it again.
        reserve(left + 16)
        var target = memory + count
        target.storeBytes(of: UInt8(ascii: "\""), as: UInt8.self)
        target += 1
        if left > 0, var source = bytes.baseAddress {
            while left >= 8 {
                let word = source.loadUnaligned(as: UInt64.self)
                target.storeBytes(of: word, as: UInt64.self)
                let special = Self.specialBytes(UInt64(littleEndian: word))
                let plain = special == 0 ? 8 : special.trailingZeroBitCount &>> 3
                source += plain
                target += plain
                left &-= plain
                if special != 0 { appendSpecial(&source, &left, &target) }
            }
            while left > 0 {
                // Less than eight bytes are left, but there are more before them: read these too, and shift them out.
                if bytes.count >= 8, left < 8 {
                    let word = UInt64(littleEndian: (source + (left &- 8)).loadUnaligned(as: UInt64.self))
                    let rest = word &>> UInt64(truncatingIfNeeded: 64 &- left &* 8)
                    if Self.specialBytes(rest | 0x2020_2020_2020_2020 &<< UInt64(truncatingIfNeeded: left &* 8)) == 0 {
                        target.storeBytes(of: rest.littleEndian, as: UInt64.self)
                        target += left
                        break
                    }
                }
                let byte = source.load(as: UInt8.self)
                if byte < 0x20 || byte >= 0x7F || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                    appendSpecial(&source, &left, &target)
                } else {
                    target.storeBytes(of: byte, as: UInt8.self)
                    source += 1
                    target += 1
                    left &-= 1
                }
            }
        }
        target.storeBytes(of: UInt8(ascii: "\""), as: UInt8.self)
        used = target - memory + 1
    }

    /// The top bits of the bytes that need an escape or are not ASCII. The lowest bit set is exact.
    @inline(__always)
    private static func specialBytes(_ word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quotes = word ^ (ones &* 0x22)
        let backslashes = word ^ (ones &* 0x5C)
        let deletes = word ^ (ones &* 0x7F)
        let found = ((quotes &- ones) | (backslashes &- ones) | (deletes &- ones) | (word &- ones &* 0x20)) & ~word
        return (found | word) & (ones &* 0x80)
    }

    /// Appends the character at `source`, which needs an escape or is not ASCII, and makes room for the `left` bytes behind it.
    @inline(never)
    private mutating func appendSpecial(_ source: inout UnsafeRawPointer, _ left: inout Int, _ target: inout UnsafeMutableRawPointer) {
        used = target - memory
        var length = 1
        let byte = source.load(as: UInt8.self)
        switch byte {
        case UInt8(ascii: "\""): append("\\\"")
        case UInt8(ascii: "\\"): append("\\\\")
        case 0x0A: append("\\n")
        case 0x0D: append("\\r")
        case 0x09: append("\\t")
        case 0x80...:
            // A run of other alphabets is copied in one go.
            let start = source.assumingMemoryBound(to: UInt8.self)
            let end = start + left
            var place = start
            while place < end, place.pointee >= 0x80 {
                let sequence = UTF8Sequence.length(at: place, end: end)
                if sequence == 0 { break }
                place += sequence
            }
            length = place - start
            append(UnsafeRawBufferPointer(start: start, count: length))
            if length == 0 {
                append("\u{FFFD}")
                length = 1
            }
        default:
            append("\\u00")
            append(Hex.digit(byte >> 4))
            append(Hex.digit(byte & 15))
        }
        source += length
        left &-= length
        reserve(left + 16)
        target = memory + count
    }

    /// Appends bytes in Base64 with padding, in quotes.
    mutating func append(base64 bytes: UnsafeRawBufferPointer) {
        reserve((bytes.count + 2) / 3 * 4 + 2)
        append(UInt8(ascii: "\""))
        used += Base64.write(bytes, isPadded: true, to: memory + count)
        append(UInt8(ascii: "\""))
    }

    /// Appends what `write` writes: at most `NumberFormatting.maximumLength` bytes.
    @inline(__always)
    mutating func appendNumber(_ write: (UnsafeMutablePointer<UInt8>) -> Int) {
        reserve(NumberFormatting.maximumLength)
        used += write((memory + count).assumingMemoryBound(to: UInt8.self))
    }
}
