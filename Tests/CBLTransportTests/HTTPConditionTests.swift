import CBLTestSupport
import Testing

@testable import CBLTransport

@Suite struct HTTPConditionTests {
    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
        ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
        ("Thu, 29 Feb 2024 23:59:60 GMT", 1_709_251_199), ("Wednesday, 01-Jan-75 00:00:00 GMT", 157_766_400),
        ("Monday, 01-Jan-50 00:00:00 GMT", 2_524_608_000),
    ])
    func datesAreReadInThreeForms(text: String, seconds: Int64) {
        #expect(HTTPDate(text, now: 1_700_000_000)?.seconds == seconds)
    }

    @Test(arguments: [
        "", "yesterday", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 31 Feb 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 08:61:37 GMT", "Sun, 06 Nov 1994 8:49:37 GMT", "Son, 06 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT", "Thu, 29 Feb 2023 00:00:00 GMT", "Sun, 06 Nov 0000 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37:00 GMT", "784111777",
    ])
    func otherDatesAreNone(text: String) { #expect(HTTPDate(text) == nil) }

    @Test func datesAreWrittenAsTheyAreRead() {
        var random = SeededRandom(8)
        #expect(HTTPDate(seconds: 784_111_777).description == "Sun, 06 Nov 1994 08:49:37 GMT")
        for _ in 0..<2000 {
            let date = HTTPDate(seconds: Int64(random.below(1 << 37)) - 62_000_000_000)
            #expect(HTTPDate(date.description) == date)
        }
        for extreme in [Int64.min, .max] { #expect(HTTPDate(seconds: extreme).description.hasSuffix("GMT")) }
    }

    @Test func tagsAreReadAndWritten() {
        for text in ["\"\"", "\"1-abc\"", "W/\"a,b\"", "\"ü\""] { #expect(EntityTag(header: text)?.description == text) }
        for text in ["", "a", "\"a", "\"a\"b", "w/\"a\"", "\"a b\"", "W/", "\"a\" \"b\""] { #expect(EntityTag(header: text) == nil) }
        #expect(EntityTag("a\"b") == nil)
    }

    private static let state = HTTPValidators(tag: EntityTag("2"), modified: HTTPDate(seconds: 784_111_777))
    private static let then = "Sun, 06 Nov 1994 08:49:37 GMT"
    private static let before = "Sun, 06 Nov 1994 08:49:36 GMT"

    @Test(arguments: [
        ("If-None-Match", "\"2\"", HTTPConditions.Outcome.notModified), ("If-None-Match", "W/\"2\"", .notModified),
        ("If-None-Match", "\"1\", \"2\"", .notModified), ("If-None-Match", "\"1,2\"", .met), ("If-None-Match", "*", .notModified),
        ("If-None-Match", "2", .met), ("If-None-Match", "rubbish\", \"2\"", .notModified), ("If-None-Match", "", .met),
        ("If-Match", "\"2\"", .met), ("If-Match", "W/\"2\"", .failed), ("If-Match", "\"1\"", .failed), ("If-Match", "*", .met),
        ("If-Match", "", .failed), ("If-Modified-Since", then, .notModified), ("If-Modified-Since", before, .met),
        ("If-Modified-Since", "then", .met), ("If-Unmodified-Since", before, .failed), ("If-Unmodified-Since", then, .met),
    ])
    func conditionsOfReading(name: String, value: String, outcome: HTTPConditions.Outcome) {
        for method in ["GET", "HEAD"] { #expect(HTTPConditions([name: value]).outcome(method, of: Self.state) == outcome) }
    }

    @Test func conditionsOfWritingAndOfWhatDoesNotExist() {
        #expect(HTTPConditions(["If-None-Match": "*"]).outcome("PUT", of: Self.state) == .failed)
        #expect(HTTPConditions(["If-None-Match": "*"]).outcome("PUT", of: nil) == .met)
        #expect(HTTPConditions(["If-Match": "*"]).outcome("PUT", of: nil) == .failed)
        #expect(HTTPConditions(["If-Modified-Since": Self.then]).outcome("PUT", of: Self.state) == .met)
        // A tag says more than a time.
        let both: HTTPHeaders = ["If-None-Match": "\"1\"", "If-Modified-Since": Self.then]
        #expect(HTTPConditions(both).outcome("GET", of: Self.state) == .met)
        #expect(HTTPConditions([:]).outcome("GET", of: nil) == .met)
    }

    @Test func partsAreOfWhatIsThere() {
        func wants(_ value: String) -> Bool { HTTPConditions(["If-Range": value]).wantsRange(of: Self.state) }
        #expect(wants("\"2\"") && wants(Self.then) && HTTPConditions([:]).wantsRange(of: Self.state))
        #expect(!wants("\"1\"") && !wants("W/\"2\"") && !wants(Self.before) && !wants("rubbish"))
    }
}

@Suite struct ByteRangeTests {
    @Test(arguments: [
        ("bytes=5-15", ByteRanges.Choice.part(5..<16)), ("bytes=12-", .part(12..<27)), ("bytes=12-100", .part(12..<27)),
        ("bytes=-7", .part(20..<27)), ("bytes=0-27", .whole), ("bytes=0-26", .whole), ("bytes=-100", .whole), ("bytes=5-3", .whole),
        ("bytes=500-100", .whole), ("bytes=100-", .nothing), ("bytes=27-28", .nothing), ("bytes=-0", .nothing), ("bytes=1-2,4-5", .whole),
        ("bytes", .whole), ("bytes=", .whole), ("bytes=a-b", .whole), ("bytes=1--2", .whole), ("bytes=-", .whole), ("lines=1-2", .whole),
        ("bytes=99999999999999999999999-", .nothing), ("bytes=3-99999999999999999999999", .part(3..<27)), ("bytes=+1-2", .whole),
    ])
    func rangesOfVersion1(header: String, choice: ByteRanges.Choice) {
        #expect((ByteRanges(header)?.choice(of: 27, by: .couchbaseLite1) ?? .whole) == choice)
    }

    @Test(arguments: [
        ("bytes=0-27", ByteRanges.Choice.part(0..<27)), ("bytes=-100", .part(0..<27)), ("bytes=1-2, 4-5", .parts([1..<3, 4..<6])),
        ("bytes=4-5,1-2", .parts([4..<6, 1..<3])), ("bytes=1-3,3-5", .whole), ("bytes=1-2,50-", .part(1..<3)), ("bytes=30-,40-", .nothing),
        ("bytes=0-0,2-2,4-4,6-6", .whole), ("Bytes=1-1", .part(1..<2)),
    ])
    func rangesOfTheStandard(header: String, choice: ByteRanges.Choice) {
        #expect(ByteRanges(header)?.choice(of: 27, by: .standard(mostParts: 3)) == choice)
    }

    @Test func nothingHasNoParts() { #expect(ByteRanges("bytes=0-")?.choice(of: 0, by: .couchbaseLite1) == .whole) }

    @Test func whichPartItIsIsReadAndWritten() {
        for text in ["bytes 5-15/27", "bytes */27", "bytes 0-0/*"] { #expect(ContentRange(text)?.description == text) }
        for text in [
            "", "bytes", "bytes 5-15", "bytes 15-5/27", "bytes 5-27/27", "bytes a-b/c", "bytes -5/27", "bytes 5-15/-1", "items 1-2/3",
        ] {
            #expect(ContentRange(text) == nil)
        }
    }

    @Test func hostileRangesNeverCrash() {
        var random = SeededRandom(31)
        let alphabet = Array("0123456789-,=*/ bytesW\"9999".utf8)
        for _ in 0..<5000 {
            let text = String(decoding: (0..<random.below(30)).map { _ in random.element(of: alphabet) }, as: UTF8.self)
            let length = random.below(2) == 0 ? random.below(30) : .max
            for rules in [ByteRanges.Rules.couchbaseLite1, .standard(mostParts: 5)] {
                guard case .part(let range)? = ByteRanges("bytes=" + text)?.choice(of: length, by: rules) else { continue }
                #expect(range.lowerBound >= 0 && range.upperBound <= length && !range.isEmpty)
            }
            _ = ContentRange("bytes " + text)
        }
    }
}
