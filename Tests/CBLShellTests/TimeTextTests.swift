import Testing

@testable import CBLShell

@Suite struct TimeTextTests {
    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2027-03-01T09:30Z", 1_803_893_400_000), ("2027-03-01T10:30:00+01:00", 1_803_893_400_000),
            ("2027-03-01 04:30:00.250-0500", 1_803_893_400_250), ("2027-03-01t09:30:00.1234567z", 1_803_893_400_123),
            ("2024-02-29T00:00:00+00", 1_709_164_800_000), ("1969-12-31T23:59:59.999Z", -1), ("9999-12-31T23:59:59Z", 253_402_300_799_000),
        ] as [(String, Int64)])
    func timesAreRead(text: String, milliseconds: Int64) { #expect(TimeText.time(text) == milliseconds) }

    @Test(arguments: [
        "", "2027", "2027-3-1", "2027-02-29T00:00:00Z", "2027-00-10", "2027-01-00", "2027-01-01T", "2027-01-01T10", "2027-01-01T24:00Z",
        "2027-01-01T10:60Z", "2027-01-01T10:00:60Z", "2027-01-01T10:00:00.Z", "2027-01-01T10:00Zx", "2027-01-01T10:00+25:00",
        "2027-01-01T10:00+1", "2027-01-01x10:00Z", "+2027-01-01", "２027-01-01",
    ])
    func otherTextsAreNoTimes(text: String) { #expect(TimeText.time(text) == nil) }

    @Test func aDateAloneIsLocalMidnight() throws {
        let midnight = try #require(TimeText.time("2027-03-01"))
        #expect(TimeText.time("2027-03-01T00:00") == midnight)
        #expect(abs(midnight - 1_803_859_200_000) <= 14 * 3_600_000)
    }

    @Test(
        arguments: [
            ("90s", 90_000), ("30m", 1_800_000), ("2h", 7_200_000), ("30d", 2_592_000_000), ("1w", 604_800_000), ("1d12h", 129_600_000),
            ("5ms", 5),
            ("0s", 0),
        ] as [(String, Int64)])
    func durationsAreRead(text: String, milliseconds: Int64) { #expect(TimeText.duration(text) == milliseconds) }

    @Test(arguments: ["", "d", "5", "5x", "-5d", "1.5d", "5 d", "9223372036854775807w", "99999999999999999999s", "999999999w999999999w"])
    func otherTextsAreNoDurations(text: String) { #expect(TimeText.duration(text) == nil) }

    @Test(arguments: [0, -1, 1, 999, 1_709_164_800_000, 253_402_300_799_000, -62_135_596_800_000] as [Int64])
    func writtenTimesAreReadBack(milliseconds: Int64) { #expect(TimeText.time(TimeText.iso8601(milliseconds)) == milliseconds) }

    @Test(arguments: [Int64.max, Int64.min, 1 << 60])
    func damagedTimesAreWrittenSomehow(milliseconds: Int64) {
        #expect(!TimeText.iso8601(milliseconds).isEmpty)
        #expect(!TimeText.distance(milliseconds, from: 0).isEmpty)
    }
}
