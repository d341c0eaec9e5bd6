import CBLTestSupport
import Testing

@Suite struct ExpireTests {
    @Test func anExpirationIsSetShownAndTakenAway() throws {
        let scratch = try Scratch(["doc": "{}"])
        try scratch.expect(["expire", "doc"], "`doc` never expires\n")
        let set = try scratch.expect(["expire", "doc", "2090-01-02T03:04:05.006+01:00"])
        #expect(set.output.hasPrefix("`doc` expires 2090-01-02T02:04:05.006Z (in "))
        try scratch.expect(
            ["expire", "doc", "--json"],
            "{\"collection\":\"_default\",\"id\":\"doc\",\"expiration\":3787005845006,\"expires\":\"2090-01-02T02:04:05.006Z\"}\n")
        try scratch.expect(["lscoll", "--json"], "{\"collection\":\"_default\",\"documents\":1,\"deleted\":0,\"expiring\":1}\n")
        // It is no change of the document, and stays when that changes.
        try scratch.expect(["put", "doc", "{a:1}"])
        #expect(try scratch.run(["expire", "doc"]).output.hasPrefix("`doc` expires 2090-01-02T02:04:05.006Z"))
        try scratch.expect(["expire", "doc", "never"], "`doc` never expires\n")
        try scratch.expect(["expire", "doc"], "`doc` never expires\n")
    }

    @Test(arguments: [("30d", "in 30 days"), ("2h", "in 2 hours"), ("90s", "in 90 seconds"), ("1w", "in 7 days"), ("1d12h", "in 36 hours")])
    func durationsCountFromNow(text: String, distance: String) throws {
        let scratch = try Scratch(["doc": "{}"])
        #expect(try scratch.expect(["expire", "doc", text]).output.hasSuffix("(\(distance))\n"))
    }

    @Test(arguments: [("in 3 days", "in 3 days"), ("in a week", "in 7 days"), ("in 2 hours and 30 minutes", "in 2 hours")])
    func plainWordsAreTimes(text: String, distance: String) throws {
        let scratch = try Scratch(["doc": "{}"])
        #expect(try scratch.expect(["expire", "doc", text]).output.hasSuffix("(\(distance))\n"))
        #expect(try scratch.expect(["expire", "doc", "tomorrow"]).output.contains("` expires 20"))
        try scratch.expectFailure(["expire", "doc", "yesterday"], "is past")
        try scratch.expectFailure(["expire", "doc", "some day"], exitCode: 2, "tomorrow 18:00")
    }

    @Test(arguments: [
        ("soon", 2), ("30", 2), ("5x", 2), ("-5d", 2), ("0s", 2), ("2027-02-30", 2), ("2027-13-01", 2), ("2027-01-01T25:00", 2),
        ("2027-01-01T10:00:00+1", 2), ("99999999999999999999d", 2), ("9999999999999w", 2), ("", 2), ("2001-01-01", 1),
    ])
    func otherTextsAreRefused(text: String, exitCode: Int32) throws {
        let scratch = try Scratch(["doc": "{}"])
        try scratch.expectFailure(["expire", "--", "doc", text], exitCode: exitCode, exitCode == 2 ? "usage:" : "is past")
    }

    @Test func absentDocumentsDoNotExpire() throws {
        let scratch = try Scratch(["doc": "{}", "gone": "{}"])
        try scratch.expect(["rm", "gone"])
        try scratch.expectFailure(["expire", "doq", "1d"], "Did you mean \"doc\"?")
        try scratch.expectFailure(["expire", "doq"], "Did you mean \"doc\"?")
        try scratch.expectFailure(["expire", "gone", "1d"], "is deleted")
        try scratch.expect(["expire", "d*", "1d", "--dry-run"])
        try scratch.expect(["expire", "doc"], "`doc` never expires\n")
    }

    @Test(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)")) func showingLeavesTheDatabaseAlone() throws {
        let scratch = try Scratch(fixture: "v2.x/upgrade_2.7")
        try scratch.expect(["expire", "doc-001"], "`doc-001` never expires\n")
        #expect(try scratch.files() == ["db.sqlite3"])
        try scratch.expect(["expire", "doc-001", "2090-01-01T00:00:00Z"])
        #expect(try scratch.run(["expire", "doc-001"]).output.hasPrefix("`doc-001` expires 2090"))
    }
}
