import CBLBase
import CBLFleece
import CBLTestSupport
import Synchronization
import Testing

@testable import CBLStore

/// A `write` inside a `write`, and a `read` inside one: they are a part of it.
@Suite(.timeLimit(.minutes(5))) struct NestedWriteTests {
    private let directory: TemporaryDirectory
    private let database: Database

    init() throws {
        directory = try TemporaryDirectory()
        database = try Database(path: directory.path + "/new.cblite2", options: .create)
    }

    private struct Failure: Error {}

    private func put(_ ids: String..., property: String = "of") throws {
        try database.write { for id in ids { try $0.save(id, body: $0.encode(json: "{\"\(property)\":\"\(id)\"}")) } }
    }

    private func ids(committed: Bool = false) throws -> [String] {
        func list(_ snapshot: Snapshot) throws -> [String] {
            let cursor = try snapshot.scan(.default, ScanOptions(content: .id))
            var ids: [String] = []
            while try cursor.next() { ids.append(cursor.id) }
            return ids
        }
        return committed ? try database.readCommitted(list) : try database.read(list)
    }

    private func text(_ id: String) throws -> String? {
        try database.read { snapshot in
            try snapshot.document(id).map { document in document.body.withRoot { $0.json(keys: snapshot.sharedKeys) } }
        }
    }

    @Test func itJoinsTheOuterOne() throws {
        try database.write { outer in
            try outer.save("a", body: outer.encode(json: "{}"))
            try put("b")
            #expect(try ids() == ["a", "b"])
            #expect(try ids(committed: true) == [])
            try outer.save("c", body: outer.encode(json: "{}"))
            #expect(try database.read { try $0.lastSequence(of: .default) } == 3)
            #expect(database.isInTransaction)
        }
        #expect(!database.isInTransaction)
        #expect(try ids(committed: true) == ["a", "b", "c"])
    }

    @Test func whatFailsInsideIsUndoneAlone() throws {
        try database.write { outer in
            try outer.save("a", body: outer.encode(json: "{}"))
            #expect(throws: Failure.self) {
                try database.write { inner in
                    // A property name that nobody else has used: its number is free again.
                    try inner.save("b", body: inner.encode(json: #"{"lost":1}"#))
                    throw Failure()
                }
            }
            try put("c", property: "kept")
            try put("d", property: "lost")
        }
        #expect(try ids(committed: true) == ["a", "c", "d"])
        #expect(try text("c") == #"{"kept":"c"}"#)
        #expect(try text("d") == #"{"lost":"d"}"#)
        #expect(try CheckerTests.findings(database.path) == [])
    }

    @Test func whatFailsOutsideTakesTheInsideAlong() throws {
        #expect(throws: Failure.self) {
            try database.write { _ in
                try put("a")
                try database.write { _ in try put("b") }
                throw Failure()
            }
        }
        #expect(try ids() == [])
        try put("c")
        #expect(try ids() == ["c"])
        #expect(try CheckerTests.findings(database.path) == [])
    }

    @Test func itGoesDeep() throws {
        func nest(_ depth: Int) throws {
            guard depth > 0 else { return }
            try database.write { transaction in
                try transaction.save("\(depth)-before", body: transaction.encode(json: "{}"))
                // Every third level fails, and what is below it goes with it.
                _ = try? database.write { _ in
                    try nest(depth - 1)
                    if depth % 3 == 0 { throw Failure() }
                }
                try transaction.save("\(depth)-after", body: transaction.encode(json: "{}"))
            }
        }
        try nest(10)
        // Of the ten levels those above the first failure, at 9, stay.
        #expect(try ids() == ["10-after", "10-before", "9-after", "9-before"])
        #expect(try CheckerTests.findings(database.path) == [])
    }

    @Test func onlyWhoOpenedItEndsIt() throws {
        try database.write { _ in
            #expect(throws: StoreError.self) { try database.commitTransaction() }
            #expect(throws: StoreError.self) { try database.rollBackTransaction() }
            let error = #expect(throws: StoreError.self) { try database.openTransaction() }
            #expect(error?.code == .transactionOpen)
            try put("a")
        }
        #expect(try ids(committed: true) == ["a"])
    }

    @Test func otherThreadsSeeWhatIsCommittedAndWait() throws {
        let order = Order()
        let database = database
        let other = WorkerThread {
            order.await("begun")
            let seen = (try? database.read { try $0.counts(of: .default).live }) ?? -1
            order.note("saw \(seen)")
            _ = try? database.write { try $0.save("other", body: $0.encode(json: "{}")) }
        }
        try database.write { _ in
            try put("a")
            order.note("begun")
            order.await("saw 0")
            try put("b")
            #expect(try ids() == ["a", "b"])
        }
        other.join()
        #expect(try ids() == ["a", "b", "other"])
    }

    /// The end of one thread's transaction must not be taken for that of the next one's.
    @Test func manyThreadsNest() throws {
        let database = database
        let threads = (0..<6).map { number in
            WorkerThread {
                for round in 0..<40 {
                    try? database.write { outer in
                        try outer.save("\(number)-\(round)", body: outer.encode(json: "{}"))
                        try database.write { try $0.save("\(number)-\(round)-inner", body: $0.encode(json: "{}")) }
                        guard try database.read({ try $0.document("\(number)-\(round)-inner") }) != nil else { throw Failure() }
                    }
                    _ = try? database.read { try $0.counts(of: .default) }
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(try ids().count == 6 * 40 * 2)
        #expect(try CheckerTests.findings(database.path) == [])
    }

    @Test func whoWaitsTooLongIsTold() throws {
        var options = Database.Options.readWrite
        options.busyTimeout = .milliseconds(50)
        let database = try Database(path: database.path, options: options)
        let order = Order()
        let holder = WorkerThread {
            try? database.write { _ in
                order.note("holds")
                order.await("refused")
            }
        }
        order.await("holds")
        let error = #expect(throws: StoreError.self) { try database.write { _ in } }
        #expect(error?.code == .busy && error?.message.contains("another thread is writing") == true)
        // Another connection waits for SQLite's lock as long.
        let second = try Database(path: database.path, options: .readOnly)
        #expect(try second.read { try $0.counts(of: .default).live } == 0)
        order.note("refused")
        holder.join()
        try database.write { try $0.save("a", body: $0.encode(json: "{}")) }
    }

    @Test func aCommitIsToldOnce() throws {
        let watcher = try database.watch()
        try database.write { _ in
            try put("a")
            #expect(try !watcher.wait(milliseconds: 100))
            try put("b")
        }
        #expect(try watcher.wait())
        #expect(watcher.changes[.default]?.last == 2)
        #expect(try !watcher.wait(milliseconds: 100))
    }
}
