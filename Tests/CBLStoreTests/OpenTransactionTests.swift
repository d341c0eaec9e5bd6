import CBLBase
import CBLFleece
import CBLSQLite
import CBLTestSupport
import Glibc
import Testing

@testable import CBLStore

/// A transaction that outlasts one call: everything in it is seen by the thread that opened it, by nobody else, and goes as a whole.
@Suite struct OpenTransactionTests {
    let directory: TemporaryDirectory
    let database: Database
    /// Another connection, as of another process.
    let observer: Database

    init() throws {
        directory = try TemporaryDirectory()
        database = try Database(path: directory.path + "/new.cblite2", options: .create)
        observer = try Database(path: directory.path + "/new.cblite2")
    }

    private struct Failure: Error {}

    private func put(_ ids: String...) throws {
        try database.write { for id in ids { try $0.save(id, body: $0.encode(json: "{\"of\":\"\(id)\"}")) } }
    }

    private static func ids(_ database: Database, _ name: CollectionName = .default) throws -> [String] {
        try database.read { snapshot in
            let cursor = try snapshot.scan(name, ScanOptions(content: .id))
            var ids: [String] = []
            while try cursor.next() { ids.append(cursor.id) }
            return ids
        }
    }

    @Test func itIsSeenInsideAndNotOutside() throws {
        try put("a")
        try database.openTransaction()
        #expect(database.isInTransaction)
        try put("b")
        try database.write { try $0.delete("a") }
        #expect(try Self.ids(database) == ["b"])
        #expect(try Self.ids(observer) == ["a"])
        try database.read { snapshot in
            try #expect(snapshot.lastSequence(of: .default) == 3)
            // Two threads cannot both look at what is not committed.
            #expect(snapshot.twin == nil)
        }
        try database.commitTransaction()
        #expect(!database.isInTransaction)
        #expect(try Self.ids(database) == ["b"])
        #expect(try Self.ids(observer) == ["b"])
    }

