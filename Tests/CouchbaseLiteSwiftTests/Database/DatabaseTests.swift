import CouchbaseLiteSwift
import Testing

@Suite struct DatabaseTests {
    let test: TemporaryDatabase

    init() throws { test = try TemporaryDatabase() }

    @Test func aDatabaseHasNamePathAndConfiguration() throws {
        #expect(test.database.name == "db")
        #expect(test.database.path == test.folder.path + "/db.cblite2/")
        #expect(Database.exists(withName: "db", inDirectory: test.folder.path))
        #expect(!Database.exists(withName: "other", inDirectory: test.folder.path))
        #expect(code { _ = try test.folder.open("") } == CBLError.invalidParameter)
        let slash = try test.folder.open("a/b")
        #expect(slash.path == test.folder.path + "/a:b.cblite2/")
        try slash.delete()
        #expect(DatabaseConfiguration().directory == DatabaseConfiguration(config: nil).directory)
    }

    @Test func whatIsClosedIsNotOpen() throws {
        let document = try test.save("doc")
        let named = try test.database.createCollection(name: "named")
        try test.database.close()
        try test.database.close()
        #expect(test.database.path == nil && test.database.name == "db" && test.collection.count == 0)
        #expect(code { _ = try test.collection.document(id: "doc") } == CBLError.notOpen)
        #expect(code { try test.collection.save(document: document) } == CBLError.notOpen)
        #expect(code { try test.collection.delete(document: document) } == CBLError.notOpen)
        #expect(code { try test.collection.purge(id: "doc") } == CBLError.notOpen)
        #expect(code { _ = try test.collection.getDocumentExpiration(id: "doc") } == CBLError.notOpen)
        #expect(code { _ = try test.database.defaultCollection() } == CBLError.notOpen)
        #expect(code { _ = try test.database.scopes() } == CBLError.notOpen)
        #expect(code { try test.database.inBatch {} } == CBLError.notOpen)
        #expect(code { try test.database.delete() } == CBLError.notOpen)
        #expect(code { _ = try named.scope.collections() } == CBLError.notOpen)
        #expect(code { try test.database.performMaintenance(type: .compact) } == CBLError.notOpen)
        #expect(!test.collection["doc"].exists)
        test.collection.addChangeListener { _ in }.remove()
        #expect(document.id == "doc")
    }

    @Test func deletionIsRefusedWhileItIsOpenElsewhere() throws {
        let other = try test.another()
        #expect(code { try test.database.delete() } == CBLError.busy)
        #expect(code { try Database.delete(withName: "db", inDirectory: test.folder.path) } == CBLError.busy)
        try other.close()
        try test.database.delete()
        #expect(!Database.exists(withName: "db", inDirectory: test.folder.path))
        try Database.delete(withName: "db", inDirectory: test.folder.path)
    }

    @Test func aCopyHasEverythingAndIsAnother() throws {
        try test.save("doc", ["photo": Blob(contentType: "text/plain", data: Data("content".utf8))])
        let path = try #require(test.database.path)
        try test.database.close()
        try Database.copy(fromPath: path, toDatabase: "copy", withConfig: test.folder.configuration)
        let copy = try test.folder.open("copy")
        defer { try? copy.close() }
        let document = try #require(try copy.defaultCollection().document(id: "doc"))
        #expect(document.blob(forKey: "photo")?.content == Data("content".utf8))
        do {
            try Database.copy(fromPath: path, toDatabase: "copy", withConfig: test.folder.configuration)
            Issue.record("a database was copied over another")
        } catch let error as NSError {
            #expect(error.domain == NSPOSIXErrorDomain && error.code == Int(EEXIST))
        }
        #expect(throws: NSError.self) {
            try Database.copy(fromPath: path + "nothing", toDatabase: "third", withConfig: test.folder.configuration)
        }
        #expect(!Database.exists(withName: "third", inDirectory: test.folder.path))
    }

    @Test func maintenanceDoesItsWork() throws {
        for number in 0..<100 { try test.save("doc \(number)", ["n": number]) }
        for type in [MaintenanceType.compact, .reindex, .integrityCheck, .optimize, .fullOptimize] {
            try test.database.performMaintenance(type: type)
        }
        #expect(test.collection.count == 100)
    }

    @Test func collectionsAreMadeFoundAndDeleted() throws {
        let hotels = try test.database.createCollection(name: "hotels", scope: "inventory")
        #expect(try test.database.createCollection(name: "hotels", scope: "inventory") == hotels)
        #expect(hotels.fullName == "inventory.hotels" && test.collection.fullName == "_default._default")
        #expect(try test.database.scopes().map(\.name) == ["_default", "inventory"])
        #expect(try test.database.scope(name: "inventory")?.collections() == [hotels])
        #expect(try test.database.scope(name: "nothing") == nil)
        #expect(try test.database.collection(name: "nothing") == nil)
        for (name, scope) in [("a b", "_default"), ("_x", "_default"), ("", "x"), ("x", "_y"), ("_default", "x")] {
            #expect(code { _ = try test.database.collection(name: name, scope: scope) } == CBLError.invalidParameter)
        }
        #expect(try test.database.defaultScope().collections() == [test.collection])
        try hotels.save(document: MutableDocument(id: "doc"))
        try test.database.deleteCollection(name: "hotels", scope: "inventory")
        try test.database.deleteCollection(name: "hotels", scope: "inventory")
        #expect(code { _ = try hotels.document(id: "doc") } == CBLError.notOpen)
        #expect(hotels.count == 0 && hotels == hotels)
        let again = try test.database.createCollection(name: "hotels", scope: "inventory")
        #expect(again.count == 0 && again != hotels)
        #expect(code { try hotels.save(document: MutableDocument()) } == CBLError.notOpen)
        #expect(code { try test.database.deleteCollection(name: "_default") } == CBLError.invalidParameter)
    }

    @Test func aDeletionThatIsRolledBackHasNotBeen() throws {
        struct Failure: Error {}
        let hotels = try test.database.createCollection(name: "hotels")
        try hotels.save(document: MutableDocument(id: "doc"))
        #expect(throws: NSError.self) {
            try test.database.inBatch {
                try test.database.deleteCollection(name: "hotels")
                #expect(hotels.count == 0)
                throw Failure()
            }
        }
        #expect(hotels.count == 1)
        #expect(try hotels.document(id: "doc") != nil)
    }

    @Test func aCollectionThatAnotherDatabaseDeletesIsGone() throws {
        let other = try test.another()
        defer { try? other.close() }
        let hotels = try test.database.createCollection(name: "hotels")
        let same = try #require(try other.collection(name: "hotels"))
        try other.deleteCollection(name: "hotels")
        #expect(code { _ = try hotels.document(id: "doc") } == CBLError.notOpen)
        _ = try other.createCollection(name: "hotels")
        #expect(code { _ = try hotels.document(id: "doc") } == CBLError.notOpen)
        #expect(code { _ = try same.document(id: "doc") } == CBLError.notOpen)
    }

    @Test(arguments: ["", "_a", "%a", "a b", "a.b", "ü", String(repeating: "x", count: 252)])
    func badNamesOfCollectionsAreRefused(_ name: String) {
        #expect(code { _ = try test.database.createCollection(name: name) } == CBLError.invalidParameter)
        #expect(code { _ = try test.database.createCollection(name: "a", scope: name) } == CBLError.invalidParameter)
    }
}
