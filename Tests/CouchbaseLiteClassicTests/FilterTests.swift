import CouchbaseLiteClassic
import Testing

@Suite struct FilterTests {
    let scene: TemporaryDatabase
    let other: Database

    init() throws {
        scene = try TemporaryDatabase()
        other = try scene.folder.open("other")
        scene.database.setFilter("ofKind") { document, _, parameters in document.string(forKey: "kind") == parameters["kind"] }
    }

    @Test func aPushTakesWhatTheFilterLetsThrough() throws {
        try scene.save("a", ["kind": "public"])
        try scene.save("b", ["kind": "private"])
        var configuration = CollectionConfiguration(collection: scene.collection)
        try configuration.setPushFilter(named: "ofKind", parameters: ["kind": "public"])
        try replicate(configuration, with: other, .push)
        let there = try other.defaultCollection()
        #expect(try there.document(id: "a") != nil && there.document(id: "b") == nil)
    }

    @Test func aPullAsksAsWell() throws {
        let there = try other.defaultCollection()
        for kind in ["public", "private"] { try there.save(document: MutableDocument(id: kind, data: ["kind": kind])) }
        var configuration = CollectionConfiguration(collection: scene.collection)
        try configuration.setPullFilter(named: "ofKind", parameters: ["kind": "private"])
        try replicate(configuration, with: other, .pull)
        #expect(scene.collection.count == 1)
        #expect(try scene.collection.document(id: "private") != nil)
    }

    @Test func whatHasNoNameIsNotUsed() throws {
        var configuration = CollectionConfiguration(collection: scene.collection)
        #expect(code { try configuration.setPushFilter(named: "other") } == CBLError.notFound)
        #expect(configuration.pushFilter == nil)
        #expect(scene.database.filter(named: "ofKind") != nil)
        try configuration.setPushFilter(named: "ofKind", parameters: ["kind": "public"])
        scene.database.setFilter("ofKind", nil)
        #expect(scene.database.filter(named: "ofKind") == nil)
        try scene.save("a", ["kind": "public"])
        try replicate(configuration, with: other, .push)
        #expect(try other.defaultCollection().count == 0)
    }
}
