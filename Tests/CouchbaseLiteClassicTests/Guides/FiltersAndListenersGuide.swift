// swift-format-ignore-file
// Generated from Sources/CouchbaseLiteClassic/CouchbaseLiteClassic.docc/Guides/FiltersAndListeners.md by `make docs`: change that one.
import Testing
import CouchbaseLiteClassic

extension GuideTests {
    @Test func runFiltersAndListeners() async {
        await #expect(processExitsWith: .success) { try await runGuide(guideFiltersAndListeners) }
    }
}

private func guideFiltersAndListeners() async throws {
    let database = try Database(name: "travel")
    let hotels = try database.createCollection(name: "hotels")

    database.setFilter("byCity") { document, flags, parameters in document.string(forKey: "city") == parameters["city"] }

    var configuration = CollectionConfiguration(collection: hotels)
    try configuration.setPushFilter(named: "byCity", parameters: ["city": "Porto"])

    #expect(configuration.pushFilter != nil)

    let token = hotels.addRevisionListener(queue: .global()) { changes in
        for change in changes { print(change.documentID, change.revisionID, change.isCurrent, change.source) }
    }
    try hotels.save(document: MutableDocument(id: "hotel-1"))
    token.remove()

    try database.saveLocalDocument(id: "settings", ["theme": "dark"])
    let settings = try database.localDocument(id: "settings")
    print(settings?.properties["theme"] as? String ?? "-")
    try database.saveLocalDocument(id: "settings", ["theme": "light"], revisionID: settings?.revisionID)

    #expect(try database.localDocument(id: "settings")?.revisionID == "2-local")
}
