import CBLFleece
import CBLStore
import CBLTestSupport
import Glibc
import Testing

@testable import CBLViews

/// What was done to the database while nobody looked at its index, or to the index.
@Suite struct StaleIndexTests {
    private let byNumber = ViewDefinition.of("n")

    private func filled(_ count: Int = 5) throws -> ViewDatabase {
        let test = try ViewDatabase()
        try test.database.write { transaction in for number in 0..<count { try transaction.put("doc\(number)", #"{"n":\#(number)}"#) } }
        return test
    }

    private func rowsOfFreshIndex(_ database: Database, _ view: ViewDefinition) throws -> [String] {
        let list = try ViewIndex(database, .temporary).rows(view)
        return (0..<list.count).map { list.json($0) + " @" + list.documentID($0) }
    }

    private let byID = ViewDefinition("ids", version: "1") { $1.emit(.string($0.id)) }

    /// Before 2.7 nobody counted what was purged, and before 3.1 tombstones stayed with the living.
    @Test(
        .enabled(if: Fixtures.arePresent, "\(Fixtures.absence)"),
        arguments: ["v2.x/upgrade_2.7", "v2.x/upgrade_2.8", "v3.x/db_3_0_0_names_100_with_deleted"], [false, true])
    func purgesAndDeletionsAreSeen(_ name: String, upgrades: Bool) throws {
        let directory = try TemporaryDirectory(inMemory: true)
        let path = try Fixtures.copy(name + ".cblite2", to: directory)
        var database = try Database(path: path, options: .readWrite)
        var index = ViewIndex(database)
        try database.write { transaction in for number in 0..<4 { try transaction.put("added\(number)", "{}") } }
        #expect(try index.rows(byID).count >= 4)
        try database.write { transaction in
            if let document = try transaction.document("added1") { _ = try transaction.delete(document) }
        }
        _ = try database.write { try $0.purge("added2") }
        if upgrades {
            index.close()
            database.close()
            database = try Database(path: path, options: Database.Options(access: .readWrite, upgrade: .newest))
            index = ViewIndex(database)
        }
        let list = try index.rows(byID)
        #expect((0..<list.count).map { list.json($0) + " @" + list.documentID($0) } == (try rowsOfFreshIndex(database, byID)))
    }

    /// The document that the database is recognized by.
    @Test func theLatestDocumentMayBePurged() throws {
        let test = try filled()
        try test.index.update([byNumber])
        _ = try test.database.write { try $0.purge("doc4") }
        #expect(try test.index.update([byNumber]) == IndexingReport(vanished: 1))
        #expect(try test.index.update([byNumber]) == IndexingReport())
    }

    @Test func anIndexOfAnotherDatabaseHasNoRowsForThis() throws {
        let test = try filled()
        #expect(try test.rows(byNumber).count == 5)
        test.index.close()
        test.database.close()
        rename(test.path, test.path + "-old")
        test.database = try Database(path: test.path, options: .create)
        test.index = ViewIndex(test.database)
        var query = ViewQuery()
        query.updateMode = .never
        #expect(try test.rows(byNumber, query) == [])
        #expect(try test.index.entries().isEmpty)
    }

    @Test func rowsOfAnotherVersionAreNotShown() throws {
        let test = try filled()
        #expect(try test.rows(byNumber).count == 5)
        var query = ViewQuery()
        query.updateMode = .never
        #expect(try test.rows(.of("n", version: "2"), query) == [])
        #expect(try test.rows(byNumber, query).count == 5)
    }

    @Test func whoOnlyLooksMakesNoIndex() throws {
        let test = try filled()
        let path = try #require(test.index.path)
        #expect(try test.index.entries().isEmpty)
        #expect(try !test.index.remove("by n"))
        #expect(access(path, F_OK) != 0)
    }

    @Test(arguments: [(0o700, 0o666, 0o600), (0o750, 0o644, 0o640), (0o755, 0o600, 0o600), (0o755, 0o644, 0o644)])
    func theIndexIsForThoseWhoMayReadTheDatabase(_ folder: mode_t, _ file: mode_t, _ expected: mode_t) throws {
        let test = try filled()
        chmod(test.path, folder)
        chmod(test.path + "/db.sqlite3", file)
        test.index = ViewIndex(test.database)
        #expect(try test.rows(byNumber).count == 5)
        for ending in ["", "-wal", "-shm"] {
            var status = stat()
            #expect(stat(try #require(test.index.path) + ending, &status) == 0)
            #expect(status.st_mode & 0o777 == expected, "\(ending)")
        }
    }

    /// Rows of all kinds come and go by the hundred, in one go or in parts, as memory suffices.
    @Test(arguments: [64 << 20, 3000]) func manyDocumentsLoseTheirRowsAtOnce(_ memory: Int) throws {
        let test = try ViewDatabase()
        let view = ViewDefinition("all", version: "1") { document, emitter in
            let number = document["n"].integer ?? 0
            for row in 0..<number % 4 {
                emitter.emit([.string(row % 2 == 0 ? "é\(number % 17)" : "e\(number % 19)"), .integer(row)], document["n"])
            }
            if number % 5 == 0 { emitter.emit(text: "word \(number)", language: number % 2 == 0 ? "en" : nil) }
            if number % 7 == 0 { emitter.emit(x: Double(number), y: 0) }
        }
        var options = IndexingOptions()
        options.mostMemory = memory
        var random = SeededRandom(3)
        for round in 0..<6 {
            try test.database.write { transaction in
                for _ in 0..<300 { try transaction.put("doc\(random.below(500))", #"{"n":\#(random.below(1000))}"#) }
                guard round > 0 else { return }
                for _ in 0..<200 {
                    let id = "doc\(random.below(500))"
                    let isPurged = random.below(2) == 0
                    guard let document = try transaction.document(id), !document.isDeleted else { continue }
                    if isPurged { try transaction.purge(id) } else { _ = try transaction.delete(document) }
                }
            }
            try test.index.update([view], options)
            let fresh = ViewIndex(test.database, .temporary)
            #expect(try test.index.rows(view) == fresh.rows(view))
            var words = ViewQuery()
            words.fullText = FullTextRequest("word")
            words.fullText?.ranks = false
            #expect(
                try Set(test.rows(view, words)) == Set((0..<fresh.rows(view, words).count).map { try texts(fresh.rows(view, words), $0) }))
            var box = ViewQuery()
            box.box = ViewRectangle(x0: -1, y0: -1, x1: 2000, y1: 1)
            #expect(try test.index.rows(view, box).count == fresh.rows(view, box).count)
            let count = try test.index.rows(view).count
            #expect(try test.index.entries().first?.rows == count)
        }
    }

    private func texts(_ list: ViewRowList, _ row: Int) -> String { list.json(row) + " @" + list.documentID(row) }

    /// As if the library that compares texts had changed since: rows do not stand where they are looked for.
    @Test func rowsThatStandElsewhereAreFound() throws {
        let test = try ViewDatabase()
        for number in 0..<300 { try test.put("doc\(number)", #"{"n":"é\#(number)"}"#) }
        #expect(try test.rows(byNumber).count == 300)
        let path = try #require(test.index.path)
        test.index.close()
        do {
            // The entries of two rows change places.
            let raw = try RawDatabase(path)
            try raw.execute(
                """
                CREATE TEMP TABLE swapped AS SELECT first, row_number() OVER (ORDER BY first) AS number, entries FROM rows_1;
                UPDATE rows_1 SET entries = (SELECT entries FROM swapped WHERE number = (SELECT count(*) FROM swapped) + 1 -
                    (SELECT s.number FROM swapped AS s WHERE s.first = rows_1.first))
                """)
        }
        test.index = ViewIndex(test.database)
        try test.database.write { transaction in for number in stride(from: 0, to: 300, by: 2) { try transaction.purge("doc\(number)") } }
        let rows = try test.rows(byNumber)
        #expect(rows.count == 150)
        #expect(try Set(rows) == Set(rowsOfFreshIndex(test.database, byNumber)))
    }

    @Test func aQueryWithinAQueryOfATemporaryIndexIsAnError() throws {
        let test = try filled()
        let index = ViewIndex(test.database, .temporary)
        var query = ViewQuery()
        query.postFilter = { [byNumber] _ in try !index.rows(byNumber).isEmpty }
        #expect(throws: ViewError.self) { try index.rows(byNumber, query) }
        // It goes on to be of use.
        #expect(try index.rows(byNumber).count == 5)
    }
}
