import CBLFleece
import CBLStore
import CBLTestSupport
import Glibc
import Synchronization
import Testing

@testable import CBLViews

@Suite struct LiveViewTests {
    private final class Log: Sendable {
        private let events = Mutex<[String]>([])

        func handle(_ event: LiveView.Event) {
            switch event {
            case .result(let result):
                let rows = (0..<result.rows.count).map { result.rows.json($0) }.joined(separator: ",")
                add("\(rows) +\(result.difference.added.count) -\(result.difference.removed.count)")
            case .failure(let error): add("failure: \((error as? StoreError)?.code == .notFound ? "not found" : "\(error)")")
            }
        }

        func add(_ text: String) { events.withLock { $0.append(text) } }

        func wait(for count: Int) -> [String] {
            let end = ContinuousClock.now + Patience.duration
            while events.withLock({ $0.count }) < count, .now < end { usleep(1000) }
            return events.withLock { $0 }
        }
    }

    private let timing = LiveTiming(quiet: .zero, delay: .milliseconds(1))

    @Test func changesOfRowsAreTold() throws {
        let test = try ViewDatabase()
        try test.put("a", #"{"n":1}"#)
        let log = Log()
        let live = try LiveView(.of("n"), on: test.index, timing: timing) { log.handle($0) }
        #expect(log.wait(for: 1) == ["1 +1 -0"])
        try test.put("b", #"{"n":2}"#)
        #expect(log.wait(for: 2).last == "1,2 +1 -0")
        // Nothing of this is in the rows.
        try test.put("c", #"{"other":2}"#)
        try test.put("a", #"{"n":3}"#)
        #expect(log.wait(for: 3).last == "2,3 +1 -1")
        _ = try test.database.write { try $0.purge("b") }
        #expect(log.wait(for: 4).last == "3 +0 -1")
        live.stop()
        try test.put("d", #"{"n":4}"#)
        usleep(20_000)
        #expect(log.wait(for: 4).count == 4)
    }

    @Test func aCollectionThatGoesEndsIt() throws {
        let test = try ViewDatabase()
        let name = try CollectionName(parsing: "things")
        try test.database.write { _ = try $0.createCollection(name) }
        var view = ViewDefinition.of("n")
        view.collection = name
        let log = Log()
        let live = try LiveView(view, on: test.index, timing: timing) { log.handle($0) }
        #expect(log.wait(for: 1) == [" +0 -0"])
        try test.database.write { try $0.deleteCollection(name) }
        #expect(log.wait(for: 2).last == "failure: not found")
        live.stop()
    }

    @Test func closingTheDatabaseEndsIt() throws {
        let test = try ViewDatabase()
        try test.put("a", #"{"n":1}"#)
        let log = Log()
        let live = try LiveView(.of("n"), on: test.index, timing: timing) { log.handle($0) }
        #expect(log.wait(for: 1).count == 1)
        test.database.close()
        #expect(throws: (any Error).self) { try test.index.rows(.of("n")) }
        live.stop()
    }

    @Test func aQueryRunsInTheBackground() throws {
        let test = try ViewDatabase()
        try test.put("a", #"{"n":1}"#)
        let log = Log()
        try test.index.queryInBackground(.of("n")) { result in log.add("\((try? result.get().count) ?? -1)") }
        #expect(log.wait(for: 1) == ["1"])
    }

    @Test func aCancelledQueryEndsIndexing() throws {
        let test = try ViewDatabase()
        try test.database.write { transaction in for number in 0..<2000 { try transaction.put("doc\(number)", #"{"n":1}"#) } }
        let cancellation = ViewCancellation()
        let view = ViewDefinition("slow", version: "1") { document, emitter in
            emitter.emit(document["n"])
            if document.sequence > 500 { cancellation.cancel() }
        }
        var query = ViewQuery()
        query.cancellation = cancellation
        #expect(throws: ViewError.self) { try test.index.rows(view, query) }
        query.cancellation = nil
        query.updateMode = .never
        #expect(try test.index.rows(view, query).isEmpty)
        query.updateMode = .before
        #expect(try test.index.rows(view, query).count == 2000)
    }
}

@Suite struct AllDocumentsTests {
    private func ids(_ test: ViewDatabase, _ change: (inout AllDocumentsQuery) -> Void = { _ in }) throws -> String {
        var query = AllDocumentsQuery()
        change(&query)
        var ids = ""
        try test.database.read { snapshot in
            try snapshot.forEachDocument(query) { row in
                ids += row.id + (row.isDeleted ? "!" : "") + (row.revision == nil ? "?" : "")
                return true
            }
        }
        return ids
    }

    @Test func documentsAreViewsOfTheirIDs() throws {
        let test = try ViewDatabase()
        for id in ["c", "a", "b", "ab", "d"] { try test.put(id, "{}") }
        try test.delete("c")
        #expect(try ids(test) == "aabbd")
        #expect(try ids(test) { $0.mode = .includeDeleted } == "aabbc!d")
        #expect(try ids(test) { $0.mode = .bySequence } == "ababd")
        #expect(try ids(test) { $0.descending = true } == "dbaba")
        #expect(try ids(test) { $0.mode = .onlyConflicts } == "")
        #expect(try ids(test) { ($0.startKey, $0.endKey) = ("ab", "b") } == "abb")
        #expect(try ids(test) { ($0.startKey, $0.endKey, $0.descending) = ("b", "ab", true) } == "bab")
        #expect(try ids(test) { ($0.startKey, $0.endKey, $0.inclusiveEnd) = ("ab", "b", false) } == "ab")
        #expect(try ids(test) { ($0.startKey, $0.endKey, $0.matchesPrefix) = ("a", "a", true) } == "aab")
        #expect(try ids(test) { ($0.skip, $0.limit) = (1, 2) } == "abb")
        #expect(try ids(test) { $0.keys = ["d", "none", "c", "a"] } == "dnone?c!a")
        #expect(throws: ViewError.self) { try ids(test) { ($0.keys, $0.startKey) = ([], "a") } }
    }
}
