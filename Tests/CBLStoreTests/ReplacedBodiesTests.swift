import CBLFleece
import CBLTestSupport
import Testing

@testable import CBLStore

/// What revisions said that others replaced, where it is kept.
@Suite(.serialized) struct ReplacedBodiesTests {
    let directory: TemporaryDirectory
    let database: Database

    init() throws {
        directory = try TemporaryDirectory(inMemory: true)
        database = try Database(path: directory.path + "/d.cblite2", options: .create)
        database.keepsReplacedBodies = true
    }

    private func save(_ numbers: ClosedRange<Int>, _ id: String = "d") throws {
        for number in numbers {
            try database.write { try $0.save(id, body: $0.encode(json: #"{"n":\#(number)}"#)) }
        }
    }

    /// What all revisions say, the current one first; nothing where that is not kept.
    private func texts(_ database: Database, _ id: String = "d") throws -> [String] {
        try database.read { snapshot in
            let document = try #require(try snapshot.document(id))
            let tree = try #require(try document.revisions().tree)
            return tree.revisions.map { $0.body?.withRoot { $0.json(keys: snapshot.sharedKeys) } ?? "" }
        }
    }

    @Test func theyStayUntilCompaction() throws {
        try save(1...3)
        try save(1...1, "other")
        #expect(try texts(database) == [#"{"n":3}"#, #"{"n":2}"#, #"{"n":1}"#])
        #expect(try CheckerTests.findings(database.path).isEmpty)
        let last = try database.read { try $0.lastSequence(of: CollectionName.default) }
        try database.compact()
        #expect(try texts(database) == [#"{"n":3}"#, "", ""])
        // Nobody has to hear of that.
        #expect(try database.read { try $0.lastSequence(of: .default) } == last)
        try save(4...4)
        #expect(try texts(database) == [#"{"n":4}"#, #"{"n":3}"#, "", ""])
    }

    @Test func whoDoesNotKeepThemDropsThem() throws {
        try save(1...3)
        try save(1...2, "other")
        database.keepsReplacedBodies = false
        try database.compact()
        #expect(try texts(database) == [#"{"n":3}"#, #"{"n":2}"#, #"{"n":1}"#])
        try save(4...4)
        #expect(try texts(database) == [#"{"n":4}"#, "", "", ""])
        var options = Database.CompactionOptions()
        options.dropsReplacedBodies = true
        try database.compact(options)
        #expect(try texts(database, "other") == [#"{"n":2}"#, ""])
    }

    @Test func theyGoWithTheirRevisions() throws {
        try database.write { try $0.setPruneDepth(3) }
        try save(1...6)
        #expect(try texts(database) == [#"{"n":6}"#, #"{"n":5}"#, #"{"n":4}"#])
    }

    @Test func theirBlobsStayAsLong() throws {
        let digest = try database.write { transaction in
            let blob = try Array("picture".utf8).withUnsafeBytes { try database.blobs.write($0) }
            transaction.noteBlob(blob.digest)
            let reference = #"{"@type":"blob","digest":"\#(blob.digest)","length":7}"#
            try transaction.save("d", body: transaction.encode(json: #"{"picture":\#(reference)}"#))
            return blob.digest
        }
        try save(2...2)
        database.keepsReplacedBodies = false
        #expect(try database.compact().blobsRemoved == 0)
        #expect(try database.read { try $0.referencedBlobs() } == [digest])
        database.keepsReplacedBodies = true
        #expect(try database.compact().blobsRemoved == 1)
    }

    @Test func theyAreKeptOfWhatComesFromElsewhere() throws {
        try database.write { transaction in
            let ids = try ["1-aa", "2-bb"].map { try RevisionID(parsing: $0) }
            for (place, id) in ids.enumerated() {
                try transaction.insertExisting(
                    "d", history: Array(ids[...place].reversed()), body: transaction.encode(json: #"{"id":"\#(id)"}"#))
            }
        }
        #expect(try texts(database) == [#"{"id":"2-bb"}"#, #"{"id":"1-aa"}"#])
    }
}
