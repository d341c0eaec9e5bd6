/// What JSON5 adds to the grammar, apart from the tokens' places: none of it is on the path of plain JSON.
extension JSONText {
    mutating func skipJSON5Blanks() throws(JSONError) {
        while place < end {
            switch place.pointee {
            case 0x09...0x0D, 0x20: place += 1
            case UInt8(ascii: "/"): try skipComment()
            case 0x80...:
                guard let (scalar, length) = scalar, Self.isBlank(scalar) else { return }
                place += length
            default: return
            }
        }
    }

    mutating func skipComment() throws(JSONError) {
        let opening = place
        switch byte(1) {
        case UInt8(ascii: "/"):
            while place < end, !isLineEnd { place += 1 }
        case UInt8(ascii: "*"):
            place += 2
            while place < end, !(byte == UInt8(ascii: "*") && byte(1) == UInt8(ascii: "/")) { place += 1 }
            guard place < end else { throw error("the comment that begins here has no end", at: opening, isUnfinished: true) }
            place += 2
        default:
            place += 1
            throw error(expected: "a comment behind '/'")
        }
    }

    /// LF, CR, U+2028 or U+2029.
    var isLineEnd: Bool { lineEndLength > 0 }

    /// The length of the line end here, 0 if there is none. CR and LF together are one.
    var lineEndLength: Int {
        switch byte {
        case 0x0A: 1
        case 0x0D: byte(1) == 0x0A ? 2 : 1
        case 0xE2: byte(1) == 0x80 && (byte(2) == 0xA8 || byte(2) == 0xA9) ? 3 : 0
        default: 0
        }
    }

    /// The character here and its length in bytes; nil at the end and where no UTF-8 is.
    var scalar: (Unicode.Scalar, Int)? {
        guard place < end else { return nil }
        if place.pointee < 0x80 { return (Unicode.Scalar(place.pointee), 1) }
        let length = sequenceLength
        guard length > 0 else { return nil }
        var value = UInt32(place[0]) & (0x7F >> UInt32(length))
        for index in 1..<length { value = value << 6 | UInt32(place[index] & 0x3F) }
        return Unicode.Scalar(value).map { ($0, length) }
    }

    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x2028, 0x2029, 0xFEFF: true
        default: scalar.properties.generalCategory == .spaceSeparator
        }
    }

    /// Goes behind a bare key and appends it to `name`.
    mutating func bareKey(to name: inout [UInt8]) throws(JSONError) {
        let opening = place
        while let (scalar, length) = scalar {
            var character = scalar
            let characterStart = place
            if scalar == "\\" {
                place += 1
                guard byte == UInt8(ascii: "u") else { throw error(expected: "'u' and four hexadecimal digits") }
                place += 1
                character = try hexEscape(beginning: characterStart)
            } else {
                place += length
            }
            guard Self.isKeyCharacter(character, isFirst: characterStart == opening) else {
                place = characterStart
                break
            }
            name.append(contentsOf: UTF8.encode(character) ?? UTF8.encodedReplacementCharacter)
        }
        guard place > opening else { throw error(expected: "a key") }
        if place < end, place.pointee >= 0x80, sequenceLength == 0 { throw encodingError }
    }

    private static func isKeyCharacter(_ scalar: Unicode.Scalar, isFirst: Bool) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "_", "$": return true
        case "0"..."9", "\u{200C}", "\u{200D}": return !isFirst
        default: break
        }
        guard !scalar.isASCII else { return false }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .letterNumber: return true
        case .nonspacingMark, .spacingMark, .decimalNumber, .connectorPunctuation: return !isFirst
        default: return false
        }
    }
}
