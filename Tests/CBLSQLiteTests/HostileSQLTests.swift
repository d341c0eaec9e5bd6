import CBLSQLite
import CBLSystemSQLite
import CBLTestSupport
import FoundationEssentials
import Glibc
import Testing

/// What a file, or a text that came from one, may try to do by way of SQLite.
struct HostileSQLTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func path(_ name: String) -> String { directory.path + "/" + name }

    /// A quote that is not a `Character` of its own.
    static let trickyTexts = [
        "'", "\"", "a'b", "a''b", "\u{600}'; DROP TABLE t; --", "'\u{301}; DROP TABLE t; --", "\u{600}\"x", "\"\u{20DD}x",
        "'\u{600}'\u{301}'",
        "\r\n'", "\u{200D}'\u{FE0F}", "🇦'🇧",
    ]

    @Test(arguments: trickyTexts) func aQuoteStaysWithinItsQuotes(_ text: String) throws {
        let connection = try Connection(path: ":memory:", mode: .create)
        #expect(try connection.strings("SELECT \(quoted(literal: text))") == [text])
        try connection.execute("CREATE TABLE \(quoted(identifier: text)) (\(quoted(identifier: text)))")
        #expect(try connection.strings("SELECT name FROM sqlite_master WHERE name=\(quoted(literal: text))").count == 1)
    }

    @Test(arguments: [
        "CREATE TABLE a (x); CREATE TABLE b (x)", "CREATE TABLE a (x);;x", "CREATE TABLE a (x)\u{0}CREATE TABLE b (x)", ";", "",
    ])
    func aTextOfMoreThanOneStatementIsRefused(_ sql: String) throws {
        let connection = try Connection(path: ":memory:", mode: .create)
        #expect(throws: SQLiteError.self) { try connection.execute(sql) }
        #expect(throws: SQLiteError.self) { try connection.prepare(sql) }
        #expect(try connection.strings("SELECT name FROM sqlite_master") == [])
    }

    @Test(arguments: ["CREATE TABLE a (x);", "CREATE TABLE a (x) ; \n"]) func aStatementMayEndAsPeopleEndIt(_ sql: String) throws {
        let connection = try Connection(path: ":memory:", mode: .create)
        try connection.execute(sql)
        #expect(try connection.strings("SELECT name FROM sqlite_master") == ["a"])
    }

    @Test func noOtherFileIsAttached() throws {
        try Connection(path: path("victim"), mode: .create).execute("CREATE TABLE precious (x)")
        let connection = try Connection(path: path("db"), mode: .create)
        #expect(throws: SQLiteError.self) { try connection.execute("ATTACH \(quoted(literal: path("victim"))) AS v") }
        #expect(throws: SQLiteError.self) { try connection.execute("ATTACH '' AS v") }
        #expect(throws: SQLiteError.self) { try connection.execute("VACUUM INTO \(quoted(literal: path("new")))") }
        #expect(!FileManager.default.fileExists(atPath: path("new")))
        // Our own vacuum needs to attach something, once.
        try connection.execute("CREATE TABLE t (x)")
        try connection.vacuum()
        #expect(throws: SQLiteError.self) { try connection.execute("ATTACH '' AS v") }
    }

    @Test func theTokenizerFunctionTakesNoPointers() throws {
        let connection = try Connection(path: ":memory:", mode: .create)
        #expect(throws: SQLiteError.self) { try connection.strings("SELECT fts3_tokenizer('x', x'4141414141414141')") }
    }

    @Test func viewsAreNotRead() throws {
        let connection = try Connection(path: path("db"), mode: .create)
        try connection.execute("CREATE TABLE t (x)")
        try connection.execute("CREATE VIEW v AS SELECT * FROM t")
        #expect(throws: SQLiteError.self) { try connection.strings("SELECT * FROM v") }
        try connection.execute("CREATE TEMP VIEW own AS SELECT * FROM t")
        #expect(try connection.strings("SELECT * FROM own") == [])
    }

    @Test func valuesAreNoLargerThanDocuments() throws {
        let connection = try Connection(path: ":memory:", mode: .create)
        #expect(throws: SQLiteError.self) { try connection.strings("SELECT length(hex(zeroblob(400000000)))") }
    }

    // Journals

    /// A journal of no pages whose end names another file.
    private func journal(naming name: String) -> [UInt8] {
        let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
        func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
        let name = Array(name.utf8)
        let sum = name.reduce(0) { $0 + Int(Int8(bitPattern: $1)) }
        let header = magic + number(0) + number(1) + number(2) + number(512) + number(4096)
        return header + [UInt8](repeating: 0, count: 512 - header.count) + number(0x4000_0000 / 4096 + 1) + name + number(name.count)
            + number(sum) + magic
    }

    @Test(arguments: [false, true]) func aSuperJournalIsNeitherReadNorDeleted(_ isJournalLike: Bool) throws {
        let victim = path("victim")
        try Data(isJournalLike ? Array((path("db") + "-journal\0").utf8) : Array("precious".utf8)).write(to: victim)
        let before = try Data(contentsOf: victim)
        do {
            let connection = try Connection(path: path("db"), mode: .create)
            try connection.execute("CREATE TABLE t (x)")
        }
        try Data(journal(naming: victim)).write(to: path("db-journal"))
        // Whether SQLite calls it an error is not the point.
        for mode in [Connection.Mode.readOnly, .readWrite, .create] {
            _ = try? Connection(path: path("db"), mode: mode).strings("SELECT * FROM t")
        }
        #expect(try Data(contentsOf: victim) == before)
    }

    // Names in the place of files

    @Test func aLinkInThePlaceOfTheFileIsNotFollowed() throws {
        try Connection(path: path("victim"), mode: .create).execute("CREATE TABLE precious (x)")
        try FileManager.default.createSymbolicLink(atPath: path("db"), withDestinationPath: path("victim"))
        #expect(throws: SQLiteError.self) { try Connection(path: path("db"), mode: .readOnly).strings("SELECT * FROM precious") }
        #expect(throws: SQLiteError.self) { try Connection(path: path("db"), mode: .create).execute("CREATE TABLE t (x)") }
    }

    @Test func nobodyWaitsAtAPipe() throws {
        #expect(mkfifo(path("db"), 0o600) == 0)
        #expect(throws: SQLiteError.self) { try Connection(path: path("db"), mode: .readOnly).strings("SELECT 1 FROM sqlite_master") }
    }
}

extension Data {
    fileprivate func write(to path: String) throws { try write(to: URL(filePath: path)) }
    fileprivate init(contentsOf path: String) throws { try self.init(contentsOf: URL(filePath: path)) }
}
