import CBLTestSupport
import Testing

@Suite(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)")) struct ResolveTests {
    private let scratch: Scratch
    private let local = "2-996336411d0ad50271b2668ea20fa6f5d02ee085"

    init() throws { scratch = try Scratch(fixture: "v4.x/revtrees_4.1") }

    private func expectSettled(_ body: String, _ revision: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(try scratch.cat("conflicted") == "{\"_id\":\"conflicted\", \(body)}", sourceLocation: sourceLocation)
        let line = try scratch.run(["ls", "conflicted"], flags: ["--json"]).output
        #expect(line.contains("\"conflicted\":false"), sourceLocation: sourceLocation)
        #expect(line.contains("\"revision\":\"\(revision)"), sourceLocation: sourceLocation)
    }

    @Test(arguments: [["--keep", "remote"], ["2-ffff"], ["2-ffff0000"]])
    func theRemoteRevisionStays(choice: [String]) throws {
        let result = try scratch.expect(["resolve", "conflicted"] + choice)
        #expect(result.output.hasPrefix("Resolved `conflicted`, current revision 2-ffff0000 (sequence "))
        try expectSettled(#""side":"remote""#, "2-ffff0000\"")
    }

    @Test(arguments: [["--keep", "local"], ["2-9963"]])
    func theLocalPropertiesStayOnTopOfTheRemoteRevision(choice: [String]) throws {
        try scratch.expect(["resolve", "conflicted"] + choice)
        try expectSettled(#""side":"local""#, "3-")
        let revisions = try scratch.run(["revs", "conflicted"], flags: ["--json"]).lines
        #expect(revisions.first?.contains(#""parent":"2-ffff0000""#) == true)
        // No remote has the local branch: it is gone.
        #expect(!revisions.contains { $0.contains(local) })
    }

    @Test func propertiesOfOnesOwnReplaceBoth() throws {
        try scratch.expect(["resolve", "conflicted", "--merge", "-"], input: "{merged: true}")
        try expectSettled(#""merged":true"#, "3-")
    }

    @Test func mistakesSettleNothing() throws {
        try scratch.expectFailure(["resolve", "conflicted"], exitCode: 2, "say what shall stay")
        try scratch.expectFailure(["resolve", "conflicted", "2-ffff", "--keep", "local"], exitCode: 2, "say what shall stay")
        try scratch.expectFailure(["resolve", "conflicted", "--keep", "both"], exitCode: 2, "is one of local, remote")
        try scratch.expectFailure(["resolve", "alice", "--keep", "local"], "document \"alice\" is not in conflict")
        try scratch.expectFailure(["resolve", "conflicte", "--keep", "local"], "Did you mean \"conflicted\"?")
        try scratch.expectFailure(["resolve", "conflicted", "9-99"], "has no revision \"9-99\"")
        try scratch.expectFailure(["resolve", "conflicted", "1-0a69"], "takes no part in the conflict")
        try scratch.expectFailure(["resolve", "conflicted", "--merge", "/nonexistent"], "No such file")
        try scratch.expectFailure(["resolve", "conflicted", "--merge", "-"], "must be an object", input: "[]")
        try scratch.expectFailure(["resolve", "conflicted", "--keep", "local", "--if-rev", "1-0a"], exitCode: 4, "is at revision")
        let before = try scratch.documents()
        try scratch.expect(["resolve", "conflicted", "--keep", "local", "--dry-run"])
        #expect(try scratch.documents() == before)
    }

    @Test(arguments: [
        (["--keep", "remote"], #""side":"remote""#), (["--keep", "local"], #""side":"local""#), (["--merge", "-"], #""merged":1"#),
    ])
    func versionVectorsAreMerged(choice: [String], body: String) throws {
        let scratch = try Scratch(fixture: "v4.x/vectors_4.1")
        try scratch.expect(["resolve", "conflicted"] + choice, input: "{merged: 1}")
        #expect(try scratch.cat("conflicted") == "{\"_id\":\"conflicted\", \(body)}")
        #expect(try scratch.run(["ls", "conflicted"], flags: ["--json"]).output.contains("\"conflicted\":false"))
    }

    /// As when the replicator settles it: who has this version already has nothing to settle again.
    @Test func aLaterVersionStaysUnderItsName() throws {
        let scratch = try Scratch(fixture: "v4.x/vectors_4.1")
        try scratch.expect(["resolve", "conflicted", "--keep", "local"])
        let current = try scratch.run(["revs", "conflicted"], flags: ["--json"]).lines.first ?? ""
        // With what the other one knew.
        #expect(
            current.contains(#""revision":"18e9d1d110bf0000@*","history":"18e9d1d110bf0000@*; 1889a6b0c0de0000@ZegpoldZegpoldZegpoldA""#))
    }
}
