import CBLSQLite
import CBLSystemSQLite
import CBLTestSupport
import FoundationEssentials
import Glibc
import Testing

/// Two connections to one file, and transactions on them.
@Suite struct TransactionTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path + "/db"
        let connection = try Connection(path: path, mode: .create)
        try connection.execute("PRAGMA journal_mode=WAL")
        try connection.execute("CREATE TABLE t (x INTEGER PRIMARY KEY)")
        try connection.execute("INSERT INTO t VALUES (1)")
    }

    private func open(_ mode: Connection.Mode = .readWrite) throws -> Connection { try Connection(path: path, mode: mode) }

    private func count(_ connection: Connection) throws -> Int64? { try connection.integer("SELECT count(*) FROM t") }

    @Test func itIsKnownWhetherOneIsOpen() throws {
        let connection = try open()
        #expect(!connection.isInTransaction)
        try connection.execute("BEGIN")
        #expect(connection.isInTransaction)
        try connection.execute("INSERT INTO t VALUES (2), (3)")
        #expect(connection.changes == 2)
        try connection.execute("ROLLBACK")
        #expect(try !connection.isInTransaction && count(connection) == 1)
    }

    @Test(arguments: [
        ("COMMIT", "cannot commit - no transaction is active"), ("ROLLBACK", "cannot rollback - no transaction is active"),
        ("RELEASE s", "no such savepoint: s"),
    ]) func whatWasNotBegunIsNotEnded(sql: String, message: String) throws {
        let connection = try open()
        let error = #expect(throws: SQLiteError.self) { try connection.execute(sql) }
        #expect(error == SQLiteError(extendedCode: SQLITE_ERROR, message: message, sql: sql))
        #expect(error?.description == "SQLite: \(message) (1) in: \(sql)")
    }

    @Test func savepointsAreUndoneByThemselves() throws {
        let connection = try open()
        try connection.execute("BEGIN")
        try connection.execute("INSERT INTO t VALUES (2)")
        try connection.execute("SAVEPOINT s")
        try connection.execute("INSERT INTO t VALUES (3)")
        #expect(throws: SQLiteError.self) { try connection.execute("INSERT INTO t VALUES (3)") }
        try connection.execute("ROLLBACK TO s")
        try connection.execute("RELEASE s")
        try connection.execute("COMMIT")
        #expect(try connection.strings("SELECT x FROM t ORDER BY x") == ["1", "2"])
    }

    @Test func aTransactionThatIsDroppedIsUndone() throws {
        do {
            let connection = try open()
            try connection.execute("BEGIN")
            try connection.execute("INSERT INTO t VALUES (2)")
        }
        #expect(try count(open()) == 1)
    }

    @Test func aLockThatIsHeldIsSaidToBe() throws {
        let (first, second) = (try open(), try open())
        try first.execute("BEGIN IMMEDIATE")
        let error = #expect(throws: SQLiteError.self) { try second.execute("BEGIN IMMEDIATE") }
        #expect(error?.isBusy == true && error?.message == "database is locked" && error?.sql == "BEGIN IMMEDIATE")
        #expect(!second.isInTransaction)
        // Who reads does not mind.
        #expect(try count(second) == 1)
        try first.execute("COMMIT")
        try second.execute("BEGIN IMMEDIATE")
    }

    /// The second waits however long the first takes, for it is told to.
    @Test func aLockIsWaitedForAsLongAsOneWants() throws {
        let first = try open()
        try first.execute("BEGIN IMMEDIATE")
        try first.execute("INSERT INTO t VALUES (2)")
        let path = path
        let waiting = Waiting {
            let second = try Connection(path: path, mode: .readWrite)
            second.setBusyTimeout(milliseconds: Int32(Patience.seconds * 1000))
            try second.execute("BEGIN IMMEDIATE")
            let count = try second.integer("SELECT count(*) FROM t")
            try second.execute("COMMIT")
            return count ?? 0
        }
        usleep(50_000)
        try first.execute("COMMIT")
        #expect(try waiting.join() == 2)
    }

    /// Afterwards it waits as long as before.
    @Test func aLockIsNotWaitedForByWhoCannot() throws {
        let (first, second) = (try open(), try open())
        second.setBusyTimeout(milliseconds: 300)
        try first.execute("BEGIN IMMEDIATE")
        let clock = ContinuousClock()
        var start = clock.now
        for _ in 0..<20 {
            let error = #expect(throws: SQLiteError.self) { try second.withoutWaiting { try second.execute("BEGIN IMMEDIATE") } }
            #expect(error?.isBusy == true)
        }
        #expect(clock.now - start < .seconds(5))
        start = clock.now
        #expect(throws: SQLiteError.self) { try second.execute("BEGIN IMMEDIATE") }
        #expect(clock.now - start >= .milliseconds(200))
    }

    /// What was read has been changed since: to wait would not help.
    @Test func whoHasReadSomethingOldCannotWrite() throws {
        let (first, second) = (try open(), try open())
        second.setBusyTimeout(milliseconds: Int32(Patience.seconds * 1000))
        try second.execute("BEGIN")
        #expect(try count(second) == 1)
        try first.execute("INSERT INTO t VALUES (2)")
        #expect(try count(second) == 1)
        let error = #expect(throws: SQLiteError.self) { try second.execute("INSERT INTO t VALUES (3)") }
        #expect(error?.isBusy == true && error?.extendedCode == SQLITE_BUSY | 2 << 8)
        try second.execute("ROLLBACK")
        try second.execute("INSERT INTO t VALUES (3)")
        #expect(try count(first) == 3)
    }

    /// A statement that has not come to its end holds what it reads.
    @Test func aStatementThatRunsReadsOneState() throws {
        let (first, second) = (try open(), try open())
        let row = try second.prepare("SELECT x FROM t UNION ALL SELECT count(*) FROM t")
        try #expect(row.step())
        try first.execute("INSERT INTO t VALUES (2)")
        try #expect(row.step())
        #expect(row.int64(0) == 1)
        row.reset()
        #expect(try count(second) == 2)
    }

    @Test func aCopyIsOfOneState() throws {
        let (source, other) = (try open(.readOnly), try open())
        let target = try Connection(path: directory.path + "/copy", mode: .create)
        let backup = try #require(sqlite3_backup_init(target.handle, "main", source.handle, "main"))
        #expect(sqlite3_backup_step(backup, 1) == SQLITE_OK)
        try other.execute("INSERT INTO t VALUES (2)")
        // It begins again of its own accord.
        #expect(sqlite3_backup_step(backup, -1) == SQLITE_DONE)
        #expect(sqlite3_backup_finish(backup) == SQLITE_OK)
        #expect(try count(target) == 2)
        #expect(try target.strings("PRAGMA integrity_check") == ["ok"])
    }

    @Test func aCopyIsNotMadeOfADatabaseOntoItself() throws {
        let connection = try open()
        #expect(sqlite3_backup_init(connection.handle, "main", connection.handle, "main") == nil)
        let error = connection.error(sqlite3_errcode(connection.handle))
        #expect(error.message == "source and destination must be distinct")
    }

    @Test func theMainFileIsReadThroughSQLite() throws {
        let connection = try open()
        let header = try #require(try connection.readMainFile(count: 16, at: 0))
        #expect(header == Array("SQLite format 3\0".utf8))
        #expect(try connection.readMainFile(count: 16, at: 1 << 30) == nil)
        #expect(try connection.readMainFile(count: 1 << 24, at: 0) == nil)
        #expect(try Connection(path: ":memory:", mode: .create).readMainFile(count: 16, at: 0) == nil)
    }
}

/// Work on a thread of its own.
private final class Waiting: @unchecked Sendable {
    // Written by the thread before it ends, and read when it has.
    private var result: Result<Int64, any Error>?
    private let work: @Sendable () throws -> Int64
    private var thread = pthread_t()

    init(_ work: @escaping @Sendable () throws -> Int64) {
        self.work = work
        let box = Unmanaged.passRetained(self)
        pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                let waiting = Unmanaged<Waiting>.fromOpaque(argument).takeRetainedValue()
                waiting.result = Result { try waiting.work() }
                return nil
            }, box.toOpaque())
    }

    func join() throws -> Int64 {
        pthread_join(thread, nil)
        return try #require(result).get()
    }
}
