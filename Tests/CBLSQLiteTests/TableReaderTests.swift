import CBLTestSupport
import FoundationEssentials
import Testing

@testable import CBLSQLite

/// Tables read from their pages have the rows that SQLite says they have.
@Suite struct TableReaderTests {
    private static let columns = "a, b, c, d, e"

    /// Makes a table with rows of all sizes and kinds, some of them gone again.
    private static func table(_ path: String, pageSize: Int, rows: Int, seed: UInt64, reserved: Int = 0) throws -> Connection {
        var random = SeededRandom(seed)
        let connection = try Connection(path: path, mode: .create)
        if reserved > 0 { try connection.reserve(reserved) }
        try connection.execute("PRAGMA page_size=\(pageSize)")
        try connection.execute("CREATE TABLE t (a TEXT, b INTEGER, c INTEGER, d BLOB, e BLOB, f TEXT)")
        try connection.execute("BEGIN")
        let integers = [
            "NULL", "0", "1", "-1", "200", "-40000", "8000000", "3000000000", "-9223372036854775808", "9223372036854775807", "1.5",
        ]
        for row in 0..<rows {
            func blob(_ most: Int) -> String { random.below(8) == 0 ? "NULL" : "randomblob(\(random.below(most)))" }
            let size = [10, 100, pageSize, 5 * pageSize][random.below(4)]
            try connection.execute(
                "INSERT INTO t VALUES ('row \(row)', \(integers[random.below(integers.count)]), \(integers[random.below(integers.count)]), "
                    + "\(blob(30)), \(blob(size)), 'behind')")
        }
        try connection.execute("DELETE FROM t WHERE rowid % 7 = 3")
        try connection.execute("COMMIT")
        return connection
    }

    /// The rows as SQLite has them, or as they are read without it; nil if they are damaged.
    private static func expected(_ connection: Connection) throws -> [[String]] {
        let statement = try connection.prepare("SELECT \(columns) FROM t ORDER BY rowid")
        var rows: [[String]] = []
        while try statement.step() {
            rows.append(
                (0..<5).map { column in
                    switch statement.type(Int32(column)) {
                    case 1: "\(statement.int64(Int32(column)))"
                    case 2: "real"
                    case 3: "text \(statement.string(Int32(column)) ?? "")"
                    case 4: "blob \(statement.blob(Int32(column)).map(Array.init) ?? [])"
                    default: "null"
                    }
                })
        }
        return rows
    }

    private static func found(_ connection: Connection, log: PageSource.Log? = nil) throws -> [[String]]? {
        guard let source = PageSource(connection, log: log),
            let root = try connection.integer("SELECT rootpage FROM sqlite_master WHERE name='t'"),
            let leaves = TableLeaves(ofTableAt: UInt32(truncatingIfNeeded: root), in: source)
        else { return nil }
        let reader = TableReader(source)
        var rows: [[String]] = []
        for leaf in leaves.pages {
            guard reader.begin(leaf) else { return nil }
            loop: while true {
                switch reader.next() {
                case .end: break loop
                case .damage: return nil
                case .row: break
                }
                var row: [String] = []
                for column in 0..<5 {
                    switch reader.kind(column) {
                    case .null: row.append("null")
                    case .real: row.append("real")
                    case .integer:
                        guard let integer = reader.integer(column) else { return nil }
                        row.append("\(integer)")
                    case .text, .blob:
                        guard let bytes = reader.bytes(column) else { return nil }
                        row.append(
                            reader.kind(column) == .text ? "text \(String(decoding: bytes, as: UTF8.self))" : "blob \(Array(bytes))")
                    }
                }
                rows.append(row)
            }
        }
        return rows
    }

    @Test(arguments: [(512, 400), (1024, 300), (4096, 1500), (65536, 100), (4096, 0), (4096, 3)])
    func rowsAreWhatSQLiteSays(pageSize: Int, rows: Int) throws {
        let directory = try TemporaryDirectory()
        let connection = try Self.table(directory.path + "/t.sqlite3", pageSize: pageSize, rows: rows, seed: UInt64(pageSize + rows))
        try connection.execute("BEGIN")
        let expected = try Self.expected(connection)
        #expect(try Self.found(connection) == expected)
    }

    /// In any order, those that are gone too.
    @Test(arguments: [(512, 400), (4096, 1500), (4096, 0)]) func rowsAreFoundByTheirNumbers(pageSize: Int, rows: Int) throws {
        let directory = try TemporaryDirectory()
        let connection = try Self.table(directory.path + "/t.sqlite3", pageSize: pageSize, rows: rows, seed: 5)
        var random = SeededRandom(UInt64(pageSize + rows))
        let source = try #require(PageSource(connection, log: nil))
        let root = try #require(try connection.integer("SELECT rootpage FROM sqlite_master WHERE name='t'"))
        let leaves = try #require(TableLeaves(ofTableAt: UInt32(root), in: source))
        let reader = TableReader(source, columnCount: 6)
        for step in 0..<3000 {
            // Now on and on, now anywhere.
            let wanted = Int64(step / 500 % 2 == 0 ? step % 500 : random.below(rows + 20) - 10)
            let text = try connection.strings("SELECT a FROM t WHERE rowid=\(wanted)").first
            let isFound = reader.find(wanted, in: leaves)
            #expect(isFound == (text != nil))
            if isFound {
                #expect(reader.number == wanted)
                #expect(reader.bytes(0).map { String(decoding: $0, as: UTF8.self) } == text)
                #expect(reader.bytes(5).map { String(decoding: $0, as: UTF8.self) } == "behind")
            }
        }
    }

