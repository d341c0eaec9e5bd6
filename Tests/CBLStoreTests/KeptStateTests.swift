import CBLBase
import CBLFleece
import CBLTestSupport
import Glibc
import Synchronization
import Testing

@testable import CBLStore

/// Readers that keep the state they saw, for the next one who reads.
@Suite struct KeptStateTests {
    let directory: TemporaryDirectory
    let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path + "/db.cblite2"
    }

    private func open() throws -> Database {
        var options = Database.Options.create
        options.keepsStates = true
        return try Database(path: path, options: options)
    }

    private static func save(_ database: Database, _ number: Int) throws {
        try database.write { try $0.save("doc", body: try $0.encode(json: #"{"n":\#(number),"key \#(number)":1}"#)) }
    }

    private static func number(_ database: Database) throws -> Int64? {
        try database.read { snapshot in
            try snapshot.document("doc").map { document in
                document.body.withRoot { $0.dictionary?.value(forKey: "n", snapshot.sharedKeys)?.integer ?? -1 }
            }
        }
    }

    @Test func everyReadSeesTheLastCommitOfAnyConnection() throws {
        let (one, two) = (try open(), try open())
        defer {
            one.close()
            two.close()
        }
        for round in 0..<200 {
            try KeptStateTests.save(round % 2 == 0 ? one : two, round)
            #expect(try KeptStateTests.number(one) == Int64(round))
            #expect(try KeptStateTests.number(two) == Int64(round))
            #expect(try KeptStateTests.number(one) == Int64(round))
        }
    }

    /// What was just committed is read on the connection that wrote it, unless that is writing again.
    @Test func whoPeeksSeesTheLastCommitOfAnyConnection() throws {
        let (one, two) = (try open(), try open())
        defer {
            one.close()
            two.close()
        }
        func peeked(_ database: Database) throws -> Int64? {
            try database.peek { snapshot in
                try snapshot.document("doc").map { document in
                    document.body.withRoot { $0.dictionary?.value(forKey: "n", snapshot.sharedKeys)?.integer ?? -1 }
                }
            }
        }
        for round in 0..<100 {
            let (writer, other) = round % 3 == 0 ? (one, two) : (two, one)
            try KeptStateTests.save(writer, round)
            if round % 2 == 0 { #expect(try peeked(writer) == Int64(round)) }
            #expect(try peeked(other) == Int64(round))
            #expect(try peeked(writer) == Int64(round))
            try KeptStateTests.save(one, -round)
            try two.write { transaction in
                try transaction.save("doc", body: try transaction.encode(json: #"{"n":1000}"#))
                #expect(try peeked(one) == Int64(-round))
                #expect(try peeked(two) == 1000)
                let body = try transaction.encode(json: #"{"n":\#(round)}"#)
                try transaction.save("doc", body: body)
            }
            #expect(try peeked(two) == Int64(round) && peeked(one) == Int64(round))
        }
        one.close()
        #expect(throws: StoreError.self) { try peeked(one) }
    }

    @Test func aNewCollectionIsSeenAtOnce() throws {
        let (one, two) = (try open(), try open())
        defer {
            one.close()
            two.close()
        }
        let name = try CollectionName(name: "late")
        #expect(try !one.read { $0.hasCollection(name) })
        try two.write { _ = try $0.createCollection(name) }
        #expect(try one.read { $0.hasCollection(name) })
        try two.write { try $0.deleteCollection(name) }
        #expect(try !one.read { $0.hasCollection(name) })
    }

    /// Otherwise the log would grow for ever.
    @Test func theLogIsStartedAnewAlthoughSomebodyReadsAllTheTime() throws {
        let database = try open()
        defer { database.close() }
        for round in 0..<6000 {
            try KeptStateTests.save(database, round % 50)
            _ = try KeptStateTests.number(database)
        }
        var status = stat()
        #expect(stat(path + "/db.sqlite3-wal", &status) == 0)
        #expect(status.st_size < 8 << 20, "the log has \(status.st_size) bytes")
    }

    /// Another process, or a database that is opened beside, can empty the log soon after.
    @Test func aStateIsGivenUpSoon() throws {
        let database = try open()
        defer { database.close() }
        try KeptStateTests.save(database, 1)
        // On a busy machine it may be given up before one looks.
        var isKept = false
        for _ in 0..<1000 where !isKept {
            _ = try KeptStateTests.number(database)
            isKept = database.readers.keepsSomeState
        }
        #expect(isKept)
        for _ in 0..<1000 where database.readers.keepsSomeState { usleep(10_000) }
        #expect(!database.readers.keepsSomeState)
        #expect(try KeptStateTests.number(database) == 1)
    }

    @Test func aDatabaseClosesWithAStateKept() throws {
        for _ in 0..<50 {
            let database = try open()
            try KeptStateTests.save(database, 1)
            _ = try KeptStateTests.number(database)
            database.close()
            #expect(throws: StoreError.self) { try KeptStateTests.number(database) }
        }
        #expect(access(path + "/db.sqlite3-wal", F_OK) != 0)
    }

    /// Eight threads that read and write through two databases of one file never see an older state than they have seen before.
    @Test func statesNeverGoBack() throws {
        let databases = [try open(), try open()]
        defer { for database in databases { database.close() } }
        try KeptStateTests.save(databases[0], 0)
        let problems = Mutex<[String]>([])
        let last = Mutex(0)
        let threads = (0..<8).map { thread in
            WorkerThread {
                do {
                    var seen: Int64 = 0
                    for _ in 0..<150 {
                        let database = databases[thread % 2]
                        if thread < 2 {
                            try last.withLock {
                                $0 += 1
                                try KeptStateTests.save(database, $0)
                            }
                        }
                        let least = Int64(last.withLock { $0 })
                        let now = try KeptStateTests.number(database) ?? -1
                        if now < seen || now < least { problems.withLock { $0.append("\(now) after \(seen)") } }
                        seen = now
                    }
                } catch { problems.withLock { $0.append("\(error)") } }
            }
        }
        for thread in threads { thread.join() }
        #expect(problems.withLock { $0 } == [])
    }
}
