import CouchbaseLiteSwift
import Testing

/// What is done often leaves nothing behind: neither memory nor descriptors nor threads. Each test has a process of its own, and prints its figures.
/// `CBLITE_FOOTPRINT=long` has it done as often as a server does it in a day.
@Suite(.serialized) struct FootprintTests {
    private static let isLong = ProcessInfo.processInfo.environment["CBLITE_FOOTPRINT"] == "long"

    private func show(_ result: ExitTest.Result?) {
        if let result { print(String(decoding: result.standardErrorContent, as: UTF8.self)) }
    }

    @Test func documentsAreReadOneByOne() async throws {
        let count = Self.isLong ? 1_000_000 : 20_000
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) { [count = count as Int] in
            let test = try TemporaryDatabase()
            for start in stride(from: 0, to: count, by: 10_000) {
                try test.database.inBatch {
                    for number in start..<start + 10_000 {
                        try test.save("doc-\(number)", ["number": number, "text": "text of \(number)"])
                    }
                }
            }
            func read(_ range: Range<Int>) throws {
                for number in range {
                    guard try test.collection.document(id: "doc-\(number)")?.int(forKey: "number") == number else { exit(1) }
                }
            }
            try read(0..<count / 4)
            let before = Footprint.settled()
            try read(count / 4..<count)
            let after = Footprint.settled(since: before)
            Footprint.report("\(count) documents: \(before), then \(after)")
            #expect(before.isFlat(after: after))
            var rows = 0
            for row in try test.database.createQuery("SELECT number, text FROM _default").execute() where row.count == 2 { rows += 1 }
            let queried = Footprint.settled(since: before)
            Footprint.report("\(rows) rows: then \(queried)")
            #expect(rows == count)
            #expect(before.isFlat(after: queried))
            try test.database.close()
            exit(0)
        }
        show(result)
    }

    @Test func databasesAreOpenedAndClosed() async throws {
        let count = Self.isLong ? 10_000 : 300
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) { [count = count as Int] in
            let test = try TemporaryDatabase()
            try test.save("doc")
            try test.database.close()
            func open(_ times: Int) throws {
                for number in 0..<times {
                    let database = try test.another()
                    let collection = try database.defaultCollection()
                    collection.addChangeListener(queue: DispatchQueue(label: "told")) { _ in }
                    guard try collection.document(id: "doc") != nil else { exit(1) }
                    if number % 10 == 0 { try collection.save(document: MutableDocument(id: "doc \(number % 50)", data: ["n": number])) }
                    if number % 3 == 0 {
                        let query = try database.createQuery("SELECT META().id FROM _default")
                        query.addChangeListener(withQueue: DispatchQueue(label: "told")) { _ in }
                        guard try query.execute().next() != nil else { exit(1) }
                    }
                    try database.close()
                }
            }
            try open(100)
            let before = Footprint.settled()
            try open(count)
            let after = Footprint.settled(since: before)
            Footprint.report("\(count) times opened and closed: \(before), then \(after)")
            #expect(before.isFlat(after: after))
            exit(0)
        }
        show(result)
    }

    @Test func listenersAreAddedAndRemoved() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let test = try TemporaryDatabase()
            try test.save("doc")
            let query = try test.database.createQuery("SELECT META().id FROM _default")
            let queue = DispatchQueue(label: "told")
            func addAndRemove(_ count: Int) throws {
                var tokens: [ListenerToken] = []
                for number in 0..<count {
                    tokens.append(test.collection.addChangeListener(queue: queue) { _ in })
                    tokens.append(test.collection.addDocumentChangeListener(id: "doc \(number)", queue: queue) { _ in })
                    tokens.append(query.addChangeListener(withQueue: queue) { _ in })
                }
                try test.save("doc", ["n": count])
                queue.sync {}
                for token in tokens { token.remove() }
            }
            try addAndRemove(1000)
            let before = Footprint.settled()
            for _ in 0..<10 { try addAndRemove(1000) }
            let after = Footprint.settled(since: before)
            Footprint.report("10 times 3000 listeners: \(before), then \(after)")
            #expect(before.isFlat(after: after))
            try test.database.close()
            exit(0)
        }
        show(result)
    }
}
