import CBLStore
import CBLTestSupport
import Testing

@testable import CBLViews

@Suite(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)")) struct FixtureTests {
    static let names = [
        "v2.x/upgrade_2.7", "v2.x/upgrade_2.8_index", "v3.x/upgrade_3.1_peerCheckpoints", "v3.x/db_3_0_0_names_100_with_deleted",
        "v4.x/revtrees_4.1", "v4.x/vectors_4.1",
    ]

    private let view = ViewDefinition("ids", version: "1", reduction: .builtIn(.count)) { document, emitter in
        emitter.emit(.string(document.id), .integer(Int64(document.conflicts.count)))
    }

    /// Files of every generation, read as they are and written to, have a row for each document.
    @Test(arguments: names, [true, false]) func everyGenerationHasViews(_ name: String, _ isReadOnly: Bool) throws {
        let directory = try TemporaryDirectory(inMemory: true)
        let path = isReadOnly ? Fixtures.path(name + ".cblite2") : try Fixtures.copy(name + ".cblite2", to: directory)
        let database = try Database(path: path, options: isReadOnly ? .readOnly : .readWrite)
        defer { database.close() }
        let index = ViewIndex(database)
        for collection in try database.read({ $0.collections() }) {
            var view = view
            view.collection = collection
            var query = ViewQuery()
            query.reduces = false
            let live = try database.read { try $0.counts(of: collection).live }
            #expect(try index.rows(view, query).count == live, "\(collection)")
            #expect(try index.update([view]).documents == 0 || database.read { !$0.generation.countsPurges })
        }
        guard !isReadOnly else { return #expect(index.path == nil) }
        let before = try database.read { try $0.counts(of: .default).live }
        try database.write { try $0.put("a new one", "{}") }
        var query = ViewQuery(startKey: "a new one", endKey: "a new one")
        query.reduces = false
        #expect(try index.rows(view, query).count == 1)
        try database.write { transaction in
            if let document = try transaction.document("a new one") { _ = try transaction.delete(document) }
        }
        #expect(try index.rows(view, query).isEmpty)
        query = ViewQuery()
        query.reduces = false
        #expect(try index.rows(view, query).count == before)
        index.close()
    }
}
