import CBLBase
import CBLSystemSQLite
import CBLTestSupport
import FoundationEssentials
import Testing

@testable import CBLSQLite
@testable import CBLStore

/// SQLite on a file that the layer encrypts, beside the same on one that it does not.
@Suite struct EncryptedFileTests {
    private let directory: TemporaryDirectory
    private let key: EncryptionKey
    private let keyBytes = (0..<32).map { UInt8($0 * 7) }

    init() throws {
        directory = try TemporaryDirectory(inMemory: true)
        key = try #require(keyBytes.withUnsafeBytes { EncryptionKey($0) })
    }

    /// A bundle's folder, and a connection to its main file.
    private func connect(_ name: String, encrypted: Bool, pageSize: Int = 4096, isNew: Bool = false) throws -> Connection {
        let folder = directory.path + "/" + name
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let connection = try Connection(path: folder + "/db.sqlite3", mode: .create)
        if encrypted {
            try connection.use(#require(CouchbaseCipher(key, pageSize: pageSize)), isNew: isNew)
        } else if isNew {
            try connection.execute("PRAGMA page_size=\(pageSize)")
        }
        return connection
    }

    private func content(_ connection: Connection) throws -> [String] {
        let hasRows = try connection.integer("SELECT 1 FROM sqlite_master WHERE name='t'") != nil
        guard hasRows else { return [] }
        return try connection.strings("SELECT a || ':' || length(b) || ':' || hex(substr(b, 1, 20)) || ':' || c FROM t ORDER BY a")
            + connection.strings("SELECT a FROM t WHERE c > 'm' ORDER BY c, a") + connection.strings("PRAGMA integrity_check")
    }

    /// Nothing of what is in the rows, in any file that is there.
    private func expectHidden(_ folder: String) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) where !name.hasSuffix("-shm") {
            let bytes = try Data(contentsOf: URL(filePath: folder + "/" + name))
            #expect(bytes.firstRange(of: Data("MARKER".utf8)) == nil, "\(name)")
            #expect(bytes.firstRange(of: Data("CREATE TABLE".utf8)) == nil, "\(name)")
        }
    }

    /// Whatever SQLite does with a file, the encrypted one holds the same; and at any moment a copy of its files, as a crash would leave them, is what a
    /// reader of the description takes it for.
    @Test(arguments: [512, 1024, 4096, 8192, 65536])
    func whatIsDoneToItIsDone(pageSize: Int) throws {
        var seed: UInt64 = UInt64(pageSize)
        try repeatWithin(seconds: 0.7) {
            seed += 1
            var random = SeededRandom(seed)
            let name = "e\(seed)"
            defer { for name in [name, "p\(seed)"] { try? FileManager.default.removeItem(atPath: directory.path + "/" + name) } }
            // In a box, so that one is closed before the next is opened.
            var connections: [Connection] = []
            connections = try [
                connect(name, encrypted: true, pageSize: pageSize, isNew: true),
                connect("p\(seed)", encrypted: false, pageSize: pageSize, isNew: true),
            ]
            var log: [String] = []
            for step in 0..<40 {
                if step > 0, random.below(8) == 0, !connections[0].isInTransaction {
                    log.append("-- opened again")
                    connections = []
                    connections = try [connect(name, encrypted: true, pageSize: pageSize), connect("p\(seed)", encrypted: false)]
                }
                let sql = Self.statement(&random, isFirst: step == 0)
                log.append(sql)
                let results = connections.map { connection in Result { try connection.execute(sql) } }
                let codes = results.map { result -> Int32 in
                    if case .failure(let error as SQLiteError) = result { return error.extendedCode } else { return 0 }
                }
                try #require(codes[0] == codes[1], "\(pageSize), seed \(seed): \(log.joined(separator: "; "))")
                if random.below(4) == 0 {
                    let contents = try connections.map { try content($0) }
                    try #require(contents[0] == contents[1], "\(pageSize), seed \(seed): \(log.joined(separator: "; "))")
                }
            }
            for connection in connections where connection.isInTransaction { try connection.execute("COMMIT") }
            try expectHidden(directory.path + "/" + name)
            try expectReadable(name, as: content(connections[1]), pageSize, "\(pageSize), seed \(seed): \(log.joined(separator: "; "))")
        }
    }

    /// A copy of the files as they are, by the reference and by SQLite after a crash.
    private func expectReadable(_ name: String, as expected: [String], _ pageSize: Int, _ context: String) throws {
        let (folder, copy) = (directory.path + "/" + name, name + "-copy")
        try FileManager.default.createDirectory(atPath: directory.path + "/" + copy, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory.path + "/" + copy) }
        for part in ["db.sqlite3", "db.sqlite3-wal", "db.sqlite3-journal"] where FileManager.default.fileExists(atPath: folder + "/" + part)
        {
            try FileManager.default.copyItem(atPath: folder + "/" + part, toPath: directory.path + "/\(copy)/\(part)")
        }
        // 65536 is written as 1, which the reference does not know.
        if pageSize < 65536 {
            let clear = try ReferenceDecryption(key: keyBytes).database(directory.path + "/" + copy)
            try Data(clear).write(to: URL(filePath: directory.path + "/clear.sqlite3"))
            try #expect(content(Connection(path: directory.path + "/clear.sqlite3", mode: .readWrite)) == expected, "\(context)")
        }
        try #expect(content(connect(copy, encrypted: true, pageSize: pageSize)) == expected, "\(context)")
    }

    private static func statement(_ random: inout SeededRandom, isFirst: Bool) -> String {
        if isFirst { return "CREATE TABLE t (a INTEGER PRIMARY KEY, b BLOB, c TEXT)" }
        let row = random.below(60)
        let length = [10, 300, 5000, 60_000][random.below(4)]
        switch random.below(22) {
        case 0...6:
            return "INSERT OR REPLACE INTO t VALUES (\(row), CAST('MARKER' || hex(zeroblob(\(length))) AS BLOB), 'MARKER\(row % 7)')"
        case 7: return "INSERT OR IGNORE INTO t SELECT a + 60, b, c || 'x' FROM t"
        case 8: return "DELETE FROM t WHERE a % 3 = \(random.below(3))"
        case 9: return "UPDATE t SET b = CAST('MARKER' || hex(zeroblob(\(length))) AS BLOB) WHERE a = \(row)"
        case 10: return "BEGIN IMMEDIATE"
        case 11, 12: return "COMMIT"
        case 13: return "ROLLBACK"
        case 14: return "SAVEPOINT s"
        case 15: return "ROLLBACK TO s"
        case 16: return "RELEASE s"
        case 17: return "PRAGMA cache_size=\([5, 20, 1000][random.below(3)])"
        case 18: return "PRAGMA journal_mode=\(["WAL", "WAL", "WAL", "DELETE", "TRUNCATE", "PERSIST", "MEMORY"][random.below(7)])"
        case 19: return "PRAGMA wal_checkpoint(\(["PASSIVE", "FULL", "RESTART", "TRUNCATE"][random.below(4)]))"
        case 20: return "CREATE INDEX IF NOT EXISTS i ON t (c)"
        default: return "VACUUM"
        }
    }

    /// A rollback journal that a crash left is played back, and has nothing in clear.
    @Test func anInterruptedTransactionIsUndone() throws {
        let connection = try connect("a", encrypted: true, isNew: true)
        try connection.execute("CREATE TABLE t (a INTEGER PRIMARY KEY, b BLOB, c TEXT)")
        for row in 0..<50 {
            try connection.execute("INSERT INTO t VALUES (\(row), CAST('MARKER' || hex(zeroblob(2000)) AS BLOB), 'MARKER')")
        }
        let before = try content(connection)
        try connection.execute("PRAGMA cache_size=5")
        try connection.execute("BEGIN")
        try connection.execute("UPDATE t SET b = CAST('MARKER other' || hex(zeroblob(2000)) AS BLOB)")
        // The cache was too small for all of it: a part is in the file already.
        try expectHidden(directory.path + "/a")
        let journal = try Data(contentsOf: URL(filePath: directory.path + "/a/db.sqlite3-journal"))
        #expect(journal.count > 100_000)
        try FileManager.default.copyItem(atPath: directory.path + "/a", toPath: directory.path + "/b")
        try connection.execute("ROLLBACK")
        try #expect(content(connection) == before)
        let other = try connect("b", encrypted: true)
        try #expect(content(other) == before)
        #expect(!FileManager.default.fileExists(atPath: directory.path + "/b/db.sqlite3-journal"))
    }

    /// What SQLite sorts and undoes is in files that have no name, and that somebody may look at by the process.
    @Test func temporaryFilesAreHidden() throws {
        let connection = try connect("a", encrypted: true, isNew: true)
        try connection.execute("CREATE TABLE t (a INTEGER PRIMARY KEY, b BLOB, c TEXT)")
        try connection.execute("PRAGMA cache_size=5")
        try connection.execute("BEGIN")
        for row in 0..<400 {
            try connection.execute(
                "INSERT INTO t VALUES (\(row), CAST('MARKER' || hex(zeroblob(20000)) AS BLOB), 'MARKER\(row * 7919 % 400)')")
        }
        try connection.execute("COMMIT")
        var seen = 0
        try connection.withStatement("SELECT c, b FROM t ORDER BY c DESC, b") { statement in
            #expect(try statement.step())
            for name in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
                guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + name),
                    target.contains("etilqs"),
                    let bytes = try? Data(contentsOf: URL(filePath: "/proc/self/fd/" + name)), bytes.count > 1_000_000
                else { continue }
                seen += 1
                #expect(bytes.firstRange(of: Data("MARKER".utf8)) == nil)
            }
            var rows = 1
            while try statement.step() { rows += 1 }
            #expect(rows == 400)
        }
        #expect(seen > 0)
    }

    /// A page is never encrypted twice with the same bytes, and nothing of it shows what it is.
    @Test func randomBytesAreNeverUsedTwice() throws {
        let connection = try connect("a", encrypted: true, isNew: true)
        try connection.execute("CREATE TABLE t (a INTEGER PRIMARY KEY, b BLOB, c TEXT)")
        try connection.execute("INSERT INTO t VALUES (1, zeroblob(400000), '')")
        var nonces: Set<[UInt8]> = []
        for round in 1...5 {
            try connection.execute("UPDATE t SET b=randomblob(400000), c='\(round)'")
            let bytes = try Array(Data(contentsOf: URL(filePath: directory.path + "/a/db.sqlite3")))
            for start in stride(from: 0, to: bytes.count, by: 4096) { nonces.insert(Array(bytes[start + 4084..<start + 4096])) }
        }
        // The pages of the value, and the few that are written each time.
        #expect(nonces.count > 5 * 98)
    }
}
