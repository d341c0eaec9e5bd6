import CBLFleece
import CBLStore
import CBLTestSupport
import Testing

/// Writing into databases with version vectors that the vendor's library made.
@Suite(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)"))
struct VectorWritingTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func open(_ fixture: String) throws -> Database {
        try Database(path: try Fixtures.copy("v4.x/\(fixture).cblite2", to: directory), options: .init(access: .readWrite))
    }

    @Test func documentsAreSavedDeletedAndRevived() throws {
        let database = try open("vectors_4.1")
        try database.write { transaction in
            let last = try transaction.lastSequence(of: .default)
            let first = try transaction.save("new", body: transaction.encode(json: #"{"x":1}"#))
            #expect(first.id.isVersion && first.sequence == last + 1 && first.isCreated)
            let second = try transaction.save("new", body: transaction.encode(json: #"{"x":1}"#), parent: .revision(first.id))
            #expect(second.id != first.id)
            #expect(throws: StoreError.self) { try transaction.save("new", body: .emptyDictionary, parent: .revision(first.id)) }
            #expect(throws: StoreError.self) { try transaction.save("new", body: .emptyDictionary, parent: .none) }
            let gone = try transaction.delete("new")
            try #expect(transaction.document("new")?.isDeleted == true)
            let reborn = try transaction.save("new", body: transaction.encode(json: #"{"x":2}"#), parent: .none)
            #expect(reborn.isCreated && reborn.sequence == gone.sequence + 1)
        }
        try database.read { snapshot in
            let document = try #require(try snapshot.document("new"))
            try #expect(document.revisions().vectors?.history.vector.versions.count == 1)
            try #expect(document.revisions().vectors?.remoteIDs == [])
            #expect(document.body.withRoot { $0.json(keys: snapshot.sharedKeys) } == #"{"x":2}"#)
        }
    }

    @Test func aTreeBecomesVectorsWhenItIsSaved() throws {
        let database = try open("upgraded_2.7_to_vectors")
        try database.write { transaction in
            try transaction.save("doc-002", body: transaction.encode(json: #"{"n":2000}"#))
            try transaction.delete("doc-003")
        }
        try database.read { snapshot in
            try #expect(snapshot.document("doc-002")?.revisions().vectors?.legacyParent?.text == "1-abcd")
            try #expect(snapshot.document("doc-003")?.revisions().vectors?.legacyParent?.text == "1-abcd")
            try #expect(snapshot.document("doc-003")?.isDeleted == true)
            try #expect(snapshot.document("doc-004")?.revision.text == "1-abcd")
        }
    }

    @Test func remoteRevisionsCompeteAndAreResolved() throws {
        let database = try open("vectors_4.1")
        let remote = try RevisionHistory(parsing: "1889a6b0c0de0001@ZegpoldZegpoldZegpoldA")
        try database.write { transaction in
            let ours = try transaction.save("two", body: transaction.encode(json: #"{"side":"local"}"#))
            let theirs = try transaction.encode(json: #"{"side":"remote"}"#)
            try #expect(transaction.insertExisting("two", history: remote, body: theirs, remote: 1) == .conflict)
            let document = try #require(try transaction.document("two"))
            #expect(document.isConflicted && document.sequence == ours.sequence && document.subsequence == 1)
            let winner = try #require(remote.revision)
            let resolved = try transaction.resolveConflict("two", winner: winner, loser: ours.id)
            #expect(resolved.id == winner && resolved.sequence == ours.sequence + 1)
            try #expect(transaction.document("two")?.isConflicted == false)
            try #expect(transaction.document("two")?.body.withRoot { $0.json(keys: transaction.sharedKeys) } == #"{"side":"remote"}"#)
            let next = try RevisionID(parsing: "1889a6b0c0de0002@ZegpoldZegpoldZegpoldA")
            let inserted = try transaction.insertExisting("two", history: [next], body: theirs, remote: 1)
            #expect(inserted.addedCount == 1 && inserted.sequence == resolved.sequence + 1 && !inserted.isConflicted)
        }
    }

    @Test func aPushIsNoted() throws {
        let database = try open("vectors_4.1")
        try database.write { transaction in
            let saved = try transaction.save("pushed", body: transaction.encode(json: #"{"x":1}"#))
            try transaction.markPushed(saved.id, of: "pushed", to: 1)
            try transaction.markPushed(saved.id, of: "pushed", to: 2)
            let document = try #require(try transaction.document("pushed"))
            #expect(document.sequence == saved.sequence && document.subsequence == 2)
            try #expect(document.revisions().vectors?.remoteIDs == [1, 2])
            try #expect(document.revisions().vectors?.latest(onRemote: 1)?.id == saved.id)
        }
    }
}
