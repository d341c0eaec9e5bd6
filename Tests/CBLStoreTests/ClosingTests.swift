import CBLBase
import CBLFleece
import CBLSQLite
import CBLTestSupport
import FoundationEssentials
import Glibc
import Testing

@testable import CBLStore

/// What is closed says so, whoever asks; and what is being done ends.
@Suite(.timeLimit(.minutes(5))) struct ClosingTests {
    private let directory: TemporaryDirectory
    private let database: Database
    private var path: String { database.path }

    init() throws {
        directory = try TemporaryDirectory()
        database = try Database(path: directory.path + "/new.cblite2", options: .create)
        try database.write { try $0.save("a", body: $0.encode(json: "{}")) }
    }

    private func expectNotOpen(_ what: String, _ work: () throws -> Void) {
        let error = #expect(throws: StoreError.self, "\(what)", performing: work)
        #expect(error?.code == .notOpen, "\(what): \(String(describing: error))")
    }

    @Test func everythingSaysSo() throws {
        database.close()
        #expect(!database.isOpen)
        expectNotOpen("read") { _ = try database.read { try $0.counts(of: .default) } }
        expectNotOpen("write") { try database.write { _ in } }
        expectNotOpen("begin") { _ = try database.begin() }
        expectNotOpen("open a transaction") { try database.openTransaction() }
        expectNotOpen("watch") { _ = try database.watch() }
        expectNotOpen("compact") { _ = try database.compact() }
        expectNotOpen("repair") { _ = try database.repair() }
        expectNotOpen("copy") { try database.copy(to: directory.path + "/copy.cblite2") }
        expectNotOpen("back up") { try database.backUp(to: directory.path + "/copy.cblite2") }
        expectNotOpen("delete") { try database.delete() }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["new.cblite2"])
        database.close()
        #expect(try Database(path: path).read { try $0.counts(of: .default).live } == 1)
    }

    /// A reader that is just beginning must not be the last to have the file open: it cannot tidy up what the log holds.
    @Test func nothingIsLeftInTheLogWhoeverBeginsToRead() throws {
        database.close()
        for round in 0..<150 {
            let database = try Database(path: path, options: .readWrite)
            try database.write { try $0.save("a", body: $0.encode(json: #"{"round":\#(round)}"#)) }
            let reading = WorkerThread {
                while (try? database.read { try $0.counts(of: .default) }) != nil {}
            }
            for _ in 0..<round % 7 { sched_yield() }
            database.close()
            #expect(!FileManager.default.fileExists(atPath: path + "/db.sqlite3-wal"), "round \(round)")
            reading.join()
        }
    }

    @Test func oneThatReadsOnlySaysSo() throws {
        let reader = try Database(path: path)
        reader.close()
        expectNotOpen("read") { _ = try reader.read { try $0.counts(of: .default) } }
        // The other one is not touched.
        #expect(try database.read { try $0.counts(of: .default).live } == 1)
    }

    @Test func fromInsideAWriteNothingIsStored() throws {
        expectNotOpen("write") {
            try database.write { transaction in
                try transaction.save("b", body: transaction.encode(json: "{}"))
                database.close()
                expectNotOpen("nested write") { try database.write { _ in } }
            }
        }
        #expect(try Database(path: path).read { try $0.counts(of: .default).live } == 1)
    }

    @Test func fromInsideAReadItEndsThere() throws {
        let live = try database.read { snapshot in
            database.close()
            expectNotOpen("nested read") { _ = try database.read { try $0.counts(of: .default) } }
            return try snapshot.counts(of: .default).live
        }
        #expect(live == 1)
        expectNotOpen("read") { _ = try database.read { try $0.counts(of: .default) } }
    }

    @Test func aLongQueryIsInterrupted() throws {
        let order = Order()
        let database = database
        let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
        let reader = WorkerThread {
            do {
                try database.read { snapshot in
                    order.note("reading")
                    _ = try snapshot.connection.integer(endless)
                }
            } catch let error as StoreError where error.code == .notOpen {
                order.note("told")
            } catch {}
        }
        order.await("reading")
        database.close()
        reader.join()
        #expect(order.has("told"))
    }

    @Test func aWriteOfAnotherThreadIsWaitedFor() throws {
        let order = Order()
        let database = database
        let writer = WorkerThread {
            try? database.write { transaction in
                order.note("writing")
                for number in 0..<2000 { try transaction.save("\(number)", body: transaction.encode(json: "{}")) }
            }
            order.note("written")
        }
        order.await("writing")
        database.close()
        writer.join()
        #expect(order.has("written"))
        #expect(try Database(path: path).read { try $0.counts(of: .default).live } == 2001)
    }

    @Test func whoWatchesIsWoken() throws {
        let watcher = try database.watch()
        let waiter = WorkerThread { [database] in database.close() }
        #expect(try !watcher.wait())
        waiter.join()
        #expect(try !watcher.wait())
    }

    @Test func aCommitIsHeardThroughAnotherDatabaseOfTheFile() throws {
        let other = try Database(path: path)
        let watcher = try other.watch()
        try database.write { try $0.save("b", body: $0.encode(json: "{}")) }
        #expect(try watcher.wait(milliseconds: 5000))
        // Closing one ends its own watchers alone.
        database.close()
        #expect(!watcher.isCancelled)
    }

    @Test func closingAndOpeningMayGoOnForLong() throws {
        database.close()
        for number in 0..<100 {
            let database = try Database(path: path, options: .readWrite)
            try database.write { try $0.save("a\(number)", body: $0.encode(json: "{}")) }
            database.close()
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: path).contains("db.sqlite3-wal") == false)
        #expect(try Database(path: path).read { try $0.counts(of: .default).live } == 101)
        #expect(SharedFile.openCount(of: DatabaseBundle(path: path)) == 0)
    }

    @Test func threadsMayCloseAtOnce() throws {
        let database = database
        let threads = (0..<8).map { number in
            WorkerThread {
                for _ in 0..<50 { _ = try? database.read { try $0.counts(of: .default) } }
                if number % 2 == 0 { database.close() }
                _ = try? database.write { try $0.save("\(number)", body: $0.encode(json: "{}")) }
            }
        }
        for thread in threads { thread.join() }
        #expect(!database.isOpen)
        #expect(try CheckerTests.findings(path) == [])
    }

    @Test(arguments: [Database.Options.Durability.normal, .full]) func durabilityIsTheWriters(_ durability: Database.Options.Durability)
        throws
    {
        var options = Database.Options.readWrite
        options.durability = durability
        let database = try Database(path: path, options: options)
        #expect(try database.write { try $0.connection.integer("PRAGMA synchronous") } == (durability == .full ? 2 : 1))
    }
}

/// Deleting: all of a database, nothing else, and not under somebody's hands.
@Suite struct DeletionTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path + "/new.cblite2"
        let database = try Database(path: path, options: .create)
        _ = try Array("blob".utf8).withUnsafeBytes { try database.blobs.write($0) }
        try database.write { try $0.save("a", body: $0.encode(json: "{}")) }
        database.close()
    }

    private var left: [String] { (try? FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()) ?? [] }

    @Test func allOfItGoes() throws {
        let database = try Database(path: path, options: .readWrite)
        try database.delete()
        #expect(left == [] && !database.isOpen)
        // And may be made again.
        let again = try Database(path: path, options: .create)
        #expect(try again.read { try $0.counts(of: .default).live } == 0)
        again.close()
        try Database.delete(at: path)
        #expect(left == [])
        let error = #expect(throws: StoreError.self) { try Database.delete(at: path) }
        #expect(error?.code == .notFound)
    }

    @Test func notWhileItIsOpenElsewhere() throws {
        let first = try Database(path: path, options: .readWrite)
        let second = try Database(path: directory.path + "/../" + URL(filePath: directory.path).lastPathComponent + "/new.cblite2")
        for work in [{ try first.delete() }, { try second.delete() }, { try Database.delete(at: path) }] {
            let error = #expect(throws: StoreError.self) { try work() }
            #expect(error?.code == .busy)
        }
        #expect(try first.read { try $0.counts(of: .default).live } == 1)
        second.close()
        let error = #expect(throws: StoreError.self) { try first.write { _ in try first.delete() } }
        #expect(error?.code == .transactionOpen)
        try first.delete()
        #expect(left == [])
    }

    @Test func whatIsNoPartOfItStays() throws {
        let letter = directory.path + "/letter.txt"
        try Data("dear".utf8).write(to: URL(filePath: letter))
        try FileManager.default.removeItem(atPath: path + "/Attachments")
        try FileManager.default.createSymbolicLink(atPath: path + "/Attachments", withDestinationPath: directory.path)
        try Data("note".utf8).write(to: URL(filePath: path + "/note.txt"))
        let error = #expect(throws: StoreError.self) { try Database.delete(at: path) }
        #expect(error?.message.contains("note.txt") == true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: path) == ["note.txt"])
        #expect(left == ["letter.txt", "new.cblite2"])
    }
}
