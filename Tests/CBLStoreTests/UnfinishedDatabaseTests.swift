import CBLFleece
import CBLTestSupport
import FoundationEssentials
import Testing

@testable import CBLSQLite
@testable import CBLStore

/// A database that nobody sees before it is complete has no log: pages go into the file as they leave the cache.
@Suite struct UnfinishedDatabaseTests {
    private static let key = EncryptionKey(password: "secret")
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path + "/db.cblite2"
    }

    private func unfinished(_ key: EncryptionKey?) throws -> Database {
        var options = Database.Options.create
        options.isUnfinished = true
        options.key = key
        return try Database(path: path, options: options)
    }

    private func reopened(_ key: EncryptionKey?) throws -> Database {
        var options = Database.Options.readWrite
        options.key = key
        return try Database(path: path, options: options)
    }

    /// Some 18 MB, so that more is in the file than in SQLite's memory. IDs that lie anywhere have pages of the index come back from there.
    private func fill(_ transaction: Transaction, _ numbers: Range<Int>) throws {
        let text = String(repeating: "all work and no play ", count: 40)
        for number in numbers {
            let id = "\(number &* 7_919 % 100_003)-\(number)"
            try transaction.save(id, body: transaction.encode(json: "{\"number\":\(number),\"text\":\"\(text)\"}"))
        }
    }

    private func expectSound(_ transaction: Transaction) throws {
        let found = try transaction.connection.strings("PRAGMA integrity_check")
        #expect(found == ["ok"])
    }

    private var parts: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasPrefix("db.") }.sorted() }
    }

    @Test(arguments: [nil, key])
    func whatIsWrittenIsReadBackAndHasNoLog(_ key: EncryptionKey?) throws {
        let database = try unfinished(key)
        try database.write { transaction in
            try fill(transaction, 0..<20_000)
            let meanwhile = try parts
            #expect(meanwhile == ["db.sqlite3", "db.sqlite3-journal"])
            let size = try FileManager.default.attributesOfItem(atPath: path + "/db.sqlite3")[.size] as? Int ?? 0
            #expect(size > 5_000_000, "most is in the file before the commit")
            for number in stride(from: 0, to: 20_000, by: 777) {
                let document = try transaction.view().document("\(number &* 7_919 % 100_003)-\(number)")
                #expect(document != nil, "\(number)")
            }
            try expectSound(transaction)
        }
        try database.complete()
        #expect(try parts == ["db.sqlite3"])
        let again = try reopened(key)
        defer { again.close() }
        let count = try again.read { try $0.counts(of: .default).live }
        #expect(count == 20_000)
        let mode = try again.write { try $0.connection.strings("PRAGMA journal_mode") }
        #expect(mode == ["wal"])
    }

    @Test(arguments: [nil, key])
    func whatIsRolledBackIsNotThere(_ key: EncryptionKey?) throws {
        struct Change: Error {}
        let database = try unfinished(key)
        try database.write { try fill($0, 0..<5_000) }
        #expect(throws: Change.self) {
            try database.write { transaction in
                // Pages that were there are changed, and many come behind them.
                try fill(transaction, 0..<20_000)
                throw Change()
            }
        }
        try database.write { transaction in
            let count = try transaction.view().counts(of: .default).live
            #expect(count == 5_000)
            try expectSound(transaction)
            try fill(transaction, 5_000..<6_000)
        }
        try database.complete()
        let again = try reopened(key)
        defer { again.close() }
        let count = try again.read { try $0.counts(of: .default).live }
        #expect(count == 6_000)
        try again.write { try expectSound($0) }
    }

    /// Others than the one that writes have to wait for it, and see what it has committed.
    @Test func othersReadWhatIsCommitted() throws {
        let database = try unfinished(nil)
        defer { database.close() }
        for step in 1...3 {
            try database.write { try fill($0, (step - 1) * 100..<step * 100) }
            let count = try database.read { try $0.counts(of: .default).live }
            #expect(count == step * 100)
        }
    }
}
