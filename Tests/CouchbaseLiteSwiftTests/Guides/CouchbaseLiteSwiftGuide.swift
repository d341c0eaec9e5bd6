// swift-format-ignore-file
// Generated from Sources/CouchbaseLiteSwift/CouchbaseLiteSwift.docc/CouchbaseLiteSwift.md by `make docs`: change that one.
import Testing
import CouchbaseLiteSwift

extension GuideTests {
    @Test func runCouchbaseLiteSwift() async {
        await #expect(processExitsWith: .success) { try await runGuide(guideCouchbaseLiteSwift) }
    }
}

private func guideCouchbaseLiteSwift() async throws {

    let database = try Database(name: "travel")
    let hotels = try database.createCollection(name: "hotels")
    try hotels.save(document: MutableDocument(id: "hotel-1", data: ["name": "Seaview", "rooms": 42]))
    for row in try database.createQuery("SELECT name FROM hotels WHERE rooms > 40").execute() {
        print(row.string(forKey: "name") ?? "-")
    }
}
