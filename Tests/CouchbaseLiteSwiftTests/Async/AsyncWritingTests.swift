import CBLTestSupport
import CouchbaseLiteSwift
import Testing

@Suite(.timeLimit(.minutes(5))) struct AsyncWritingTests {
    let test: TemporaryDatabase
    var collection: CouchbaseLiteSwift.Collection { test.collection }

    init() throws { test = try TemporaryDatabase() }

    /// Keeps the queue of writes busy with a batch until it is let go.
    private final class Holder: Sendable {
        private let end = DispatchSemaphore(value: 0)
        private let batch: Task<Void, any Error>

        init(_ database: Database) async throws {
            let end = end
            let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
            batch = Task {
                try await database.async.inBatch {
                    continuation.finish()
                    end.wait()
                }
            }
            for await _ in stream {}
        }

        func letGo() async throws {
            end.signal()
            try await batch.value
        }
    }

    @Test func documentsAreSavedReadDeletedAndPurged() async throws {
        let document = MutableDocument(id: "doc", data: ["n": 1])
        try await collection.async.save(document: document)
        #expect(document.sequence == 1)
        let found = try #require(try await collection.async.document(id: "doc"))
        #expect(found.int(forKey: "n") == 1)
        try await collection.async.save(document: found.toMutable().setInt(2, forKey: "n"))
        #expect(try await !collection.async.save(document: document.setInt(3, forKey: "n"), concurrencyControl: .failOnConflict))
        #expect(try await !collection.async.delete(document: found, concurrencyControl: .failOnConflict))
        let isSaved = try await collection.async.save(document: document) { mine, theirs in
            mine.setInt(mine.int(forKey: "n") + (theirs?.int(forKey: "n") ?? 0), forKey: "n")
            return true
        }
        #expect(isSaved)
        #expect(try test.document("doc").int(forKey: "n") == 5)
        let time = Date(timeIntervalSinceNow: 1000)
        try await collection.async.setDocumentExpiration(id: "doc", expiration: time)
        let kept = try #require(try await collection.async.getDocumentExpiration(id: "doc"))
        #expect(abs(kept.timeIntervalSince(time)) < 0.002)
        try await collection.async.delete(document: try test.document("doc"))
        #expect(try await collection.async.document(id: "doc") == nil)
        try test.save("other")
        try await collection.async.purge(id: "other")
        try await collection.async.purge(document: try test.save("third"))
        #expect(collection.count == 0)
    }

    @Test func errorsAreThoseOfTheSameCalls() async throws {
        await #expect { try await collection.async.purge(id: "nobody") } throws: { ($0 as NSError).code == CBLError.notFound }
        await #expect { try await collection.async.delete(document: MutableDocument(id: "new")) } throws: {
            ($0 as NSError).code == CBLError.notFound
        }
        try test.database.close()
        await #expect { try await collection.async.save(document: MutableDocument()) } throws: {
            ($0 as NSError).code == CBLError.notOpen
        }
        await #expect { _ = try await collection.async.document(id: "doc") } throws: { ($0 as NSError).code == CBLError.notOpen }
        await #expect { try await test.database.async.inBatch {} } throws: { ($0 as NSError).code == CBLError.notOpen }
    }

    final class Hotel: Codable, @unchecked Sendable {
        @DocumentID var id: String?
        var name: String

        init(name: String) { self.name = name }
    }

    @Test func objectsAreSavedAndRead() async throws {
        let hotel = Hotel(name: "Seaview")
        try await collection.async.save(from: hotel)
        let id = try #require(hotel.id)
        #expect(try await collection.async.document(id: id, as: Hotel.self)?.name == "Seaview")
        let other = try #require(try collection.document(id: id, as: Hotel.self))
        hotel.name = "Alpina"
        try await collection.async.save(from: hotel)
        #expect(try await !collection.async.save(from: other, concurrencyControl: .failOnConflict))
        #expect(try await !collection.async.delete(for: other, concurrencyControl: .failOnConflict))
        try await collection.async.delete(for: hotel)
        #expect(try await collection.async.document(id: id, as: Hotel.self) == nil)
        let third = Hotel(name: "Station")
        try await collection.async.save(from: third)
        try await collection.async.purge(for: third)
        #expect(collection.count == 0)
    }

    @Test func aBatchIsDoneAsAWholeOrNotAtAll() async throws {
        struct Mistake: Error, Equatable { let number: Int }
        let collection = collection
        let count = try await test.database.async.inBatch {
            for number in 0..<10 { try collection.save(document: MutableDocument(id: "doc\(number)")) }
            return collection.count
        }
        #expect(count == 10)
        await #expect(throws: Mistake(number: 7)) {
            try await test.database.async.inBatch {
                for number in 10..<20 {
                    if number == 17 { throw Mistake(number: 7) }
                    try collection.save(document: MutableDocument(id: "doc\(number)"))
                }
            }
        }
        #expect(collection.count == 10)
    }

    @Test func writesAreDoneInTheOrderOfAskingAndHoldNobodyUp() async throws {
        let holder = try await Holder(test.database)
        let order = Told<Int>()
        let collection = collection
        var tasks: [Task<Void, any Error>] = []
        for number in 0..<200 {
            tasks.append(
                Task.immediate {
                    try await test.database.async.inBatch {
                        order.add(number)
                        try collection.save(document: MutableDocument(id: "doc\(number)"))
                    }
                })
        }
        // All of them wait, but no task does on their account: neither those that only compute nor those that read.
        for _ in 0..<20 { #expect(await Task { 1 }.value == 1) }
        #expect(try await collection.async.document(id: "doc0") == nil)
        #expect(order.all.isEmpty)
        try await holder.letGo()
        for task in tasks { try await task.value }
        #expect(order.all == Array(0..<200))
        #expect(collection.count == 200)
    }

    @Test func whatIsCancelledBeforeItsTurnIsNotDone() async throws {
        let holder = try await Holder(test.database)
        let collection = collection
        let saving = Task.immediate { try await collection.async.save(document: MutableDocument(id: "cancelled")) }
        let following = Task.immediate { try await collection.async.save(document: MutableDocument(id: "following")) }
        saving.cancel()
        // It ends although its turn has not come.
        await #expect(throws: CancellationError.self) { try await saving.value }
        try await holder.letGo()
        try await following.value
        #expect(try collection.document(id: "cancelled") == nil)
        #expect(collection.count == 1)
        let late = Task.immediate {
            withUnsafeCurrentTask { $0?.cancel() }
            try await collection.async.save(document: MutableDocument(id: "late"))
        }
        await #expect(throws: CancellationError.self) { try await late.value }
        #expect(collection.count == 1)
    }

    @Test func whatHasBegunIsDone() async throws {
        let holder = DispatchSemaphore(value: 0)
        let collection = collection
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        let batch = Task {
            try await test.database.async.inBatch {
                continuation.finish()
                holder.wait()
                try collection.save(document: MutableDocument(id: "doc"))
            }
        }
        for await _ in stream {}
        batch.cancel()
        holder.signal()
        try await batch.value
        #expect(collection.count == 1)
    }

    @Test func aThousandSavesAtOnceTakeAFewThreads() async throws {
        func threads() -> Int { (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0 }
        let before = threads()
        let collection = collection
        let most = Shared(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<1000 {
                group.addTask {
                    try await collection.async.save(document: MutableDocument(id: "doc\(number)", data: ["n": number]))
                    if number % 50 == 0 {
                        let now = threads()
                        most.change { $0 = max($0, now) }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(collection.count == 1000)
        // Other tests run beside this one, and have threads as well: some hundreds.
        #expect(most.value < before + 500)
    }

    @Test func closingComesBehindWhatWasAskedBefore() async throws {
        let holder = try await Holder(test.database)
        let (database, collection) = (test.database, collection)
        let saving = Task.immediate { try await collection.async.save(document: MutableDocument(id: "doc")) }
        let closing = Task.immediate { try await database.async.close() }
        let late = Task.immediate { try await collection.async.save(document: MutableDocument(id: "late")) }
        try await holder.letGo()
        try await saving.value
        try await closing.value
        await #expect { try await late.value } throws: { ($0 as NSError).code == CBLError.notOpen }
        #expect(try test.another().defaultCollection().count == 1)
    }

    @Test func databasesAreOpenedCopiedAndDeleted() async throws {
        let folder = try TemporaryFolder()
        let database = try await Database.async.open(name: "one", config: folder.configuration)
        let hotels = try await database.async.createCollection(name: "hotels", scope: "inventory")
        try await hotels.async.save(document: MutableDocument(id: "doc"))
        #expect(try await database.async.collections(scope: "inventory") == [hotels])
        #expect(try await database.async.collection(name: "hotels", scope: "inventory") == hotels)
        try await database.async.performMaintenance(type: .compact)
        try await Database.async.copy(fromPath: try #require(database.path), toDatabase: "two", withConfig: folder.configuration)
        let copy = try await Database.async.open(name: "two", config: folder.configuration)
        #expect(try copy.collection(name: "hotels", scope: "inventory")?.count == 1)
        try await copy.async.deleteCollection(name: "hotels", scope: "inventory")
        #expect(try await copy.async.collection(name: "hotels", scope: "inventory") == nil)
        try await copy.async.delete()
        #expect(!Database.exists(withName: "two", inDirectory: folder.path))
        try await database.async.close()
        try await Database.async.delete(withName: "one", inDirectory: folder.path)
        #expect(!Database.exists(withName: "one", inDirectory: folder.path))
        await #expect(throws: (any Error).self) {
            try await Database.async.copy(fromPath: folder.path + "/none.cblite2", toDatabase: "three", withConfig: folder.configuration)
        }
    }
}
