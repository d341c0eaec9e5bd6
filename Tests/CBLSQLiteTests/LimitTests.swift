import CBLSQLite
import CBLSystemSQLite
import Testing

/// Limits, interrupts, and functions that fail.
@Suite struct LimitTests {
    private let connection: Connection

    init() throws { connection = try Connection(path: ":memory:", mode: .create) }

    private static let endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"

    @Test func aValueIsAsLongAsADocumentAndNoLonger() throws {
        #expect(try connection.integer("SELECT length(zeroblob(\(Connection.longestValue)))") == Int64(Connection.longestValue))
        let error = #expect(throws: SQLiteError.self) {
            try connection.integer("SELECT length(zeroblob(\(Connection.longestValue + 1)))")
        }
        #expect(error?.code == SQLITE_TOOBIG)
        let bytes = [UInt8](repeating: 0, count: Connection.longestValue + 1)
        let statement = try connection.prepare("SELECT length(?)")
        let bound = #expect(throws: SQLiteError.self) { try statement.bind(blob: bytes, 1) }
        #expect(bound?.code == SQLITE_TOOBIG)
        #expect(throws: SQLiteError.self) { try bytes.withUnsafeBytes { try statement.bind(text: $0, 1) } }
    }

    @Test func triggersDoNotCallEachOtherForEver() throws {
        try connection.execute("PRAGMA recursive_triggers=ON")
        try connection.execute("CREATE TABLE t (x)")
        try connection.execute("CREATE TRIGGER again AFTER INSERT ON t BEGIN INSERT INTO t VALUES (new.x + 1); END")
        let error = #expect(throws: SQLiteError.self) { try connection.execute("INSERT INTO t VALUES (1)") }
        #expect(error?.message.contains("too many levels of trigger recursion") == true)
        #expect(try connection.integer("SELECT count(*) FROM t") == 0)
    }

    @Test func aSchemaMayNotCallWhatIsNotMarkedAsHarmless() throws {
        sqlite3_create_function_v2(
            connection.handle, "harm", 0, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil, { context, _, _ in sqlite3_result_int(context, 1) }, nil,
            nil,
            nil)
        #expect(try connection.integer("SELECT harm()") == 1)
        for sql in [
            "CREATE TABLE a (x DEFAULT (harm()))", "CREATE TABLE b (x CHECK (harm()))", "CREATE TABLE c (x, y AS (harm()))",
            "CREATE TABLE d (x)", "CREATE INDEX e ON d (harm())",
        ] { try? connection.execute(sql) }
        for sql in ["INSERT INTO a DEFAULT VALUES", "INSERT INTO b VALUES (1)", "SELECT y FROM c"] {
            #expect(throws: SQLiteError.self, "\(sql)") { try connection.strings(sql) }
        }
        #expect(try connection.integer("SELECT count(*) FROM sqlite_master WHERE name='e'") == 0)
        // Unless somebody has looked at it.
        try connection.trustSchema()
        try connection.execute("CREATE INDEX e ON d (harm())")
    }

    /// The check is asked again and again while a statement runs, and ends it.
    @Test func aCheckEndsAStatement() throws {
        final class Count { var value = 0 }
        let count = Count()
        connection.setProgressCheck(every: 100, Unmanaged.passUnretained(count).toOpaque()) { subject in
            guard let subject else { return 1 }
            let count = Unmanaged<Count>.fromOpaque(subject).takeUnretainedValue()
            count.value += 1
            return count.value >= 10 ? 1 : 0
        }
        let error = #expect(throws: SQLiteError.self) { try connection.integer(Self.endless) }
        #expect(error?.isInterrupted == true && error?.sql == Self.endless && error?.message == "interrupted")
        #expect(count.value == 10)
        connection.setProgressCheck(nil)
        // It is asked no longer, and the connection is as good as new.
        #expect(try connection.integer("SELECT count(*) FROM (\(Self.endless.replacing("FROM n)", with: "FROM n LIMIT 5000)")))") == 1)
        #expect(count.value == 10)
    }

    @Test func anInterruptedChangeIsUndone() throws {
        try connection.execute("CREATE TABLE t (x)")
        connection.setProgressCheck { _ in 1 }
        let fill = "INSERT INTO t WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 100000) SELECT x FROM n"
        let error = #expect(throws: SQLiteError.self) { try connection.execute(fill) }
        #expect(error?.isInterrupted == true)
        connection.setProgressCheck(nil)
        #expect(try connection.integer("SELECT count(*) FROM t") == 0 && !connection.isInTransaction)
        try connection.execute(fill)
        #expect(try connection.integer("SELECT count(*) FROM t") == 100_000)
    }

    @Test func anInterruptIsForWhatRunsAndNotForWhatComes() throws {
        let row = try connection.prepare("WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n")
        try #expect(row.step())
        connection.interrupt()
        let error = #expect(throws: SQLiteError.self) { try row.step() }
        #expect(error?.isInterrupted == true)
        connection.interrupt()
        #expect(try connection.integer("SELECT 1") == 1)
        // It was reset, and begins again.
        try #expect(row.step())
        #expect(row.int64(0) == 1)
    }

    @Test func whatACollationCannotTellIsTheErrorOnce() throws {
        sqlite3_create_collation_v2(
            connection.handle, "lost", SQLITE_UTF8, UnsafeMutableRawPointer(connection.handle),
            { database, _, _, _, _ in
                UntoldFailure.leave("the library is not there")
                sqlite3_interrupt(database.map { OpaquePointer($0) })
                return 0
            }, nil)
        // An interrupt is looked for from time to time.
        let numbers = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 100000) SELECT"
        let sql = "\(numbers) count(*) FROM n WHERE CAST(x AS TEXT) < 'a' COLLATE lost"
        let error = #expect(throws: SQLiteError.self) { try connection.integer(sql) }
        #expect(error?.isMissingLibrary == true && error?.isInterrupted == false && error?.message == "the library is not there")
        let other = #expect(throws: SQLiteError.self) { try connection.execute("nonsense") }
        #expect(other?.isMissingLibrary == false)
    }

    @Test func whatAFunctionComplainsOfIsTheError() throws {
        sqlite3_create_function_v2(
            connection.handle, "fail", 1, SQLITE_UTF8, nil,
            { context, _, arguments in
                switch sqlite3_value_int(arguments?[0]) {
                case 0: sqlite3_result_error(context, "no good: \u{1F642}", -1)
                case 1: sqlite3_result_error_code(context, SQLITE_INTERRUPT)
                case 2: sqlite3_result_error_toobig(context)
                case 3: sqlite3_result_error_nomem(context)
                default: sqlite3_result_int(context, 7)
                }
            }, nil, nil, nil)
        let sql = "SELECT fail(?)"
        try connection.withStatement(sql) { row in
            for (value, code) in [SQLITE_ERROR, SQLITE_INTERRUPT, SQLITE_TOOBIG, SQLITE_NOMEM].enumerated() {
                try row.bind(Int64(value), 1)
                let error = #expect(throws: SQLiteError.self) { try row.step() }
                #expect(error?.code == code && error?.sql == sql && error?.message.isEmpty == false, "\(String(describing: error))")
                if value == 0 { #expect(error?.message == "no good: \u{1F642}") }
            }
            try row.bind(Int64(9), 1)
            try #expect(row.step())
            #expect(row.int64(0) == 7)
        }
        // In the middle of a change, it undoes the change.
        try connection.execute("CREATE TABLE t (x)")
        #expect(throws: SQLiteError.self) {
            try connection.execute("INSERT INTO t SELECT fail(value) FROM (SELECT 9 AS value UNION ALL SELECT 0)")
        }
        #expect(try connection.integer("SELECT count(*) FROM t") == 0)
    }

    @Test(arguments: ["\0", "a\0b", "x\"\0; DROP TABLE t; --", "\u{0}\""]) func aNameWithANulIsRefused(_ name: String) throws {
        #expect(throws: SQLiteError.self) { try connection.execute("CREATE TABLE \(quoted(identifier: name)) (x)") }
        #expect(throws: SQLiteError.self) { try connection.strings("SELECT \(quoted(literal: name))") }
        #expect(try connection.strings("SELECT name FROM sqlite_master") == [])
    }

    @Test func everyCharacterStaysWithinItsQuotes() throws {
        let scalars =
            (1..<0x250).compactMap(Unicode.Scalar.init) + "\u{2018}\u{2019}\u{201C}\u{201D}\u{2028}\u{2029}\u{FEFF}\u{FFFD}".unicodeScalars
        for scalar in scalars {
            let text = "'\(scalar)\"\(scalar)`]\(scalar)--"
            let row = try connection.prepare("SELECT \(quoted(literal: text)) AS \(quoted(identifier: text))")
            try #expect(row.step())
            #expect(row.string(0) == text && row.columnName(0) == text, "\(scalar.value)")
        }
    }

    @Test func errorsHaveOneLineForPeople() {
        let error = SQLiteError(extendedCode: SQLITE_IOERR | 19 << 8, message: "disk I/O error")
        #expect(error.description == "SQLite: disk I/O error (4874)" && error.code == SQLITE_IOERR && error.isDiskFull)
        let kinds: [(Int32, KeyPath<SQLiteError, Bool>)] = [
            (SQLITE_BUSY | 2 << 8, \.isBusy), (SQLITE_LOCKED, \.isBusy), (SQLITE_INTERRUPT, \.isInterrupted), (SQLITE_FULL, \.isDiskFull),
            (SQLITE_CONSTRAINT | 8 << 8, \.isConstraint), (SQLITE_READONLY | 4 << 8, \.isReadOnly), (SQLITE_CORRUPT | 1 << 8, \.isCorrupt),
            (SQLITE_NOTADB, \.isCorrupt),
        ]
        let all: [KeyPath<SQLiteError, Bool>] = [\.isBusy, \.isInterrupted, \.isDiskFull, \.isConstraint, \.isReadOnly, \.isCorrupt]
        for (code, kind) in kinds {
            let error = SQLiteError(extendedCode: code, message: "")
            #expect(all.filter { error[keyPath: $0] } == [kind], "\(code)")
        }
    }
}
