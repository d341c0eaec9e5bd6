// swift-format-ignore-file
// Generated from Sources/CouchbaseLiteSwift/CouchbaseLiteSwift.docc/Guides/Conflicts.md by `make docs`: change that one.
import CouchbaseLiteSwift
import Testing

extension GuideTests {
    @Test func runConflicts() async {
        await #expect(processExitsWith: .success) { try await runGuide(guideConflicts) }
    }
}

private func guideConflicts() async throws {
    let database = try Database(name: "travel")
    let hotels = try database.createCollection(name: "hotels")
    try hotels.save(document: MutableDocument(id: "hotel-1", data: ["name": "Seaview", "rooms": 42]))

    if let mine = try hotels.document(id: "hotel-1")?.toMutable(), let theirs = try hotels.document(id: "hotel-1")?.toMutable() {
        theirs.setInt(43, forKey: "rooms")
        try hotels.save(document: theirs)

        mine.setString("Sea View", forKey: "name")
        let isSaved = try hotels.save(document: mine) { mine, stored in
            guard let stored else { return false }           // it was deleted: leave it so
            mine.setInt(stored.int(forKey: "rooms"), forKey: "rooms")
            return true                                      // save mine over it
        }
        print(isSaved)
    }

    let merged = try #require(try hotels.document(id: "hotel-1"))
    #expect(merged.string(forKey: "name") == "Sea View" && merged.int(forKey: "rooms") == 43)

    if let stale = try hotels.document(id: "hotel-1")?.toMutable() {
        try database.execute("UPDATE hotels SET rooms = 50")
        stale.setInt(44, forKey: "rooms")
        if try !hotels.save(document: stale, concurrencyControl: .failOnConflict) { print("Somebody else was quicker.") }
    }

    #expect(try hotels.document(id: "hotel-1")?.int(forKey: "rooms") == 50)

    struct KeepsBoth: ConflictResolverProtocol {
        func resolve(conflict: Conflict) -> Document? {
            guard let local = conflict.localDocument, let remote = conflict.remoteDocument else {
                return conflict.localDocument ?? conflict.remoteDocument     // a change wins over a deletion
            }
            let merged = remote.toMutable()
            merged.setInt(max(local.int(forKey: "rooms"), remote.int(forKey: "rooms")), forKey: "rooms")
            return merged
        }
    }

    var configuration = CollectionConfiguration(collection: hotels)
    configuration.conflictResolver = KeepsBoth()

    let other = try Database(name: "other")
    let otherHotels = try other.createCollection(name: "hotels")
    let replicator = Replicator(config: ReplicatorConfiguration(collections: [configuration], target: DatabaseEndpoint(database: other)))
    try await replicator.replicate()
    try database.execute("UPDATE hotels SET rooms = 70")
    try other.execute("UPDATE hotels SET rooms = 60, name = 'Bay'")
    try await replicator.replicate()
    let resolved = try #require(try hotels.document(id: "hotel-1"))
    #expect(resolved.int(forKey: "rooms") == 70 && resolved.string(forKey: "name") == "Bay")
    #expect(try otherHotels.document(id: "hotel-1")?.int(forKey: "rooms") == 60)
    try await replicator.replicate()
    #expect(try otherHotels.document(id: "hotel-1")?.int(forKey: "rooms") == 70)
}
