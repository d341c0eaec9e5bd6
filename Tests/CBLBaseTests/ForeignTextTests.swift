import CBLBase
import Testing

@Suite struct ForeignTextTests {
    @Test(arguments: [
        ("plain", "plain"), ("", ""), ("two\nlines", "two lines"), ("a\r\nb", "a  b"), ("\u{1B}[31mred", " [31mred"),
        ("a\u{85}b\u{2028}c\u{2029}d", "a b c d"), ("\u{9B}31m", " 31m"), ("\u{0}", " "), ("\u{202E}evil", "evil"),
        ("a\u{E0041}\u{200B}\u{FEFF}b", "ab"), ("\u{1F468}\u{200D}\u{1F469}", "\u{1F468}\u{200D}\u{1F469}"), ("größe 大", "größe 大"),
        // A line end that has a mark behind it is one all the same.
        ("a\n\u{301}b", "a \u{301}b"),
    ])
    func whatSomebodyElseSaysIsOneLine(text: String, line: String) { #expect(ForeignText.line(text) == line) }

    @Test func itIsNotLonger() {
        #expect(ForeignText.line(String(repeating: "x", count: 1000)).unicodeScalars.count == ForeignText.usualLimit + 1)
        #expect(ForeignText.line("e" + String(repeating: "\u{301}", count: 1_000_000), limit: 10).unicodeScalars.count == 11)
        #expect(ForeignText.line(String(repeating: "\u{200B}", count: 1000) + "end") == "end")
    }
}
