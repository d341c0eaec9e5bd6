import CBLBase
import CBLFleece
import Testing

@testable import CBLLanguage

/// Text of strangers on a screen: what could do something to it, or hide.
@Suite struct HostileTextTests {
    /// An escape is text that a screen shows, is the same when escaped again, and means the character in JSON.
    @Test func escapesAreVisibleAndValidInJSON() throws {
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value), TerminalText.isHarmful(scalar) else { continue }
            let text = "a\(scalar)b"
            let shown = TerminalText.escaped(text)
            #expect(shown.utf8.allSatisfy { (0x20..<0x7F).contains($0) } && TerminalText.escaped(shown) == shown)
            let encoder = FleeceEncoder()
            try JSONParser.parse("\"\(shown)\"", into: encoder)
            #expect(try encoder.finish().withRoot { $0.string.map { Array($0.unicodeScalars) } } == Array(text.unicodeScalars))
        }
    }

    /// A message may quote a name with line ends: it stays one line, and its excerpt two.
    @Test(arguments: ["SELECT `a\nb`.c FROM x", "SELECT x FORM `a\u{600}\n`", "\u{301}'", "SELECT 'a\u{9B}31m\u{202E}"])
    func reportsKeepTheirLines(query: String) {
        do {
            _ = try Statement(sqlpp: query)
        } catch {
            for line in error.reportLines(in: query).map(TerminalText.escaped) {
                #expect(!line.unicodeScalars.contains(where: TerminalText.isHarmful))
            }
            let lines = error.reportLines(in: query)
            #expect(lines.count.isMultiple(of: 3) || lines.count == 1)
        }
    }
}
