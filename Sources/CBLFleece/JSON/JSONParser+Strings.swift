extension JSONReader {
    /// The content of the string in double quotes that begins here; goes behind it.
    ///
    /// A string without escapes is handed out where it stands. Others are valid until the next one is read.
    @inline(__always)
    mutating func string() throws(JSONError) -> UnsafeRawBufferPointer {
        let opening = text.place
        var place = opening + 1
        let end = text.end
        while true {
            // Eight bytes at a time as long as nothing among them ends the string or needs a closer look.
            if end - place >= 8 {
                let special = Self.specialBytes(UnsafeRawPointer(place).loadUnaligned(as: UInt64.self))
                if special == 0 {
                    place += 8
                    continue
                }
                place += special.trailingZeroBitCount &>> 3
            } else if place == end {
                throw unterminated(opening)
            }
            let byte = place.pointee
            if byte == UInt8(ascii: "\"") {
                text.place = place + 1
                return UnsafeRawBufferPointer(start: opening + 1, count: place - opening - 1)
            }
            if byte >= 0x80 {
                let length = UTF8Sequence.length(at: place, end: end)
                guard length > 0 else { return try carefulString() }
                place += length
            } else if byte == UInt8(ascii: "\\") || byte < 0x20 {
                return try carefulString()
            } else {
                place += 1
            }
        }
    }

    /// The top bits of the bytes that are a quote, a backslash, a control character or not ASCII. The lowest bit set is exact.
    @inline(__always)
    private static func specialBytes(_ word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let word = UInt64(littleEndian: word)
        let quotes = word ^ (ones &* 0x22)
        let backslashes = word ^ (ones &* 0x5C)
        // A byte's top bit appears by subtraction if the byte was smaller than what is taken away; bytes above it may be wrong.
        let found = ((quotes &- ones) | (backslashes &- ones) | (word &- ones &* 0x20)) & ~word
        return (found | word) & (ones &* 0x80)
    }

    /// A string in either sort of quotes, with escapes or with something wrong in it.
    mutating func carefulString() throws(JSONError) -> UnsafeRawBufferPointer {
        let opening = text.place
        let quote = text.byte
        text.place += 1
        unescaped.removeAll()
        while text.place < text.end {
            let byte = text.byte
            switch byte {
            case quote:
                text.place += 1
                return unescaped.bytes
            case UInt8(ascii: "\\"):
                try escape(in: opening)
            case 0..<0x20 where !text.isJSON5 || text.isLineEnd:
                throw text.error("\(text.found) within a string: write it as an escape such as \\n", isUnfinished: false)
            case 0x80...:
                let length = text.sequenceLength
                guard length > 0 else { throw text.encodingError }
                append(length)
            default:
                append(1)
            }
        }
        throw unterminated(opening)
    }

    private mutating func append(_ length: Int) {
        unescaped.append(UnsafeRawBufferPointer(start: text.place, count: length))
        text.place += length
    }

    private func unterminated(_ opening: UnsafePointer<UInt8>) -> JSONError {
        text.error("the string that begins here has no end", at: opening, isUnfinished: true)
    }

    private mutating func escape(in opening: UnsafePointer<UInt8>) throws(JSONError) {
        let backslash = text.place
        text.place += 1
        guard text.place < text.end else { throw unterminated(opening) }
        let byte = text.byte
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): unescaped.append(byte)
        case UInt8(ascii: "b"): unescaped.append(0x08)
        case UInt8(ascii: "f"): unescaped.append(0x0C)
        case UInt8(ascii: "n"): unescaped.append(0x0A)
        case UInt8(ascii: "r"): unescaped.append(0x0D)
        case UInt8(ascii: "t"): unescaped.append(0x09)
        case UInt8(ascii: "u"):
            text.place += 1
            return append(try text.hexEscape(beginning: backslash))
        default:
            guard text.isJSON5 else { throw text.error("unknown escape: \(text.found) behind a backslash", at: backslash) }
            return try json5Escape(beginning: backslash)
        }
        text.place += 1
    }

    /// The escapes that only JSON5 has.
    private mutating func json5Escape(beginning backslash: UnsafePointer<UInt8>) throws(JSONError) {
        switch text.byte {
        case UInt8(ascii: "v"):
            unescaped.append(0x0B)
            text.place += 1
        case UInt8(ascii: "0"):
            guard !text.byte(1).isDecimalDigit else { throw text.error("octal escapes are not allowed", at: backslash) }
            unescaped.append(0)
            text.place += 1
        case UInt8(ascii: "1")...UInt8(ascii: "9"):
            throw text.error("unknown escape: \(text.found) behind a backslash", at: backslash)
        case UInt8(ascii: "x"):
            text.place += 1
            let value = try text.hexDigits(2, beginning: backslash)
            append(Unicode.Scalar(UInt8(truncatingIfNeeded: value)))
        default:
            // A line end is left out; any other character stands for itself.
            if text.isLineEnd {
                text.place += text.lineEndLength
            } else if text.byte < 0x80 {
                append(1)
            } else {
                guard text.sequenceLength > 0 else { throw text.encodingError }
                append(text.sequenceLength)
            }
        }
    }

    private mutating func append(_ scalar: Unicode.Scalar) {
        for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { unescaped.append(byte) }
    }
}

extension JSONText {
    /// The character of a `\u` escape whose digits begin here, or of the two that make up a surrogate pair.
    mutating func hexEscape(beginning backslash: UnsafePointer<UInt8>) throws(JSONError) -> Unicode.Scalar {
        let first = try hexDigits(4, beginning: backslash)
        if let scalar = Unicode.Scalar(first) { return scalar }
        // Half of a surrogate pair: the other half must be the next escape.
        guard first < 0xDC00 else { throw error("the escape is the second half of a surrogate pair, without the first", at: backslash) }
        guard skip("\\u") else {
            let isCut = isAtEnd || isCut("\\u")
            throw error("the escape is half of a surrogate pair, without the other half", at: backslash, isUnfinished: isCut)
        }
        let second = try hexDigits(4, beginning: backslash)
        guard (0xDC00...0xDFFF).contains(second), let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)) else {
            throw error("the escapes are not the halves of a surrogate pair", at: backslash)
        }
        return scalar
    }

    mutating func hexDigits(_ count: Int, beginning backslash: UnsafePointer<UInt8>) throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<count {
            guard let digit = byte.hexDigitValue else {
                throw error("the escape needs \(count) hexadecimal digits", at: backslash, isUnfinished: isAtEnd)
            }
            value = value << 4 | UInt32(digit)
            place += 1
        }
        return value
    }
}

extension UInt8 {
    @inline(__always) var isDecimalDigit: Bool { self &- UInt8(ascii: "0") < 10 }

    var hexDigitValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
