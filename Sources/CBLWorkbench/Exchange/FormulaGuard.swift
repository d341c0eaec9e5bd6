/// Spreadsheets run what stands in a cell and begins with `=`, `+`, `-` or `@`, and some what stands behind a tab or the end of a line. An
/// apostrophe in front makes it text to them.
///
/// Text that begins with apostrophes and then like a formula gets one more, so that to take one away gives back what was there.
enum FormulaGuard {
    static let mark = UInt8(ascii: "'")

    static func needsGuard(_ text: UnsafeRawBufferPointer) -> Bool {
        guard let start = text.firstIndex(where: { $0 != mark }) else { return false }
        switch text[start] {
        case UInt8(ascii: "="), UInt8(ascii: "@"), 0x09, 0x0A, 0x0D: return true
        case UInt8(ascii: "+"), UInt8(ascii: "-"): return !isNumber(UnsafeRawBufferPointer(rebasing: text[(start + 1)...]))
        // The wide forms of these signs, U+FF0B, U+FF0D, U+FF1D and U+FF20, which some take for them.
        case 0xEF:
            return [[0xEF, 0xBC, 0x8B], [0xEF, 0xBC, 0x8D], [0xEF, 0xBC, 0x9D], [0xEF, 0xBC, 0xA0]].contains {
                text[start...].starts(with: $0)
            }
        default: return false
        }
    }

    /// The text without the apostrophe that was put in front of it.
    static func unguarded(_ text: [UInt8]) -> [UInt8] {
        guard text.first == mark, text.withUnsafeBytes(needsGuard) else { return text }
        return Array(text.dropFirst())
    }

    // Digits and one point: nothing to be computed.
    private static func isNumber(_ text: UnsafeRawBufferPointer) -> Bool {
        var points = 0
        for byte in text {
            if byte == UInt8(ascii: ".") { points += 1 } else if !(0x30...0x39).contains(byte) { return false }
        }
        return points < 2 && text.count > points
    }
}
