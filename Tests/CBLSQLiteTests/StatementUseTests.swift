import CBLSQLite
import CBLSystemSQLite
import Testing

/// Statements that are used again, within themselves, after an error, and when their connection is no more.
@Suite struct StatementUseTests {
    private let connection: Connection

    init() throws {
        connection = try Connection(path: ":memory:", mode: .create)
        try connection.execute("CREATE TABLE t (k INTEGER PRIMARY KEY, v TEXT NOT NULL)")
        for number in 1...3 { try connection.execute("INSERT INTO t VALUES (\(number), 'v\(number)')") }
    }

    @Test func whatIsLentAgainRemembersNothing() throws {
        let sql = "SELECT v FROM t WHERE k = ?1"
        var handle: OpaquePointer?
        try connection.withStatement(sql) { row in
            try row.bind(Int64(2), 1)
            try #expect(row.step())
            handle = row.handle
        }
        try connection.withStatement(sql) { row in
            #expect(row.handle == handle)
            try #expect(!row.step())
        }
    }

    @Test func whatIsTakenAndKeptRemembersNothing() throws {
        let sql = "SELECT v FROM t WHERE k = ?1"
        let first = try connection.take(sql)
        let second = try connection.take(sql)
        #expect(first !== second)
        try first.bind(Int64(1), 1)
        try #expect(first.step())
        connection.keep(first)
        connection.keep(second)
        let third = try connection.take(sql)
        try #expect(!third.step())
        // The one that was kept last is there; of two with one text, the other has gone.
        #expect(third === second)
        #expect(try connection.take(sql) !== first)
    }

