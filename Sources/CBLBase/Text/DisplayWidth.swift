/// How many columns of a terminal a text takes: East Asian characters and emoji two, combining marks none.
package enum DisplayWidth {
    package static func of(_ text: String) -> Int {
        var text = text
        let simple = text.withUTF8 { bytes in bytes.allSatisfy { $0 >= 0x20 && $0 < 0x7F } }
        return simple ? text.utf8.count : text.reduce(0) { $0 + of($1) }
    }

    /// The same for UTF-8 that consists of the scripts most text is written in, and of nothing that would have to be escaped; nil for all
    /// other text. Hot: cells of tables.
    package static func ofCommon(_ bytes: UnsafeRawBufferPointer) -> Int? {
        var width = 0
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte < 0x80 {
                guard byte >= 0x20, byte < 0x7F else { return nil }
                width += 1
                index += 1
                continue
            }
            let length = byte < 0xE0 ? 2 : 3
            guard byte >= 0xC3, byte < 0xF0, index + length <= bytes.count else { return nil }
            var value = UInt32(byte) & (length == 2 ? 0x1F : 0x0F)
            for byte in bytes[(index + 1)..<(index + length)] {
                guard byte & 0xC0 == 0x80 else { return nil }
                value = value << 6 | UInt32(byte & 0x3F)
            }
            // Longer than it need be is not UTF-8.
            guard length == 2 || value >= 0x800 else { return nil }
            switch value {
            // Latin, Greek and Cyrillic letters; general punctuation that is visible.
            case 0xC0...0x2FF, 0x370...0x482, 0x48A...0x52F, 0x2010...0x2027, 0x2030...0x205E, 0x20A0...0x20C0: width += 1
            // Kana, Han and Hangul, full-width forms, and their punctuation. A mark may join them, but it is none of these.
            case 0x3001...0x3029, 0x3041...0x3096, 0x309B...0x30FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xAC00...0xD7A3, 0xFF01...0xFF60:
                width += 2
            default: return nil
            }
            index += length
        }
        return width
    }

    package static func of(_ character: Character) -> Int {
        var width = 0
        var widest = 0
        var isOneSymbol = false
        for scalar in character.unicodeScalars {
            switch scalar.value {
            // VARIATION SELECTOR-16 asks for the emoji form of what stands before it.
            case 0xFE0F: return 2
            // Joined emoji, shades of skin and the two letters of a flag are drawn as one symbol. Other marks that take
            // space stand beside their letter, as Thai vowels do.
            case 0x200D, 0x1F3FB...0x1F3FF, 0x1F1E6...0x1F1FF: isOneSymbol = true
            default: break
            }
            let own = of(scalar)
            width += own
            widest = max(widest, own)
        }
        return isOneSymbol ? widest : width
    }

    private static func of(_ scalar: Unicode.Scalar) -> Int {
        let value = scalar.value
        if value < 0x20 || (0x7F..<0xA0).contains(value) { return 0 }
        if value < 0x300 { return value == 0xAD ? 0 : 1 }
        // The vowels and final consonants of Hangul syllables written letter by letter join the consonant before them.
        if (0x1160...0x11FF).contains(value) || (0xD7B0...0xD7FB).contains(value) { return 0 }
        // Signs that Arabic and Syriac put round numbers are called formatting, but they are seen.
        if (0x600...0x605).contains(value) || [0x6DD, 0x70F, 0x890, 0x891, 0x8E2].contains(value) { return 1 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .lineSeparator, .paragraphSeparator: return 0
        default: break
        }
        if scalar.properties.isEmojiPresentation { return 2 }
        return isWide(value) ? 2 : 1
    }

    // The blocks that Unicode's East Asian Width calls wide or full-width, apart from emoji.
    private static func isWide(_ value: UInt32) -> Bool {
        switch value {
        case 0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F,
            0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF,
            0x1AFF0...0x1B2FF, 0x1F200...0x1F2FF, 0x20000...0x2FFFD, 0x30000...0x3FFFD:
            true
        default: false
        }
    }

    /// The text cut to a number of columns, with an ellipsis if something is missing.
    package static func cut(_ text: String, to columns: Int) -> String {
        if text.utf8.count <= columns || of(text) <= columns { return text }
        var result = ""
        var width = 0
        for character in text {
            let next = of(character)
            if width + next > columns - 1 { break }
            result.append(character)
            width += next
        }
        return columns > 0 ? result + "…" : ""
    }
}
