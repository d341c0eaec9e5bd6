import CBLStore
import CBLTestSupport
import FoundationEssentials
import Testing

/// What another program read from a fixture, one document a line.
struct ExpectedDocument: Decodable {
    let scope, collection, id, rev: String
    let seq: UInt64
    let flags: UInt32
    let expiration: Int64

    /// The lines of a `.jsonl` file beside a fixture, without the bodies, which may hold what is no JSON (`inf`).
    static func all(_ fixture: String) throws -> [ExpectedDocument] {
        try Fixtures.lines(fixture + ".jsonl").map { line in
            let facts = line.firstRange(of: ",\"body\":").map { line[..<$0.lowerBound] + "}" } ?? line[...]
            return try JSONDecoder().decode(ExpectedDocument.self, from: Data(facts.utf8))
        }
    }

    var name: CollectionName { get throws { try CollectionName(scope: scope, name: collection) } }
}

@Suite(.enabled(if: Fixtures.arePresent, Comment(rawValue: Fixtures.absence))) struct FixtureReadingTests {
    static let described = [
        "v4.x/revtrees_4.1", "v4.x/vectors_4.1", "v4.x/types_4.1", "v4.x/upgraded_1.3_by_4.1", "v4.x/upgraded_2.7_to_vectors",
        "v4.x/upgraded_2.8_index_by_4.1", "v4.x/upgraded_3.0_by_4.1", "v4.x/upgraded_3.1_by_4.1",
    ]

    @Test(arguments: described) func everyDocumentReadsAsTheVendorReadsIt(_ fixture: String) throws {
        let database = try Database(path: Fixtures.path(fixture + ".cblite2"))
        try database.read { snapshot in
            for expected in try ExpectedDocument.all(fixture) {
                let document = try #require(try snapshot.document(expected.id, in: expected.name))
                #expect(document.revision.description == expected.rev)
                #expect(document.sequence == expected.seq)
                #expect(UInt32(document.flags.rawValue) == expected.flags & 0xFFF)
                #expect(document.expiration ?? 0 == expected.expiration)
            }
        }
    }

    @Test(arguments: described) func aScanMeetsTheSameDocuments(_ fixture: String) throws {
        let expected = Dictionary(grouping: try ExpectedDocument.all(fixture)) { "\($0.scope).\($0.collection)" }
        let database = try Database(path: Fixtures.path(fixture + ".cblite2"))
        try database.read { snapshot in
            for name in snapshot.collections() {
                let lines = (expected["\(name.scope).\(name.name)"] ?? []).sorted {
                    Array($0.id.utf8).lexicographicallyPrecedes(Array($1.id.utf8))
                }
                // The vendor's program could not read the tombstones that it had damaged itself.
                let isDamaged = fixture == "v4.x/upgraded_3.0_by_4.1"
                for order in [ScanOptions.Order.id, .sequence, .stored] {
                    var options = ScanOptions(order: order, content: .everything)
                    options.includesDeleted = !isDamaged
                    var seen: [(id: String, sequence: UInt64)] = []
                    let cursor = try snapshot.scan(name, options)
                    while try cursor.next() {
                        seen.append((cursor.id, cursor.sequence))
                        try #expect(cursor.document().revision == cursor.revision())
                    }
                    if order == .sequence { #expect(seen.map(\.sequence) == seen.map(\.sequence).sorted()) }
                    if order == .id { #expect(seen.map(\.id) == lines.map(\.id)) }
                    #expect(Set(seen.map(\.id)) == Set(lines.map(\.id)))
                }
                let counts = try snapshot.counts(of: name)
                #expect(counts.live == lines.filter { $0.flags & 1 == 0 }.count)
                if isDamaged { #expect(counts.deleted == 22) } else { #expect(counts.deleted == lines.filter { $0.flags & 1 != 0 }.count) }
            }
        }
    }

    @Test func tombstonesThatTheVendorDamagedAreRead() throws {
        let database = try Database(path: Fixtures.path("v4.x/upgraded_3.0_by_4.1.cblite2"))
        try database.read { snapshot in
            var options = ScanOptions(content: .everything)
            options.onlyDeleted = true
            let cursor = try snapshot.scan(.default, options)
            var count = 0
            while try cursor.next() {
                let document = try cursor.document()
                #expect(document.expiration == nil && document.isDeleted)
                try #expect(document.revisions().tree?.revisions.count == 2)
                count += 1
            }
            #expect(count == 22)
        }
    }

    @Test(arguments: [
        ("v2.x/upgrade_2.7", 302, 50, 50), ("v2.x/upgrade_2.8", 302, 50, 50), ("v2.x/upgrade_2.8_index", 302, 2, 0),
        ("v3.x/db_3_0_0_names_100_with_deleted", 400, 78, 22), ("v3.x/words_db", 500, 0, 0),
    ]) func olderGenerationsAreReadAsTheyAre(_ fixture: String, _ generation: Int, _ live: Int, _ deleted: Int) throws {
        let database = try Database(path: Fixtures.path(fixture + ".cblite2"))
        try database.read { snapshot in
            #expect(snapshot.generation.rawValue == generation)
            let counts = try snapshot.counts(of: .default)
            #expect(counts.live == live && counts.deleted == deleted)
            var options = ScanOptions(content: .everything)
            options.includesDeleted = true
            let cursor = try snapshot.scan(.default, options)
            while try cursor.next() {
                let document = try cursor.document()
                try #expect(document.revisions().tree?.current?.id == document.revision)
                #expect(document.body.withRoot { $0.kind } == .dictionary)
            }
        }
    }

    @Test func namesOfOldCollectionsAreKnown() throws {
        let database = try Database(path: Fixtures.path("v3.x/words_db.cblite2"))
        #expect(try database.read { $0.collections().map(\.description) } == ["_default", "categories", "extwords", "words"])
        #expect(try database.read { try $0.counts(of: CollectionName(parsing: "words")).live } == 300)
    }

    @Test(arguments: [
        ("encrypted-ee/upgrade_2.7_encrypted", StoreError.Code.needsKey), ("encrypted-ee/Mac_2.1_AES128", .needsKey),
        ("encrypted-ee/Mac_2.5_AES256", .needsKey), ("encrypted-ee/upgrade_2.8_encrypted", .needsKey),
    ]) func whatCannotBeReadIsRecognised(_ fixture: String, _ code: StoreError.Code) {
        #expect { try Database(path: Fixtures.path(fixture + ".cblite2")) } throws: { ($0 as? StoreError)?.code == code }
    }
}
