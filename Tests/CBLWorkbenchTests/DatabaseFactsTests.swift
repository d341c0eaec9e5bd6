import CBLFleece
import CBLStore
import CBLTestSupport
import CBLWorkbench
import Testing

@Suite struct DatabaseFactsTests {
    private let directory: TemporaryDirectory
    private let database: Database

    init() throws {
        directory = try TemporaryDirectory()
        database = try Database(path: directory.path + "/a.cblite2", options: .create)
        try database.write { transaction in
            let base = try transaction.save("d", body: .emptyDictionary)
            try transaction.save("d", body: transaction.encode(json: #"{"by":"us"}"#))
            let theirs = try RevisionID(parsing: "2-ffffffffffffffffffffffffffffffffffffffff")
            try transaction.insertExisting("d", history: [theirs, base.id], body: .emptyDictionary, remote: 1)
            try transaction.save("e", body: .emptyDictionary)
            try transaction.delete("e")
        }
    }

    @Test func whatIsThereIsCounted() throws {
        let facts = try DatabaseFacts(database)
        let collection = try #require(facts.collections.first)
        #expect(facts.documents == 1 && collection.statistics.deleted == 1 && collection.isCounted)
        #expect(collection.lastSequence == 5)
        #expect(facts.versioning != .vectors)
        #expect(facts.warnings.contains(.conflicts(1)))
        #expect(facts.distribution.isEmpty)
    }

    @Test func sizesAreLookedAtOnlyIfTheyAreAskedFor() throws {
        let facts = try DatabaseFacts(database, .withSizes)
        #expect(facts.distribution.values.reduce(0, +) == 2)
    }

    @Test func whoHasSeenEnoughCanStop() {
        struct Enough: Error {}
        #expect(throws: Enough.self) { try DatabaseFacts(database) { throw Enough() } }
    }
}
