import CBLSQLite
import CBLTestSupport
import Testing

@Suite struct StatementTests {
    let connection: Connection

    init() throws {
        connection = try Connection(path: ":memory:", mode: .create)
        try connection.execute("CREATE TABLE t (k TEXT PRIMARY KEY, v)")
    }

    @Test func valuesComeBackAsTheyWereBound() throws {
        try connection.withStatement("INSERT INTO t VALUES (?, ?)") { insert in
            try insert.bind("key\u{0}é", 1)
            try insert.bind(blob: [0, 1, 2], 2)
            try insert.run()
        }
        try connection.withStatement("SELECT k, v, NULL, 7, 1.5 FROM t") { row in
            try #expect(row.step())
            #expect(row.string(0) == "key\u{0}é")
            #expect(row.blob(1).map(Array.init) == [0, 1, 2])
            #expect(row.isNull(2) && row.blob(2) == nil && row.string(2) == nil)
            #expect(row.int64(3) == 7)
            #expect(row.double(4) == 1.5)
            try #expect(!row.step())
        }
    }

    @Test func aConnectionGoesAlthoughItKeepsStatements() throws {
        weak var gone: Connection?
        do {
            let connection = try Connection(path: ":memory:", mode: .create)
            gone = connection
            try connection.withStatement("SELECT 1") { try #expect($0.step()) }
        }
        #expect(gone == nil)
    }

    @Test func emptyTextAndEmptyBlobAreNotNull() throws {
        try connection.withStatement("SELECT ?, ?, ?") { row in
            try row.bind("", 1)
            try row.bind(blob: [], 2)
            try row.bind(nil as String?, 3)
            try #expect(row.step())
            #expect(row.string(0) == "" && row.blob(1)?.isEmpty == true && row.isNull(2))
        }
    }

    @Test func aStatementCanBeUsedWithinItself() throws {
        try connection.execute("INSERT INTO t VALUES ('a', 1), ('b', 2)")
        let sql = "SELECT k FROM t ORDER BY k"
        var seen: [String] = []
        try connection.withStatement(sql) { outer in
            while try outer.step() {
                seen.append(outer.string(0) ?? "")
                try connection.withStatement(sql) { inner in
                    while try inner.step() { seen.append(inner.string(0) ?? "") }
                }
            }
        }
        #expect(seen == ["a", "a", "b", "b", "a", "b"])
    }

    @Test func errorsCarryTheStatement() {
        let sql = "SELECT x FROM nowhere"
        #expect { try connection.execute(sql) } throws: { error in
            (error as? SQLiteError)?.sql == sql && (error as? SQLiteError)?.message.contains("nowhere") == true
        }
    }

    @Test func aViolatedConstraintIsNamed() throws {
        try connection.execute("INSERT INTO t VALUES ('a', 1)")
        #expect { try connection.execute("INSERT INTO t VALUES ('a', 2)") } throws: { ($0 as? SQLiteError)?.isConstraint == true }
    }

    @Test(arguments: ["plain", "with space", "what?", "a#b", "100%", "%41", "é"])
    func anyFileNameOpens(_ name: String) throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/" + name
        try Connection(path: path, mode: .create).execute("CREATE TABLE t (x)")
        #expect(try Connection(path: path, mode: .readOnly).integer("SELECT count(*) FROM t") == 0)
    }

    @Test(arguments: [("plain", "\"plain\""), ("a\"b", "\"a\"\"b\""), ("", "\"\"")])
    func identifiersAreQuoted(_ name: String, _ sql: String) {
        #expect(quoted(identifier: name) == sql)
    }
}
