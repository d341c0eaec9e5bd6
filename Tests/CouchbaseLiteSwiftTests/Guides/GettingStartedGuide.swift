// swift-format-ignore-file
// Generated from Sources/CouchbaseLiteSwift/CouchbaseLiteSwift.docc/Guides/GettingStarted.md by `make docs`: change that one.
import Testing
import CouchbaseLiteSwift

extension GuideTests {
    @Test func runGettingStarted() async {
        await #expect(processExitsWith: .success) { try await runGuide(guideGettingStarted) }
    }
}

private func guideGettingStarted() async throws {

    let database = try Database(name: "travel")
    let hotels = try database.createCollection(name: "hotels")

    let hotel = MutableDocument(id: "hotel-1")
    hotel.setString("Seaview", forKey: "name").setInt(42, forKey: "rooms")
    try hotels.save(document: hotel)

    if let found = try hotels.document(id: "hotel-1") {
        print(found.string(forKey: "name") ?? "no name", found.int(forKey: "rooms"))
    }

    #expect(try hotels.document(id: "hotel-1")?.string(forKey: "name") == "Seaview")
    #expect(try hotels.document(id: "hotel-1")?.int(forKey: "rooms") == 42)

    var configuration = DatabaseConfiguration()
    configuration.directory = FileManager.default.currentDirectoryPath + "/data"
    configuration.fullSync = true                    // a commit is safe from a loss of power when it returns
    let journal = try Database(name: "journal", config: configuration)
    print(journal.path ?? "closed")

    #expect(journal.path == FileManager.default.currentDirectoryPath + "/data/journal.cblite2/")
    #expect(Database.exists(withName: "journal", inDirectory: configuration.directory))
    #expect(database.path?.hasPrefix(ProcessInfo.processInfo.environment["XDG_DATA_HOME"]! + "/CouchbaseLite/") == true)

    try database.inBatch {
        for number in 2...1000 {
            try hotels.save(document: MutableDocument(id: "hotel-\(number)", data: ["name": "Hotel \(number)", "rooms": number]))
        }
    }
    print(hotels.count)

    #expect(hotels.count == 1000)
    struct Stop: Error {}
    do {
        try database.inBatch {
            try hotels.purge(id: "hotel-1")
            throw Stop()
        }
        Issue.record("inBatch has thrown nothing")
    } catch let error as NSError {
        #expect(error.domain == CBLError.domain && error.code == CBLError.unexpectedError)
    }
    #expect(hotels.count == 1000)

    let query = try database.createQuery("SELECT META().id, rooms FROM hotels WHERE rooms BETWEEN 41 AND 43 ORDER BY rooms")
    for row in try query.execute() { print(row.string(forKey: "id") ?? "-", row.int(forKey: "rooms")) }

    #expect(try query.execute().map { $0.int(forKey: "rooms") } == [41, 42, 42, 43])

    try journal.close()
    try database.delete()

    #expect(!Database.exists(withName: "travel"))
    do {
        _ = try hotels.document(id: "hotel-1")
        Issue.record("a closed database was read")
    } catch let error as NSError {
        #expect(error.domain == CBLError.domain && error.code == CBLError.notOpen)
    }

    do {
        _ = try database.createCollection(name: "no blanks")
    } catch let error as NSError where error.domain == CBLError.domain && error.code == CBLError.notOpen {
        print("The database is closed.")
    }
}
