import CBLFleece
import CBLSQLite
import CBLTestSupport
import Testing

@testable import CBLStore

/// What a document that was read gives, and when it is decoded.
@Suite struct DocumentTests {
    let directory: TemporaryDirectory
    let path: String
    let database: Database

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path + "/d.cblite2"
        database = try Database(path: path, options: .create)
        try database.write { transaction in
            try transaction.save("d", body: transaction.encode(json: #"{"name":"Ada","tags":[1,2]}"#))
            try transaction.save("d", body: transaction.encode(json: #"{"name":"Eve","tags":[3]}"#))
        }
    }

    private func json(_ document: Document, _ keys: SharedKeys) -> String {
        document.body.withRoot { $0.json(keys: keys, style: .canonical) }
    }

    @Test func itOutlivesItsSnapshotAndTheDatabase() throws {
        let (document, keys) = try database.read { (try #require(try $0.document("d")), $0.sharedKeys) }
        try database.write { transaction in
            try transaction.save("d", body: transaction.encode(json: #"{"other":true}"#))
            try transaction.purge("d")
        }
        database.close()
        #expect(json(document, keys) == #"{"name":"Eve","tags":[3]}"#)
        let tree = try #require(try document.revisions().tree)
        #expect(tree.revisions.map(\.id.generation) == [2, 1])
        // The tree's body is the document's, in the same memory.
        #expect(tree.current?.body?.bytes.baseAddress == document.body.bytes.baseAddress)
    }

    @Test func aBodyIsReadThoughTheTreeIsDamaged() throws {
        database.close()
        do {
            let connection = try Connection(path: path + "/db.sqlite3", mode: .readWrite)
            try connection.execute("UPDATE kv_default SET extra = x'0000000100'")
        }
        let again = try Database(path: path)
        try again.read { snapshot in
            let document = try #require(try snapshot.document("d"))
            #expect(json(document, snapshot.sharedKeys) == #"{"name":"Eve","tags":[3]}"#)
            let error = #expect(throws: StoreError.self) { try document.revisions() }
            #expect(error?.code == .corrupt && error?.message.contains("\"d\" is damaged") == true)
            #expect(throws: StoreError.self) { try snapshot.withRevisions(of: "d") { $0.bodies.count } }
        }
    }

    @Test func revisionsAreLentInPlace() throws {
        try database.read { snapshot in
            let owned = try #require(try snapshot.document("d")).revisions()
            let facts = try snapshot.withRevisions(of: "d") { lent in
                (lent.tree?.current?.id, lent.tree?.revisions.count, lent.bodies.map { Array($0.bytes) })
            }
            #expect(facts?.0 == owned.tree?.current?.id && facts?.0 != nil && facts?.1 == 2)
            #expect(facts?.2 == owned.bodies.map { Array($0.bytes) })
            try #expect(snapshot.withRevisions(of: "none") { $0.bodies.count } == nil)
        }
    }

    @Test func aDocumentAsItWasReadIsSavedOnlyIfItIsStillThat() throws {
        let read = try #require(try database.read { try $0.document("d") })
        try database.write { transaction in
            let body = try transaction.encode(json: #"{"n":1}"#)
            let saved = try transaction.save(read, body: body)
            #expect(saved.id.generation == 3 && !saved.isCreated)
        }
        try database.write { transaction in
            let body = try transaction.encode(json: #"{"n":2}"#)
            #expect(throws: StoreError.self) { try transaction.save(read, body: body) }
            #expect(throws: StoreError.self) { try transaction.delete(read) }
            let now = try #require(try transaction.document("d"))
            try transaction.delete(now)
            #expect(throws: StoreError.self) { try transaction.delete(now) }
            let tombstone = try #require(try transaction.document("d"))
            let saved = try transaction.save(tombstone, body: body)
            #expect(saved.isCreated && saved.id.generation == 5)
            try transaction.purge("d")
            // Gone without a trace: the row that it was is not there.
            #expect(throws: StoreError.self) { try transaction.save(now, body: body) }
        }
    }

    @Test func propertiesCompareAcrossTables() throws {
        let json = #"{"name":"Eve","tags":[3]}"#
        let stored = try database.read { DocumentProperties(try #require(try $0.document("d")).body, keys: $0.sharedKeys) }
        #expect(try stored == DocumentProperties(json: json) && stored.json(style: .canonical) == json)
        #expect(try stored != DocumentProperties(json: #"{"name":"Eve","tags":[4]}"#))
        try database.write { transaction in
            let adopted = try transaction.adopt(DocumentProperties(json: json))
            #expect(Array(adopted.bytes) == Array(stored.data.bytes))
        }
    }
}
