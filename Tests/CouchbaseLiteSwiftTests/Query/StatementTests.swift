import CouchbaseLiteSwift
import Foundation
import Testing

/// SQL++ that writes.
@Suite struct StatementTests {
    let scene: QueryScene

    init() throws { scene = try QueryScene() }

    @Test func documentsAreWritten() throws {
        let inserted = try scene.database.execute(#"INSERT INTO inventory.hotels (KEY, VALUE) VALUES ("new", {"name": "New", "stars": 1})"#)
        #expect(inserted.inserted == 1 && inserted.count == 1)
        #expect(try scene.hotels.document(id: "new")?.string(forKey: "name") == "New")
        #expect(try scene.database.execute("DELETE FROM inventory.hotels WHERE META().id = 'new'").deleted == 1)
        #expect(try scene.hotels.document(id: "new") == nil)
        let updated = try scene.database.execute(
            "UPDATE inventory.hotels SET stars = stars + 1 WHERE city = $city", parameters: Parameters().setString("Kiel", forName: "city"))
        #expect(updated.updated == 2 && updated.inserted == 0 && updated.deleted == 0)
        #expect(try scene.hotels.document(id: "seaview")?.int(forKey: "stars") == 5)
    }

    @Test func collectionsAndIndexesAreMadeAndDropped() throws {
        try scene.database.execute("CREATE COLLECTION inventory.rooms")
        let rooms = try #require(try scene.database.collection(name: "rooms", scope: "inventory"))
        try scene.database.execute("CREATE INDEX byCity ON inventory.hotels (city)")
        #expect(try scene.hotels.indexes() == ["byCity"])
        try scene.database.execute("DROP COLLECTION inventory.rooms")
        #expect(NSError.of { _ = try rooms.document(id: "x") }?.code == CBLError.notOpen)
    }

    @Test func blobsOfParametersAreStored() throws {
        let parameters = Parameters().setBlob(Blob(contentType: "text/plain", data: Data("content".utf8)), forName: "blob")
        try scene.database.execute(#"UPSERT INTO inventory.hotels (KEY, VALUE) VALUES ("b", {"blob": $blob})"#, parameters: parameters)
        #expect(try scene.hotels.document(id: "b")?.blob(forKey: "blob")?.content == Data("content".utf8))
    }

    @Test(arguments: ["SELECT name FROM _", "UPDATE nowhere SET a = 1", "INSERT nonsense", ""])
    func mistakesAreErrors(_ statement: String) throws {
        #expect(NSError.of { try scene.database.execute(statement) }?.code == CBLError.invalidQuery)
    }

    @Test func inABatchItIsAPartOfThat() throws {
        struct Failure: Error {}
        try? scene.database.inBatch {
            try scene.database.execute("DELETE FROM inventory.hotels")
            throw Failure()
        }
        #expect(scene.hotels.count == 3)
        try scene.database.close()
        #expect(NSError.of { try scene.database.execute("DELETE FROM _") }?.code == CBLError.notOpen)
    }
}
