import CBLFleece
import CBLStore
import CBLTestSupport
import Testing

@testable import CBLQuery

@Suite struct ValueSearchTests {
    private struct Stop: Error {}

    private func text(_ text: String, ignoringCase: Bool = false) throws -> SearchPattern {
        try SearchPattern(.text(text), ignoringCase: ignoringCase)
    }

    /// What is found, a line for each value.
    private func lines(_ search: ValueSearch, _ sample: Sample) throws -> [String] {
        var lines: [String] = []
        _ = try sample.database.read { snapshot in
            try search.run(on: snapshot) { _ in
            } found: { document in
                if document.hits.isEmpty { lines.append(document.id) }
                for hit in document.hits {
                    let value =
                        switch hit.content {
                        case .text(let text), .json(let text): text
                        case .object: "{}"
                        case .array: "[]"
                        }
                    lines.append("\(document.id) \(hit.path)=\(value)")
                }
                return true
            }
        }
        return lines
    }

    private func lines(_ pattern: SearchPattern, names: Bool = false, at path: String? = nil, _ sample: Sample) throws -> [String] {
        var search = ValueSearch(pattern, in: .default)
        search.searchesNames = names
        search.path = path.flatMap { SearchPath($0) }
        return try lines(search, sample)
    }

    private func sample() throws -> Sample {
        try Sample([
            "a": #"{"name": "Otto", "tags": ["x", "lotto", {"deep": "not to"}], "odd name": {"back`quote": "otto"}}"#,
            "b": #"{"n": 125, "x": -0.125, "yes": true, "no": false, "nothing": null, "name": "née Ötto ÖTTO"}"#,
            "c": #"{"tags": [["otto"], []], "otto": {"otto": 1}}"#,
        ])
    }

    @Test func valuesAreFoundWhereverTheyAre() throws {
        let sample = try sample()
        let everywhere = ["a tags[1]=lotto", "a `odd name`.`back``quote`=otto", "c tags[0][0]=otto"]
        #expect(try Set(lines(text("otto"), sample)) == Set(everywhere))
        #expect(try lines(text("otto", ignoringCase: true), sample).contains("a name=Otto"))
        #expect(try lines(text("née"), sample) == ["b name=née Ötto ÖTTO"])
        #expect(try lines(text("ötto", ignoringCase: true), sample) == ["b name=née Ötto ÖTTO"])
        #expect(try lines(text("ötto"), sample).isEmpty)
    }

