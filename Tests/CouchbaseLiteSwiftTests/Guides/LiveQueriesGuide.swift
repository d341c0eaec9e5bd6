// swift-format-ignore-file
// Generated from Sources/CouchbaseLiteSwift/CouchbaseLiteSwift.docc/Guides/LiveQueries.md by `make docs`: change that one.
import CouchbaseLiteSwift
import Testing

extension GuideTests {
    @Test func runLiveQueries() async {
        await #expect(processExitsWith: .success) { try await runGuide(guideLiveQueries) }
    }
}

private func guideLiveQueries() async throws {
    let database = try Database(name: "travel")
    let hotels = try database.createCollection(name: "hotels")
    try hotels.save(document: MutableDocument(id: "hotel-1", data: ["rooms": 10]))
    let heard = DispatchSemaphore(value: 0)
    func wait() { #expect(heard.wait(timeout: .now() + 60) == .success) }

    let query = try database.createQuery("SELECT META().id, rooms FROM hotels WHERE rooms > $least ORDER BY rooms")
    query.parameters = Parameters().setInt(5, forName: "least")

    let queue = DispatchQueue(label: "hotels")
    let token = query.addChangeListener(withQueue: queue) { change in
        guard let rows = change.results else { return print("The query has failed: \(String(describing: change.error))") }
        for row in rows { print(row.string(forKey: "id") ?? "-", row.int(forKey: "rooms")) }
    }

    let counting = query.addChangeListener(withQueue: DispatchQueue(label: "counting")) { change in
        if change.results != nil { heard.signal() }
    }
    wait()
    try hotels.save(document: MutableDocument(id: "hotel-2", data: ["rooms": 20]))
    wait()

    query.parameters = Parameters().setInt(15, forName: "least")

    wait()

    token.remove()

    counting.remove()

    let watching = Task {
        for await change in query.changes() {
            guard let rows = change.results else { continue }
            return rows.allResults().count
        }
        return 0
    }
    print(await watching.value)

    #expect(await watching.value == 1)

    let ofCollection = hotels.addChangeListener(queue: queue) { change in
        print("changed:", change.documentIDs)
    }
    let ofDocument = hotels.addDocumentChangeListener(id: "hotel-1", queue: queue) { change in
        let isThere = (try? change.collection.document(id: change.documentID)) != nil
        print(change.documentID, isThere ? "was saved" : "is gone")
    }
    try hotels.purge(id: "hotel-1")

    let told = hotels.addDocumentChangeListener(id: "hotel-2", queue: DispatchQueue(label: "told")) { _ in heard.signal() }
    try hotels.purge(id: "hotel-2")
    wait()
    told.remove()

    ofCollection.remove()
    ofDocument.remove()
}
