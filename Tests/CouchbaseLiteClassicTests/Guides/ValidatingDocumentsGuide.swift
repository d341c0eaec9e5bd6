// swift-format-ignore-file
// Generated from Sources/CouchbaseLiteClassic/CouchbaseLiteClassic.docc/Guides/ValidatingDocuments.md by `make docs`: change that one.
import Testing
import CouchbaseLiteClassic

extension GuideTests {
    @Test func runValidatingDocuments() async {
        await #expect(processExitsWith: .success) { try await runGuide(guideValidatingDocuments) }
    }
}

private func guideValidatingDocuments() async throws {
    let database = try Database(name: "travel")
    let hotels = try database.createCollection(name: "hotels")

    hotels.setValidation("owner") { document, context in
        context.validateChanges { key, old, new in key != "owner" || old == nil || old as? String == new as? String }
    }
    hotels.setValidation("kept") { document, context in
        if context.isDeletion, context.current?.boolean(forKey: "protected") ?? false { context.reject("it is protected") }
    }

    do {
        try hotels.save(document: MutableDocument(id: "hotel-1", data: ["owner": "ada", "protected": true]))
        try hotels.save(document: MutableDocument(id: "hotel-1", data: ["owner": "eve"]))
    } catch let error as NSError where error.code == CBLError.httpForbidden {
        print(error.localizedDescription)
    }

    #expect(try hotels.document(id: "hotel-1")?.string(forKey: "owner") == "ada")
    #expect(throws: (any Error).self) { try hotels.delete(document: try #require(try hotels.document(id: "hotel-1"))) }

    try hotels.setValidation("schema", schema: """
        {"type": "object", "properties": {"rooms": {"type": "integer", "minimum": 1}}}
        """)

    #expect(throws: (any Error).self) { try hotels.save(document: MutableDocument(data: ["rooms": 0])) }
}
