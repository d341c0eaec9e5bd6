import CouchbaseLiteClassic
import Testing

/// All documents of a collection, in each mode, over both kinds of revisions.
struct AllDocumentsQueryTests {
    @Test(arguments: [false, true]) func eachModeGivesItsDocuments(keepingFormat: Bool) throws {
        let temporary = try TemporaryDatabase(keepingFormat: keepingFormat)
        for id in ["c", "a", "b", "bb"] { try temporary.save(id, ["n": 1]) }
        try temporary.collection.delete(document: temporary.document("b"))
        let query = temporary.collection.createAllDocumentsQuery()
        func ids() throws -> [String] { try query.run().map(\.documentID) }
        #expect(try ids() == ["a", "bb", "c"])
        query.mode = .includeDeleted
        #expect(try ids() == ["a", "b", "bb", "c"])
        #expect(try query.run().map(\.isDeleted) == [false, true, false, false])
        query.mode = .bySequence
        #expect(try ids() == ["c", "a", "bb"])
        query.descending = true
        #expect(try ids() == ["bb", "a", "c"])
        query.mode = .onlyConflicts
        #expect(try ids() == [])
        query.mode = .allDocuments
        query.descending = false
        query.startKey = "b"
        query.endKey = "b"
        query.prefixMatchLevel = 1
        #expect(try ids() == ["bb"])
        query.startKey = nil
        query.endKey = nil
        query.keys = ["c", "none", "a"]
        let rows = try query.run()
        #expect(rows.map(\.documentID) == ["c", "none", "a"])
        #expect(rows.map { $0.revisionID == nil } == [false, true, false])
        #expect(rows[0].document?["n"].int == 1 && rows[1].document == nil)
        query.startKey = "a"
        #expect(code { _ = try query.run() } == CBLError.invalidParameter)
    }
}
