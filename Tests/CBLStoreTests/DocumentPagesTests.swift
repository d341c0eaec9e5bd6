import CBLSQLite
import CBLTestSupport
import Glibc
import Testing

@testable import CBLStore

/// Documents read from pages are those that SQLite gives, with everything about them, in its order.
@Suite struct DocumentPagesTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path + "/db.cblite2"
    }

    /// Deleted documents among them, large ones, and some that expire; in the order of their IDs, or not.
    private func database(_ count: Int = 3000, seed: UInt64 = 1, isShuffled: Bool = false, key: EncryptionKey? = nil) throws -> Database {
        var random = SeededRandom(seed)
        var options = Database.Options(access: .create)
        options.key = key
        let database = try Database(path: path, options: options)
        var numbers = Array(100_000..<(100_000 + count))
        if isShuffled { numbers.shuffle(using: &random) }
        try database.write { transaction in
            for number in numbers {
                let filler = String(repeating: "x", count: random.below(40) == 0 ? random.below(20_000) : random.below(300))
                try transaction.save("d\(number)", body: transaction.encode(json: #"{"n": \#(number), "text": "\#(filler)"}"#))
            }
            for _ in 0..<count / 20 {
                let id = "d\(100_000 + random.below(count))"
                switch random.below(4) {
                case 0: _ = try? transaction.delete(id)
                case 1: _ = try? transaction.purge(id)
                case 2: _ = try? transaction.setExpiration(id, 4_000_000_000_000 + Int64(random.below(1000)))
                default: _ = try? transaction.save(id, body: transaction.encode(json: #"{"changed": true}"#))
                }
            }
        }
        return database
    }

    private static let everything = "key, sequence, flags, version, expiration, body, extra"

    private func expected(_ snapshot: Snapshot, _ order: ScanOptions.Order, _ table: String = "kv_default") throws -> [String] {
        let statement = try snapshot.connection.prepare(
            "SELECT \(Self.everything) FROM \(table) WHERE flags & 1 = 0 ORDER BY \(order == .id ? "key" : "rowid")")
        var rows: [String] = []
        while try statement.step() {
            rows.append(
                row(
                    statement.string(0) ?? "", statement.int64(1), statement.int64(2), statement.blob(3),
                    statement.isNull(4) ? nil : statement.int64(4),
                    statement.blob(5), statement.blob(6)))
        }
        return rows
    }

    private func row(
        _ key: String, _ sequence: Int64, _ flags: Int64, _ version: UnsafeRawBufferPointer?, _ expiration: Int64?,
        _ body: UnsafeRawBufferPointer?, _ extra: UnsafeRawBufferPointer?
    ) -> String {
        func hash(_ bytes: UnsafeRawBufferPointer?) -> String { bytes.map { "\($0.count) \($0.reduce(7) { $0 &* 31 &+ Int($1) })" } ?? "" }
        return "\(key) \(sequence) \(flags) \(hash(version)) \(expiration ?? -1) \(hash(body)) \(hash(extra))"
    }

    /// All that the cursor tells, and whether it came from pages to the end.
    private func found(
        _ snapshot: Snapshot, _ order: ScanOptions.Order, _ collection: CollectionName = .default, tellsDamage: Bool = false,
        piece: ClosedRange<Int64>? = nil, during: (Int) throws -> Void = { _ in }
    ) throws -> (rows: [String], isOfPages: Bool) {
        var options = ScanOptions(order: order, content: .everything)
        options.rows = piece
        let cursor = try snapshot.scan(collection, options)
        if tellsDamage { cursor.onDamage = { _ in } }
        var rows: [String] = []
        while try cursor.next() {
            rows.append(
                row(
                    cursor.id, Int64(cursor.sequence), Int64(cursor.subsequence) << 16 | Int64(cursor.flags.rawValue), cursor.versionBytes,
                    cursor.expiration, cursor.bodyColumn, cursor.extraBytes))
            try during(rows.count)
        }
        let hasMore = try cursor.next()
        #expect(!hasMore || !cursor.isOfPages)
        return (rows, cursor.isOfPages)
    }

    @Test(arguments: [ScanOptions.Order.id, .stored], 0..<3 as Range<UInt64>)
    func documentsAreWhatSQLiteGives(order: ScanOptions.Order, seed: UInt64) throws {
        let database = try database(seed: seed)
        for tellsDamage in [false, true] {
            try database.read { snapshot in
                let found = try found(snapshot, order, tellsDamage: tellsDamage)
                #expect(found.rows == (try expected(snapshot, order)))
                #expect(found.isOfPages)
            }
        }
        database.close()
        // Without a log, and with nothing of it in memory.
        try Database(path: path, options: .readOnly).read { snapshot in
            let found = try found(snapshot, order)
            #expect(found.rows == (try expected(snapshot, order)))
            #expect(found.isOfPages)
        }
    }

    /// Put together, pieces of a table are the whole, wherever one ends and whatever is wrong in some.
    @Test(arguments: ["", "sequence=1.5"], 0..<3 as Range<UInt64>) func piecesAreTheWhole(change: String, seed: UInt64) throws {
        var random = SeededRandom(seed)
        let database = try database(seed: seed)
        if !change.isEmpty { try database.write { try $0.connection.execute("UPDATE kv_default SET \(change) WHERE rowid = 1500") } }
        try database.read { snapshot in
            var all: [String] = []
            var piecesOfPages = 0
            var pieceCount = 0
            var start: Int64 = -100
            while start < 4000 {
                let end = start + Int64(random.below(seed == 0 ? 20 : 1000))
                let piece = try found(snapshot, .stored, piece: start...end)
                all += piece.rows
                pieceCount += 1
                piecesOfPages += piece.isOfPages ? 1 : 0
                start = end + 1
            }
            #expect(all == (try expected(snapshot, .stored)))
            #expect(piecesOfPages == (change.isEmpty ? pieceCount : pieceCount - 1))
            #expect(try found(snapshot, .stored, piece: .min ... .max).rows == all)
            #expect(try found(snapshot, .stored, piece: 1 << 40...Int64.max).rows.isEmpty)
        }
    }

    @Test(arguments: [ScanOptions.Content.idAndBody, .metadata, .body], [ScanOptions.Order.id, .stored])
    func eachContentIsWhatWasAskedFor(content: ScanOptions.Content, order: ScanOptions.Order) throws {
        try database().read { snapshot in
            let cursor = try snapshot.scan(.default, ScanOptions(order: order, content: content))
            let statement = try snapshot.connection.prepare(
                "SELECT \(Self.everything) FROM kv_default WHERE flags & 1 = 0 ORDER BY \(order == .id ? "key" : "rowid")")
            while try cursor.next() {
                try #require(try statement.step())
                #expect(cursor.id == statement.string(0))
                if content != .idAndBody {
                    #expect(cursor.sequence == UInt64(statement.int64(1)))
                    #expect(cursor.versionBytes.elementsEqual(statement.blob(3) ?? UnsafeRawBufferPointer(start: nil, count: 0)))
                    #expect(cursor.expiration == (statement.isNull(4) ? nil : statement.int64(4)))
                }
                #expect(cursor.bodySize == statement.blob(5)?.count ?? 0)
                if content != .metadata { #expect(cursor.bodyBytes.elementsEqual(statement.blob(5) ?? cursor.bodyBytes)) }
            }
            #expect(try !statement.step())
            #expect(cursor.isOfPages)
        }
    }

    /// What is all over the file is left to SQLite, in the middle, and nothing is given twice.
    @Test func documentsThatLieAllOverTheFileAreLeftToSQLite() throws {
        let database = try database(isShuffled: true)
        try database.read { snapshot in
            let found = try found(snapshot, .id)
            #expect(found.rows == (try expected(snapshot, .id)))
            #expect(!found.isOfPages)
            #expect(try self.found(snapshot, .stored).isOfPages)
        }
    }

    /// By this database and by another connection, which moves pages into the main file, too.
    @Test(arguments: [ScanOptions.Order.id, .stored]) func whatIsWrittenMeanwhileIsNotSeen(order: ScanOptions.Order) throws {
        let database = try database()
        let other = try Connection(path: path + "/db.sqlite3", mode: .readWrite)
        try database.read { snapshot in
            let before = try expected(snapshot, order)
            let found = try found(snapshot, order) { count in
                guard count % 500 == 0 else { return }
                try other.execute("PRAGMA wal_checkpoint(PASSIVE)")
                try other.execute("UPDATE kv_default SET body=x'7000', flags=0 WHERE rowid % 3 = \(count / 500 % 3)")
                try other.execute("DELETE FROM kv_default WHERE rowid % 11 = \(count / 500)")
                try other.execute("PRAGMA wal_checkpoint(PASSIVE)")
            }
            #expect(found.rows == before)
        }
        try database.read { snapshot in
            let found = try found(snapshot, order).rows
            #expect(found == (try expected(snapshot, order)))
        }
    }

    @Test func aTransactionSeesWhatItWrote() throws {
        let database = try database()
        try database.write { transaction in
            try transaction.save("d000", body: transaction.encode(json: #"{"new": 1}"#))
            let found = try found(transaction, .id)
            #expect(found.rows == (try expected(transaction, .id)))
            #expect(found.rows.first?.hasPrefix("d000 ") == true && !found.isOfPages)
        }
    }

    @Test func encryptedDocumentsAreRead() throws {
        let key = EncryptionKey(password: "secret")
        let database = try database(key: key)
        try database.read { snapshot in
            let found = try found(snapshot, .id).rows
            #expect(found == (try expected(snapshot, .id)))
        }
        database.close()
        var options = Database.Options(access: .readOnly)
        options.key = key
        try Database(path: path, options: options).read { snapshot in
            let found = try found(snapshot, .id)
            #expect(found.rows == (try expected(snapshot, .id)))
            #expect(found.isOfPages)
        }
    }

    /// By the heads of pages of an index, which has other pages in each of these cases.
    @Test(arguments: [(3000, false), (30_000, false), (30_000, true)], [false, true])
    func rowsAreCountedAsSQLiteCountsThem(size: (count: Int, isShuffled: Bool), isEncrypted: Bool) throws {
        let key = isEncrypted ? EncryptionKey(password: "secret") : nil
        let database = try database(size.count, isShuffled: size.isShuffled, key: key)
        func check() throws -> Int64? {
            try database.read { snapshot in
                let counted = try snapshot.rowCountFromPages(ofTable: "kv_default")
                let expected = try snapshot.connection.integer("SELECT count(*) FROM kv_default")
                #expect(counted == nil || counted == expected)
                #expect(try snapshot.rowCount(ofTable: "kv_default") == expected)
                #expect(try snapshot.counts(of: .default).live == expected.map(Int.init))
                return counted
            }
        }
        _ = try check()
        for round in 0..<3 {
            // Pages in the log, and free ones.
            try database.write { try $0.connection.execute("DELETE FROM kv_default WHERE rowid % 7 = \(round)") }
            _ = try check()
        }
        try database.write { try $0.connection.execute("DELETE FROM kv_default WHERE rowid % 2 = 1 AND rowid > 10") }
        database.close()
        var options = Database.Options(access: .readOnly)
        options.key = key
        try Database(path: path, options: options).read { snapshot in
            let expected = try snapshot.connection.integer("SELECT count(*) FROM kv_default")
            #expect(try snapshot.rowCountFromPages(ofTable: "kv_default") == expected)
            #expect(try snapshot.rowCountFromPages(ofTable: "kv_none") == nil)
        }
    }

    /// Leaves of the index from everywhere tell about how many rows there are in all, where somebody does not want to wait.
    @Test(arguments: [0, 1, 5]) func rowsAreEstimatedFromAnyPointOn(patience: Int) throws {
        let database = try Database(path: path, options: .create)
        defer { database.close() }
        // Some 900 leaves, whose first ones have few entries.
        try database.write { transaction in
            for number in 0..<20_000 {
                let id = "\(100_000 + number)" + String(repeating: "x", count: number < 1000 ? 230 : 150)
                try transaction.save(id, body: transaction.encode(json: "{}"))
            }
        }
        try database.read { snapshot in
            var asked = 0
            let counts = try snapshot.counts(of: .default) {
                asked += 1
                return asked <= patience
            }
            let isNear = (19_000...21_000).contains(counts.live)
            #expect(!counts.isExact && isNear && counts.live != 20_000, "\(counts)")
            let whole = try snapshot.counts(of: .default)
            #expect(whole.isExact && whole.live == 20_000)
            // These are counted in a moment.
            let quick = try snapshot.quickCounts(of: .default)
            #expect(quick.isExact && quick.live == 20_000)
        }
    }

    /// Pages of the index that are none are not counted.
    @Test(arguments: 0..<30 as Range<UInt64>) func damagedIndexesAreLeftToSQLite(seed: UInt64) throws {
        var random = SeededRandom(seed)
        try database(4000).close()
        let (root, pageSize) = try {
            let connection = try Connection(path: path + "/db.sqlite3", mode: .readOnly, parameters: ["immutable=1"])
            let root = try #require(
                try connection.integer("SELECT rootpage FROM sqlite_master WHERE name='sqlite_autoindex_kv_default_1'"))
            return (Int(root), Int(try connection.integer("PRAGMA page_size") ?? 0))
        }()
        // In the head of the root, or in its pointers.
        let place = (root - 1) * pageSize + (seed < 20 ? random.below(12) : 12 + random.below(60))
        try RawBytes.overwrite(path + "/db.sqlite3", at: place, count: 1, with: UInt8(random.below(256)))
        try Database(path: path, options: .readOnly).read { snapshot in
            let count = try snapshot.rowCountFromPages(ofTable: "kv_default")
            #expect(count ?? 0 < 1 << 20)
        }
    }

    /// SQLite goes on where a row is not as documents are.
    @Test(
        arguments: ["body='text'", "sequence=1.5", "flags=NULL", "version=7", "expiration='x'", "body=NULL"],
        [ScanOptions.Order.id, .stored])
    func oddRowsAreReadAsSQLiteReadsThem(change: String, order: ScanOptions.Order) throws {
        let database = try database()
        try database.write { try $0.connection.execute("UPDATE kv_default SET \(change) WHERE rowid = 1500") }
        try database.read { snapshot in
            let found = try found(snapshot, order)
            let all = try snapshot.connection.strings(
                "SELECT key FROM kv_default WHERE flags & 1 = 0 OR flags IS NULL ORDER BY \(order == .id ? "key" : "rowid")")
            let keys = found.rows.map { String($0.prefix { $0 != " " }) }
            #expect(keys == all || keys == all.filter { $0 != "d101499" })
            #expect(found.isOfPages == (change == "body=NULL"))
        }
    }

    /// A damaged page takes its documents with it, and no others; none is given twice.
    @Test(arguments: [ScanOptions.Order.id, .stored]) func damagedPagesArePassedOver(order: ScanOptions.Order) throws {
        let database = try database()
        let all = try database.read { try expected($0, order) }
        database.close()
        let (page, pageSize) = try {
            let connection = try Connection(path: path + "/db.sqlite3", mode: .readOnly, parameters: ["immutable=1"])
            let source = try #require(PageSource(connection, log: nil))
            let root = try #require(try connection.integer("SELECT rootpage FROM sqlite_master WHERE name='kv_default'"))
            let leaves = try #require(TableLeaves(ofTableAt: UInt32(root), in: source))
            return (leaves.pages[leaves.pages.count / 2], source.pageSize)
        }()
        try RawBytes.overwrite(path + "/db.sqlite3", at: (Int(page) - 1) * pageSize, count: pageSize, with: 0x5A)
        try Database(path: path, options: .readOnly).read { snapshot in
            let found = try found(snapshot, order, tellsDamage: true).rows
            #expect(Set(found).count == found.count)
            #expect(found.count < all.count && found.count > all.count - 200)
            // What is stored behind a damaged page is found from the end.
            #expect(order == .id ? found == all.filter(Set(found).contains) : Set(found).isSubset(of: all))
        }
    }
}

private enum RawBytes {
    static func overwrite(_ path: String, at offset: Int, count: Int, with byte: UInt8) throws {
        let file = try #require(fopen(path, "r+"))
        defer { fclose(file) }
        fseek(file, offset, SEEK_SET)
        let bytes = [UInt8](repeating: byte, count: count)
        #expect(fwrite(bytes, 1, count, file) == count)
    }
}
