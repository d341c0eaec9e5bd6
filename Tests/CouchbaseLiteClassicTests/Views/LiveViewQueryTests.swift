import CouchbaseLiteClassic
import Synchronization
import Testing

/// Queries that run again, in the background, or while the database goes away.
struct LiveViewQueryTests {
    private let temporary: TemporaryDatabase
    private let view: View

    init() throws {
        temporary = try TemporaryDatabase()
        view = temporary.collection.view("byName")
        view.setMap(version: "1") { document, emit in emit(document["name"]) }
        try temporary.save("a", ["name": "Ada"])
    }

    private func names(_ rows: ViewResult?) -> [String] { rows?.map { $0.key.string ?? "" } ?? [] }

    @Test func aListenerHearsOfRowsOfAnotherThreadAndAnotherDatabaseObject() throws {
        let told = Told<ViewQueryChange>()
        let live = try view.createQuery().live()
        let token = live.addChangeListener(queue: told.queue) { told.add($0) }
        #expect(told.wait { !$0.isEmpty })
        #expect(names(told.all.first?.rows) == ["Ada"])
        DispatchQueue.global().async { [temporary] in _ = try? temporary.save("b", ["name": "Bob"]) }
        #expect(told.wait { names($0.last?.rows) == ["Ada", "Bob"] })
        #expect(told.all.last?.added.map(\.documentID) == ["b"])
        let other = try temporary.folder.open()
        defer { try? other.close() }
        try other.defaultCollection().purge(id: "a")
        #expect(told.wait { names($0.last?.rows) == ["Bob"] })
        #expect(told.all.last?.removed.map(\.documentID) == ["a"])
        #expect(names(live.rows) == ["Bob"])
        token.remove()
        let count = told.all.count
        try temporary.save("c", ["name": "Cyd"])
        #expect(try view.createQuery().run().count == 2)
        #expect(told.all.count == count)
    }

    @Test func changesComeAsASequence() async throws {
        let live = try view.createQuery().live()
        var seen: [[String]] = []
        for await change in live.changes() {
            seen.append(names(change.rows))
            if seen.count == 1 { try temporary.save("b", ["name": "Bob"]) }
            if seen.last == ["Ada", "Bob"] { break }
        }
        #expect(seen.first == ["Ada"])
        live.stop()
    }

    @Test func aQueryRunsInTheBackground() async throws {
        #expect(try await view.async.updateIndex() == 1)
        #expect(try await view.createQuery().async.run().count == 1)
        let query = temporary.collection.createAllDocumentsQuery()
        #expect(try await query.async.run().map(\.documentID) == ["a"])
    }

    @Test func aClosedDatabaseAnswersNothing() throws {
        let live = try view.createQuery().live()
        let told = Told<ViewQueryChange>()
        let token = live.addChangeListener(queue: told.queue) { told.add($0) }
        #expect(told.wait { !$0.isEmpty })
        try temporary.database.close()
        #expect(code { _ = try view.createQuery().run() } == CBLError.notOpen)
        #expect(code { _ = try view.totalRows } == CBLError.notOpen)
        #expect(code { try live.start() } == CBLError.notOpen)
        token.remove()
    }

    @Test func nothingKeepsADatabaseThatNobodyHas() throws {
        weak var gone: Database?
        weak var query: LiveViewQuery?
        let folder = try TemporaryFolder()
        do {
            let database = try folder.open()
            gone = database
            let collection = try database.defaultCollection()
            try collection.save(document: MutableDocument(id: "a", data: ["name": "n"]))
            let view = collection.view("v")
            view.setMap(version: "1", reduce: .function { $0.count }) { document, emit in emit(document["name"]) }
            #expect(try view.createQuery().run().count == 1)
            let live = try view.createQuery().live()
            query = live
            let told = Told<ViewQueryChange>()
            let token = live.addChangeListener(queue: told.queue) { told.add($0) }
            #expect(told.wait { !$0.isEmpty })
            token.remove()
        }
        // A delivery may be on its way for a moment.
        for _ in 0..<2000 where gone != nil || query != nil { usleep(1000) }
        #expect(query == nil)
        #expect(gone == nil)
    }

    @Test func manyThreadsAskAndChange() throws {
        let failures = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            do {
                for number in 0..<10 {
                    try temporary.save("t\(thread)-\(number)", ["name": "n\(number)"])
                    _ = try view.createQuery().run().count
                }
            } catch { failures.withLock { $0.append("\(error)") } }
        }
        #expect(failures.withLock { $0 } == [])
        #expect(try view.createQuery().run().count == 81)
    }
}
