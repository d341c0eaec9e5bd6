import CBLTestSupport
import Testing

/// The commands write into databases that others made, of every generation, and read back what they wrote and all that they left alone.
@Suite(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)")) struct FixtureWritingTests {
    static let fixtures = [
        "v2.x/upgrade_2.7", "v2.x/upgrade_2.8", "v2.x/upgrade_2.8_index", "v3.x/db_3_0_0_names_100_with_deleted",
        "v3.x/upgrade_3.1_peerCheckpoints", "v3.x/words_db", "v4.x/revtrees_4.1", "v4.x/types_4.1", "v4.x/upgraded_1.3_by_4.1",
        "v4.x/upgraded_2.8_index_by_4.1", "v4.x/upgraded_3.0_by_4.1", "v4.x/upgraded_3.1_by_4.1",
    ]

    @Test(arguments: fixtures, [[], ["--upgrade"]])
    func changesAreReadBackAndTheRestStays(fixture: String, upgrade: [String]) throws {
        let scratch = try Scratch(fixture: fixture)
        // The first change upgrades, if at all, and repairs what the vendor's own upgrade has damaged.
        try scratch.expect(["put", "zz-first", "{}"], flags: upgrade)
        for collection in try scratch.collections() {
            let flags = ["-C", collection]
            let before = try scratch.run(["ls"], flags: flags + ["--json", "--body", "--del"]).lines
            try scratch.expect(["put", "zz-doc", #"{"x":1}"#, "--json"], flags: flags).expectRevision(
                "1-6f9a1fe5dfad0377e089c5e8e0afab815938295d")
            try scratch.expect(["rm", "zz-doc", "--json"], flags: flags).expectRevision("2-dc8ae8fff2b5a6e692dc625c86e5968bf7370fc8")
            try scratch.expect(["put", "zz-doc", #"{"x":2}"#, "--json"], flags: flags).expectRevision(
                "3-ea61942ed31bb77f439d5cdc1ebb6fa07eb6ee4e")
            #expect(try scratch.cat("zz-doc", collection: collection) == #"{"_id":"zz-doc", "x":2}"#)
            try scratch.expect(["expire", "zz-doc", "2090-01-01T00:00:00Z"], flags: flags)
            try scratch.expect(["put", "zz-gone", "{}"], flags: flags)
            try scratch.expect(["rm", "zz-gone"], flags: flags)
            try scratch.expect(["put", "zz-purged", "{}"], flags: flags)
            try scratch.expect(["purge", "zz-purged"], flags: flags)
            let after = try scratch.run(["ls"], flags: flags + ["--json", "--body", "--del"]).lines
            #expect(after.filter { !$0.contains("\"id\":\"zz-") } == before.filter { !$0.contains("\"id\":\"zz-") })
            let ours = after.filter { $0.contains("\"id\":\"zz-") }.count
            #expect(ours == (collection == "_default" ? 3 : 2))
        }
    }

    @Test(arguments: ["v4.x/vectors_4.1", "v4.x/upgraded_2.7_to_vectors", "v2.x/upgrade_2.8", "v4.x/revtrees_4.1"])
    func versionsAreMadeWhereDocumentsHaveThem(fixture: String) throws {
        let scratch = try Scratch(fixture: fixture)
        let first = try scratch.expect(["put", "zz-doc", "{a:1}"], flags: ["--upgrade=vv"]).output
        #expect(first.hasPrefix("Created `zz-doc`, new revision ") && first.contains("@* (sequence "))
        try scratch.expectFailure(["put", "zz-doc", "{}", "--if-rev", "1@*"], exitCode: 4, "is at revision")
        try scratch.expect(["rm", "zz-doc"])
        try scratch.expect(["undelete", "zz-doc", "--body", "{b: 2}"])
        #expect(try scratch.cat("zz-doc") == #"{"_id":"zz-doc", "b":2}"#)
        try scratch.expect(["purge", "zz-doc"])
    }

    @Test(arguments: fixtures + ["v4.x/vectors_4.1", "v4.x/upgraded_2.7_to_vectors"])
    func documentsOfTheirsAreChanged(fixture: String) throws {
        let scratch = try Scratch(fixture: fixture)
        for collection in try scratch.collections() {
            let flags = ["-C", collection]
            let ids = try scratch.run(["ls"], flags: flags + ["--limit", "3"]).lines.filter { !$0.contains("\u{1}") }
            for (id, words) in zip(ids, [["put", "", #"{"changed":[true]}"#], ["rm", ""], ["expire", "", "9d"]]) {
                try scratch.expect([words[0], "--"] + [id] + words.dropFirst(2), flags: flags)
            }
            if let id = ids.first { #expect(try scratch.cat(id, collection: collection).hasSuffix(#""changed":[true]}"#)) }
            guard ids.count > 1 else { continue }
            #expect(try Program.run(["cat", scratch.path, "-C", collection, "--", ids[1]]).errors.contains("is deleted"))
        }
        #expect(try scratch.files().filter { $0 != "Attachments" && $0 != "blobs" } == ["db.sqlite3"])
    }
}

extension Program.Result {
    fileprivate func expectRevision(_ revision: String, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(output.contains("\"revision\":\"\(revision)\""), sourceLocation: sourceLocation)
    }
}
