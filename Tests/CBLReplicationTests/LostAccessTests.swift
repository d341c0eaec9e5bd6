import CBLStore
import CBLTestSupport
import Testing

@testable import CBLReplication

/// Documents that the user may not see any more. Of two connections at the same time, one can say so after the other has brought the document back.
@Suite struct LostAccessTests {
    private func isHere(after lost: String, _ histories: [String]) throws -> Bool {
        let directory = try TemporaryDirectory()
        let hasVectors = lost.contains("@")
        let database = try Database(
            path: "\(directory.path)/a.cblite2", options: .init(access: .create, upgrade: hasVectors ? .versionVectors : .none))
        let store = ReplicatedDatabase(database, remote: 1)
        for history in histories {
            let message = RevisionMessage(documentID: "d", history: try RevisionHistory(parsing: history), body: Array("{}".utf8))
            _ = store.perform(.insert([ReceivedRevision(message: message, allowsConflict: true)]))
        }
        let answer = store.perform(.purge([LostDocument(documentID: "d", revision: revision(lost))]))
        let isHere = try database.read { try $0.document("d") } != nil
        switch answer {
        case .done: #expect(!isHere)
        case .documents(let purged): #expect(isHere && purged.isEmpty)
        default: throw MalformedMessage("\(answer)")
        }
        return isHere
    }

    @Test func whatCameBackStays() throws {
        #expect(try isHere(after: "2-bb", ["1-aa", "3-cc, 2-bb, 1-aa"]))
        // It was lost as it is here, or after that.
        #expect(try !isHere(after: "1-aa", ["1-aa"]))
        #expect(try !isHere(after: "2-bb", ["1-aa"]))
        let (first, second) = ("18e9d1d110a40000@DaveDaveDaveDaveDaveDA", "18e9d1d110b40000@ZegpoldZegpoldZegpoldA")
        #expect(try isHere(after: first, ["\(second); \(first)"]))
        #expect(try !isHere(after: second, ["\(second); \(first)"]))
        #expect(try !isHere(after: second, [first]))
    }
}
