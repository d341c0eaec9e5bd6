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

    // A Wednesday, 15:04:05 of the clock here, whichever zone that is.
    private let now = TimeText.time("2027-03-10T15:04:05.250")

    @Test(
        arguments: [
            ("today", "2027-03-10T00:00"), ("tomorrow", "2027-03-11"), ("Tomorrow 18:30", "2027-03-11T18:30"),
            ("tomorrow at 9:05", "2027-03-11T09:05"),
            ("tomorrow noon", "2027-03-11T12:00"), ("yesterday", "2027-03-09"), ("friday", "2027-03-12"), ("next fri", "2027-03-12"),
            ("wednesday", "2027-03-17"), ("on monday 07:00:30", "2027-03-15T07:00:30"), ("sunday midnight", "2027-03-14"),
            ("in 3 days", "2027-03-13T15:04:05.250"), ("3 days", "2027-03-13T15:04:05.250"), ("in a week", "2027-03-17T15:04:05.250"),
            ("in 1 day and 2 hours", "2027-03-11T17:04:05.250"), ("an hour, 30 minutes", "2027-03-10T16:34:05.250"),
            ("in 90 seconds", "2027-03-10T15:05:35.250"), ("next month", "2027-04-10T15:04:05.250"),
            ("next week", "2027-03-17T15:04:05.250"),
            ("in 2 years", "2029-03-10T15:04:05.250"), ("2 days ago", "2027-03-08T15:04:05.250"),
            ("a month ago", "2027-02-10T15:04:05.250"),
        ])
    func wordsAreTimes(text: String, time: String) throws {
        let found = TimeWords.time(text, now: try #require(now))
        #expect(found == TimeText.time(time), "\(found.map { TimeText.iso8601($0) } ?? "none")")
    }

    /// A month after the 31st of January there is no 31st.
    @Test func aMonthHasADayOfItsOwn() throws {
        let end = try #require(TimeText.time("2027-01-31T10:00"))
        #expect(TimeWords.time("next month", now: end) == TimeText.time("2027-02-28T10:00"))
        #expect(TimeWords.time("in 13 months", now: end) == TimeText.time("2028-02-29T10:00"))
        #expect(TimeWords.time("in 1 month and 1 day", now: end) == TimeText.time("2027-03-01T10:00"))
    }

    @Test(arguments: [
        "", "in", "next", "soon", "in days", "in 3", "3", "in -3 days", "in 3 days 2", "in 3 fortnights", "tomorrow 25:00", "tomorrow 9",
        "tomorrow 9:5x",
        "tomorrow 9:00 sharp", "next tomorrow", "next 3 days", "next hour", "s", "ago", "in 100001 days", "in 99999999999999999999 days",
        "tomorrow at",
        "and", "in 3 days and", "mon day", "next next monday", "９ days",
    ])
    func otherWordsAreNoTimes(text: String) throws { #expect(TimeWords.time(text, now: try #require(now)) == nil) }

    @Test func aPastOrAFutureIsMeant() throws {
        let now = try #require(now)
        #expect(TimeText.past("2 days ago", now: now) == TimeText.past("2d", now: now))
        #expect(
            TimeText.past("yesterday", now: now) == TimeText.time("2027-03-09")
                && TimeText.past("today", now: now) == TimeText.time("2027-03-10"))
        #expect(TimeText.past("tomorrow", now: now) == nil)
        #expect(TimeText.future("in 2 days", now: now) == TimeText.future("2d", now: now))
        #expect(TimeText.future("0s", now: now) == nil)
    }

    @Test(arguments: [0, -1, 1, 999, 1_709_164_800_000, 253_402_300_799_000, -62_135_596_800_000] as [Int64])
    func writtenTimesAreReadBack(milliseconds: Int64) { #expect(TimeText.time(TimeText.iso8601(milliseconds)) == milliseconds) }

    @Test(arguments: [Int64.max, Int64.min, 1 << 60])
    func damagedTimesAreWrittenSomehow(milliseconds: Int64) {
        #expect(!TimeText.iso8601(milliseconds).isEmpty)
        #expect(!TimeText.distance(milliseconds, from: 0).isEmpty)
    }
}
