import CBLSystemSQLite
import CBLTestSupport
import Testing

@testable import CBLSQLite

@Suite struct WriterLocksTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path + "/db"
    }

    private func open() throws -> Connection {
        let connection = try Connection(path: path, mode: .create)
        try connection.execute("PRAGMA journal_mode=WAL")
        try connection.execute("PRAGMA synchronous=normal")
        connection.setBusyTimeout(milliseconds: 0)
        return connection
    }

    private func fill(_ connection: Connection) throws {
        try connection.execute("CREATE TABLE t (n INTEGER, text TEXT)")
        try connection.fill(rows: 500)
    }

    private func sum(_ connection: Connection) throws -> Int64? { try connection.integer("SELECT sum(n) FROM t") }

    /// Whether the log could be written back as a whole, and is empty now.
    private func emptyLog(_ connection: Connection) throws -> Bool { try connection.integer("PRAGMA wal_checkpoint(TRUNCATE)") == 0 }

    private typealias Call = (offset: Int32, flags: Int32)
    private let lock = SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE
    private let unlock = SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE
    private let share = SQLITE_SHM_LOCK | SQLITE_SHM_SHARED
    private let unshare = SQLITE_SHM_UNLOCK | SQLITE_SHM_SHARED

    /// Locks of an index in memory, with what is asked of the file noted.
    private func withLocks(_ work: (inout WriterLocks, WriterLocks.Pass, () -> [String]) -> Void) {
        var index = [UInt32](repeating: 0, count: 40)
        var calls: [String] = []
        index.withUnsafeMutableBytes { bytes in
            var locks = WriterLocks()
            locks.index = bytes.baseAddress
            work(
                &locks,
                {
                    calls.append("\($0) \($2)"); return SQLITE_OK
                }, { calls })
        }
    }

    @Test func aTransactionTakesTheWritersLockAlone() {
        withLocks { locks, pass, calls in
            for _ in 0..<2 {
                locks.takeAhead(pass)
                #expect(locks.lock(4, 1, lock, pass) == SQLITE_BUSY)
                #expect(locks.lock(4, 1, share, pass) == SQLITE_OK)
                #expect(locks.lock(0, 1, lock, pass) == SQLITE_OK)
                locks.endTaking(pass)
                locks.beginCommit()
                #expect(locks.lock(0, 1, unlock, pass) == SQLITE_OK)
                #expect(locks.lock(4, 1, unshare, pass) == SQLITE_OK)
                locks.endCommit(pass)
            }
            #expect(calls() == ["0 \(lock)", "0 \(unlock)", "0 \(lock)", "0 \(unlock)"])
        }
    }

    @Test func aTransactionThatDoesNotBeginLeavesNoLock() {
        withLocks { locks, pass, calls in
            locks.takeAhead(pass)
            #expect(locks.lock(5, 1, share, pass) == SQLITE_OK)
            #expect(locks.lock(5, 1, unshare, pass) == SQLITE_OK)
            locks.endTaking(pass)
            #expect(calls() == ["0 \(lock)", "0 \(unlock)"])
        }
    }

    @Test func aReadersLockThatSaysNothingIsNotMadeDoWithForLong() {
        withLocks { locks, pass, _ in
            locks.takeAhead(pass)
            for offset in Int32(4)...7 { #expect(locks.lock(offset, 1, lock, pass) == SQLITE_BUSY) }
            #expect(locks.lock(4, 1, lock, pass) == SQLITE_OK)
        }
    }

    /// Nobody else writes before the first one has ended, and then all can.
    @Test(arguments: [true, false]) func oneWritesAtATime(commits: Bool) throws {
        let (one, two) = (try open(), try open())
        try fill(one)
        for round in 0..<30 {
            try one.beginWriting()
            try one.execute("INSERT INTO t VALUES (\(round), 'one')")
            #expect(throws: SQLiteError.self) { try two.beginWriting() }
            #expect(throws: SQLiteError.self) { try two.execute("INSERT INTO t VALUES (1, 'two')") }
            let before = try sum(two)
            if commits { try one.commit() } else { try one.execute("ROLLBACK") }
            #expect(try sum(two) == before.map { $0 + (commits ? Int64(round) : 0) })
            try two.beginWriting()
            try two.execute("INSERT INTO t VALUES (1, 'two')")
            try two.commit()
            if round % 7 == 0 { #expect(try emptyLog(round % 2 == 0 ? one : two)) }
        }
        #expect(try one.strings("PRAGMA integrity_check") == ["ok"])
        #expect(try emptyLog(one) && emptyLog(two))
    }

    /// A statement that is not at its end when its transaction is goes on with what it saw, whatever others do with the log.
    @Test(arguments: [true, false]) func whoGoesOnReadingIsNotDisturbed(commits: Bool) throws {
        let (one, two) = (try open(), try open())
        try fill(one)
        #expect(try emptyLog(one))
        try two.execute("UPDATE t SET n = n + 1")
        try one.beginWriting()
        if commits { try one.execute("UPDATE t SET n = n + 1") }
        let expected = try sum(one)
        let rows = try one.prepare("SELECT n, length(text) FROM t")
        var total = try rows.step() ? rows.int64(0) : 0
        if commits { try one.commit() } else { try one.execute("ROLLBACK") }
        for _ in 0..<5 {
            try two.execute("UPDATE t SET n = n + 7")
            #expect(try !emptyLog(two))
        }
        while try rows.step() { total += rows.int64(0) }
        rows.reset()
        #expect(total == expected)
        #expect(try emptyLog(two) && sum(one) == sum(two))
        #expect(try one.strings("PRAGMA integrity_check") == ["ok"])
    }

    /// While one writes, the others may write back what was committed before, and see nothing of it.
    @Test func theLogIsWrittenBackUnderAWriter() throws {
        let (one, two) = (try open(), try open())
        try fill(one)
        for round in 0..<20 {
            try one.beginWriting()
            let before = try sum(one)
            try one.execute("UPDATE t SET n = n + 1 WHERE rowid % 3 = \(round % 3)")
            try two.execute("PRAGMA wal_checkpoint(PASSIVE)")
            #expect(try sum(two) == before)
            let within = try sum(one)
            try one.commit()
            #expect(try sum(two) == within && sum(one) == within)
        }
        #expect(try two.strings("PRAGMA integrity_check") == ["ok"])
    }

    @Test func whoReadsForAMomentSeesWhatIsThere() throws {
        let (one, two) = (try open(), try open())
        try fill(one)
        for round in 0..<50 {
            try two.execute("UPDATE t SET n = \(round) WHERE rowid = 1")
            if round % 9 == 0 { #expect(try emptyLog(two)) }
            try one.readingBriefly {
                try one.execute("BEGIN")
                #expect(try one.integer("SELECT n FROM t WHERE rowid = 1") == Int64(round))
            }
            try one.execute("ROLLBACK")
        }
        #expect(try emptyLog(two))
    }
}
