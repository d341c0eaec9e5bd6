import CBLBase
import CBLFleece
import CBLTestSupport
import Glibc
import Synchronization
import Testing

@testable import CBLStore

/// Threads that must not wait look at the database where that is possible in a moment.
@Suite struct PeekAtOnceTests {
    private let directory: TemporaryDirectory
    private let database: Database

    init() throws {
        directory = try TemporaryDirectory()
        database = try Database(path: directory.path + "/new.cblite2", options: .create)
        try save("a")
    }

    private func save(_ id: String) throws { try database.write { _ = try $0.save(id, body: $0.encode(json: "{}")) } }
    private func last(_ database: Database) -> UInt64? { database.peekAtOnce { try $0.lastSequence(of: .default) } }

    @Test func whatIsCommittedIsSeen() throws {
        _ = try database.read { try $0.lastSequence(of: .default) }
        let other = try Database(path: database.path, options: .readWrite)
        for number in 2...50 {
            let writer = number % 3 == 0 ? database : other
            try writer.write { _ = try $0.save("doc\(number)", body: $0.encode(json: "{}")) }
            // Whoever wants to write takes the connection that there was for reading.
            if number < 4 { for database in [database, other] { _ = try database.read { try $0.lastSequence(of: .default) } } }
            #expect(last(database) == UInt64(number))
            #expect(last(other) == UInt64(number))
            #expect(last(database) == UInt64(number))
        }
        other.close()
        #expect(last(other) == nil)
    }

    /// Another thread has a transaction open: what it has written is nobody's business yet, and nobody waits for its end.
    @Test func whoWritesIsNotWaitedFor() throws {
        _ = try database.read { try $0.lastSequence(of: .default) }
        let order = Order()
        let writer = WorkerThread { [database] in
            _ = try? database.write { transaction in
                try transaction.save("b", body: .emptyDictionary)
                order.note("written")
                order.await("looked")
            }
        }
        order.await("written")
        let seen = last(database)
        #expect(seen == nil || seen == 1)
        order.note("looked")
        writer.join()
        #expect(last(database) == 2)
        // In a transaction of its own, a thread asks that.
        try database.write { _ in #expect(last(database) == nil) }
    }

    /// The files are just being replaced, or copied.
    @Test func whoKeepsReadersAwayIsNotWaitedFor() throws {
        _ = try database.read { try $0.lastSequence(of: .default) }
        let order = Order()
        let keeper = WorkerThread { [database] in
            try? database.readers.suspended {
                order.note("suspended")
                order.await("looked")
            }
        }
        order.await("suspended")
        // The news of the last commit is with the connection that writes, which nobody uses.
        _ = last(database)
        #expect(last(database) == nil)
        order.note("looked")
        keeper.join()
        _ = try database.read { try $0.lastSequence(of: .default) }
        #expect(last(database) == 1)
    }

    @Test func whatGoesWrongIsNoAnswer() throws {
        _ = try database.read { try $0.lastSequence(of: .default) }
        let name = try CollectionName(name: "missing")
        #expect(database.peekAtOnce { try $0.lastSequence(of: name) } == nil)
        #expect(database.peekAtOnce { _ in nil as Int? } == nil)
        #expect(last(database) == 1)
    }
}
