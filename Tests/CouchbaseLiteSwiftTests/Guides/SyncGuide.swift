// swift-format-ignore-file
// Generated from Sources/CouchbaseLiteSwift/CouchbaseLiteSwift.docc/Guides/Sync.md by `make docs`: change that one.
import CouchbaseLiteSwift
import Testing

extension GuideTests {
    @Test func runSync() async {
        await #expect(processExitsWith: .success) { try await runGuide(guideSync) }
    }
}

private func guideSync() async throws {
    let database = try Database(name: "travel")
    let hotels = try database.createCollection(name: "hotels")
    let other = try Database(name: "other")
    let otherHotels = try other.createCollection(name: "hotels")
    try hotels.save(document: MutableDocument(id: "hotel-1", data: ["name": "Seaview", "public": true]))
    try hotels.save(document: MutableDocument(id: "hotel-2", data: ["name": "Harbour"]))

    func compiledOnly1() async throws {
        var configuration = ReplicatorConfiguration(
            collections: CollectionConfiguration.fromCollections([hotels]),
            target: URLEndpoint(url: URL(string: "wss://sync.example.com:4984/travel")!))
        configuration.authenticator = BasicAuthenticator(username: "ada", password: "…")
        configuration.continuous = true

        let replicator = Replicator(config: configuration)
        let token = replicator.addChangeListener(withQueue: DispatchQueue(label: "sync")) { change in
            print(change.status.activity, "\(change.status.progress.completed)/\(change.status.progress.total)")
            if let error = change.status.error { print(error.localizedDescription) }
        }
        replicator.start()
        // at the end
        replicator.stop()
        token.remove()
    }

    let pair = ReplicatorConfiguration(
        collections: CollectionConfiguration.fromCollections([hotels]), target: DatabaseEndpoint(database: other))
    try await Replicator(config: pair).replicate()
    print(otherHotels.count)

    #expect(otherHotels.count == 2)

    let lonely = try database.createCollection(name: "lonely")
    let oneSided = ReplicatorConfiguration(
        collections: CollectionConfiguration.fromCollections([lonely]), target: DatabaseEndpoint(database: other))
    await #expect(throws: (any Error).self) { try await Replicator(config: oneSided).replicate() }

    var some = CollectionConfiguration(collection: hotels)
    some.pushFilter = { document, flags in flags.contains(.deleted) || document.boolean(forKey: "public") }
    some.channels = ["harbour"]                      // pull these only; Sync Gateway has channels
    some.documentIDs = ["hotel-1", "hotel-2"]        // neither push nor pull others
    var filtered = ReplicatorConfiguration(collections: [some], target: DatabaseEndpoint(database: other))
    filtered.replicatorType = .push

    let third = try Database(name: "third")
    let thirdHotels = try third.createCollection(name: "hotels")
    some.channels = nil
    filtered = ReplicatorConfiguration(collections: [some], target: DatabaseEndpoint(database: third))
    filtered.replicatorType = .push
    try await Replicator(config: filtered).replicate()
    #expect(thirdHotels.count == 1)

    try hotels.save(document: MutableDocument(id: "hotel-3", data: ["name": "Alpine"]))
    let push = Replicator(config: pair)
    print(try push.pendingDocumentIds(collection: hotels))

    #expect(try push.pendingDocumentIds(collection: hotels) == ["hotel-3"])
    #expect(try push.isDocumentPending("hotel-3", collection: hotels))
    try await push.replicate()
    #expect(try push.pendingDocumentIds(collection: hotels).isEmpty)

    let documents = push.addDocumentReplicationListener(withQueue: DispatchQueue(label: "documents")) { replication in
        for document in replication.documents {
            print(replication.isPush ? "sent" : "received", document.id, document.error?.localizedDescription ?? "")
        }
    }

    documents.remove()
}
