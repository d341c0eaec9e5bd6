import CBLTestSupport
import FoundationEssentials
import Testing

@testable import CBLSQLite

/// Indexes read from their pages have the entries that SQLite says they have, in its order.
@Suite struct IndexReaderTests {
    private static func table(_ path: String, pageSize: Int, rows: Int, seed: UInt64) throws -> Connection {
        var random = SeededRandom(seed)
        let connection = try Connection(path: path, mode: .create)
        try connection.execute("PRAGMA page_size=\(pageSize)")
        try connection.execute("CREATE TABLE t (a TEXT PRIMARY KEY, b)")
        try connection.execute("BEGIN")
        for row in 0..<rows {
            let filler = String(repeating: "\u{e9}", count: random.below(4) == 0 ? random.below(20) : 0)
            try connection.execute("INSERT OR IGNORE INTO t VALUES ('\(filler)\(random.below(rows * 100))', \(row))")
        }
        try connection.execute("DELETE FROM t WHERE rowid % 5 = 2")
        try connection.execute("COMMIT")
        return connection
    }

    private static func expected(_ connection: Connection) throws -> [String] {
        try connection.strings("SELECT rowid || ' ' || a FROM t INDEXED BY sqlite_autoindex_t_1 ORDER BY a")
    }

    /// Nil if it is damaged. Read twice.
    private static func found(_ connection: Connection) throws -> [String]? {
        guard let source = PageSource(connection, log: nil),
            let root = try connection.integer("SELECT rootpage FROM sqlite_master WHERE name='sqlite_autoindex_t_1'"),
            let index = IndexReader(at: UInt32(truncatingIfNeeded: root), in: source)
        else { return nil }
        var entries: [String] = []
        for _ in 0..<2 {
            entries.removeAll()
            index.rewind()
            loop: while true {
                switch index.next() {
                case .entry: entries.append("\(index.row) \(String(decoding: index.text, as: UTF8.self))")
                case .end: break loop
                case .damage: return nil
                }
            }
        }
        return entries
    }

    @Test(arguments: [(512, 3000), (1024, 2000), (4096, 20000), (65536, 20000), (4096, 0), (4096, 3)])
    func entriesAreWhatSQLiteSays(pageSize: Int, rows: Int) throws {
        let directory = try TemporaryDirectory()
        let connection = try Self.table(directory.path + "/t.sqlite3", pageSize: pageSize, rows: rows, seed: UInt64(pageSize + rows))
        let expected = try Self.expected(connection)
        #expect(try Self.found(connection) == expected)
    }

    @Test(arguments: ["(a TEXT, b TEXT)", "(a INTEGER, b)"]) func otherIndexesAreRefused(columns: String) throws {
        let directory = try TemporaryDirectory()
        let connection = try Connection(path: directory.path + "/t.sqlite3", mode: .create)
        try connection.execute("CREATE TABLE t \(columns)")
        try connection.execute("CREATE INDEX i ON t (a, b)")
        try connection.execute("INSERT INTO t VALUES (1, 2), (3, NULL)")
        let source = try #require(PageSource(connection, log: nil))
        for name in ["t", "i"] {
            let root = try #require(try connection.integer("SELECT rootpage FROM sqlite_master WHERE name='\(name)'"))
            let index = IndexReader(at: UInt32(root), in: source)
            #expect(index == nil || index?.next() == .damage)
        }
        for page in [0, 1, 4_000_000, UInt32.max] { #expect(IndexReader(at: page, in: source) == nil) }
    }

    /// A text that goes on elsewhere is left to SQLite.
    @Test func longTextsAreRefused() throws {
        let directory = try TemporaryDirectory()
        let connection = try Self.table(directory.path + "/t.sqlite3", pageSize: 512, rows: 100, seed: 1)
        try connection.execute("INSERT INTO t VALUES ('\(String(repeating: "x", count: 2000))', 1)")
        #expect(try Self.found(connection) == nil)
    }

    @Test(arguments: 0..<6 as Range<UInt64>) func damagedPagesEndIt(seed: UInt64) throws {
        var random = SeededRandom(seed)
        let directory = try TemporaryDirectory()
        let path = directory.path + "/t.sqlite3"
        let pageSize = seed.isMultiple(of: 2) ? 512 : 4096
        _ = try Self.table(path, pageSize: pageSize, rows: 1000, seed: seed)
        let sound = try [UInt8](Data(contentsOf: URL(filePath: path)))
        try repeatWithin(seconds: 0.5) {
            var bytes = sound
            for _ in 0...random.below(4) {
                let page = random.below(bytes.count / pageSize) * pageSize
                let place = max(100, page + (random.below(2) == 0 ? random.below(30) : random.below(pageSize)))
                if place < bytes.count {
                    bytes[place] = random.below(2) == 0 ? UInt8(random.below(256)) : bytes[place] ^ 1 << random.below(8)
                }
            }
            try Data(bytes).write(to: URL(filePath: path))
            let connection = try Connection(path: path, mode: .readOnly, parameters: ["immutable=1"])
            _ = try? Self.found(connection)
        }
    }
}
