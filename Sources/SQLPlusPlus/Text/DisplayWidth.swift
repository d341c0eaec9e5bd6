/// How many columns of a terminal a text takes: East Asian characters and emoji two, combining marks none.
package enum DisplayWidth {
    package static func of(_ text: String) -> Int {
        var text = text
        let simple = text.withUTF8 { bytes in bytes.allSatisfy { $0 >= 0x20 && $0 < 0x7F } }
        return simple ? text.utf8.count : text.reduce(0) { $0 + of($1) }
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
        if (0x1160...0x11FF).contains(value) { return 0 }
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
