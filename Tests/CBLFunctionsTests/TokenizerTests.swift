import CBLSQLite
import CBLSystemSQLite
import CBLTestSupport
import FoundationEssentials
import Testing

@testable import CBLFunctions

@Suite struct TokenizerTests {
    struct Case: Decodable, CustomTestStringConvertible, Sendable {
        struct Token: Decodable, Equatable {
            let text: String
            let start, end, position: Int

            init(text: String, start: Int, end: Int, position: Int) {
                (self.text, self.start, self.end, self.position) = (text, start, end, position)
            }

            init(from decoder: any Decoder) throws {
                var items = try decoder.unkeyedContainer()
                text = try items.decode(String.self)
                start = try items.decode(Int.self)
                end = try items.decode(Int.self)
                position = try items.decode(Int.self)
            }

            static func == (a: Token, b: Token) -> Bool {
                Array(a.text.utf8) == Array(b.text.utf8) && a.start == b.start && a.end == b.end && a.position == b.position
            }
        }
        let args, text: String
        let tokens: [Token]
        var testDescription: String { "\(args): \(text)" }
    }

    static let cases: [Case] =
        Fixtures.arePresent
        ? ((try? Fixtures.lines("text/tokens.jsonl").map { try JSONDecoder().decode(Case.self, from: Data($0.utf8)) }) ?? []) : []

    static func tokens(_ text: [UInt8], arguments: String) throws -> [Case.Token] {
        let connection = try registeredConnection()
        let quoted = arguments.split(separator: "|").map { ", \"\($0)\"" }.joined()
        try connection.execute("CREATE VIRTUAL TABLE temp.cut USING fts3tokenize(unicodesn\(quoted))")
        return try connection.withStatement("SELECT token, start, end, position FROM cut WHERE input = ?") { row in
            try text.withUnsafeBytes { try row.bind(text: $0, 1) }
            var tokens: [Case.Token] = []
            while try row.step() {
                tokens.append(
                    .init(text: row.string(0) ?? "", start: Int(row.int64(1)), end: Int(row.int64(2)), position: Int(row.int64(3))))
            }
            return tokens
        }
    }

    @Test(.enabled(if: Fixtures.arePresent, "the folder ../shared/fixtures is not there")) func theFixtureHasCases() {
        #expect(TokenizerTests.cases.count >= 39)
    }

    @Test(arguments: cases) func textIsCutAsTheVendorCutsIt(_ fixture: Case) throws {
        #expect(try TokenizerTests.tokens(Array(fixture.text.utf8), arguments: fixture.args) == fixture.tokens)
    }

    /// Words that today's Snowball stems differently, with the stems of the version in the vendor's library.
    @Test(arguments: [
        ("hu", "nőkként", "nőkként"), ("hu", "könyvekről", "könyvekről"), ("hu", "erővel", "erő"), ("hu", "házakban", "ház"),
        ("pt", "solução", "soluçã"), ("pt", "soluções", "soluçõ"), ("pt", "nação", "naçã"), ("fr", "naïveté", "naïvet"),
        ("fr", "naïve", "naïv"),
        ("fr", "ambiguë", "ambigu"), ("fr", "aiguë", "aiguë"), ("fr", "laïque", "laïqu"), ("fr", "noël", "noël"),
    ])
    func stemsAreThoseOfTheVendorsSnowball(_ language: String, _ word: String, _ stem: String) throws {
        #expect(try TokenizerTests.tokens(Array(word.utf8), arguments: "stemmer=\(language)|remove_diacritics=0").map(\.text) == [stem])
    }

    @Test func anUnknownArgumentIsAnError() throws {
        let connection = try registeredConnection()
        #expect(throws: SQLiteError.self) {
            try connection.execute("CREATE VIRTUAL TABLE temp.cut USING fts3tokenize(unicodesn, \"sorted=1\")")
        }
    }

    /// Characters whose category has changed since Unicode 6.1.
    static let recategorized: Set<UInt32> = Set(0x19B0...0x19C0).union([0x1885, 0x1886, 0x19C8, 0x19C9, 0x1CF2, 0x1CF3])

    @Test func tokenCharactersAreThoseOfUnicode61() {
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value), !TokenizerTests.recategorized.contains(value) else { continue }
            let isToken = TokenCharacters.unicode61.contains(value)
            guard let age = scalar.properties.age, age <= (6, 1) else {
                #expect(isToken, "U+\(String(value, radix: 16)) was not known yet")
                continue
            }
            let expected =
                switch scalar.properties.generalCategory {
                case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber, .letterNumber,
                    .otherNumber, .privateUse, .unassigned:
                    true
                default: false
                }
            #expect(isToken == expected, "U+\(String(value, radix: 16))")
        }
    }

    @Test func foldingAgreesWithLowerCaseWhereThereIsNoDiacritic() {
        for value in UInt32(0x41)..<0x10500 {
            guard let scalar = Unicode.Scalar(value), let age = scalar.properties.age, age <= (6, 1) else { continue }
            let lower = scalar.properties.lowercaseMapping.unicodeScalars
            guard lower.count == 1, let first = lower.first, first != scalar, (first.properties.age ?? (99, 0)) <= (6, 1) else { continue }
            #expect(CaseFolding.plain.fold(value) == first.value, "U+\(String(value, radix: 16))")
        }
    }

    @Test func diacriticsVanishFromPrecomposedLettersAndAfterPlainOnes() {
        for (text, folded) in [("Ç", "c"), ("ẙ", "y"), ("Ǖ", "ǖ"), ("K", "k"), ("Ｄ", "ｄ"), ("𐐀", "𐐨"), ("ﬀ", "ﬀ")] {
            let output = text.unicodeScalars.map { CaseFolding.withoutDiacritics.fold($0.value) }
            #expect(output == folded.unicodeScalars.map(\.value), "\(text)")
        }
        #expect(CaseFolding.withoutDiacritics.fold(0x301) == 0 && CaseFolding.plain.fold(0x301) == 0x301)
    }

    @Test func damagedTextIsCutWithoutReadingOutsideIt() throws {
        var generator = SeededGenerator(seed: 61)
        for _ in 0..<300 {
            let bytes = (0..<Int.random(in: 1...40, using: &generator)).map { _ in
                Bool.random(using: &generator)
                    ? UInt8.random(in: 0x80...0xFF, using: &generator) : UInt8.random(in: 1...255, using: &generator)
            }
            for token in try TokenizerTests.tokens(bytes, arguments: "stemmer=en|stopwords=fr") {
                #expect(token.start >= 0 && token.start < token.end && token.end <= bytes.count)
            }
        }
    }

    @Test func aStopWordBeforeAStarIsAPrefixOnlyWithinAQuery() throws {
        let connection = try registeredConnection()
        try connection.execute(
            script: """
                CREATE VIRTUAL TABLE t USING fts4(x, tokenize=unicodesn "stopwords=en");
                INSERT INTO t VALUES ('the theatre'), ('a book')
                """)
        let query = "SELECT count(*) FROM t WHERE t MATCH 'the*'"
        #expect(try connection.integer(query) == 0)
        #expect(try FullTextQuery.run { try connection.integer(query) } == 1)
    }
}

/// The same numbers in every run.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return (state ^ state >> 29) &* 0xBF58_476D_1CE4_E5B9
    }
}
