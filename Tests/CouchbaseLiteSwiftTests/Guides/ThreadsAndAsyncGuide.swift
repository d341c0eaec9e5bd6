// swift-format-ignore-file
// Generated from Sources/CouchbaseLiteSwift/CouchbaseLiteSwift.docc/Guides/ThreadsAndAsync.md by `make docs`: change that one.
import CouchbaseLiteSwift
import Testing

extension GuideTests {
    @Test func runThreadsAndAsync() async {
        await #expect(processExitsWith: .success) { try await runGuide(guideThreadsAndAsync) }
    }
}

private func guideThreadsAndAsync() async throws {
    let database = try Database(name: "travel")
    let hotels = try database.createCollection(name: "hotels")

    await withTaskGroup(of: Void.self) { group in
        for number in 0..<8 {
            group.addTask {
                let document = MutableDocument(id: "hotel-\(number)", data: ["rooms": number])
                do { try hotels.save(document: document) } catch { print(error.localizedDescription) }
            }
        }
    }
    print(hotels.count)

    #expect(hotels.count == 8)

    let total = try await Task.detached {
        try database.createQuery("SELECT SUM(rooms) AS total FROM hotels").execute().next()?.int(forKey: "total") ?? 0
    }.value

    #expect(total == 28)

    let watching = Task {
        var seen: [String] = []
        for await change in hotels.changes() {
            seen += change.documentIDs
            if seen.count >= 2 { break }
        }
        return seen
    }

    let saving = Task {
        while !Task.isCancelled {
            try hotels.save(document: MutableDocument())
            try await Task.sleep(for: .milliseconds(20))
        }
    }
    #expect(await watching.value.count >= 2)
    saving.cancel()

    let queue = DispatchQueue(label: "hotels")
    let token = hotels.addChangeListener(queue: queue) { change in print(change.documentIDs) }
    token.remove()
    queue.sync {}                                    // now none is running either

    let second = try Database(name: "travel")
    let foreign = try second.collection(name: "hotels")?.document(id: "hotel-1")?.toMutable()

    do {
        try hotels.save(document: try #require(foreign))
        Issue.record("a document of another object was saved")
    } catch let error as NSError {
        #expect(error.code == CBLError.invalidParameter)
    }
}
