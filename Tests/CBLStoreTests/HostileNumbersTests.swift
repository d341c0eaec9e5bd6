import CBLFleece
import CBLSQLite
import CBLTestSupport
import FoundationEssentials
import Testing

@testable import CBLStore

/// Numbers that no program writes, in every column that has some: no trap, no negative sequence, and a repair that counts anew.
struct HostileNumbersTests {
    let directory: TemporaryDirectory
    let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path + "/numbers.cblite2"
        let database = try Database(path: path, options: .create)
        try database.write { transaction in
            for number in 0..<5 { try transaction.save("doc\(number)", body: transaction.encode(json: "{\"n\":\(number)}")) }
            try transaction.delete("doc4")
        }
        database.close()
    }

    private func change(_ sql: String) throws { try Connection(path: path + "/db.sqlite3", mode: .readWrite).execute(sql) }

    private func save(_ id: String) throws {
        let database = try Database(path: path, options: .readWrite)
        defer { database.close() }
        try database.write { try $0.save(id, body: $0.encode(json: "{\"new\":true}")) }
    }

    private func sequences() throws -> [UInt64] {
        try Database(path: path).read { snapshot in
            var options = ScanOptions(order: .sequence)
            options.includesDeleted = true
            let cursor = try snapshot.scan(.default, options)
            var sequences: [UInt64] = []
            while try cursor.next() { sequences.append(cursor.sequence) }
            return sequences
        }
    }

    @Test(arguments: [Int64.max, Int64.max - 1, 1 << 62])
    func aCollectionWithoutSequencesSaysSo(last: Int64) throws {
        try change("UPDATE kvmeta SET lastSeq=\(last)")
        let error = #expect(throws: StoreError.self) { try save("new") }
        #expect(error?.code == .corrupt)
        #expect(error?.message.contains("no sequence left") == true)
        #expect(try CheckerTests.findings(path).contains { $0.kind == .counter } == (last > 1 << 62))
    }

    @Test func manyDocumentsAtOnceAreRefusedToo() throws {
        try change("UPDATE kvmeta SET lastSeq=\(Int64.max - 10)")
        let database = try Database(path: path, options: .readWrite)
        defer { database.close() }
        #expect(throws: StoreError.self) {
            try database.write { transaction in
                try transaction.bulk { writer in
                    for number in 0..<100 {
                        let body = try transaction.encode(json: "{\"n\":\(number)}")
                        var id = "bulk\(number)"
                        try body.withBytes { body in try id.withUTF8 { try writer.save(id: UnsafeRawBufferPointer($0), body: body) } }
                    }
                }
            }
        }
        #expect(try sequences().allSatisfy { $0 < 100 })
    }

    static let numbers = ["-9223372036854775808", "-1", "0", "4611686018427387905", "9223372036854775806", "9223372036854775807"]

    /// After a repair, whatever the numbers were, changes get sequences again that are larger than all others.
    @Test(arguments: numbers, ["UPDATE kv_default SET sequence=? WHERE key='doc1'", "UPDATE kvmeta SET lastSeq=?"])
    func aRepairCountsAnew(number: String, sql: String) throws {
        try change(sql.replacing("?", with: number))
        _ = try CheckerTests.findings(path)
        do {
            let database = try Database(path: path, options: .readWrite)
            defer { database.close() }
            _ = try database.repair()
        }
        #expect(try CheckerTests.findings(path) == [])
        let before = try sequences()
        try save("new")
        let after = try sequences()
        #expect(after.count == before.count + 1)
        #expect(after.dropLast() == before[...] && Set(after).count == after.count)
        #expect(after.allSatisfy { $0 > 0 && $0 < 100 })
    }

    static let columns = ["flags", "expiration", "version", "extra", "sequence"]

    @Test(arguments: numbers + ["1e300", "-1e300", "9e999", "'x'", "x'0001'", "NULL"], columns)
    func everyColumnMaySayAnything(value: String, column: String) throws {
        try change("UPDATE kv_default SET \(column)=\(value) WHERE key='doc1'")
        _ = try CheckerTests.findings(path)
        for work: (Transaction) throws -> Void in [
            { try $0.save("doc1", body: $0.encode(json: "{\"new\":true}")) },
            { _ = try $0.setExpiration("doc1", 1) },
            { _ = try $0.purgeDeleted() },
            { _ = try $0.changes(in: .default, since: 0, limit: 100, remote: 1) },
            { _ = try $0.referencedBlobs() },
            { _ = try $0.purge("doc1") },
        ] {
            let database = try Database(path: path, options: .readWrite)
            // An error is fine.
            _ = try? database.write(work)
            database.close()
        }
        #expect(try sequences().allSatisfy { $0 <= UInt64(Int64.max) })
        let database = try Database(path: path, options: .readWrite)
        defer { database.close() }
        _ = try database.repair(Database.RepairOptions(dropsDamaged: true))
        #expect(try CheckerTests.findings(path).filter { $0.kind != .flags } == [])
    }

    @Test(arguments: numbers) func purgesAreCountedAsFarAsTheyGo(number: String) throws {
        try change("UPDATE kvmeta SET purgeCnt=\(number)")
        let database = try Database(path: path, options: .readWrite)
        defer { database.close() }
        #expect(try database.write { try $0.purge("doc1") })
        _ = try database.read { try $0.purgeCount(of: .default) }
    }

    @Test func aPeersCheckpointMayHaveAnyGeneration() throws {
        let database = try Database(path: path, options: .readWrite)
        defer { database.close() }
        try database.write { transaction in
            for revision in ["9223372036854775807-cc", "-cc", "x", "99999999999999999999-cc", "4294967295-cc"] {
                try transaction.putRaw(
                    RawDocument(key: "peer", meta: Array(revision.utf8), body: []), in: Snapshot.peerCheckpointStore)
                #expect(try transaction.setPeerCheckpoint("peer", revision: revision, []).hasSuffix("-cc"))
            }
        }
    }

    /// A walk that collects meets every blob of a body that has no end, and no more than there are.
    @Test(arguments: DataBomb.all) func compactionIsNotKeptByBombs(_ bomb: DataBomb) throws {
        let connection = try Connection(path: path + "/db.sqlite3", mode: .readWrite)
        try connection.withStatement("UPDATE kv_default SET body=?, flags=flags|4 WHERE key='doc1'") { statement in
            try statement.bind(blob: bomb.bytes, 1)
            try statement.run()
        }
        let findings = try CheckerTests.findings(path)
        #expect(findings.contains { $0.kind == .body && $0.document == "doc1" })
        let database = try Database(path: path, options: .readWrite)
        defer { database.close() }
        #expect(try database.read { try $0.referencedBlobs() } == [])
        try database.compact()
    }
}
