import CBLBase
import Testing

/// Text of strangers on a screen: what could do something to it, or hide.
@Suite struct TerminalTextTests {
    /// What cannot be seen and stays: the joiners, the variation selectors of emoji and of Mongolian.
    private static let kept: Set<UInt32> = Set(0xFE00...0xFE0F).union([0x200C, 0x200D, 0x180B, 0x180C, 0x180D, 0x180F])

    /// Signs that Unicode calls formatting, though they are seen: those round Arabic, Syriac and Kaithi numbers.
    private static let visible: Set<UInt32> = Set(0x600...0x605).union([0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD])

    private static func mayHide(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: return !visible.contains(scalar.value)
        default: return scalar.properties.isDefaultIgnorableCodePoint || scalar.properties.isNoncharacterCodePoint
        }
    }

    @Test func everyCharacterThatHidesOrControlsIsEscaped() {
        var escaped = 0
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let expected = TerminalTextTests.mayHide(scalar) && !TerminalTextTests.kept.contains(value)
            if expected { escaped += 1 }
            if TerminalText.isHarmful(scalar) != expected {
                Issue.record("U+\(String(value, radix: 16)) should \(expected ? "" : "not ")be escaped")
            }
        }
        #expect(escaped > 4000)
    }

    @Test(
        arguments: [
            [0x9B, 0x33, 0x31, 0x6D], [0xC2], [0xE2, 0x80], [0xED, 0xA0, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xC0, 0x9B],
            [0xE0, 0x82, 0x9B],
            [0xF4, 0x90, 0x80, 0x80],
        ] as [[UInt8]]) func whatIsNoUTF8IsReplaced(bytes: [UInt8])
    {
        for text in [bytes, [0x61] + bytes + [0x62], bytes + bytes] {
            let shown = text.withUnsafeBytes { TerminalText.escaped($0) }
            #expect(shown.unicodeScalars.contains("\u{FFFD}") && !shown.unicodeScalars.contains(where: TerminalText.isHarmful))
            #expect(text.withUnsafeBytes { DisplayWidth.ofCommon($0) } == nil)
        }
    }

    @Test(arguments: ["می\u{200C}خواهم", "क्\u{200D}ष", "👩‍👩‍👧", "❤️", "☎︎", "שלום", "𝒳", "\u{600}12", "日本"])
    func textOfPeopleStaysAsItIs(text: String) {
        #expect(TerminalText.escaped(text) == text)
    }

    /// Nothing takes a width that is not shown, and nothing is shown that the quick look thinks harmless and is not.
    @Test func whatIsMeasuredIsWhatIsShown() {
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value), TerminalText.isHarmful(scalar) else { continue }
            let bytes = Array(String(scalar).utf8)
            #expect(bytes.withUnsafeBytes { TerminalText.needsEscapes($0) && DisplayWidth.ofCommon($0) == nil })
        }
    }

    @Test(arguments: [
        ("plain", "plain"), ("naïve 日本", "naïve 日本"), ("\u{1B}[2J", "\\u001b[2J"), ("a\nb\tc", "a\\nb\\tc"), ("\u{9B}31m", "\\u009b31m"),
        ("a\u{202E}b", "a\\u202eb"), ("\u{7F}", "\\u007f"), ("\r\n", "\\r\\n"),
    ])
    func controlCharactersBecomeVisible(text: String, expected: String) {
        #expect(TerminalText.escaped(text) == expected)
    }

    /// Wherever in a long text it stands, and whatever stands around it.
    @Test func noByteIsPassedOver() {
        for filling in [0x20, 0x7E, 0x41] as [UInt8] {
            for length in [1, 7, 8, 63, 64, 65, 127, 128, 200] {
                var bytes = [UInt8](repeating: filling, count: length)
                #expect(!bytes.withUnsafeBytes { TerminalText.needsEscapes($0) })
                for place in 0..<length {
                    for byte in 0...UInt8.max where place % 8 < 2 || byte % 16 == 15 || byte % 32 == 0 {
                        bytes[place] = byte
                        let isPlain = (0x20..<0x7F).contains(byte)
                        if bytes.withUnsafeBytes({ TerminalText.needsEscapes($0) }) == isPlain {
                            Issue.record("\(byte) at \(place) of \(length)")
                        }
                    }
                    bytes[place] = filling
                }
            }
        }
    }
}
