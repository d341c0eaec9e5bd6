import CBLTestSupport
import CouchbaseLiteClassic
import Testing

@Suite struct LocalDocumentTests {
    let scene: TemporaryDatabase
    var database: Database { scene.database }

    init() throws { scene = try TemporaryDatabase() }

    @Test func aLocalDocumentIsSavedReadAndDeleted() throws {
        #expect(try database.localDocument(id: "settings") == nil)
        let first = try database.saveLocalDocument(id: "settings", ["theme": "dark", "size": 12, "path": "a/b"])
        #expect(first.revisionID == "1-local" && first.json == #"{"path":"a/b","size":12,"theme":"dark"}"#)
        #expect(try database.localDocument(id: "settings") == first)
        #expect(first.properties["theme"] as? String == "dark")
        #expect(try database.saveLocalDocument(id: "settings", [:]).revisionID == "2-local")
        #expect(try database.localDocumentIDs() == ["settings"])
        #expect(try database.deleteLocalDocument(id: "settings"))
        #expect(try !database.deleteLocalDocument(id: "settings"))
        #expect(try database.localDocumentIDs().isEmpty && scene.collection.count == 0)
    }

    @Test func aStaleRevisionIsAConflict() throws {
        #expect(code { try database.saveLocalDocument(id: "a", [:], revisionID: "1-local") } == CBLError.conflict)
        try database.saveLocalDocument(id: "a", ["n": 1], revisionID: nil)
        #expect(code { try database.saveLocalDocument(id: "a", ["n": 2], revisionID: nil) } == CBLError.conflict)
        try database.saveLocalDocument(id: "a", ["n": 2], revisionID: "1-local")
        #expect(code { try database.deleteLocalDocument(id: "a", revisionID: "1-local") } == CBLError.conflict)
        #expect(code { try database.deleteLocalDocument(id: "b", revisionID: "1-local") } == CBLError.notFound)
        try database.deleteLocalDocument(id: "a", revisionID: "2-local")
        #expect(try database.localDocument(id: "a") == nil)
    }

    @Test func whatIsNoJSONIsRefused() throws {
        #expect(code { try database.saveLocalDocument(id: "a", ["date": Date()]) } == CBLError.invalidJSON)
        #expect(code { try database.saveLocalDocument(id: "", [:]) } == CBLError.badDocID)
    }

    @Test func theyStayWhereTheyAre() throws {
        try database.saveLocalDocument(id: "mine", [:])
        try scene.save("doc")
        let other = try scene.folder.open("other")
        defer { try? other.close() }
        try replicate(CollectionConfiguration(collection: scene.collection), with: other, .push)
        #expect(try other.localDocumentIDs().isEmpty && other.defaultCollection().count == 1)
        try database.close()
        let again = try scene.folder.open()
        defer { try? again.close() }
        #expect(try again.localDocumentIDs() == ["mine"])
    }
}
