/// Makes text of others safe to show: what could do something to a screen, turn the direction of writing or hide becomes a visible escape.
/// The text is then one line, and stays the same if it is escaped once more.
package enum TerminalText {
    /// A quick look at the bytes of one or more lines; true also for some that turn out harmless.
    package static func needsEscapes(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var place = 0
        // Without a look at each, which the compiler would not do for several at once.
        while place + 64 <= bytes.count {
            var marks: UInt64 = 0
            for word in 0..<8 { marks |= marked(bytes.loadUnaligned(fromByteOffset: place + 8 * word, as: UInt64.self)) }
            guard marks & 0x8080_8080_8080_8080 == 0 else { return true }
            place += 64
        }
        for byte in bytes[place...] where byte < 0x20 || byte >= 0x7F { return true }
        return false
    }

    /// The top bit of some of the eight bytes is set, if one of them is below 0x20 or above 0x7E. What one carries into the next does not matter: then it
    /// is such a byte itself.
    private static func marked(_ word: UInt64) -> UInt64 {
        (word &- 0x2020_2020_2020_2020) | (word &+ 0x0101_0101_0101_0101) | word
    }

    /// The same for text of which some characters are to stay, such as the ends of lines.
    package static func needsEscapes(_ bytes: UnsafeRawBufferPointer, keeping kept: [UInt8]) -> Bool {
        for byte in bytes where byte < 0x20 || byte >= 0x7F { if !kept.contains(byte) { return true } }
        return false
    }

    /// What is not UTF-8 becomes the replacement character: terminals take a lone byte of 0x80…0x9F for a control character.
    package static func escaped(_ bytes: UnsafeRawBufferPointer, keeping kept: [UInt8] = []) -> String {
        escaped(String(decoding: bytes, as: UTF8.self), keeping: kept)
    }

    package static func escaped(_ text: String) -> String { escaped(text, keeping: []) }

    package static func escaped(_ text: String, keeping kept: [UInt8]) -> String {
        guard text.unicodeScalars.contains(where: isHarmful) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            if isHarmful(scalar), !(scalar.isASCII && kept.contains(UInt8(truncatingIfNeeded: scalar.value))) {
                result += escape(scalar)
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// As JSON and JSON5 write it, so that a coloured document is still one: two surrogates stand for what is beyond U+FFFF.
    package static func escape(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": "\\n"
        case "\t": "\\t"
        case "\r": "\\r"
        default: String(scalar).utf16.map(escape).joined()
        }
    }

    private static func escape(_ unit: UInt16) -> String {
        let digits = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }

    /// Not in it, though they cannot be seen: the joiner and the non-joiner, without which Persian, Indic scripts and many emoji are written
    /// wrong, and the first sixteen variation selectors, which emoji and Mongolian letters have. They change how their neighbours look, and
    /// move nothing.
    package static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
        let value = scalar.value
        if value < 0x7F { return value < 0x20 }
        if value < 0x300 { return value < 0xA0 || value == 0xAD }
        switch value {
        // Marks, embeddings, overrides and isolates of writing direction; line and paragraph separators.
        case 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: return true
        // Blanks without a width, invisible operators, the mark of the order of bytes, and what was deprecated long ago.
        case 0x34F, 0x17B4, 0x17B5, 0x180E, 0x200B, 0x2060...0x2065, 0x206A...0x206F, 0xFEFF: return true
        // Letters that are blank.
        case 0x115F, 0x1160, 0x3164, 0xFFA0: return true
        // Annotations, and formatting of hieroglyphs, shorthand and music.
        case 0xFFF0...0xFFFB, 0x13430...0x1343F, 0x1BCA0...0x1BCA3, 0x1D173...0x1D17A: return true
        // Tags, and as many more variation selectors: whole texts can be hidden in them.
        case 0xE0000...0xE0FFF: return true
        // No characters.
        case 0xFDD0...0xFDEF: return true
        default: return value & 0xFFFE == 0xFFFE
        }
    }
}
