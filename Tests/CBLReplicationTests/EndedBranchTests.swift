import CBLStore
import CBLTestSupport
import Testing

@testable import CBLReplication

/// Apps of Couchbase Lite 4 may settle a conflict against the branch of the peer, and say so with the revision that they push.
@Suite struct EndedBranchTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func insert(_ history: String, ending: [String], into store: ReplicatedDatabase) throws -> Insertion {
        var message = RevisionMessage(documentID: "d", history: try RevisionHistory(parsing: history), body: Array(#"{"by":"them"}"#.utf8))
        message.endedBranch = ending.map(revision)
        guard case .inserted(let results) = store.perform(.insert([ReceivedRevision(message: message, allowsConflict: false)])) else {
            throw StoreError(.unsupported, "nothing was inserted")
        }
        return try #require(results.first)
    }

    private func isConflict(_ insertion: Insertion) -> Bool {
        if case .failed(let error) = insertion { error.isConflict } else { false }
    }

    @Test func theRevisionTakesThePlaceOfTheBranch() throws {
        let database = try Database(path: "\(directory.path)/a.cblite2", options: .init(access: .create))
        let store = ReplicatedDatabase(database, remote: 0)
        try database.write {
            try $0.insertExisting("d", history: ["2-bb", "1-aa"].map(revision), body: fleece(#"{"by":"us"}"#))
        }
        // Whoever has not seen our revision, or has not ended it, is in conflict.
        #expect(try isConflict(insert("2-cc, 1-aa", ending: [], into: store)))
        #expect(try isConflict(insert("2-cc, 1-aa", ending: ["2-dd", "1-aa"], into: store)))
        #expect(try database.read { try $0.document("d")?.revision } == revision("2-bb"))

        #expect(try insert("2-cc, 1-aa", ending: ["3-dd", "2-bb", "1-aa"], into: store) == .inserted(isConflict: false))
        let document = try #require(database.read { try $0.document("d") })
        #expect(document.revision == revision("2-cc"))
        #expect(!document.isDeleted && !document.isConflicted)
        try #expect(document.revisions().tree?.index(of: revision("3-dd")) != nil)
        #expect(try insert("2-cc, 1-aa", ending: ["3-dd", "2-bb", "1-aa"], into: store) == .known)
    }
}
