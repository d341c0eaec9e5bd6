import CBLTestSupport
import CouchbaseLiteSwift
import Foundation
import Synchronization
import Testing

/// Listeners of queries hear of the rows that there are, and of those that there are after changes.
@Suite struct LiveQueryTests {
    let scene: QueryScene
    let query: Query
    let queue = DispatchQueue(label: "LiveQueryTests")

    init() throws {
        scene = try QueryScene()
        query = try scene.database.createQuery("SELECT name FROM inventory.hotels WHERE stars >= $stars ORDER BY name")
        query.parameters = Parameters().setInt(4, forName: "stars")
    }

    /// What a listener was told, as names joined with blanks.
    private final class Ear: @unchecked Sendable {
        private let condition = NSCondition()
        private var told: [String] = []

        func hear(_ change: QueryChange) {
            let names = change.results.map { $0.map { $0.string(at: 0) ?? "" }.joined(separator: " ") } ?? "\(change.error as Any)"
            condition.withLock {
                told.append(names)
                condition.broadcast()
            }
        }

        var all: [String] { condition.withLock { told } }

        func wait(for count: Int) -> [String] {
            condition.withLock {
                let end = Date(timeIntervalSinceNow: Patience.seconds)
                while told.count < count, condition.wait(until: end) {}
                return told
            }
        }
    }

    private func listen(_ ear: Ear) -> ListenerToken { query.addChangeListener(withQueue: queue) { ear.hear($0) } }

    @Test func theyHearOfWhatThereIsAndOfChanges() throws {
        let ear = Ear()
        let token = listen(ear)
        #expect(ear.wait(for: 1) == ["Alpina Seaview"])
        try scene.put("palace", ["name": "Palace", "stars": 5])
        #expect(ear.wait(for: 2).last == "Alpina Palace Seaview")
        try scene.hotels.purge(id: "palace")
        #expect(ear.wait(for: 3).last == "Alpina Seaview")
        token.remove()
        try scene.put("palace", ["name": "Palace", "stars": 5])
        usleep(200_000)
        #expect(ear.all.count == 3)
    }

    @Test func changesThatMakeNoDifferenceAreNotTold() throws {
        let ear = Ear()
        let token = listen(ear)
        #expect(ear.wait(for: 1).count == 1)
        try scene.put("inn", ["name": "Inn", "stars": 1])
        let document = try #require(try scene.hotels.document(id: "alpina")?.toMutable())
        document.setString("new", forKey: "other")
        try scene.hotels.save(document: document)
        usleep(300_000)
        #expect(ear.all.count == 1)
        token.remove()
    }

    @Test func aSecondListenerHearsOfTheCurrentRowsAtOnce() throws {
        let (first, second) = (Ear(), Ear())
        let tokens = [listen(first)]
        _ = first.wait(for: 1)
        let later = listen(second)
        #expect(second.wait(for: 1) == ["Alpina Seaview"])
        #expect(first.all.count == 1)
        try scene.put("palace", ["name": "Palace", "stars": 5])
        #expect(first.wait(for: 2).last == "Alpina Palace Seaview" && second.wait(for: 2).last == "Alpina Palace Seaview")
        tokens[0].remove()
        try scene.hotels.purge(id: "palace")
        #expect(second.wait(for: 3).last == "Alpina Seaview")
        #expect(first.all.count == 2)
        later.remove()
        // And anew.
        let third = Ear()
        let last = listen(third)
        #expect(third.wait(for: 1) == ["Alpina Seaview"])
        last.remove()
    }

    @Test func otherParametersGiveOtherRows() throws {
        let ear = Ear()
        let token = listen(ear)
        _ = ear.wait(for: 1)
        query.parameters = Parameters().setInt(5, forName: "stars")
        #expect(ear.wait(for: 2).last == "Alpina")
        query.parameters = Parameters().setDouble(4.5, forName: "stars")
        usleep(200_000)
        #expect(ear.all.count == 2)
        query.parameters = Parameters().setInt(1, forName: "stars")
        #expect(ear.wait(for: 3).last == "Alpina Seaview station")
        token.remove()
    }

    @Test func aQueryOfJSONIsKeptAliveByItsListeners() throws {
        let ear = Ear()
        var token: ListenerToken?
        do {
            let built = QueryBuilder.select(SelectResult.property("name")).from(DataSource.collection(scene.hotels)).orderBy(
                Ordering.property("name"))
            token = built.addChangeListener(withQueue: queue) { ear.hear($0) }
        }
        #expect(ear.wait(for: 1) == ["Alpina Seaview station"])
        try scene.hotels.purge(id: "seaview")
        #expect(ear.wait(for: 2).last == "Alpina station")
        token?.remove()
    }

    @Test func aListenerMayBeRemovedByItself() throws {
        let token = Mutex<ListenerToken?>(nil)
        let ear = Ear()
        token.withLock { token2 in
            token2 = query.addChangeListener(withQueue: queue) { change in
                token.withLock { $0 }?.remove()
                ear.hear(change)
            }
        }
        _ = ear.wait(for: 1)
        try scene.put("palace", ["name": "Palace", "stars": 5])
        usleep(200_000)
        #expect(ear.all.count == 1)
    }

    @Test func closingEndsThem() throws {
        let ear = Ear()
        let token = listen(ear)
        _ = ear.wait(for: 1)
        try scene.database.close()
        token.remove()
        let late = Ear()
        _ = listen(late)
        #expect(late.wait(for: 1).first?.contains("6") == true)
    }

    @Test func aBurstIsToldOfInTheEnd() throws {
        let ear = Ear()
        let token = listen(ear)
        _ = ear.wait(for: 1)
        for number in 0..<50 { try scene.put("x\(number)", ["name": "X\(100 + number)", "stars": 5]) }
        let end = Date(timeIntervalSinceNow: Patience.seconds)
        while ear.all.last?.contains("X149") != true, Date() < end { usleep(1000) }
        #expect(ear.all.last?.split(separator: " ").count == 52)
        token.remove()
    }

    @Test func changesComeAsASequence() async throws {
        var seen: [Int] = []
        for await change in query.changes() {
            seen.append(change.results?.allResults().count ?? -1)
            if seen.count == 3 { break }
            try scene.put("s\(seen.count)", ["name": "S", "stars": 5])
        }
        #expect(seen == [2, 3, 4])
        var ids: [String] = []
        let changes = scene.hotels.changes().makeAsyncIterator()
        try scene.put("a", [:])
        var iterator = changes
        if let change = await iterator.next() { ids += change.documentIDs }
        #expect(ids == ["a"])
    }

    @Test func aCancelledTaskEndsItsSequence() async throws {
        let task = Task { [query] in
            var count = 0
            for await _ in query.changes() { count += 1 }
            return count
        }
        try await Task.sleep(for: .milliseconds(100))
        task.cancel()
        #expect(await task.value <= 1)
    }
}