    /// Pages of another table lie between them now and then, and some are anywhere.
    @Test(arguments: [2, 3, 10, 1000]) func allPagesAreInOneGroup(each: Int) throws {
        let directory = try TemporaryDirectory()
        let connection = try Connection(path: directory.path + "/t.sqlite3", mode: .create)
        try connection.execute("CREATE TABLE t (a)")
        try connection.execute("CREATE TABLE other (a)")
        try connection.execute("BEGIN")
        for row in 0..<600 {
            // Two to a page.
            try connection.execute("INSERT INTO t VALUES (zeroblob(1900))")
            if row % (2 * each) == 0 { try connection.execute("INSERT INTO other VALUES (zeroblob(4000))") }
            if row == 300 { try connection.execute("DELETE FROM other WHERE rowid % 3 = 0") }
        }
        try connection.execute("COMMIT")
        try connection.execute("BEGIN")
        let source = try #require(PageSource(connection, log: nil))
        let root = try #require(try connection.integer("SELECT rootpage FROM sqlite_master WHERE name='t'"))
        let leaves = try #require(TableLeaves(ofTableAt: UInt32(root), in: source))
        let groups = leaves.groups(ofAtMost: 32)
        #expect(groups.flatMap { leaves.pages[$0] } == leaves.pages)
        for group in groups.map({ leaves.pages[$0] }) {
            let span = Int((group.max() ?? 0) - (group.min() ?? 0)) + 1
            #expect(group.count <= 32 && (span <= 32 || group.count <= 16 || group != group.sorted()[...]))
        }
        #expect(groups.count <= leaves.pages.count / 16 + 1)
        if each == 1000 { #expect(groups.dropLast().allSatisfy { $0.count >= 31 }) }
    }

    @Test func spaceThatIsReservedIsNotRead() throws {
        let directory = try TemporaryDirectory()
        let connection = try Self.table(directory.path + "/t.sqlite3", pageSize: 4096, rows: 300, seed: 3, reserved: 40)
        let expected = try Self.expected(connection)
        #expect(try Self.found(connection) == expected)
    }

    @Test func otherEncodingsAndOtherPagesAreRefused() throws {
        let directory = try TemporaryDirectory()
        let wide = try Connection(path: directory.path + "/wide.sqlite3", mode: .create)
        try wide.execute("PRAGMA encoding='UTF-16le'")
        try wide.execute("CREATE TABLE t (a, b, c, d, e)")
        #expect(PageSource(wide, log: nil) == nil)
        let narrow = try Self.table(directory.path + "/t.sqlite3", pageSize: 4096, rows: 30, seed: 4)
        try narrow.execute("CREATE INDEX i ON t (a)")
        let source = try #require(PageSource(narrow, log: nil))
        let index = try #require(try narrow.integer("SELECT rootpage FROM sqlite_master WHERE name='i'"))
        #expect(!TableReader(source).begin(UInt32(index)))
        for page in [0, 1, 4_000_000, UInt32.max] {
            #expect(!TableReader(source).begin(page))
        }
    }

    /// Nothing is read that is not there, and everything comes to an end.
    @Test(arguments: 0..<8 as Range<UInt64>) func damagedPagesEndIt(seed: UInt64) throws {
        var random = SeededRandom(seed)
        let directory = try TemporaryDirectory()
        let path = directory.path + "/t.sqlite3"
        _ = try Self.table(path, pageSize: [512, 4096][Int(seed % 2)], rows: 60, seed: seed)
        let sound = try [UInt8](Data(contentsOf: URL(filePath: path)))
        let pageSize = seed.isMultiple(of: 2) ? 512 : 4096
        try repeatWithin(seconds: 0.5) {
            var bytes = sound
            for _ in 0...random.below(4) {
                // The heads of pages are where it matters most.
                let page = random.below(bytes.count / pageSize) * pageSize
                let place = max(100, page + (random.below(2) == 0 ? random.below(30) : random.below(pageSize)))
                if place < bytes.count {
                    bytes[place] = random.below(2) == 0 ? UInt8(random.below(256)) : bytes[place] ^ 1 << random.below(8)
                }
            }
            try Data(bytes).write(to: URL(filePath: path))
            let connection = try Connection(path: path, mode: .readOnly, parameters: ["immutable=1"])
            guard let found = try? Self.found(connection), let expected = try? Self.expected(connection) else { return }
            // What both can read is the same, unless SQLite looks at what is not asked for here.
            if found.count == expected.count { #expect(found == expected) }
        }
    }
}
