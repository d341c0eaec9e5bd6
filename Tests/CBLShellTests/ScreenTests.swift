import CBLFleece
import CBLTestSupport
import FoundationEssentials
import Glibc
import Testing

@testable import CBLShell

/// What is made to fit a screen.
@Suite struct ScreenTests {
    // Lines

    private func count(_ text: String, columns: Int, pieces: Int = .max) -> Int {
        var lines = ScreenLines(columns: columns)
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(pieces))
            piece.withUnsafeBytes { lines.add($0) }
            rest = rest.dropFirst(piece.count)
        }
        return lines.count
    }

    @Test(arguments: [
        ("", 0), ("\n", 1), ("abc", 0), ("abc\n", 1), ("0123456789\n", 1), ("0123456789a\n", 2), ("\n\n", 2), ("日本語日本\n", 1),
        ("日本語日本語\n", 2),
        ("\u{1B}[1;34m\"key\"\u{1B}[0m: 1\n", 1), ("\u{1B}[38;5;117m0123456789\u{1B}[0m\nx\n", 2), ("e\u{301}e\u{301}e\u{301}3456789\n", 1),
    ])
    func linesAreCountedAsTheyAreShown(text: String, lines: Int) {
        #expect(count(text, columns: 10) == lines)
        #expect(count(text, columns: 10, pieces: 1) == lines)
        #expect(count(text, columns: 10, pieces: 3) == lines)
    }

    @Test(
        arguments: [
            (nil, [:], "less"), (nil, ["PAGER": "most -w"], "most -w"), ("view", ["PAGER": "most"], "view"),
            ("none", ["PAGER": "most"], "most"),
            (nil, ["PAGER": ""], "less"), (nil, ["PAGER": "none"], "less"), (nil, ["PAGER": "cat"], nil), ("cat", [:], nil),
            ("none", ["PAGER": "(a; b)"], "(a; b)"),
        ] as [(String?, [String: String], String?)])
    func theFirstPagerThatIsThereIsTaken(wanted: String?, environment: [String: String], expected: String?) throws {
        let directory = try TemporaryDirectory()
        for name in ["less", "most", "view", "cat"] {
            try "".write(toFile: directory.path + "/" + name, atomically: false, encoding: .utf8)
            #expect(chmod(directory.path + "/" + name, 0o700) == 0)
        }
        let path = "/nowhere:" + directory.path
        #expect(PagerCommand.find(wanted) { $0 == "PATH" ? path : environment[$0] } == expected)
        #expect(PagerCommand.find(nil) { $0 == "PATH" ? "/nowhere" : nil } == nil)
    }

    // JSON

    private func folded(_ json: String, width: Int, indent: Int = 0) -> String {
        var buffer = ByteBuffer()
        Array(json.utf8).withUnsafeBytes { JSONFolding.append($0, width: width, indent: indent, to: &buffer) }
        return buffer.string
    }

    @Test func whatFitsStaysOnOneLine() {
        #expect(folded(#"{"a": 1,"b":[1,2]}"#, width: 20) == #"{"a": 1,"b":[1,2]}"#)
        #expect(
            folded(#"{"name": "Ada, {L}", "list": [1,2,[]], "o":{"key":"\"}","x":null}}"#, width: 24) == #"""
                {
                  "name": "Ada, {L}",
                  "list": [1,2,[]],
                  "o": {
                    "key": "\"}",
                    "x": null
                  }
                }
                """#)
        #expect(folded("[{a:1,b:'x'},2]", width: 10, indent: 1) == "[\n   {\n     a: 1,\n     b: 'x'\n   },\n   2\n ]")
    }

    /// Whatever the bytes are: nothing but blanks and line ends comes or goes.
    @Test func foldingKeepsEveryByte() {
        var random = SeededRandom(5)
        let pieces = ["{", "}", "[", "]", "\"", "'", ",", ":", "\\", "a", "12", " ", "é", "\"k\":", "{\"a\":1}"]
        for _ in 0..<3000 {
            let text = (0..<Int.random(in: 0..<30, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
            let result = folded(text, width: Int.random(in: 0..<30, using: &random))
            #expect(result.filter { $0 != " " && $0 != "\n" } == text.filter { $0 != " " }, "\(text)")
        }
    }

    @Test func deepJSONIsFoldedAsFarAsThatHelps() {
        let deep = String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)
        #expect(folded(deep, width: 10).filter { $0 != " " && $0 != "\n" } == deep)
    }
}
