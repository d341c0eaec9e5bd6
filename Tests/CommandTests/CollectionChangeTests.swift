import CBLTestSupport
import Testing

@Suite struct CollectionChangeTests {
    @Test func collectionsAreCreated() throws {
        let scratch = try Scratch()
        try scratch.expect(
            ["mkcoll", "a.b", "c", "a/d"], "Created collection \"a.b\"\nCreated collection \"c\"\nCreated collection \"a.d\"\n")
        #expect(try scratch.expect(["mkcoll", "c"], "").errors == "Collection \"c\" exists already.\n")
        try scratch.expect(
            ["mkcoll", "c", "e", "--json"], "{\"collection\":\"c\",\"created\":false}\n{\"collection\":\"e\",\"created\":true}\n")
        try scratch.expectFailure(["mkcoll", "f", "a b"], "only letters, digits")
        try scratch.expectFailure(["mkcoll", "_x"], "the first character cannot be _")
        #expect(try scratch.collections() == ["_default", "c", "e", "a.b", "a.d"])
    }

    @Test func onlyAnEmptyCollectionGoesUnasked() throws {
        let scratch = try Scratch()
        try scratch.expect(["mkcoll", "empty", "full"])
        try scratch.expect(["put", "doc", "{}", "-C", "full"])
        try scratch.expect(["rmcoll", "empty"], "Deleted collection \"empty\" with 0 documents\n")
        try scratch.expectFailure(["rmcoll", "full"], "collection \"full\" holds 1 document\n--yes")
        try scratch.expectFailure(["rmcoll", "ful", "--yes"], "Did you mean \"full\"?")
        try scratch.expectFailure(["rmcoll", "_default", "--yes"], "the default collection cannot be deleted")
        try scratch.expect(["rmcoll", "full", "--dry-run"], "Would have deleted collection \"full\" with 1 document\n")
        try scratch.expect(["rm", "doc", "-C", "full"])
        try scratch.expectFailure(["rmcoll", "full"], "0 documents and 1 deleted")
        try scratch.expect(["rmcoll", "full", "--yes"])
        #expect(try scratch.collections() == ["_default"])
    }

    @Test func documentsMoveWithTheirHistory() throws {
        let scratch = try Scratch(["hotel-1": #"{"x":1}"#, "hotel-2": "{}", "other": "{}"])
        try scratch.expect(["put", "hotel-1", #"{"x":2}"#])
        try scratch.expect(["expire", "hotel-1", "2090-01-01T00:00:00Z"])
        try scratch.expect(["mkcoll", "hotels"])
        try scratch.expectFailure(["mv", "hotel-1", "hotel"], "Did you mean \"hotels\"?")
        try scratch.expectFailure(["mv", "hotel-1", "_default"], "are in collection \"_default\" already")
        try scratch.expectFailure(["mv", "hotel-*", "hotels", "new"], exitCode: 2, "a new ID is for one document")
        try scratch.expect(["mv", "hotel-*", "hotels"], "Moved `hotel-1` to hotels (sequence 1)\nMoved `hotel-2` to hotels (sequence 2)\n")
        let revisions = try scratch.expect(["revs", "hotel-1", "-C", "hotels", "--json"])
        #expect(revisions.lines.count == 2)
        try scratch.expect(["expire", "hotel-1", "-C", "hotels", "--json"]).output.expectContains("\"expiration\":3786912000000")
        try scratch.expect(["put", "hotel-2", "{}"])
        // It cannot replace another one.
        try scratch.expectFailure(["mv", "hotel-2", "hotels"], exitCode: 4, "has a document \"hotel-2\" already")
        try scratch.expect(["mv", "hotel-2", "hotels", "hotel-3"], "Moved `hotel-2` to hotels as `hotel-3` (sequence 3)\n")
        try scratch.expect(["mv", "other", "_default", "renamed"], "Moved `other` to _default as `renamed` (sequence 6)\n")
        #expect(try scratch.ids() == ["renamed"])
        #expect(try scratch.ids(in: "hotels") == ["hotel-1", "hotel-2", "hotel-3"])
    }

    @Test func oneShotCDSaysWhatItIsFor() throws {
        try Scratch().expectFailure(["cd", "x"], exitCode: 2, "in the interactive shell; a single command is told with --collection")
    }
}

extension String {
    fileprivate func expectContains(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(contains(text), sourceLocation: sourceLocation)
    }
}
