import CBLReplication
import CBLStore
import CBLTestSupport
import CBLTransport
import Testing

@testable import CBLShell

/// What is said of a document that a push could not bring through: what was in the way may have come by then.
struct SyncAbsenceTests {
    private let directory: TemporaryDirectory
    private let database: Database

    init() throws {
        directory = try TemporaryDirectory(inMemory: true)
        database = try Database(path: directory.path + "/db.cblite2", options: .create)
    }

    private func save(_ json: String) throws -> RevisionID {
        try database.write { try $0.save("d", body: $0.encode(json: json)).id }
    }

    /// What comes beside the current revision, or in front of it.
    private func receive(_ history: [String], isDeleted: Bool = false) throws {
        try database.write { transaction in
            _ = try transaction.insertExisting(
                "d", history: history.map { try RevisionID(parsing: $0) }, body: isDeleted ? nil : transaction.encode(json: "{}"),
                isDeleted: isDeleted)
        }
    }

    private func absence(_ refused: RevisionID, filter: String? = nil) throws -> SyncAbsence {
        var collection = ReplicatorSettings.Collection(push: .once, pull: .once)
        collection.filter = filter
        let peer = CouchPeer(id: "http://server.test/db", database: "db") { _, _ in throw CancellationError() }
        let settings = ReplicatorSettings(.couch(peer), collections: [collection])
        let met = [MetConflict(documentID: "d", collection: .default, revision: refused)]
        return try database.read { try SyncAbsence(met, settings, $0) }
    }

    private static let theirs = "1-ffffffffffffffffffffffffffffffffffffffff"
    private static let deletion = "2-ffffffffffffffffffffffffffffffffffffffff"

    @Test func whatCameIsNotSaidToBeKeptBack() throws {
        let ours = try save(#"{"n":1}"#)
        #expect(try absence(ours) == .isKeptBack)
        try receive([Self.theirs])
        #expect(try absence(ours) == .isHere)
        var tally = SyncTally()
        (tally.conflicts, tally.conflictsOfPushes) = (1, 1)
        let advice = try #require(try SyncAdvice.advice(on: tally, .both, absence(ours)))
        #expect(advice.contains("resolve") && !advice.contains("filter"))
    }

    @Test func aDeletionBesideAnEditIsSaid() throws {
        let ours = try save(#"{"n":1}"#)
        try receive([Self.deletion, Self.theirs], isDeleted: true)
        #expect(try absence(ours) == .isBesideDeletion)
    }

    @Test func whatWasSettledIsSaid() throws {
        let ours = try save(#"{"n":1}"#)
        _ = try save(#"{"n":2}"#)
        #expect(try absence(ours) == .isSettled)
        try database.write { try $0.purge("d") }
        #expect(try absence(ours) == .isSettled)
    }
}
