// swift-format-ignore-file
// Generated from docs/library.md by `make docs`: change that one.
import Testing
import CouchbaseLiteSwift

extension GuideTests {
    @Test func runLibrary() async {
        await #expect(processExitsWith: .success) { try await runGuide(guideLibrary) }
    }
}

private func guideLibrary() async throws {

    let database = try Database(name: "travel")
    let hotels = try database.createCollection(name: "hotels")

    let hotel = MutableDocument(id: "hotel-1").setString("Seaview", forKey: "name").setInt(42, forKey: "rooms")
    try hotels.save(document: hotel)

    try database.inBatch {                                   // all or nothing, and much quicker
        for number in 2...1000 { try hotels.save(document: MutableDocument(id: "hotel-\(number)", data: ["rooms": number])) }
    }
    print(try hotels.document(id: "hotel-1")?.string(forKey: "name") ?? "none")

    #expect(hotels.count == 1000)

    final class Hotel: Codable {
        @DocumentID var id: String?
        var name: String
        var rooms: Int
    }

    let seaview = try hotels.document(id: "hotel-1", as: Hotel.self)

    #expect(seaview?.rooms == 42)

    let query = try database.createQuery("SELECT name, rooms FROM hotels WHERE rooms > $least ORDER BY rooms")
    query.parameters = Parameters().setInt(100, forName: "least")
    for row in try query.execute() { print(row.string(forKey: "name") ?? "-", row.int(forKey: "rooms")) }

    struct Row: Decodable { let name: String?; let rooms: Int }
    let rows = try query.execute(as: Row.self)               // without dictionaries in between

    let token = query.addChangeListener(withQueue: .global()) { change in      // now, and whenever the result is different
        print(change.results?.allResults().count ?? 0)
    }
    for await change in query.changes() {                    // the same for async code
        print(change.results?.allResults().count ?? 0)
        break
    }
    token.remove()

    #expect(rows.count == 900)

    try await hotels.async.save(document: hotel)
    try await database.async.inBatch {
        for number in 1...3 { try hotels.save(document: MutableDocument(id: "inn-\(number)", data: ["rooms": number])) }
    }
    let large = try await query.async.execute(as: Row.self)
    for try await row in query.async.rows() { print(row.string(forKey: "name") ?? "-") }     // read as they are asked for
    let journeys = try await Database.async.open(name: "journeys")

    #expect(large.count == 900)
    #expect(hotels.count == 1003)
    try journeys.close()

    func compiledOnly1() async throws {
        var configuration = ReplicatorConfiguration(
            collections: CollectionConfiguration.fromCollections([hotels]), target: URLEndpoint(url: URL(string: "wss://sync.example.com/travel")!))
        configuration.continuous = true
        configuration.authenticator = BasicAuthenticator(username: "ada", password: "…")
        let replicator = Replicator(config: configuration)
        replicator.start()
        try await replicator.async.untilIdle()                   // or, in one call: try await replicator.replicate()
    }
}
