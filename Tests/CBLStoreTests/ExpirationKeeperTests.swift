import CBLFleece
import CBLSQLite
import CBLTestSupport
import Glibc
import Testing

@testable import CBLStore

/// Documents go when their time has come, while a database is open, and observers hear of it.
@Suite(.timeLimit(.minutes(5))) struct ExpirationKeeperTests {
    private let directory: TemporaryDirectory
    private let database: Database
    private let flowers: CollectionName

    init() throws {
        directory = try TemporaryDirectory()
        database = try Database(path: directory.path + "/new.cblite2", options: .create)
        flowers = try CollectionName(parsing: "garden.flowers")
        try database.write { transaction in
            try transaction.createCollection(flowers)
            for id in ["a", "b", "c"] {
                try transaction.save(id, body: transaction.encode(json: "{}"))
                try transaction.save(id, in: flowers, body: transaction.encode(json: "{}"))
            }
        }
    }

    private func expire(_ id: String, in name: CollectionName = .default, after milliseconds: Int64) throws {
        try database.write { _ = try $0.setExpiration(id, in: name, Transaction.now + milliseconds) }
    }

    private func counts() throws -> [Int] {
        try database.read { [try $0.counts(of: .default).live, try $0.counts(of: flowers).live] }
    }

    private func wait(_ watcher: Watcher, for collections: Set<CollectionName>) throws {
        var heard: Set<CollectionName> = []
        while !heard.isSuperset(of: collections), try watcher.wait(milliseconds: 60_000) {
            heard.formUnion(watcher.purged)
            #expect(watcher.changes.isEmpty)
        }
        #expect(heard == collections)
    }

    @Test func theyGoInTimeAndAreTold() throws {
        try expire("a", after: -1000)
        try database.keepExpirations()
        let other = try Database(path: database.path)
        let watcher = try other.watch(noticingPurges: true)
        // Set while it sleeps, also through another database of the file.
        let second = try Database(path: database.path, options: .readWrite)
        try second.write { _ = try $0.setExpiration("b", in: flowers, Transaction.now + 200) }
        try expire("b", after: 300)
        var left = try counts()
        while left != [1, 2] {
            _ = try watcher.wait(milliseconds: 60_000)
            #expect(!watcher.purged.isEmpty && watcher.changes.isEmpty)
            left = try counts()
        }
        // Like the vendor's, it does not count as a purge in the file.
        #expect(try database.read { try $0.purgeCount(of: .default) } == 0)
        #expect(try CheckerTests.findings(database.path) == [])
    }

    @Test func aTransactionIsNotInItsWay() throws {
        try database.keepExpirations()
        let watcher = try database.watch(noticingPurges: true)
        try database.write { transaction in
            _ = try transaction.setExpiration("c", in: .default, Transaction.now - 1)
            #expect(try !watcher.wait(milliseconds: 200))
            #expect(try counts() == [3, 3])
        }
        try wait(watcher, for: [.default])
        #expect(try counts() == [2, 3])
    }

    @Test func whatIsRolledBackIsNotTold() throws {
        struct Failure: Error {}
        let watcher = try database.watch(noticingPurges: true)
        try expire("a", after: -1)
        #expect(throws: Failure.self) {
            try database.write { transaction in
                #expect(try transaction.purgeExpired() == 1)
                throw Failure()
            }
        }
        #expect(try !watcher.wait(milliseconds: 200))
        try database.write { _ in _ = try database.write { try $0.purgeExpired() } }
        #expect(try watcher.wait())
        #expect(watcher.purged == [.default])
        #expect(try !watcher.wait(milliseconds: 200))
    }

    @Test func itEndsWithTheDatabase() throws {
        weak var gone: Database?
        do {
            let database = try Database(path: database.path, options: .readWrite)
            try database.keepExpirations()
            try database.keepExpirations()
            database.close()
            gone = database
        }
        for _ in 0..<1000 where gone != nil { usleep(20_000) }
        #expect(gone == nil)
    }

    @Test func aReaderLeavesEverything() throws {
        try expire("a", after: -1)
        let reader = try Database(path: database.path)
        try reader.keepExpirations()
        usleep(200_000)
        #expect(try counts() == [3, 3])
    }
}
