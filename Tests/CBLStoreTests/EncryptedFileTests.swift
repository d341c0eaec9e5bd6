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

    /// Several connections that write in turn, two of which have one cipher: each knows where its own last commit ended, and what others have done since.
    @Test func connectionsTakeTurns() throws {
        var seed: UInt64 = 0
        try repeatWithin(seconds: 1.5) {
            seed += 1
            var random = SeededRandom(seed)
            let (name, pageSize) = ("t\(seed)", [512, 4096][random.below(2)])
            defer { for name in [name, "q\(seed)"] { try? FileManager.default.removeItem(atPath: directory.path + "/" + name) } }
            let cipher = try #require(CouchbaseCipher(key, pageSize: pageSize))
            let first = try connect(name, encrypted: true, pageSize: pageSize, isNew: true)
            try first.execute("PRAGMA journal_mode=WAL")
            try first.execute("CREATE TABLE t (a INTEGER PRIMARY KEY, b BLOB, c TEXT)")
            var connections = [first, try connect(name, encrypted: true, pageSize: pageSize)]
            for _ in 0..<2 {
                let connection = try Connection(path: directory.path + "/\(name)/db.sqlite3", mode: .readWrite)
                try connection.use(cipher)
                connections.append(connection)
            }
            let plain = try connect("q\(seed)", encrypted: false, pageSize: pageSize, isNew: true)
            try plain.execute("CREATE TABLE t (a INTEGER PRIMARY KEY, b BLOB, c TEXT)")
            for step in 0..<60 {
                let connection = connections[random.below(connections.count)]
                let end = random.below(4) == 0 ? "ROLLBACK" : "COMMIT"
                // What does not fit is in the log before the transaction is over, or given up.
                var statements = ["PRAGMA cache_size=\([5, 1000][random.below(2)])", "BEGIN IMMEDIATE"]
                for _ in 0...random.below(4) {
                    let value = "CAST('MARKER' || hex(zeroblob(\([10, 300, 5000, 40_000][random.below(4)]))) AS BLOB)"
                    statements.append("INSERT OR REPLACE INTO t VALUES (\(random.below(30)), \(value), 'MARKER\(step)')")
                }
                statements.append(end)
                if random.below(10) == 0 {
                    statements.append("PRAGMA wal_checkpoint(\(["PASSIVE", "RESTART", "TRUNCATE"][random.below(3)]))")
                }
                for statement in statements {
                    try connection.execute(statement)
                    try plain.execute(statement)
                }
                guard random.below(5) == 0 else { continue }
                let expected = try content(plain)
                for connection in connections { try #require(try content(connection) == expected, "seed \(seed), step \(step)") }
                try expectReadable(name, as: expected, pageSize, "seed \(seed), step \(step)")
            }
            try expectHidden(directory.path + "/" + name)
        }
    }

    /// A commit that was written but did not come about, as its sync failed: somebody else writes over it, and what follows goes on from that.
    @Test func aCommitThatFailedIsNotGoneOnFrom() throws {
        let cipher = try #require(CouchbaseCipher(key))
        var file = [UInt8](repeating: 0, count: 32 + 3 * 4120)
        func write(_ log: inout EncryptedLog, frame: Int, _ byte: UInt8) {
            let offset = Int64(32 + frame * 4120)
            let read: EncryptedLog.Read = { target, count, offset in
                file.withUnsafeBytes { target.copyMemory(from: $0.baseAddress! + Int(offset), byteCount: count) }
                return 0
            }
            let write: EncryptedLog.Write = { bytes, count, offset in
                file.replaceSubrange(Int(offset)..<Int(offset) + count, with: UnsafeRawBufferPointer(start: bytes, count: count))
                return 0
            }
            // Page 5, the last of a commit after which there are nine, salts.
            let header: [UInt8] = [0, 0, 0, 5, 0, 0, 0, 9, 1, 2, 3, 4, 5, 6, 7, 8] + [UInt8](repeating: 0, count: 8)
            #expect(log.write(cipher, header, 24, offset, read, write) == 0)
            #expect(log.write(cipher, [UInt8](repeating: byte, count: 4096), 4096, offset + 24, read, write) == 0)
        }
        func checksum(_ frame: Int) -> LogChecksum { file.withUnsafeBytes { LogChecksum(in: $0, at: 32 + frame * 4120 + 16) } }
        func isChained(_ frame: Int) -> Bool {
            file.withUnsafeBytes { bytes in
                var sum = checksum(frame - 1)
                let start = 32 + frame * 4120
                sum.add(UnsafeRawBufferPointer(rebasing: bytes[start..<start + 8]), isBigEndian: false)
                sum.add(UnsafeRawBufferPointer(rebasing: bytes[start + 24..<start + 4120]), isBigEndian: false)
                return sum == checksum(frame)
            }
        }
        var (one, other) = (EncryptedLog(), EncryptedLog())
        defer {
            one.free()
            other.free()
        }
        write(&one, frame: 0, 1)
        one.end(frameCount: 1)
        write(&one, frame: 1, 2)
        #expect(isChained(1))
        // Not told of by the index.
        one.end(frameCount: 1)
        write(&other, frame: 1, 3)
        other.end(frameCount: 2)
        write(&one, frame: 2, 4)
        #expect(isChained(1) && isChained(2))
    }

    /// What is known of a page is what it was encrypted to, and nothing else.
    @Test func knownPagesAreThoseThatWereWritten() throws {
        var random = SeededRandom(7)
        let cipher = try #require(CouchbaseCipher(key))
        func page(_ byte: UInt8) -> UnsafeMutableRawBufferPointer {
            let page = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 16)
            page.initializeMemory(as: UInt8.self, repeating: byte)
            return page
        }
        for round in 0..<300 {
            let number = UInt32(2 + random.below(100))
            let written = page(UInt8(random.below(256)))
            defer { written.deallocate() }
            let clear = Array(written.dropLast(12))
            try cipher.encrypt(#require(written.baseAddress), number: number)
            for _ in 0..<random.below(4) {
                // As it is, with something changed in it, or taken for another one.
                var bytes = Array(written)
                var taken = number
                let isSame = random.below(2) == 0
                if !isSame {
                    if random.below(3) == 0 { taken += 64 } else { bytes[random.below(4096)] ^= 1 << random.below(8) }
                }
                // What knows nothing of it.
                var expected = bytes
                let fresh = try #require(CouchbaseCipher(key))
                #expect(expected.withUnsafeMutableBytes { fresh.decrypt($0, number: taken) })
                #expect(bytes.withUnsafeMutableBytes { cipher.decrypt($0, number: taken) })
                #expect(bytes == expected, "\(round)")
                #expect(bytes.dropLast(12).elementsEqual(clear) == isSame || !isSame, "\(round)")
            }
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