    @Test func whatWasKeptIsThereForAllWhoAskForItsText() throws {
        let statements = try ["SELECT 1", "SELECT 2", "SELECT 3"].map { try connection.take($0) }
        for statement in statements { connection.keep(statement) }
        for statement in statements {
            try connection.withStatement(statement.sql) { #expect($0 === statement) }
            let taken = try connection.take(statement.sql)
            #expect(taken === statement)
            try connection.withStatement(statement.sql) { #expect($0 !== statement) }
            connection.keep(taken)
        }
    }

    @Test func aLentStatementOutlivesAReleaseOfAllThatAreKept() throws {
        try connection.withStatement("SELECT v FROM t ORDER BY k") { row in
            try #expect(row.step())
            connection.releaseStatements()
            try #expect(row.step())
            #expect(row.string(0) == "v2")
        }
        // A change of schema that a statement would stand in the way of.
        connection.releaseStatements()
        try connection.execute("DROP TABLE t")
    }

    @Test func aKeptStatementNoticesAnotherSchema() throws {
        let sql = "SELECT * FROM t WHERE k = 1"
        try connection.withStatement(sql) { row in
            try #expect(row.step())
            #expect(row.columnCount == 2)
        }
        try connection.execute("ALTER TABLE t ADD COLUMN more DEFAULT 'new'")
        try connection.withStatement(sql) { row in
            try #expect(row.step())
            #expect(row.columnCount == 3 && row.string(2) == "new")
        }
        try connection.execute("DROP TABLE t")
        #expect(throws: SQLiteError.self) { try connection.withStatement(sql) { try $0.step() } }
    }

    /// As of queries that have their values in their text.
    @Test func whatNobodyAsksForAgainIsNotKeptForEver() throws {
        weak var once: Statement?
        weak var often: Statement?
        try connection.withStatement("SELECT 'once'") { once = $0 }
        try connection.withStatement("SELECT 'often'") { often = $0 }
        #expect(once != nil)
        for number in 0..<2000 {
            #expect(try connection.integer("SELECT \(number)") == Int64(number))
            if number % 100 == 0 { #expect(try connection.strings("SELECT 'often'") == ["often"]) }
        }
        #expect(once == nil && often != nil)
        var (count, next) = (0, sqlite3_next_stmt(connection.handle, nil))
        while let statement = next {
            count += 1
            next = sqlite3_next_stmt(connection.handle, statement)
        }
        #expect(count > 200 && count < 1000)
    }

    @Test func aStatementCanBeUsedAfterAnError() throws {
        let insert = try connection.prepare("INSERT INTO t VALUES (?, ?)")
        try insert.bind(Int64(1), 1)
        try insert.bind("again", 2)
        let error = #expect(throws: SQLiteError.self) { try insert.run() }
        #expect(error?.isConstraint == true && error?.extendedCode == SQLITE_CONSTRAINT | 6 << 8)
        #expect(error?.message == "UNIQUE constraint failed: t.k" && error?.sql == "INSERT INTO t VALUES (?, ?)")
        // Its bindings may be changed at once: it has been reset.
        try insert.bind(Int64(4), 1)
        try insert.run()
        #expect(try connection.strings("SELECT v FROM t WHERE k = 4") == ["again"])
    }

    @Test func nothingIsBoundWhileAStatementRuns() throws {
        let row = try connection.prepare("SELECT v, ?1 FROM t ORDER BY k")
        try row.bind("x", 1)
        try #expect(row.step())
        let error = #expect(throws: SQLiteError.self) { try row.bind("y", 1) }
        #expect(error?.code == SQLITE_MISUSE)
        try #expect(row.step())
        #expect(row.string(0) == "v2" && row.string(1) == "x")
        row.reset()
        try row.bind("y", 1)
        try #expect(row.step())
        #expect(row.string(0) == "v1" && row.string(1) == "y")
        row.reset()
        row.clearBindings()
        try #expect(row.step())
        #expect(row.isNull(1))
    }

    @Test func itBeginsAnewAfterItsEnd() throws {
        let row = try connection.prepare("SELECT k FROM t ORDER BY k")
        for _ in 0..<2 {
            var keys: [Int64] = []
            while try row.step() { keys.append(row.int64(0)) }
            #expect(keys == [1, 2, 3])
        }
    }

    @Test func whatThrowsLeavesTheStatementUsable() throws {
        struct Enough: Error {}
        let sql = "SELECT k FROM t ORDER BY k"
        #expect(throws: Enough.self) {
            try connection.withStatement(sql) { row in
                try row.step()
                throw Enough()
            }
        }
        #expect(try connection.strings(sql) == ["1", "2", "3"])
        // It was reset, so nothing is in the way of what needs all others to have ended.
        try connection.vacuum()
    }

    /// SQLite keeps its side until the last statement goes.
    @Test func aStatementMayOutliveItsConnection() throws {
        var connection: Connection? = try Connection(path: ":memory:", mode: .create)
        try connection?.execute("CREATE TABLE t AS SELECT 1 AS x UNION SELECT 2")
        let row = try #require(try connection?.prepare("SELECT x FROM t ORDER BY x"))
        let bad = try #require(try connection?.prepare("SELECT abs(-9223372036854775807 - x) FROM t"))
        try #expect(row.step())
        connection = nil
        try #expect(row.step())
        #expect(row.int64(0) == 2)
        try #expect(!row.step())
        let error = #expect(throws: SQLiteError.self) { try bad.run() }
        #expect(error?.code == SQLITE_ERROR && error?.sql?.hasPrefix("SELECT abs") == true)
    }

    @Test func whatOnlyReadsIsKnown() throws {
        #expect(try connection.prepare("SELECT * FROM t").isReadOnly && connection.prepare("BEGIN").isReadOnly)
        #expect(try !connection.prepare("DELETE FROM t").isReadOnly && !connection.prepare("CREATE TABLE x (y)").isReadOnly)
    }

    @Test func whatItTookIsCounted() throws {
        let row = try connection.prepare("SELECT v FROM t ORDER BY v")
        while try row.step() {}
        #expect(row.take(.sorts) == 1 && row.take(.fullScanSteps) == 2 && row.take(.machineSteps) > 0)
        #expect(row.take(.sorts) == 0 && row.take(.machineSteps) == 0)
    }

    @Test func statementsOfATextComeOneByOne() throws {
        var texts: [String] = []
        let text = " SELECT 1; -- a word\n;;CREATE TABLE made (x);INSERT INTO made VALUES ('a;b');\n/* end */"
        try connection.forEachStatement(in: text) { statement in
            // Each is compiled when those before it have run.
            try statement.run()
            texts.append(statement.sql)
        }
        #expect(texts == [" SELECT 1;", " -- a word\n;;CREATE TABLE made (x);", "INSERT INTO made VALUES ('a;b');"])
        #expect(try connection.strings("SELECT x FROM made") == ["a;b"])
        let error = #expect(throws: SQLiteError.self) {
            try connection.forEachStatement(in: "DELETE FROM made; DELETE FORM made; DELETE FROM t") { try $0.run() }
        }
        #expect(error?.sql?.contains("FORM") == true)
        #expect(try connection.integer("SELECT count(*) FROM made") == 0)
        #expect(try connection.integer("SELECT count(*) FROM t") == 3)
        try connection.forEachStatement(in: "") { _ in Issue.record("nothing is no statement") }
    }

    @Test func answersOfOneValue() throws {
        #expect(try connection.integer("SELECT max(k) FROM t") == 3)
        #expect(try connection.integer("SELECT NULL") == nil && connection.integer("SELECT k FROM t WHERE k > 9") == nil)
        #expect(try connection.strings("SELECT NULL UNION ALL SELECT 'x'") == ["", "x"])
    }
}