    @Test func rollingBackRestoresEverything() throws {
        try put("a")
        let things = try CollectionName(parsing: "things")
        try database.openTransaction()
        try database.write { transaction in
            try transaction.createCollection(things)
            try transaction.save("t", in: things, body: transaction.encode(json: #"{"newKey":1,"other":2}"#))
            try transaction.delete("a")
        }
        #expect(try database.read { $0.sharedKeys.index(ofKey: "newKey") } != nil)
        try database.rollBackTransaction()
        try database.read { snapshot in
            #expect(!snapshot.hasCollection(things))
            try #expect(snapshot.lastSequence(of: .default) == 1)
            #expect(snapshot.sharedKeys.index(ofKey: "newKey") == nil)
        }
        // The same collection and other keys in other places.
        try database.write { transaction in
            #expect(transaction.sharedKeys.index(ofKey: "newKey") == nil)
            try transaction.createCollection(things)
            let saved = try transaction.save("t", in: things, body: transaction.encode(json: #"{"other":2,"newKey":1}"#))
            #expect(saved.sequence == 1)
        }
        try observer.read { snapshot in
            let document = try #require(try snapshot.document("t", in: things))
            #expect(document.body.withRoot { $0.json(keys: snapshot.sharedKeys) } == #"{"other":2,"newKey":1}"#)
        }
    }

    @Test func whatFailsRollsBackOnlyItself() throws {
        try database.openTransaction()
        try put("a")
        #expect(throws: Failure.self) {
            try database.write { transaction in
                try transaction.save("b", body: transaction.encode(json: #"{"lostKey":1}"#))
                throw Failure()
            }
        }
        #expect(database.isInTransaction)
        #expect(try Self.ids(database) == ["a"])
        #expect(try database.read { try $0.lastSequence(of: .default) } == 1)
        try put("c")
        try database.commitTransaction()
        #expect(try Self.ids(observer) == ["a", "c"])
        #expect(try observer.read { try $0.document("c")?.sequence } == 2)
    }

    @Test func misuseIsToldAndChangesNothing() throws {
        #expect(throws: StoreError(.noTransaction, "no transaction is open", path: database.path)) { try database.commitTransaction() }
        #expect(throws: StoreError(.noTransaction, "no transaction is open", path: database.path)) { try database.rollBackTransaction() }
        try database.openTransaction()
        #expect(throws: StoreError(.transactionOpen, "a transaction is open already", path: database.path)) {
            try database.openTransaction()
        }
        try put("a")
        for work in [
            { try database.compact() }, { try database.reindex() }, { try database.optimize() }, { try database.repair() },
            { try database.copy(to: directory.path + "/copy.cblite2") }, { try database.backUp(to: directory.path + "/copy.cblite2") },
        ] as [() throws -> Any] {
            let error = #expect(throws: StoreError.self) { _ = try work() }
            #expect(error?.code == .transactionOpen)
        }
        #expect(database.isInTransaction)
        try database.commitTransaction()
        try database.compact()
        #expect(try Self.ids(observer) == ["a"])
        #expect((#expect(throws: StoreError.self) { try observer.openTransaction() })?.code == .readOnly)
    }

    @Test func manyDocumentsAreSavedInIt() throws {
        try put("doc-7")
        try database.openTransaction()
        for round in 1...2 {
            try database.write { transaction in
                _ = try transaction.bulk { try BulkTests.save(0..<5000, round, in: $0, transaction) }
            }
        }
        #expect(throws: Failure.self) {
            try database.write { transaction in
                _ = try transaction.bulk {
                    try BulkTests.save(4000..<9000, 3, in: $0, transaction)
                    throw Failure()
                }
            }
        }
        #expect(try database.read { try $0.counts(of: .default).live } == 5000)
        #expect(try database.read { try $0.lastSequence(of: .default) } == 10_001)
        #expect(try observer.read { try $0.counts(of: .default).live } == 1)
        try database.commitTransaction()
        #expect(try observer.read { try $0.counts(of: .default).live } == 5000)
        #expect(try Self.problems(database) == [])
    }

    @Test func otherThreadsWaitAndReadWhatIsCommitted() throws {
        try put("a")
        try database.openTransaction()
        try put("b")
        let (database, order) = (database, Order())
        let thread = OtherThread {
            #expect(!database.isInTransaction)
            #expect((try? OpenTransactionTests.ids(database)) == ["a"])
            order.note("read")
            #expect(throws: Never.self) { try database.write { try $0.save("c", body: .emptyDictionary) } }
            order.note("written")
        }
        order.await("read")
        #expect(!order.has("written"))
        try database.commitTransaction()
        thread.join()
        #expect(order.has("written"))
        #expect(try Self.ids(observer) == ["a", "b", "c"])
    }

    @Test func watchersHearOfItWhenItIsCommitted() throws {
        let watcher = try database.watch()
        try database.openTransaction()
        try put("a")
        try #expect(!watcher.wait(milliseconds: 20))
        try database.rollBackTransaction()
        try #expect(!watcher.wait(milliseconds: 20))
        try database.openTransaction()
        let late = try database.watch()
        try put("b")
        try database.commitTransaction()
        for watcher in [watcher, late] {
            try #expect(watcher.wait(milliseconds: 5000))
            #expect(watcher.changes[.default]?.last == 1)
        }
    }

    @Test func closingRollsBack() throws {
        try put("a")
        try database.openTransaction()
        try put("b")
        database.close()
        #expect(try Self.ids(observer) == ["a"])
        // Nothing holds the file any more.
        try Database(path: database.path, options: .readWrite).write { try $0.save("c", body: .emptyDictionary) }
        #expect(try Self.ids(observer) == ["a", "c"])
    }

    @Test func theWholeIsGivenUpWhenSQLiteGivesItUp() throws {
        try database.openTransaction()
        try put("a")
        #expect(throws: StoreError.self) {
            try database.write { transaction in
                try transaction.save("b", body: .emptyDictionary)
                // As a full disk or an interrupted change do.
                try transaction.connection.execute("ROLLBACK")
            }
        }
        #expect(!database.isInTransaction)
        try put("c")
        #expect(try Self.ids(observer) == ["c"])
        #expect(try observer.read { try $0.document("c")?.sequence } == 1)
    }

    /// Who goes on after an error, as an app that saves what can be saved, would have each document committed alone.
    @Test func nothingIsCommittedAfterThat() throws {
        let error = #expect(throws: StoreError.self) {
            try database.write { transaction in
                try transaction.save("a", body: .emptyDictionary)
                try transaction.connection.execute("ROLLBACK")
                for id in ["b", "c"] { _ = try? transaction.save(id, body: .emptyDictionary) }
                let isRefused = (try? transaction.connection.execute("DELETE FROM kvmeta")) == nil
                let ids = try Self.ids(observer)
                #expect(isRefused && ids == [])
            }
        }
        #expect(error?.code == .noTransaction)
        #expect(try Self.ids(observer) == [])
        try put("d")
        #expect(try Self.ids(observer) == ["d"])
    }

    @Test func oneCanBeInsideAnother() throws {
        try database.openTransaction()
        try database.write { outer in
            try outer.save("a", body: outer.encode(json: #"{"outer":1}"#))
            #expect(throws: Failure.self) {
                try database.write { inner in
                    try inner.save("b", body: inner.encode(json: #"{"inner":1}"#))
                    #expect(try Self.ids(database) == ["a", "b"])
                    throw Failure()
                }
            }
            #expect(try Self.ids(database) == ["a"])
            #expect(try outer.save("c", body: outer.encode(json: #"{"outer":2,"third":3}"#)).sequence == 2)
        }
        try database.commitTransaction()
        try observer.read { snapshot in
            let document = try #require(try snapshot.document("c"))
            #expect(document.body.withRoot { $0.json(keys: snapshot.sharedKeys) } == #"{"outer":2,"third":3}"#)
        }
    }

    // Any sequence

    static func problems(_ database: Database) throws -> [Finding] {
        try database.read { snapshot in
            var findings: [Finding] = []
            _ = try Checker(snapshot, options: .init()) { findings.append($0) }.run()
            return findings.filter { $0.severity != .note }
        }
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64]) func anySequenceIsAsTheModelSays(seed: UInt64) throws {
        var run = TransactionRun(database: database, observer: observer, random: SeededRandom(seed))
        for step in 0..<250 { try run.step("seed \(seed), step \(step)") }
        try run.end("seed \(seed), end")
        #expect(try Self.problems(database) == [])
    }
}

/// What a database holds, as plain values.
private struct Model: Equatable {
    var documents: [CollectionName: [String: String]] = [.default: [:]]
    var sequences: [CollectionName: UInt64] = [.default: 0]

    init() {}

    init(reading database: Database) throws {
        (documents, sequences) = ([:], [:])
        try database.read { snapshot in
            for name in snapshot.collections() {
                let cursor = try snapshot.scan(name, ScanOptions(content: .everything))
                var found: [String: String] = [:]
                while try cursor.next() {
                    found[cursor.id] = try cursor.document().body.withRoot { $0.json(keys: snapshot.sharedKeys) }
                }
                documents[name] = found
                sequences[name] = try snapshot.lastSequence(of: name)
            }
        }
    }
}

/// Random changes, done to a database and to a model, in transactions that are opened and ended, and fail, at random.
private struct TransactionRun {
    struct Failure: Error {}

    let database: Database
    let observer: Database
    var random: SeededRandom
    var committed = Model()
    /// Nil while no transaction is open.
    var open: Model?
    private var keyNumber = 0

    init(database: Database, observer: Database, random: SeededRandom) {
        self.database = database
        self.observer = observer
        self.random = random
    }

    mutating func step(_ place: Comment) throws {
        switch random.below(10) {
        case 0:
            if open != nil {
                #expect(throws: StoreError.self, place) { try database.openTransaction() }
            } else {
                try database.openTransaction()
            }
            open = open ?? committed
        case 1:
            if let model = open { committed = model }
            try end(place) { try $0.commitTransaction() }
        case 2: try end(place) { try $0.rollBackTransaction() }
        default:
            var model = open ?? committed
            try write(&model, depth: 0)
            if open != nil { open = model } else { committed = model }
        }
        #expect(database.isInTransaction == (open != nil), place)
        #expect(try Model(reading: database) == open ?? committed, place)
        #expect(try Model(reading: observer) == committed, place)
    }

    mutating func end(_ place: Comment) throws {
        if open != nil { try end(place) { try $0.commitTransaction() } }
    }

    private mutating func end(_ place: Comment, _ work: (Database) throws -> Void) throws {
        if open != nil { try work(database) } else { #expect(throws: StoreError.self, place) { try work(database) } }
        open = nil
    }

    private mutating func write(_ model: inout Model, depth: Int) throws {
        let fails = random.below(3) == 0
        var changed = model
        do {
            try database.write { transaction in
                for _ in 0..<random.below(6) { try change(&changed, transaction, depth) }
                if fails { throw Failure() }
            }
            model = changed
        } catch is Failure {}
    }

    private mutating func change(_ model: inout Model, _ transaction: Transaction, _ depth: Int) throws {
        let name = random.element(of: model.documents.keys.sorted())
        let id = "doc-\(random.below(8))"
        switch random.below(10) {
        case 0:
            let new = try CollectionName(parsing: "c\(random.below(3))")
            if try transaction.createCollection(new) {
                model.documents[new] = [:]
                model.sequences[new] = try transaction.lastSequence(of: new)
            }
        case 1 where !name.isDefault:
            try transaction.deleteCollection(name)
            model.documents[name] = nil
            model.sequences[name] = nil
        case 2 where model.documents[name]?[id] != nil:
            try transaction.purge(id, in: name)
            model.documents[name]?[id] = nil
        case 3 where model.documents[name]?[id] != nil:
            try transaction.delete(id, in: name)
            model.documents[name]?[id] = nil
            model.sequences[name, default: 0] += 1
        case 4:
            // Statements of another kind, which SQLite compiles and keeps.
            _ = try transaction.createIndex(IndexCreationTests.value("byN", "fl_value(body, 'n\(random.below(2))')"))
        case 5 where depth < 3 && database.isInTransaction:
            try write(&model, depth: depth + 1)
        default:
            keyNumber += 1
            let json = "{\"key\(keyNumber % 40)\":\(keyNumber),\"n\":\(random.below(5))}"
            let body = try transaction.encode(json: json)
            try transaction.save(id, in: name, body: body)
            model.documents[name]?[id] = body.withRoot { $0.json(keys: transaction.sharedKeys) }
            model.sequences[name, default: 0] += 1
        }
    }
}

/// A thread of its own: what runs as a `Task` may run on any, even on that of the test.
private final class OtherThread {
    private final class Work {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    private var thread = pthread_t()

    init(_ body: @escaping @Sendable () -> Void) {
        pthread_create(
            &thread, nil,
            { argument in
                if let argument { Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body() }
                return nil
            }, Unmanaged.passRetained(Work(body)).toOpaque())
    }

    func join() { pthread_join(thread, nil) }
}
