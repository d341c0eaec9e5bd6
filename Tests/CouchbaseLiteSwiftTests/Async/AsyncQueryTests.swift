import CBLTestSupport
import CouchbaseLiteSwift
import Testing

@Suite(.timeLimit(.minutes(5))) struct AsyncQueryTests {
    private static let count = 3000
    let scene: QueryScene

    init() throws {
        scene = try QueryScene()
        try scene.putNumbers(Self.count)
    }

    private func numbers() async throws -> Query {
        try await scene.database.async.createQuery("SELECT number FROM _default ORDER BY number")
    }

    /// Takes longer than anybody waits.
    private func endless() throws -> Query {
        try scene.database.createQuery(
            "SELECT count(1) FROM _default a JOIN _default b ON b.number != a.number JOIN _default c ON c.number != b.number")
    }

    @Test func aQueryGivesAllRows() async throws {
        let query = try await numbers()
        let results = try await query.async.execute()
        try scene.database.inBatch { try scene.putNumbers(10) }
        #expect(results.allResults().map { $0.int(at: 0) } == Array(0..<Self.count))
        struct Row: Decodable { let number: Int }
        #expect(try await query.async.execute(as: Row.self).map(\.number) == Array(0..<Self.count))
        #expect(try await query.async.explain().contains("SCAN"))
    }

    @Test func rowsComeOneAfterAnother() async throws {
        var found: [Int] = []
        for try await row in try await numbers().async.rows() { found.append(row.int(at: 0)) }
        #expect(found == Array(0..<Self.count))
        let none = try scene.database.createQuery("SELECT number FROM _default WHERE number < 0").async.rows()
        for try await _ in none { Issue.record("there is none") }
    }

    @Test func parametersAreThoseOfTheCall() async throws {
        let query = try scene.database.createQuery("SELECT number FROM _default WHERE number < $below")
        query.parameters = Parameters().setInt(3, forName: "below")
        let rows = query.async.rows()
        query.parameters = Parameters().setInt(7, forName: "below")
        #expect(try await query.async.execute().allResults().count == 7)
        var count = 0
        for try await _ in rows { count += 1 }
        #expect(count == 3)
    }

    @Test func mistakesAreThrown() async throws {
        await #expect { _ = try await scene.database.async.createQuery("SELECT FROM WHERE") } throws: {
            ($0 as NSError).code == CBLError.invalidQuery
        }
        let query = try await numbers()
        let rows = query.async.rows()
        try scene.database.close()
        await #expect { _ = try await query.async.execute() } throws: { ($0 as NSError).code == CBLError.notOpen }
        await #expect { for try await _ in rows {} } throws: { ($0 as NSError).code == CBLError.notOpen }
    }

    @Test func whatEndsTheRowsIsThrown() async throws {
        var rows = try await numbers().async.rows().makeAsyncIterator()
        #expect(try await rows.next()?.int(at: 0) == 0)
        let results = try scene.database.createQuery("SELECT number FROM _default").execute()
        #expect(results.next() != nil)
        try scene.database.close()
        await #expect { while try await rows.next() != nil {} } throws: { ($0 as NSError).code == CBLError.notOpen }
        // Behind the error there is nothing.
        #expect(try await rows.next() == nil)
        #expect(NSError.of { _ = try results.remainingResults() }?.code == CBLError.notOpen)
    }

    @Test func remainingResultsAreTheRowsThatAreLeft() async throws {
        let results = try await numbers().execute()
        #expect(results.next() != nil)
        #expect(try results.remainingResults().count == Self.count - 1)
        #expect(try results.remainingResults().isEmpty)
    }

    @Test func cancellingEndsQueriesThatRun() async throws {
        let query = try endless()
        struct Row: Decodable {}
        var tasks: [Task<Void, any Error>] = []
        // More than run at a time: some never begin.
        for _ in 0..<4 {
            tasks.append(Task { _ = try await query.async.execute() })
            tasks.append(Task { _ = try await query.async.execute(as: Row.self) })
            tasks.append(Task { for try await _ in query.async.rows() {} })
        }
        try await Task.sleep(for: .milliseconds(100))
        for task in tasks { task.cancel() }
        for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
        // The threads are free again.
        #expect(try await numbers().async.execute().allResults().count == Self.count)
    }

    @Test func aRunningQueryDoesNotKeepWritesWaiting() async throws {
        let query = try endless()
        let running = Task { _ = try await query.async.execute() }
        try await Task.sleep(for: .milliseconds(20))
        try await scene.hotels.async.save(document: MutableDocument(id: "new"))
        #expect(try await scene.hotels.async.document(id: "new") != nil)
        running.cancel()
        await #expect(throws: CancellationError.self) { try await running.value }
    }

    @Test func statementsThatWriteAreRun() async throws {
        let below = Parameters().setInt(5, forName: "below")
        let result = try await scene.database.async.execute("DELETE FROM _default WHERE number < $below", parameters: below)
        #expect(result.deleted == 5)
        #expect(try await numbers().async.execute().allResults().count == Self.count - 5)
    }

    @Test func indexesAreMadeAndDeleted() async throws {
        try await scene.hotels.async.createIndex(withName: "byCity", config: ValueIndexConfiguration(["city"]))
        try await scene.hotels.async.createIndex(
            IndexBuilder.fullTextIndex(items: FullTextIndexItem.property("name")), name: "words")
        #expect(try await Set(scene.hotels.async.indexes()) == ["byCity", "words"])
        let query = try scene.database.createQuery("SELECT name FROM inventory.hotels WHERE city = 'Kiel'")
        #expect(try await query.async.explain().contains("byCity"))
        try await scene.hotels.async.deleteIndex(forName: "byCity")
        #expect(try await scene.hotels.async.indexes() == ["words"])
    }

    @Test func manyTasksMayReadAndWriteAtOnce() async throws {
        let query = try scene.database.createQuery("SELECT count(*) AS n FROM inventory.hotels")
        let (hotels, database) = (scene.hotels, scene.database)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for round in 0..<20 {
                        let id = "hotel \(task)/\(round)"
                        try await hotels.async.save(document: MutableDocument(id: id, data: ["task": task]))
                        #expect(try await hotels.async.document(id: id)?.int(forKey: "task") == task)
                        #expect(try await query.async.execute().allResults()[0].int(forKey: "n") > round)
                        if round % 5 == 0 {
                            try await database.async.inBatch { try hotels.save(document: MutableDocument(id: id + "b", data: [:])) }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(hotels.count == 3 + 8 * 24)
    }
}
