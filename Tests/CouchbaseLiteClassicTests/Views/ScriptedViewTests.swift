import CouchbaseLiteClassic
import Testing

/// Views in JavaScript, of the program and of design documents.
struct ScriptedViewTests {
    private let temporary: TemporaryDatabase

    init() throws {
        temporary = try TemporaryDatabase()
        for (id, city) in [("a", "Paris"), ("b", "Kobe"), ("c", "Paris")] { try temporary.save(id, ["city": city]) }
    }

    @Test func functionsInJavaScriptMapAndReduce() throws {
        let view = temporary.collection.view("byCity")
        try view.setMap(javaScript: "function (doc) { emit(doc.city, 2); }", reduce: "_sum")
        let query = view.createQuery()
        query.group = true
        #expect(try query.run().map { "\($0.key.string ?? "") \($0.value.int)" } == ["Kobe 2", "Paris 4"])
        try view.setMap(
            javaScript: "function (doc, meta) { emit(doc.city, meta.id); }",
            reduce: "function (keys, values) { return values.join('+'); }")
        #expect(try query.run().map { $0.value.string } == ["b", "a+c"])
    }

    @Test func aMistakeIsToldWhenTheViewIsDefined() throws {
        let view = temporary.collection.view("byCity")
        #expect(code { try view.setMap(javaScript: "function (doc) { emit(doc.city }") } == CBLError.invalidQuery)
        #expect(code { try view.setMap(javaScript: "function (doc) {}", reduce: "_none") } == CBLError.invalidParameter)
        #expect(!view.isDefined)
    }

    @Test func designDocumentsOfferTheirViews() throws {
        let database = temporary.database
        #expect(try database.designViews().isEmpty)
        try database.saveDesignView(named: "city", javaScript: "function (doc) { emit(doc.city); }", reduce: "_count")
        try database.close()
        let reopened = try temporary.folder.open()
        defer { try? reopened.close() }
        #expect(try reopened.designViews().map(\.name) == ["views/city"])
        let view = try #require(try reopened.designView(named: "city"))
        #expect(try view.createQuery().run().first?.value.int == 3)
        #expect(code { try reopened.saveDesignView(named: "city", javaScript: "nonsense(") } == CBLError.invalidQuery)
        #expect(try reopened.deleteDesignView(named: "city"))
        #expect(try !reopened.deleteDesignView(named: "city"))
        #expect(try reopened.designView(named: "city") == nil)
    }
}
