import CBLTestSupport
import Testing

@testable import CBLSQLite

/// Connections to one file through the layer, which reads ahead and keeps back what is not committed.
@Suite struct LayeredFileTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path + "/db"
    }

    private func open(pages: Int, _ mode: String = "WAL") throws -> Connection {
        let connection = try Connection(path: path, mode: .create)
        try connection.execute("PRAGMA journal_mode=\(mode)")
        try connection.execute("PRAGMA synchronous=normal")
        try connection.execute("PRAGMA cache_size=\(pages)")
        return connection
    }

    private func sum(_ connection: Connection) throws -> Int64? { try connection.integer("SELECT sum(n * length(text)) FROM t") }

    /// A transaction that does not fit into the cache writes to the log before it is committed. When it is given up, somebody else writes there.
    @Test func whatWasGivenUpNeverHidesWhatOthersCommitted() throws {
        let (one, two) = (try open(pages: 10), try open(pages: 1000))
        try one.execute("CREATE TABLE t (n INTEGER, text TEXT)")
        for round in 0..<20 {
            try one.execute("BEGIN IMMEDIATE")
            try one.fill(rows: 50 + round * 13)
            let within = try sum(one)
            #expect(try sum(two) != within)
            let isGivenUp = round % 3 != 2
            try one.execute(isGivenUp ? "ROLLBACK" : "COMMIT")
            try two.execute("INSERT INTO t VALUES (\(round), 'of the other')")
            let now = try sum(two)
            try one.execute("UPDATE t SET n = n + 0 WHERE rowid = 1")
            #expect(try sum(one) == now && sum(two) == now)
            let third = try Connection(path: path, mode: .readOnly)
            #expect(try sum(third) == now && third.strings("PRAGMA integrity_check") == ["ok"])
        }
    }

    /// A page that was read ahead is not taken for what others have made of it since.
    @Test(arguments: ["WAL", "DELETE"]) func whatOthersChangedIsSeen(mode: String) throws {
        let (one, two) = (try open(pages: 10, mode), try open(pages: 10, mode))
        try one.execute("CREATE TABLE t (n INTEGER, text TEXT)")
        try one.fill(rows: 2000)
        var random = SeededRandom(7)
        for _ in 0..<60 {
            let first = Int.random(in: 1...1900, using: &random)
            func some(_ rows: ClosedRange<Int>) -> String {
                "SELECT sum(n * length(text)) FROM t WHERE rowid BETWEEN \(first + rows.lowerBound) AND \(first + rows.upperBound)"
            }
            // The pages of the last rows are read ahead, and asked for when they have changed.
            _ = try two.integer(some(0...60))
            try one.execute("UPDATE t SET n = n + 1 WHERE rowid >= \(first)")
            if mode == "WAL", Bool.random(using: &random) { try one.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
            #expect(try two.integer(some(59...90)) == one.integer(some(59...90)))
        }
        #expect(try two.strings("PRAGMA integrity_check") == ["ok"])
    }

    /// Who reads one state goes on with it while others write, and the log is emptied into the file as far as it may be.
    @Test func oneStateIsReadWhileOthersWrite() throws {
        let (one, two) = (try open(pages: 10), try open(pages: 10))
        try one.execute("CREATE TABLE t (n INTEGER, text TEXT)")
        try one.fill(rows: 3000)
        let before = try sum(one)
        let rows = try two.prepare("SELECT n, length(text) FROM t")
        var (count, total) = (0, Int64(0))
        while try rows.step() {
            (count, total) = (count + 1, total + rows.int64(0) * rows.int64(1))
            guard count % 100 == 0 else { continue }
            try one.execute("UPDATE t SET n = n + 1 WHERE rowid > \(count - 50)")
            try one.execute("PRAGMA wal_checkpoint(PASSIVE)")
        }
        #expect(count == 3000 && total == before)
        rows.reset()
        #expect(try sum(two) == sum(one) && sum(one) != before)
    }

    /// The log is moved into the file in part and as a whole, while others read older states, and the file shrinks now and then.
    @Test func whatIsMovedIsThere() throws {
        try Connection(path: path, mode: .create).execute(
            script: "PRAGMA auto_vacuum=incremental; CREATE TABLE t (n INTEGER, text TEXT)")
        let (one, two, old) = (try open(pages: 10), try open(pages: 1000), try open(pages: 10))
        for connection in [one, two] { try connection.execute("PRAGMA wal_autocheckpoint=0") }
        try one.fill(rows: 500)
        var random = SeededRandom(3)
        var held: Int64?
        for round in 0..<120 {
            let writer = Bool.random(using: &random) ? one : two
            switch random.below(4) {
            case 0: try writer.execute("DELETE FROM t WHERE rowid % 3 = \(round % 3)")
            case 1: try writer.execute("UPDATE t SET n = n + 1, text = text || 'x' WHERE rowid % 7 = \(round % 7)")
            default: try writer.fill(rows: 1 + random.below(2000))
            }
            if random.below(4) == 0 { try writer.execute("PRAGMA incremental_vacuum") }
            if held != nil, random.below(2) == 0 {
                #expect(try sum(old) ?? 0 == held)
                try old.execute("END")
                held = nil
            } else if held == nil, random.below(2) == 0 {
                try old.execute("BEGIN")
                held = try sum(old) ?? 0
            }
            let expected = try sum(writer)
            let mover = Bool.random(using: &random) ? one : two
            _ = try mover.strings("PRAGMA wal_checkpoint(\(held == nil && random.below(3) == 0 ? "TRUNCATE" : "PASSIVE"))")
            let fresh = try Connection(path: path, mode: .readOnly)
            #expect(try sum(fresh) == expected && sum(one) == expected && sum(two) == expected, "round \(round)")
            if held != nil { #expect(try sum(old) ?? 0 == held, "round \(round)") }
            if round % 10 == 9 { #expect(try fresh.strings("PRAGMA integrity_check") == ["ok"]) }
        }
    }
}
