import CBLTestSupport
import FoundationEssentials
import Testing

@testable import CBLStore

@Suite struct PiecewiseScanTests {
    private func database(_ directory: TemporaryDirectory) throws -> Database {
        let database = try Database(path: directory.path + "/db.cblite2", options: .create)
        try database.write { transaction in
            for number in 0..<1500 {
                try transaction.save(
                    "doc\(number)", body: transaction.encode(json: #"{"n": \#(number), "text": "words that take up room"}"#))
            }
            for number in stride(from: 0, to: 1500, by: 7) { try transaction.delete("doc\(number)", in: .default) }
        }
        return database
    }

    /// The IDs that a scan of the pieces gives, in their order, and how many documents are reported as damaged.
    private func scan(_ database: Database, _ pieces: [ClosedRange<Int64>?]) throws -> (ids: [String], damaged: Int) {
        try database.read { snapshot in
            var (ids, damaged) = ([String](), 0)
            for piece in pieces {
                var options = ScanOptions(order: .stored)
                options.rows = piece
                let cursor = try snapshot.scan(.default, options)
                cursor.onDamage = { _ in damaged += 1 }
                while try cursor.next() { ids.append(cursor.id) }
            }
            return (ids, damaged)
        }
    }

    private let pieces: [ClosedRange<Int64>?] = (0..<40).map { $0 * 50...$0 * 50 + 49 }

    @Test func scansMayBeginAndEndAnywhere() throws {
        let directory = try TemporaryDirectory()
        let database = try database(directory)
        try database.read { snapshot in
            func ids(_ change: (inout ScanOptions) -> Void) throws -> [String] {
                var options = ScanOptions(order: .id, content: .id)
                options.includesDeleted = true
                change(&options)
                let cursor = try snapshot.scan(.default, options)
                var ids: [String] = []
                while try cursor.next() { ids.append(cursor.id) }
                return ids
            }
            let all = try ids { _ in }
            #expect(all.count == 1500 && all == all.sorted())
            for included in [true, false] {
                for (first, last) in [(0, 1499), (3, 700), (700, 700), (900, 3)] {
                    let range = try ids {
                        $0.firstID = .init(all[first], isIncluded: included)
                        $0.lastID = .init(all[last], isIncluded: included)
                    }
                    let expected = all.filter { included ? $0 >= all[first] && $0 <= all[last] : $0 > all[first] && $0 < all[last] }
                    #expect(range == expected)
                }
            }
            let backwards = try ids {
                $0.order = .sequence
                $0.isDescending = true
                $0.since = 1400
                $0.upTo = 1403
            }
            #expect(backwards == ["doc1402", "doc1401", "doc1400"].filter { Int($0.dropFirst(3)).map { !$0.isMultiple(of: 7) } ?? false })
        }
    }

    @Test func piecesGiveEveryDocumentOnce() throws {
        let directory = try TemporaryDirectory()
        let database = try database(directory)
        let whole = try scan(database, [nil])
        #expect(whole.ids.count == 1500 - 215)
        #expect(try scan(database, pieces).ids == whole.ids)
        #expect(try scan(database, pieces.reversed()).ids.sorted() == whole.ids.sorted())
    }

    @Test func aDamagedPageCostsOnlyWhatIsOnIt() throws {
        let directory = try TemporaryDirectory()
        let path = try database(directory).path
        let file = path + "/db.sqlite3"
        var bytes = Array(try Data(contentsOf: URL(filePath: file)))
        let page = try #require(
            try Database(path: path).read {
                try $0.connection.integer("SELECT pageno FROM dbstat WHERE name = 'kv_default' AND pagetype = 'leaf' LIMIT 1 OFFSET 9")
            })
        for index in (Int(page) - 1) * 4096..<Int(page) * 4096 { bytes[index] = 0x5A }
        try Data(bytes).write(to: URL(filePath: file))
        let database = try Database(path: path)
        let whole = try scan(database, [nil])
        let inPieces = try scan(database, pieces)
        #expect(whole.damaged > 0 && whole.ids.count > 1000)
        #expect(inPieces.ids.sorted() == whole.ids.sorted())
        #expect(inPieces.damaged == whole.damaged)
    }
}
