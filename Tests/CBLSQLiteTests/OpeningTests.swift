import CBLSQLite
import CBLSystemSQLite
import CBLTestSupport
import FoundationEssentials
import Glibc
import Testing

/// Ways to open a file, and names that files may have.
@Suite struct OpeningTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func make(_ path: String) throws {
        let connection = try Connection(path: path, mode: .create)
        try connection.execute("CREATE TABLE t (x)")
        try connection.execute("INSERT INTO t VALUES ('here')")
    }

    private func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() }

    static let strange = [
        "a?b", "?immutable=1", "db?mode=memory", "a#b", "%", "%2F", "%00", "100%", "a b", " ", "a&b=c", "a'b\"c", "file:x", ":memory:", "é",
        "e\u{301}", "\u{1}\n\r", "🙂", "..x", "-wal", "-journal", "x-journal", "\\", "~", "$HOME", "*", "a;b",
    ]

    @Test(arguments: strange) func aFileMayHaveAnyName(_ name: String) throws {
        let path = directory.path + "/" + name
        try make(path)
        #expect(try names() == [name])
        for mode in [Connection.Mode.readOnly, .readWrite, .create] {
            #expect(try Connection(path: path, mode: mode).strings("SELECT x FROM t") == ["here"])
        }
        #expect(try Connection(path: path, mode: .readOnly, parameters: ["immutable=1"]).strings("SELECT x FROM t") == ["here"])
        // And so may the files beside it.
        let connection = try Connection(path: path, mode: .readWrite)
        #expect(try connection.strings("PRAGMA journal_mode=WAL") == ["wal"])
        try connection.execute("INSERT INTO t VALUES ('more')")
        #expect(try Set(names()) == [name, name + "-wal", name + "-shm"])
        #expect(try Connection(path: path, mode: .readOnly).strings("SELECT x FROM t") == ["here", "more"])
        #expect(try connection.strings("PRAGMA journal_mode=DELETE") == ["delete"])
        try connection.execute("BEGIN")
        try connection.execute("DELETE FROM t")
        try connection.execute("ROLLBACK")
        #expect(try names() == [name])
        #expect(try connection.strings("SELECT x FROM t") == ["here", "more"])
    }

    /// A path ends where it ends, not where C thinks so.
    @Test(arguments: ["db\0", "db\0.sqlite3", "\0"]) func aNameCannotHoldANul(_ name: String) throws {
        try make(directory.path + "/db")
        for mode in [Connection.Mode.readOnly, .readWrite, .create] {
            let error = #expect(throws: SQLiteError.self) { try Connection(path: directory.path + "/" + name, mode: mode) }
            #expect(error?.code == SQLITE_CANTOPEN)
        }
        #expect(try names() == ["db"])
    }

    @Test(arguments: [Connection.Mode.readOnly, .readWrite]) func whatIsNotThereIsNotMade(_ mode: Connection.Mode) throws {
        let error = #expect(throws: SQLiteError.self) { try Connection(path: directory.path + "/none", mode: mode) }
        #expect(error?.code == SQLITE_CANTOPEN && error?.message == "unable to open database file" && error?.sql == nil)
        #expect(try names() == [])
    }

    @Test(arguments: [Connection.Mode.readOnly, .readWrite, .create]) func aFolderIsNoFile(_ mode: Connection.Mode) throws {
        #expect(throws: SQLiteError.self) { try Connection(path: directory.path, mode: mode) }
        #expect(throws: SQLiteError.self) { try Connection(path: directory.path + "/nowhere/db", mode: mode) }
    }

    @Test func whoOnlyReadsWritesNothing() throws {
        let path = directory.path + "/db"
        try make(path)
        let before = try Data(contentsOf: URL(filePath: path))
        let connection = try Connection(path: path, mode: .readOnly)
        for sql in ["INSERT INTO t VALUES (1)", "DROP TABLE t", "CREATE TABLE u (x)", "PRAGMA user_version=7"] {
            let error = #expect(throws: SQLiteError.self, "\(sql)") { try connection.execute(sql) }
            #expect(error?.isReadOnly == true && error?.sql == sql, "\(String(describing: error))")
        }
        #expect(try connection.strings("SELECT x FROM t") == ["here"])
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
        #expect(try names() == ["db"])
    }

    /// As on a disk that nothing changes on: neither a log nor locks are looked for.
    @Test func whatIsImmutableIsReadWithoutATrace() throws {
        let path = directory.path + "/db"
        try make(path)
        let writer = try Connection(path: path, mode: .readWrite)
        try writer.execute("PRAGMA journal_mode=WAL")
        try writer.execute("INSERT INTO t VALUES ('in the log')")
        let before = try names()
        let connection = try Connection(path: path, mode: .readOnly, parameters: ["immutable=1"])
        #expect(try connection.strings("SELECT x FROM t") == ["here"])
        #expect(throws: SQLiteError.self) { try connection.execute("DELETE FROM t") }
        try writer.execute("BEGIN EXCLUSIVE")
        #expect(try connection.strings("SELECT x FROM t") == ["here"])
        #expect(try names() == before)
    }

    @Test func whatIsNoDatabaseIsSaidToBe() throws {
        let path = directory.path + "/db"
        let text = String(repeating: "This is no database, and longer than the header of one. ", count: 20)
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        for mode in [Connection.Mode.readOnly, .readWrite, .create] {
            let connection = try Connection(path: path, mode: mode)
            let error = #expect(throws: SQLiteError.self) { try connection.strings("SELECT * FROM sqlite_master") }
            #expect(error?.isCorrupt == true && error?.sql == "SELECT * FROM sqlite_master")
        }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
    }

    @Test func aSchemaThatMakesNoSenseIsToleratedIfOneAsks() throws {
        let path = directory.path + "/db"
        try make(path)
        do {
            let raw = try Connection(path: path, mode: .readWrite)
            try raw.execute("PRAGMA writable_schema=ON")
            try raw.execute("INSERT INTO sqlite_master VALUES ('table', 'evil', 'evil', 0, 'CREATE TABLE evil (nonsense')")
        }
        #expect(throws: SQLiteError.self) { try Connection(path: path, mode: .readOnly).strings("SELECT x FROM t") }
        let connection = try Connection(path: path, mode: .readOnly)
        try connection.tolerateDamagedSchema()
        #expect(connection.toleratedDamage?.contains("malformed database schema (evil)") == true)
        #expect(try connection.strings("SELECT x FROM t") == ["here"])
        // Where nothing is wrong, nothing is passed over.
        try make(directory.path + "/sound")
        let sound = try Connection(path: directory.path + "/sound", mode: .readOnly)
        try sound.tolerateDamagedSchema()
        #expect(sound.toleratedDamage == nil)
    }
}
