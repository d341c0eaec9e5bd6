import CBLBase
import CBLSQLite
import CBLTestSupport
import Testing

@testable import CBLStore

@Suite struct StorageSpaceTests {
    /// The files that have pointer maps.
    private static let fixtures = [
        "v2.x/upgrade_2.8_index", "v3.x/db_3_0_0_names_100_with_deleted", "v3.x/words_db", "v4.x/revtrees_4.1", "v4.x/vectors_4.1",
        "v4.x/types_4.1",
    ]

    @Test(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)"), arguments: fixtures)
    func pointerMapsTellTheSameAsReadingEveryPage(name: String) throws {
        let directory = try TemporaryDirectory()
        let database = try Database(path: Fixtures.copy(name + ".cblite2", to: directory))
        try database.read { snapshot in
            let count = Int(try snapshot.connection.integer("PRAGMA page_count") ?? 0)
            let header = try #require(try snapshot.connection.readMainFile(count: 100, at: 0))
            let owners = try #require(
                PageOwners(pageCount: count, usableSize: 4096 - Int(header[20])) {
                    try? snapshot.connection.readMainFile(count: 4096, at: ($0 - 1) * 4096)
                })
            var read = 0
            let statement = try snapshot.connection.prepare(
                """
                SELECT s.name, s.pages, coalesce(m.rootpage, 1) FROM (SELECT name, count(*) AS pages FROM dbstat GROUP BY name) AS s \
                LEFT JOIN sqlite_master AS m ON m.name = s.name
                """)
            while try statement.step() {
                #expect(owners.pagesOfRoot[UInt32(statement.int64(2))] == Int(statement.int64(1)), "\(statement.string(0) ?? "")")
                read += Int(statement.int64(1))
            }
            #expect(owners.pagesOfRoot.values.reduce(0, +) == read)
            #expect(owners.free == Int(try snapshot.connection.integer("PRAGMA freelist_count") ?? -1))
            #expect(read + owners.free + owners.others == count)
        }
    }

    @Test func partsAddUpToTheSizeOfTheBundle() throws {
        let directory = try TemporaryDirectory()
        let database = try Database(path: directory.path + "/db.cblite2", options: .create)
        try database.write { transaction in
            _ = try transaction.createCollection(CollectionName(scope: "shop", name: "goods"))
            for number in 0..<500 {
                let body = try transaction.encode(json: #"{"n": \#(number), "text": "some words that take up room"}"#)
                try transaction.save("doc\(number)", in: CollectionName(scope: "shop", name: "goods"), body: body)
            }
        }
        _ = try [UInt8](repeating: 7, count: 12_345).withUnsafeBytes { bytes throws in try database.blobs.write(bytes) }
        // The log has most of it now, and after closing the main file has.
        for isClosed in [false, true] {
            if isClosed { database.close() }
            let reader = isClosed ? try Database(path: database.path) : database
            try reader.read { snapshot in
                let space = try snapshot.storageSpace()
                try #expect(space.bytes == Folder(following: database.path).size())
                #expect(space.blobBytes == 12_345 && space.blobCount == 1)
                let goods = try #require(space.collections.first { $0.name.name == "goods" })
                #expect(goods.bytes > 30_000)
            }
        }
    }

    /// Maps that lead nowhere, or round in circles.
    @Test(arguments: UInt64(0)..<50) func anyPointerMapsAreCountedWithoutHarm(seed: UInt64) throws {
        var random = SeededRandom(seed)
        let pages = 3 + random.below(3000)
        // Kinds of pages that are known and some that are not, and parents that are rarely beyond the last page.
        let limits = [7, 1, 1, 12, 256]
        let maps = PageOwners(pageCount: pages, usableSize: 512) { _ in (0..<512).map { UInt8(random.below(limits[$0 % 5])) } }
        let owners = try #require(maps)
        let owned = owners.pagesOfRoot.values.reduce(0, +)
        #expect(owned + owners.free + owners.others == pages)
        #expect(PageOwners(pageCount: pages, usableSize: 512) { _ in nil } == nil)
        #expect(PageOwners(pageCount: pages, usableSize: 512) { _ in [1, 2, 3] } == nil)
    }
}
