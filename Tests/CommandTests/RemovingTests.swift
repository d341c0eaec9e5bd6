import CBLTestSupport
import FoundationEssentials
import Testing

@Suite struct RemovingTests {
    /// What a document had before its last change is counted among its attachments until the next one, as in the vendor's files.
    @Test func aDocumentThatHadABlobIsSound() throws {
        let scratch = try Scratch(["gone": "{}", "kept": "{}", "more": "{}"])
        let file = scratch.directory.path + "/note.txt"
        try "a note".write(toFile: file, atomically: true, encoding: .utf8)
        for id in ["gone", "kept", "more"] { try scratch.expect(["blob", "put", id, "file", file]) }
        try scratch.expect(["rm", "gone"])
        try scratch.expect(["put", "kept", "{}"])
        try scratch.expect(["put", "more", "{}"])
        try scratch.expect(["put", "more", #"{"n":1}"#])
        let checked = try scratch.expect(["check"])
        #expect(checked.errors.hasSuffix("no problems.\n"), "\(checked.output)\(checked.errors)")
    }

    @Test func allAreDeletedOrNone() throws {
        let scratch = try Scratch(["a": "{}", "b": "{}", "c": "{}"])
        try scratch.expectFailure(["rm", "a", "b", "cc"], "no document \"cc\".")
        let result = try scratch.expect(["rm", "a", "b", "a"])
        #expect(result.lines.map { $0.prefix(12) } == ["Deleted `a`,", "Deleted `b`,"])
        try scratch.expectFailure(["rm", "c", "a"], "document \"a\" is deleted already")
        #expect(try scratch.ids() == ["c"])
    }

    @Test func patternsStandForAllThatMatch() throws {
        let scratch = try Scratch(["hotel-1": "{}", "hotel-2": "{}", "hotel-*": "{}", "airline": "{}"])
        // A document that is called like a pattern is meant first.
        try scratch.expect(["rm", "hotel-*"])
        #expect(try scratch.ids() == ["airline", "hotel-1", "hotel-2"])
        try scratch.expect(["rm", "hotel-?"])
        #expect(try scratch.ids() == ["airline"])
        try scratch.expectFailure(["rm", "x*"], "no document's ID matches \"x*\"")
    }

    @Test(arguments: [["purge"], ["rm", "--purge"]])
    func purgingLeavesNoTrace(command: [String]) throws {
        let scratch = try Scratch(["a": "{}", "b": "{}", "gone": "{}"])
        try scratch.expect(["rm", "gone"])
        try scratch.expectFailure(command + ["a", "nope"], "no document \"nope\".")
        try scratch.expect(command + ["a"], "Purged `a`\n")
        try scratch.expect(command + ["gone"], "Purged `gone`\n")
        try scratch.expectFailure(command + ["gone"], "no document \"gone\".")
        #expect(try scratch.documents().count == 1)
        try scratch.expect(command + ["*"], "Purged `b`\n")
        #expect(try scratch.documents().isEmpty)
    }

    @Test func aDeletedDocumentComesBack() throws {
        let scratch = try Scratch(["doc": #"{"x":1}"#])
        try scratch.expectFailure(["undelete", "doc"], "document \"doc\" is not deleted")
        try scratch.expect(["rm", "doc"])
        try scratch.expectFailure(["undelete", "doc"], "are not kept any more; only the IDs of its 2 revisions are left")
        try scratch.expectFailure(["undelete", "doc", "--body", "{"], "JSON error")
        try scratch.expectFailure(["undelete", "doc", "--body", "{}", "--tombstone"], exitCode: 2, "exclude each other")
        try scratch.expectFailure(["undelete", "nope"], "no document \"nope\".")
        try scratch.expect(["undelete", "doc", "--body", #"{"x":2}"#], "Undeleted `doc`, new revision 3-ea61942e (sequence 3)\n")
        try scratch.expect(["put", "--delete", "doc", #"{"last":"words"}"#])
        let refused = try scratch.run(["undelete", "doc"])
        #expect(refused.errors.contains(#"--tombstone brings it back with what the tombstone says: {"last":"words"}"#))
        try scratch.expect(["undelete", "doc", "--tombstone"])
        #expect(try scratch.cat("doc") == #"{"_id":"doc", "last":"words"}"#)
    }

    @Test(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)")) func theLastLivePropertiesComeBackIfTheTreeKeepsThem() throws {
        let scratch = try Scratch(fixture: "v4.x/revtrees_4.1")
        // It came from a remote, so its body is kept as the base of deltas.
        let body = try scratch.cat("pulled")
        try scratch.expect(["rm", "pulled"])
        try scratch.expect(["undelete", "pulled"])
        #expect(try scratch.cat("pulled") == body)
        try scratch.expect(["put", "pulled", "{changed: 1}"])
        try scratch.expect(["revert", "pulled", "3-cccc"])
        #expect(try scratch.cat("pulled") == body)
        try scratch.expectFailure(["revert", "pulled", "2-bbbb"], "are not kept any more")
        try scratch.expectFailure(["revert", "pulled", "9-9999"], "has no revision")
    }
}
