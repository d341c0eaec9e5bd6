import CBLTestSupport
import FoundationEssentials
import Testing

/// Every fixture reads through the commands as the vendor's library reads it: documents, revisions, flags, sequences and bodies.
@Suite(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)")) struct FixtureListingTests {
    static let fixtures = [
        "v4.x/revtrees_4.1", "v4.x/vectors_4.1", "v4.x/types_4.1", "v4.x/upgraded_1.3_by_4.1", "v4.x/upgraded_2.7_to_vectors",
        "v4.x/upgraded_2.8_index_by_4.1", "v4.x/upgraded_3.0_by_4.1", "v4.x/upgraded_3.1_by_4.1",
    ]

    /// A line of `ls --json --body`, as the fixture's facts would make it.
    private func line(_ document: FixtureDocument) -> String {
        let expiration = document.expiration == 0 ? "" : ",\"expiration\":\(document.expiration)"
        let id = String(decoding: (try? JSONEncoder().encode(document.id)) ?? Data(), as: UTF8.self).replacing("\\/", with: "/")
        return """
            {"collection":"\(document.collectionName)","id":\(id),"revision":"\(document.rev)","sequence":\(document.seq),\
            "deleted":\(document.flags & 1 != 0),"conflicted":\(document.flags & 2 != 0),"attachments":\(document.flags & 4 != 0)\
            \(expiration),"body":\(document.body)}
            """
    }

    @Test(arguments: fixtures) func listingsShowWhatTheVendorReads(_ fixture: String) throws {
        let path = Fixtures.path(fixture + ".cblite2")
        let collections = try Program.run(["lscoll", "--json", path]).lines.map { line in
            String(line.dropFirst(#"{"collection":""#.count).prefix { $0 != "\"" })
        }
        let expected = Dictionary(grouping: try FixtureDocument.all(fixture), by: \.collectionName)
        for collection in collections {
            // The vendor's program could not read the tombstones that it had damaged itself.
            let deleted = fixture == "v4.x/upgraded_3.0_by_4.1" ? [] : ["--del"]
            let result = try Program.run(["ls", "--json", "--body", "-C", collection, path] + deleted)
            #expect(result.exitCode == 0)
            let documents = (expected[collection] ?? []).sorted { Array($0.id.utf8).lexicographicallyPrecedes(Array($1.id.utf8)) }
            #expect(result.lines == documents.map(line))
            let bySequence = try Program.run(["changes", "--json", "--body", "-C", collection, path])
            if !deleted.isEmpty { #expect(bySequence.lines == documents.sorted { $0.seq < $1.seq }.map(line)) }
        }
    }

    @Test(arguments: fixtures) func revisionsAreTheVendors(_ fixture: String) throws {
        let path = Fixtures.path(fixture + ".cblite2")
        // Of those with a hundred documents of one kind a few will do.
        let documents = try FixtureDocument.all(fixture)
        for document in documents.count > 50 ? Array(documents.prefix(3) + documents.suffix(3)) : documents {
            let result = try Program.run(["revs", "--json", "--body", "-C", document.collectionName, path, "--", document.id])
            #expect(result.exitCode == 0, "\(document.id): \(result.errors)")
            let lines = result.lines.map { Self.vendorLine($0, hasVectors: fixture.contains("vectors")) }
            // The library names a revision of a vector document again for each remote that has it; its program and ours mark it instead.
            var seen: Set<Substring> = []
            let expected = document.revisionLines.filter { seen.insert($0.prefix { $0 != "," }).inserted }
            #expect(lines == expected, "\(document.id)")
        }
    }

    /// Turns a line of ours into one of the fixture.
    private static func vendorLine(_ line: String, hasVectors: Bool) -> String {
        func text(_ name: String) -> String? {
            line.firstRange(of: "\"\(name)\":\"").map { String(line[$0.upperBound...].prefix { $0 != "\"" }) }
        }
        func tail(_ name: String, until end: String) -> String? {
            guard let start = line.firstRange(of: "\"\(name)\":") else { return nil }
            let rest = line[start.upperBound...]
            return rest.firstRange(of: end).map { String(rest[..<$0.lowerBound]) }
        }
        let bits = ["deleted": 1, "leaf": 2, "attachments": 8, "keepBody": 16, "conflict": 32, "closed": 64]
        let flags = tail("flags", until: "]")?.split(separator: "\"").reduce(0) { $0 + (bits[String($1)] ?? 0) } ?? -1
        let sequence = tail("sequence", until: ",") ?? "?"
        let body = line.firstRange(of: ",\"body\":").map { String(line[$0.upperBound...].dropLast()) } ?? "null"
        let revision = text("revision") ?? "?"
        let history = hasVectors ? ",\"history\":\"\(text("history") ?? revision)\"" : ""
        return "{\"rev\":\"\(revision)\",\"flags\":\(flags),\"seq\":\(sequence),\"body\":\(body)\(history)}"
    }

    @Test(arguments: [
        ("v2.x/upgrade_2.7", "_default", 50, 50), ("v2.x/upgrade_2.8", "_default", 50, 50), ("v2.x/upgrade_2.8_index", "_default", 2, 0),
        ("v3.x/db_3_0_0_names_100_with_deleted", "_default", 78, 22), ("v3.x/upgrade_3.1_peerCheckpoints", "loopback.test", 100, 0),
        ("v3.x/words_db", "words", 300, 0),
    ]) func olderGenerationsAreListedWhole(_ fixture: String, _ collection: String, _ live: Int, _ deleted: Int) throws {
        let path = Fixtures.path(fixture + ".cblite2")
        #expect(try Program.run(["ls", "--json", "-C", collection, path]).lines.count == live)
        let all = try Program.run(["ls", "--json", "--del", "--body", "-C", collection, path])
        #expect(all.lines.count == live + deleted)
        #expect(all.lines.allSatisfy { $0.hasSuffix("}}") && !$0.contains("undefined") })
        #expect(all.errors.isEmpty)
    }
}
