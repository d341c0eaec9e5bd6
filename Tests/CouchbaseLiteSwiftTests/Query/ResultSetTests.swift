import CBLBase
import CouchbaseLiteSwift
import Foundation
import Testing

/// Rows are read as they are asked for, and are those of the moment in which the query was run.
@Suite struct ResultSetTests {
    let scene: QueryScene
    let numbers: Query
    static let count = 2000

    init() throws {
        scene = try QueryScene()
        try scene.putNumbers(Self.count)
        numbers = try scene.database.createQuery("SELECT number, text FROM _ ORDER BY number")
    }

    @Test func eachRowComesOnce() throws {
        let set = try numbers.execute()
        #expect(set.next()?.int(at: 0) == 0)
        #expect(set.next()?.string(at: 1) == "text 1")
        var seen = 2
        for row in set {
            guard row.int(at: 0) == seen else { return #expect(row.int(at: 0) == seen) as Void }
            seen += 1
            if seen == 100 { break }
        }
        let rest = set.allResults()
        #expect(rest.count == Self.count - 100 && rest.first?.int(at: 0) == 100 && rest.last?.string(forKey: "text") == "text 1999")
        #expect(set.next() == nil && set.allResults().isEmpty)
    }

    @Test func laterChangesAreNotSeen() throws {
        let set = try numbers.execute()
        #expect(set.next()?.int(at: 0) == 0)
        let collection = try scene.database.defaultCollection()
        try scene.database.inBatch { for number in 0..<Self.count { try collection.purge(id: "n\(number)") } }
        #expect(try numbers.execute().next() == nil)
        #expect(set.allResults().count == Self.count - 1)
    }

    @Test func changesOfTheSameBatchAreSeenUpToTheExecution() throws {
        let collection = try scene.database.defaultCollection()
        try scene.database.inBatch {
            try collection.save(document: MutableDocument(id: "late", data: ["number": 9999]))
            let set = try numbers.execute()
            for number in 0..<Self.count { try collection.purge(id: "n\(number)") }
            let rows = set.allResults()
            #expect(rows.count == Self.count + 1 && rows.last?.int(at: 0) == 9999)
            #expect(try numbers.execute().allResults().count == 1)
        }
    }

    @Test func manyMayBeReadAtOnce() throws {
        let sets = try (0..<40).map { _ in try numbers.execute() }
        let collection = try scene.database.defaultCollection()
        try collection.purge(id: "n1999")
        for set in sets { #expect(set.next()?.int(at: 0) == 0) }
        for set in sets.reversed() { #expect(set.allResults().count == Self.count - 1) }
    }

    @Test func oneThatIsNotReadToItsEndHoldsNothingUp() throws {
        let collection = try scene.database.defaultCollection()
        for round in 0..<50 {
            #expect(try numbers.execute().next()?.int(at: 0) == 0)
            try collection.save(document: MutableDocument(id: "more \(round)", data: [:]))
        }
        try scene.database.performMaintenance(type: .compact)
    }

    @Test func closingEndsThem() throws {
        let set = try numbers.execute()
        let short = try scene.database.createQuery("SELECT name FROM inventory.hotels").execute()
        #expect(set.next() != nil)
        try scene.database.close()
        // What was read is there, and what was not is gone.
        #expect(short.allResults().count == 3)
        #expect(set.allResults().count < Self.count)
        #expect((set.error as NSError?)?.code == CBLError.notOpen)
        #expect(NSError.of { _ = try numbers.execute() }?.code == CBLError.notOpen)
    }

    @Test func threadsMayShareOne() throws {
        let set = try numbers.execute()
        let counts = [LockedCount(), LockedCount()]
        let threads = counts.map { count in WorkerThread { while set.next() != nil { count.add() } } }
        for thread in threads { thread.join() }
        #expect(counts[0].value + counts[1].value == Self.count)
    }

    @Test func closingWhileOthersReadEndsThem() throws {
        let threads = try (0..<4).map { _ in
            let set = try numbers.execute()
            return WorkerThread { while set.next() != nil {} }
        }
        try scene.database.close()
        for thread in threads { thread.join() }
    }
}

final class LockedCount: @unchecked Sendable {
    private let lock = NSLock()
    private var count = 0
    var value: Int { lock.withLock { count } }
    func add() { lock.withLock { count += 1 } }
}
