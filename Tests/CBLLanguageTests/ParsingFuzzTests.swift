import CBLFleece
import CBLLanguage
import CBLTestSupport
import Testing

/// Texts that nobody would write: each is a query, or an error within the text; nothing crashes and nothing hangs.
@Suite(.enabled(if: Fixtures.arePresent, "the folder ../shared/fixtures is not there")) struct ParsingFuzzTests {
    static let words =
        "ALL AND ANY AS ASC BETWEEN BY CASE COLLATE CROSS DESC DISTINCT ELSE END EVERY EXISTS FALSE FROM GROUP HAVING IN "
        + "INNER IS JOIN LEFT LIKE LIMIT MISSING NOT NULL OFFSET ON OR ORDER OUTER SATISFIES SELECT SOME THEN TRUE UNNEST "
        + "VALUED WHEN WHERE UNICODE NOCASE meta match rank prediction lower count a b c `x y` $p 1 -2 1.5 .5 5. 'x' \"y\" ( ) "
        + "[ ] { } , . ; : * + - / % || = == != <> < <= > >= << & é 日本 ' ` \" \\ INSERT INTO KEY VALUE VALUES UPDATE SET UNSET "
        + "DELETE CREATE DROP INDEX IF WITH COLLECTION"
    static let tokens = words.split(separator: " ").map(String.init)

    private func check(_ text: String) throws {
        do throws(QueryError) {
            #expect(try isJSON(Select(sqlpp: text).jsonForm()), "\(text)")
        } catch {
            try checkError(error, text)
        }
        do throws(QueryError) {
            _ = try Statement(sqlpp: text).treeDescription()
        } catch {
            try checkError(error, text)
        }
        #expect(Statement.split(text).allSatisfy { !$0.text.isEmpty })
    }

    private func isJSON(_ text: String) -> Bool {
        (try? JSONParser.parse(text, into: FleeceEncoder())) != nil
    }

    private func checkError(_ error: QueryError, _ text: String) throws {
        let count = text.utf8.count
        try #require(!error.diagnostics.isEmpty && error.diagnostics.count <= 10)
        for diagnostic in error.diagnostics {
            try #require(
                diagnostic.range.start >= 0 && diagnostic.range.start <= diagnostic.range.end && diagnostic.range.end <= count, "\(text)")
        }
        #expect((0...count).contains(error.errorPosition ?? -1))
        #expect(!error.report(in: text).isEmpty)
    }

    @Test func randomTokens() throws {
        var random = SeededRandom(1)
        try repeatWithin(seconds: 1.5) {
            var text = random.below(3) > 0 ? "SELECT " : ""
            for _ in 0..<random.below(24) { text += random.element(of: ParsingFuzzTests.tokens) + (random.below(4) > 0 ? " " : "") }
            try check(text)
        }
    }

    @Test func mutatedQueries() throws {
        var random = SeededRandom(2)
        try repeatWithin(seconds: 1.5) {
            var bytes = Array(random.element(of: ParsingVectorTests.vectors).query.utf8)
            for _ in 0..<1 + random.below(4) {
                let place = random.below(bytes.count + 1)
                switch random.below(4) {
                case 0 where place < bytes.count: bytes.remove(at: place)
                case 1 where place < bytes.count: bytes[place] = UInt8(truncatingIfNeeded: random.next())
                case 2: bytes.insert(contentsOf: random.element(of: ParsingFuzzTests.tokens).utf8, at: place)
                default: bytes.insert(contentsOf: bytes[min(place, bytes.count / 2)..<place], at: place)
                }
            }
            try check(String(decoding: bytes, as: UTF8.self))
        }
    }

    @Test func truncatedQueries() throws {
        for vector in ParsingVectorTests.vectors.enumerated().filter({ $0.offset % 16 == 3 }) {
            let text = vector.element.query
            for end in 0..<min(text.utf8.count, 120) { try check(String(decoding: Array(text.utf8.prefix(end)), as: UTF8.self)) }
        }
    }

    @Test(arguments: [
        ("(", 100_000), ("NOT ", 100_000), ("a || ", 100_000), ("-", 100_000), ("`", 100_000), ("- ", 5000), ("lower(", 5000), ("[", 5000),
        ("{'a':", 5000), ("CASE WHEN ", 5000), ("ANY v IN a SATISFIES ", 5000), ("SOME AND EVERY a IN ", 5000), ("EXISTS (SELECT ", 5000),
        ("a IN (", 5000), ("a + (", 5000), ("a OR ", 5000), ("a = ", 5000), ("a.", 5000), ("a IN (SELECT ", 5000), ("match(i, ", 5000),
        ("a BETWEEN ", 5000), ("a COLLATE (", 5000), ("$", 5000), ("''", 5000), (";", 5000), ("a,", 5000), ("a b,", 5000), ("a[", 5000),
        ("\u{A0}", 5000),
    ]) func endlessRepetition(_ part: String, _ most: Int) throws {
        for count in [50, 500, most] {
            let repeated = String(repeating: part, count: count)
            try checkEnds("SELECT " + repeated)
            try checkEnds(repeated + "1")
        }
    }

    /// The tree of a text that is right is given up as safely as it was made.
    private func checkEnds(_ text: String) throws {
        do throws(QueryError) {
            let select = try Select(sqlpp: text)
            #expect(!select.jsonForm().isEmpty && !select.treeDescription().isEmpty)
        } catch {
            try checkError(error, text)
        }
    }

    @Test func theLimitsAreFarAway() throws {
        let list = (0..<900).map { "x = \($0)" }.joined(separator: " OR ")
        #expect(try Select(sqlpp: "SELECT a FROM b WHERE \(list)").jsonForm().utf8.count > 10_000)
        let parentheses = String(repeating: "(", count: 30) + "1" + String(repeating: ")", count: 30)
        #expect(try Select(sqlpp: "SELECT \(parentheses)").results.count == 1)
        let items = (0..<10_000).map { "'\($0)'" }.joined(separator: ", ")
        #expect(try Select(sqlpp: "SELECT a FROM b WHERE c IN (\(items))").jsonForm().utf8.count > 50_000)
    }
}
