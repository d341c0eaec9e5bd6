import CBLFleece
import CBLSQLite
import CBLTestSupport
import Testing

@testable import CBLStore

@Suite(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)")) struct IndexedWritingTests {
    /// Fixtures with indexes that the vendor's library made: value, full-text, array and partial ones.
    static let fixtures = [
        "v2.x/upgrade_2.8_index", "v3.x/words_db", "v4.x/revtrees_4.1", "v4.x/vectors_4.1", "v4.x/upgraded_2.8_index_by_4.1",
    ]

    /// An entry of an index is found again only if its functions say of the old body what the vendor's said.
    @Test(arguments: fixtures, [Database.Options.Upgrade.none, .newest])
    func changesOfIndexedDocumentsKeepTheIndexesRight(fixture: String, upgrade: Database.Options.Upgrade) throws {
        let directory = try TemporaryDirectory()
        let path = try Fixtures.copy(fixture + ".cblite2", to: directory)
        let database = try Database(path: path, options: .init(access: .readWrite, upgrade: upgrade))
        try database.write { transaction in
            for collection in transaction.collections() {
                let cursor = try transaction.scan(collection, ScanOptions(content: .id))
                var ids: [String] = []
                while try cursor.next() { ids.append(cursor.id) }
                for (index, id) in ids.enumerated() {
                    switch index % 3 {
                    case 0: try transaction.purge(id, in: collection)
                    case 1: try transaction.delete(id, in: collection)
                    default:
                        let body = try transaction.encode(json: #"{"word": "changed", "firstName": "x", "age": 3, "tags": ["a"]}"#)
                        try transaction.save(id, in: collection, body: body)
                    }
                }
            }
        }
        try database.write { transaction in
            let problems = try transaction.connection.strings("PRAGMA integrity_check")
            #expect(problems == ["ok"])
        }
    }
}
