import CBLBase
import CBLSQLite
import CBLTestSupport
import FoundationEssentials
import Glibc
import Synchronization
import Testing

@testable import CBLStore

/// The connection that writes, with which others read until somebody writes.
@Suite struct LentConnectionTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path + "/db.cblite2"
        let database = try Database(path: path, options: .create)
        for number in 0..<3 { try Self.save(database, number) }
        database.close()
    }

    private static func save(_ database: Database, _ number: Int) throws {
        try database.write { try $0.save("doc\(number)", body: try $0.encode(json: #"{"n":\#(number)}"#)) }
    }

    private func open() throws -> Database { try Database(path: path, options: .readWrite) }
    private static func count(_ database: Database) throws -> Int { try database.read { try $0.counts(of: .default).live } }

    /// How often this process has the main file open.
    private var descriptors: Int {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return names.filter { (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0)) == path + "/db.sqlite3" }
            .count
    }

    @Test func whoOnlyReadsHasOneConnection() throws {
        let database = try open()
        #expect(descriptors == 1)
        #expect(try Self.count(database) == 3 && descriptors == 1)
        try Self.save(database, 3)
        // Nobody was reading: the connection went back, and who reads now needs another one.
        #expect(descriptors == 1)
        #expect(try Self.count(database) == 4 && descriptors == 2)
        database.close()
        #expect(descriptors == 0 && access(path + "/db.sqlite3-wal", F_OK) != 0)
    }

    @Test func whoIsReadingKeepsIt() throws {
        let database = try open()
        let open = try OpenSnapshot(of: database)
        #expect(try open.use { try $0.counts(of: .default).live } == 3)
        try Self.save(database, 3)
        #expect(try open.use { try $0.counts(of: .default).live } == 3)
        try database.write { _ = try $0.createCollection(CollectionName(name: "more")) }
        #expect(try open.use { !$0.hasCollection(try CollectionName(name: "more")) })
        open.end()
        #expect(try Self.count(database) == 4 && database.read { $0.hasCollection(try CollectionName(name: "more")) })
        try Self.save(database, 4)
        #expect(try Self.count(database) == 5)
        database.close()
        #expect(descriptors == 0 && access(path + "/db.sqlite3-wal", F_OK) != 0)
    }

    @Test func aReadWithinAReadHasItsOwn() throws {
        let database = try open()
        defer { database.close() }
        try database.read { outer in
            try Self.save(database, 3)
            #expect(try Self.count(database) == 4 && outer.counts(of: .default).live == 3)
        }
        #expect(try Self.count(database) == 4)
    }

    /// What others have put into the schema meanwhile is looked at before it could be run.
    @Test(arguments: [true, false]) func aSchemaThatBecomesForeignIsRefused(reads: Bool) throws {
        let database = try open()
        defer { database.close() }
        #expect(try Self.count(database) == 3)
        let other = try Connection(path: path + "/db.sqlite3", mode: .readWrite)
        try other.execute("CREATE TRIGGER evil AFTER INSERT ON kv_default BEGIN DELETE FROM kv_info; END")
        if reads { #expect(try Self.count(database) == 3) }
        #expect { try Self.save(database, 3) } throws: { ($0 as? StoreError)?.code == .foreignSchema }
        #expect(try Self.count(database) == 3)
        try other.execute("DROP TRIGGER evil")
        try Self.save(database, 3)
        #expect(try Self.count(database) == 4)
    }

    /// Schemas that were found in order are remembered by all that they say.
    @Test func aSchemaThatOnlyLooksAlikeIsNotTrusted() throws {
        for _ in 0..<2 {
            let database = try open()
            try Self.save(database, 3)
            database.close()
        }
        let other = try Connection(path: path + "/db.sqlite3", mode: .readWrite)
        try other.execute("PRAGMA writable_schema=ON")
        try other.execute(
            "UPDATE sqlite_master SET rootpage=(SELECT rootpage FROM sqlite_master WHERE name='kv_info') WHERE name='kv_default_expiration'"
        )
        #expect { try open() } throws: { [.foreignSchema, .corrupt].contains(($0 as? StoreError)?.code) }
    }

    /// A thread that begins to write and others that read meet at the connection, over and over.
    @Test func readersAndAWriterMeet() throws {
        for round in 0..<40 {
            let database = try open()
            let isWritten = Mutex(false)
            let problems = Mutex<[String]>([])
            let threads = (0..<4).map { thread in
                WorkerThread {
                    do {
                        for turn in 0..<10 {
                            if thread == 0 && turn == round % 10 {
                                try Self.save(database, 100 + round)
                                isWritten.withLock { $0 = true }
                            }
                            let hasWritten = isWritten.withLock { $0 }
                            let count = try Self.count(database)
                            if count != 3 + round + 1, hasWritten || count != 3 + round { problems.withLock { $0.append("\(count)") } }
                        }
                    } catch { problems.withLock { $0.append("\(error)") } }
                }
            }
            for thread in threads { thread.join() }
            #expect(problems.withLock { $0 } == [])
            database.close()
        }
        #expect(descriptors == 0)
    }

    @Test func itIsClosedWhileSomebodyReads() throws {
        let database = try open()
        let open = try OpenSnapshot(of: database)
        #expect(try open.use { try $0.counts(of: .default).live } == 3)
        database.close()
        #expect(throws: StoreError.self) { try open.use { try $0.counts(of: .default) } }
        #expect(descriptors == 0 && access(path + "/db.sqlite3-wal", F_OK) != 0)
    }
}
