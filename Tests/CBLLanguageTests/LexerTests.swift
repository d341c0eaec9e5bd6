import CBLTestSupport
import Testing

@testable import CBLLanguage

/// Where words and signs begin and end, for everybody who looks at a text.
@Suite struct LexerTests {
    private func tokens(_ bytes: [UInt8]) -> [Lexer.Token] {
        var lexer = Lexer(bytes)
        var tokens: [Lexer.Token] = []
        while let token = lexer.next() { tokens.append(token) }
        return tokens
    }

    private func kinds(_ text: String) -> [String] {
        tokens(Array(text.utf8)).filter { $0.kind != .blank }.map {
            "\($0.kind) \(String(decoding: Array(text.utf8)[$0.start..<$0.end], as: UTF8.self))"
        }
    }

    @Test(arguments: [
        ("SELECT a$b, c1", ["word SELECT", "word a$b", "symbol ,", "word c1"]),
        // A reserved word ends before a `$`; as the name of a parameter it is none.
        ("select$x", ["word select", "parameter $x"]),
        ("$from $ $`a b`", ["parameter $from", "parameter $", "parameter $`a b`"]),
        ("'it''s' \"a\"\"b\" `c``d`", ["string 'it''s'", "string \"a\"\"b\"", "quotedName `c``d`"]),
        // A backslash protects nothing.
        (#"'a\' b"#, [#"string 'a\'"#, "word b"]),
        ("'open ''", ["openString 'open ''"]), ("\"'", ["openString \"'"]), ("a `b``", ["word a", "openName `b``"]),
        ("$`a", ["openName $`a"]),
        ("1 1.5 .5 1. 1e5 1.e-3", ["number 1", "number 1.5", "number .5", "number 1.", "number 1e5", "number 1.e-3"]),
        ("-1", ["symbol -", "number 1"]),
        // A path into a number, which the grammar has.
        ("1.x 1.e5x", ["number 1", "symbol .", "word x", "number 1", "symbol .", "word e5x"]),
        (
            "12a 1.5x .5e3 1.2.3 1e",
            ["malformedNumber 12a", "malformedNumber 1.5x", "malformedNumber .5e3", "malformedNumber 1.2.3", "malformedNumber 1e"]
        ),
        // The language has no comments.
        ("a--5 b/*c", ["word a", "symbol -", "symbol -", "number 5", "word b", "symbol /", "symbol *", "word c"]),
        ("a<=b<>c||d==e", ["word a", "symbol <=", "word b", "symbol <>", "word c", "symbol ||", "word d", "symbol ==", "word e"]),
        (
            "a===b=>c::d..e&&f",
            ["word a", "symbol ===", "word b", "symbol =>", "word c", "symbol ::", "word d", "symbol ..", "word e", "symbol &&", "word f"]
        ),
        ("größe 日本 é$x1", ["foreignWord größe", "foreignWord 日本", "foreignWord é$x1"]),
        ("a\u{A0}b “c”", ["word a", "foreign \u{A0}", "word b", "foreign “", "word c", "foreign ”"]),
        ("a;b\\G", ["word a", "symbol ;", "word b", "symbol \\", "word G"]),
    ]) func knowsEachKind(_ text: String, _ expected: [String]) { #expect(kinds(text) == expected) }

    private static let pieces =
        ParsingFuzzTests.tokens + [
            "''", "\"\"", "``", "$`", "1.", ".", "e", "1e", "--", "/*", "*/", "\n", "größe", "\u{A0}", "\u{301}", "1.x", "a$b", "from$",
        ]

    private func randomText(_ random: inout SeededRandom) -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<random.below(20) {
            bytes += random.element(of: LexerTests.pieces).utf8
            if random.below(3) > 0 { bytes.append(UInt8(ascii: " ")) }
        }
        if random.below(4) == 0, !bytes.isEmpty { bytes[random.below(bytes.count)] = UInt8(truncatingIfNeeded: random.next()) }
        return bytes
    }

    @Test func tokensCoverEveryTextWithoutGapOrOverlap() throws {
        var random = SeededRandom(31)
        try repeatWithin(seconds: 1) {
            let bytes = randomText(&random)
            var place = 0
            for token in tokens(bytes) {
                try #require(token.start == place && token.end > place, "\(bytes)")
                place = token.end
                if token.kind == .openString || token.kind == .openName { #expect(place == bytes.count) }
            }
            #expect(place == bytes.count, "\(bytes)")
        }
    }

    /// The parser takes each token as a whole where one operand is expected, or none of it that is an operand.
    @Test func theParserReadsEachTokenAlike() {
        var random = SeededRandom(32)
        repeatWithin(seconds: 1) {
            let bytes = Array(String(decoding: randomText(&random), as: UTF8.self).utf8)
            for token in tokens(bytes) {
                let text = String(decoding: bytes[token.start..<token.end], as: UTF8.self)
                let select = try? Select(sqlpp: "SELECT \(text)")
                switch token.kind {
                case .string, .quotedName, .number:
                    #expect(select?.results.first?.expression.range == SourceRange(7, 7 + text.utf8.count), "\(text)")
                case .word:
                    if !Keyword.reserved.contains(text.lowercased()), text.lowercased() != "all" {
                        #expect(select?.results.first?.expression.range == SourceRange(7, 7 + text.utf8.count), "\(text)")
                    }
                case .malformedNumber, .openString, .openName, .foreign, .foreignWord: #expect(select == nil, "\(text)")
                case .blank, .parameter, .symbol: break
                }
            }
        }
    }

    /// A statement that is right ends where the script is split, and nothing that is split off is one.
    @Test func aScriptIsSplitWhereTheParserSeesAnEnd() throws {
        var random = SeededRandom(33)
        var count = 0
        try repeatWithin(seconds: 1) {
            let text = "SELECT " + String(decoding: randomText(&random), as: UTF8.self)
            let parts = Statement.split(text)
            // The grammar has one semicolon at the end.
            if let select = try? Select(sqlpp: text) {
                try #require(parts.count == 1, "\(text)")
                #expect(try Select(sqlpp: String(parts[0].text)).jsonForm() == select.jsonForm())
                count += 1
            }
            let solid = tokens(Array(text.utf8)).filter { $0.kind != .blank }
            for part in parts {
                #expect(solid.contains { $0.start == part.range.start } && solid.contains { $0.end == part.range.end }, "\(text)")
                #expect(String(part.text) == String(decoding: Array(text.utf8)[part.range.start..<part.range.end], as: UTF8.self))
            }
        }
        #expect(count > 0)
    }

    @Test(arguments: ["a", "_a", "select", "a b", "a`b", "", "1a", "größe", "a$", "a`\u{301}", "all"])
    func namesAreWrittenAsTheParserReadsThem(_ name: String) throws {
        let select = try Select(sqlpp: "SELECT x.\(Lexer.name(name)), x.\(Lexer.quotedName(name))")
        for result in select.results {
            guard case .property(let path) = result.expression.node else { throw Mistake() }
            #expect(path.components == [.name("x"), .name(name)])
        }
        #expect(Lexer.name("a") == "a" && Lexer.name("_a") == "_a" && Lexer.name("select") == "`select`")
    }

    private struct Mistake: Error {}

    /// Each is read in one go: a text of a hundred thousand bytes does not take as many times as long as one of its parts.
    @Test func longTextsAreReadOnce() {
        for part in ["a ", "''", "1.e", "$", "`", "é", "--", "a$", "select$", "."] {
            let bytes = Array(String(repeating: part, count: 50_000).utf8)
            #expect(tokens(bytes).last?.end == bytes.count)
        }
    }
}