    @Test func numbersAndTruthAreText() throws {
        let sample = try sample()
        #expect(try Set(lines(text("125"), sample)) == ["b n=125", "b x=-0.125"])
        #expect(try lines(text("true"), sample) == ["b yes=true"])
        #expect(try lines(text("TRUE", ignoringCase: true), sample) == ["b yes=true"])
        #expect(try lines(text("ru"), sample).isEmpty)
        #expect(try lines(text("null"), sample).isEmpty)
        #expect(
            try Set(lines(SearchPattern(.expression("^(true|false|-.*)$"), ignoringCase: false), sample)) == [
                "b yes=true", "b no=false", "b x=-0.125",
            ])
    }

    @Test(arguments: [
        ("tags", ["a tags[1]=lotto", "c tags[0][0]=otto"]), ("tags[1]", ["a tags[1]=lotto"]),
        ("tags[-2]", ["a tags[1]=lotto", "c tags[0][0]=otto"]),
        ("tags[][0]", ["c tags[0][0]=otto"]), ("`odd name`", ["a `odd name`.`back``quote`=otto"]), ("name", []), ("tags[7]", []),
        ("no.such", []),
    ]) func aPathSaysWhere(path: String, expected: [String]) throws {
        #expect(try lines(text("otto"), at: path, sample()) == expected)
    }

    @Test(arguments: ["", ".", "a.", ".a", "a..b", "a[", "a[x]", "a b", "a]", "'a'", "a[1", "[]["]) func otherTextsAreNoPaths(text: String)
    {
        #expect(SearchPath(text) == nil)
    }

    @Test func namesAreFoundAsWell() throws {
        let sample = try sample()
        #expect(try Set(lines(text("otto"), names: true, sample)) == ["c otto={}", "c otto.otto=1"])
        #expect(try lines(text("quote"), names: true, sample) == ["a `odd name`.`back``quote`=otto"])
        #expect(try lines(text("tag"), names: true, sample) == ["a tags=[]", "c tags=[]"])
        #expect(try lines(text("otto"), names: true, at: "otto", sample) == ["c otto.otto=1"])
    }

    /// Two threads find what one finds, in the same order, however little may wait.
    @Test(arguments: [1, 300, 1 << 20]) func theOrderIsThatOfTheTable(mostWaiting: Int) throws {
        let sample = try Sample()
        try sample.saveNumbers(1000)
        for wants in [ValueSearch.Wanted.hits, .documents] {
            var search = ValueSearch(try text("7"), in: .default)
            search.wants = wants
            search.pieces = ScanPieces(length: 1000, fewestRows: .max)
            let one = try lines(search, sample)
            #expect(one.count >= 1000)
            search.pieces = ScanPieces(length: 7, fewestRows: 1)
            search.mostWaiting = mostWaiting
            #expect(try lines(search, sample) == one)
        }
    }

    @Test func countsAreThoseOfTheHits() throws {
        let sample = try Sample()
        try sample.saveNumbers(500)
        for pieces in [ScanPieces(length: 7, fewestRows: 1), ScanPieces(length: 100, fewestRows: .max)] {
            var search = ValueSearch(try text("499"), in: .default)
            search.pieces = pieces
            search.wants = .counts
            let summary = try sample.database.read { try search.run(on: $0) }
            #expect(summary.hits == 1 && summary.documents == 1 && summary.examined == 500 && summary.damagedCount == 0)
        }
    }

    @Test func itEndsWhenNoMoreIsWantedOrOnDemand() throws {
        let sample = try Sample()
        try sample.saveNumbers(1000)
        var search = ValueSearch(try text("7"), in: .default)
        search.pieces = ScanPieces(length: 16, fewestRows: 1)
        try sample.database.read { snapshot in
            var count = 0
            let summary = try search.run(
                on: snapshot,
                found: { _ in
                    count += 1
                    return count < 100
                })
            #expect(summary.hits >= 100)
            #expect(count == 100)
            #expect(throws: Stop.self) { try search.run(on: snapshot, { _ in throw Stop() }) }
            #expect(throws: Stop.self) { try search.run(on: snapshot, found: { _ in throw Stop() }) }
        }
    }

    /// Inside a transaction there is no second thread, and what is not committed is found.
    @Test func aTransactionIsSearched() throws {
        let sample = try Sample()
        try sample.database.write { transaction in
            try transaction.save("new", body: transaction.encode(json: #"{"x": "here"}"#))
            let summary = try ValueSearch(text("here"), in: .default).run(on: transaction)
            #expect(summary.hits == 1)
        }
    }

    @Test func damagedDocumentsArePassedOverAndNamed() throws {
        let sample = try sample()
        try sample.database.write { transaction in
            try transaction.connection.execute("UPDATE kv_default SET body = x'0102' WHERE key = 'a'")
        }
        var ids: [String] = []
        let summary = try sample.database.read { snapshot in
            try ValueSearch(text("otto"), in: .default).run(
                on: snapshot,
                found: { document in
                    ids.append(document.id)
                    return true
                })
        }
        #expect(ids == ["c"] && summary.damagedCount == 1 && summary.damaged.first?.id == "a")
    }

    @Test(arguments: [1994, 2026]) func anyBytesAreSearchedWithoutHarm(seed: UInt64) throws {
        let encoder = FleeceEncoder()
        let json = #"{"a": ["text", {"b": "more text", "c": 12.5}], "long name": true, "d": [[[1, "x"]]]}"#
        try Array(json.utf8).withUnsafeBytes { try JSONParser.parse($0, into: encoder) }
        let sound = try encoder.finish().withBytes { Array($0) }
        let keys = SharedKeys()
        var random = SeededRandom(seed)
        for names in [false, true] {
            for pattern in [try text("t"), try text("1"), try SearchPattern(.expression("te?xt"), ignoringCase: true)] {
                var search = ValueSearch(pattern, in: .default)
                search.searchesNames = names
                search.path = names ? nil : SearchPath("a")
                let walk = try ValueWalk(search, keys)
                for round in 0..<sound.count * 8 + 2000 {
                    var bytes = sound
                    if round < sound.count * 8 {
                        bytes[round / 8] ^= 1 << UInt8(round % 8)
                    } else {
                        for _ in 0...random.below(6) { bytes[random.below(bytes.count)] = UInt8(truncatingIfNeeded: random.next()) }
                    }
                    try bytes.withUnsafeBytes { bytes in
                        _ = walk.needed?.isIn(bytes)
                        if let value = Value(root: bytes) { _ = try walk.search(value) }
                    }
                }
            }
        }
    }
}

@Suite struct TextMatcherTests {
    /// In every place of texts of every length, as a plain search finds it.
    @Test(arguments: [false, true]) func aTextIsFoundAtEveryPlace(ignoringCase: Bool) throws {
        var random = SeededRandom(42)
        let letters = Array("aAbB-\u{C3}".utf8)
        for _ in 0..<3000 {
            let text = (0..<random.below(60)).map { _ in random.element(of: letters) }
            let needle = (0...random.below(20)).map { _ in random.element(of: letters) }
            let finder = try #require(ByteFinder(needle, ignoringCase: ignoringCase))
            func folded(_ bytes: [UInt8]) -> [UInt8] { ignoringCase ? bytes.map(ByteFinder.small) : bytes }
            let expected =
                text.count < needle.count
                ? nil : (0...text.count - needle.count).first { folded(Array(text[$0..<$0 + needle.count])) == folded(needle) }
            #expect(text.withUnsafeBytes { finder.place(in: $0) } == expected)
        }
    }

    @Test(arguments: [
        ("abc", "abc"), ("ab+c", "ab"), ("ab*c", "a"), ("abc?def", "def"), ("a|b", nil), ("(abc)d", "d"), ("a{2,3}xyz", "xyz"), (".*", nil),
        ("[abc]def", "def"), ("a\\.b", "a.b"), ("\\d+ km", " km"), ("x\\u0041bcdef", "x"), ("(?!no)yes", "yes"), ("^ab$", "ab"),
        ("[]]", nil),
        ("é{2}", nil), ("né", "né"),
    ]) func aMatchNeedsAPartOfThePattern(pattern: String, expected: String?) {
        #expect(RequiredText.of(pattern, ignoringCase: false).map { String(decoding: $0, as: UTF8.self) } == expected)
    }

    @Test func partsOfAPatternThatHaveMoreFormsAreNotNeeded() {
        #expect(RequiredText.of("né", ignoringCase: true).map { String(decoding: $0, as: UTF8.self) } == "n")
    }

    /// What is found and where, in bytes.
    @Test(arguments: [
        ("ü", "Über ü", true, [0..<2, 6..<8]), ("/b.r/", "über 😀 bär", false, [2..<5, 11..<15]),
        ("/x*/", "ab", false, [0..<0, 1..<1, 2..<2]),
        ("aa", "aaaa", false, [0..<2, 2..<4]), ("Σ", "ας", true, [2..<4]),
    ]) func matchesAreRangesOfBytes(pattern: String, text: String, ignoringCase: Bool, expected: [Range<Int>]) throws {
        let isExpression = pattern.hasPrefix("/")
        let form: SearchPattern.Form = isExpression ? .expression(String(pattern.dropFirst().dropLast())) : .text(pattern)
        let matcher = try TextMatcher(SearchPattern(form, ignoringCase: ignoringCase))
        var text = text
        #expect(try matcher.matches(in: &text) == expected)
    }

    @Test(arguments: [("ab", false), ("aB", true), ("É", true)]) func capitalsAreMeant(text: String, expected: Bool) {
        #expect(SearchPattern.hasCapitals(.text(text)) == expected)
        #expect(SearchPattern.hasCapitals(.expression(text)) == expected)
        #expect(!SearchPattern.hasCapitals(.expression("\\S\\D\\\\\\W")))
    }
}
