import CBLBase
import Testing

/// How much room text takes on a screen.
@Suite struct DisplayWidthTests {
    @Test(arguments: [
        ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("日本", 4), ("한국", 4), ("ﾊﾝｶｸ", 4), ("Ａ", 2), ("🙂", 2), ("👩‍👩‍👧", 2), ("🇩🇪", 2), ("❤️", 2),
        ("❤", 1),
        ("1️⃣", 2), ("👍🏽", 2), ("🏳️‍🌈", 2), ("🇩🇪🇫🇷", 4), ("\u{FEFF}x\u{200D}", 1), ("שָׁלוֹם", 4), ("\u{600}", 1), ("ᄒ\u{1161}\u{11AB}", 2), ("°①", 2),
        ("\u{200B}", 0), ("a\u{AD}b", 2), ("⌚", 2), ("א", 1), ("ไทย", 3), ("กำ", 2), ("𠀀", 2), ("…", 1), ("\u{1B}", 0),
    ])
    func widthIsCountedInColumns(text: String, width: Int) {
        #expect(DisplayWidth.of(text) == width)
    }

    /// The quick way to the width of common text agrees with the slow one, and leaves everything else to it.
    @Test func commonTextIsMeasuredTheSameWay() {
        var common = 0
        for value in UInt32(0)...0x1FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let text = String(Character(scalar))
            let quick = Array(text.utf8).withUnsafeBytes { DisplayWidth.ofCommon($0) }
            guard let quick else { continue }
            common += 1
            #expect(quick == DisplayWidth.of(text) && !TerminalText.isHarmful(scalar), "U+\(String(value, radix: 16))")
        }
        #expect(common > 30_000)
        for text in ["👩‍👩‍👧", "🇩🇪", "❤️", "1️⃣", "e\u{301}", "\u{200B}", "a\u{202E}b", "שלום", "\u{600}", "が\u{3099}"] {
            #expect(Array(text.utf8).withUnsafeBytes { DisplayWidth.ofCommon($0) } == nil, "\(text)")
        }
        for bytes in [[0xC3], [0xE6, 0x97], [0xFF], [0xC0, 0x80], [0xC3, 0x28], [0xE6, 0x41, 0x41], [0xED, 0xA0, 0x80]] as [[UInt8]] {
            #expect(bytes.withUnsafeBytes { DisplayWidth.ofCommon($0) } == nil)
        }
    }

    @Test(arguments: [
        ("abc", 3, "abc"), ("abcd", 3, "ab…"), ("日本語", 5, "日本…"), ("日本語", 4, "日…"), ("abc", 1, "…"), ("abc", 0, ""),
        ("👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧", 5, "👩‍👩‍👧👩‍👩‍👧…"), ("שלום עולם", 5, "שלום…"), ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"),
    ])
    func textIsCutWithAnEllipsis(text: String, columns: Int, expected: String) {
        #expect(DisplayWidth.cut(text, to: columns) == expected)
        #expect(DisplayWidth.of(expected) <= columns)
    }
}
