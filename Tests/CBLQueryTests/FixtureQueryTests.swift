import CBLFleece
import CBLLanguage
import CBLQuery
import CBLStore
import CBLTestSupport
import Testing

/// Queries of databases that other releases wrote: where live and deleted documents are is different in each generation.
@Suite(.enabled(if: Fixtures.arePresent, Comment(rawValue: Fixtures.absence))) struct FixtureQueryTests {
    static let fixtures = [
        "v2.x/upgrade_2.7", "v2.x/upgrade_2.8", "v2.x/upgrade_2.8_index", "v3.x/db_3_0_0_names_100_with_deleted",
        "v3.x/upgrade_3.1_peerCheckpoints", "v4.x/revtrees_4.1", "v4.x/types_4.1", "v4.x/vectors_4.1", "v4.x/upgraded_1.3_by_4.1",
        "v4.x/upgraded_2.7_to_vectors", "v4.x/upgraded_2.8_index_by_4.1", "v4.x/upgraded_3.0_by_4.1", "v4.x/upgraded_3.1_by_4.1",
    ]

    /// The collection's name as a query has it.
    private func source(_ name: CollectionName) -> String { name.isDefault ? "_" : "`\(name.scope)`.`\(name.name)`" }

    private func lines(of name: CollectionName, _ options: ScanOptions, _ snapshot: Snapshot) throws -> [String] {
        var lines: [String] = []
        let cursor = try snapshot.scan(name, options)
        while try cursor.next() {
            let line = "\(cursor.id) \(cursor.sequence) \(try cursor.revision()) "
            lines.append(line + (cursor.isDeleted ? "" : cursor.body.json(keys: snapshot.sharedKeys)))
        }
        return lines
    }

    private func lines(_ rows: QueryRows) throws -> [String] {
        var lines: [String] = []
        var buffer = ByteBuffer()
        while try rows.next() {
            guard case .integer(let sequence) = rows[2] else { continue }
            buffer.removeAll()
            // As for the vendor's library, an empty document is MISSING where it has no body: in databases with version vectors.
            if case .boolean(true) = rows[4] {} else { rows.append(0, missing: "{}", to: &buffer) }
            lines.append("\(rows[1].string ?? "") \(sequence) \(rows[3].string ?? "") \(buffer.string)")
        }
        return lines
    }

    @Test(arguments: fixtures) func queriesSeeWhatAScanSees(_ fixture: String) throws {
        let database = try Database(path: Fixtures.path(fixture + ".cblite2"))
        try database.read { snapshot in
            for name in snapshot.collections() {
                let live = try Query(
                    "SELECT *, META().id, META().sequence, META().revisionID FROM \(source(name)) ORDER BY META().id", on: snapshot)
                var options = ScanOptions(order: .id)
                try #expect(lines(live.run(on: snapshot)) == lines(of: name, options, snapshot))

                let all = try Query(
                    "SELECT *, META().id, META().sequence, META().revisionID, META().deleted FROM \(source(name)) ORDER BY META().id",
                    on: snapshot)
                options.includesDeleted = true
                try #expect(lines(all.run(on: snapshot)) == lines(of: name, options, snapshot))

                let deleted = try Query(
                    "SELECT *, META().id, META().sequence, META().revisionID, META().deleted FROM \(source(name)) "
                        + "WHERE META().deleted ORDER BY META().id", on: snapshot)
                options.onlyDeleted = true
                try #expect(lines(deleted.run(on: snapshot)) == lines(of: name, options, snapshot))
                try #expect(deleted.explain(on: snapshot).scannedCollections.isEmpty == false)
            }
        }
    }

    @Test func indexesThatTheVendorMadeAreUsed() throws {
        let database = try Database(path: Fixtures.path("v4.x/revtrees_4.1.cblite2"))
        try database.read { snapshot in
            let plan = try Query("SELECT META().id FROM _ WHERE age = 7 AND lower(name.first) > 'x'", on: snapshot).explain(on: snapshot)
            #expect(
                plan.reading.map(\.text) == [
                    "uses index \"byAgeN1QL\" of collection _default (_) to find age = ? and N1QL_lower(fl_value(body, 'name.first')) > ?"
                ])
        }
    }
}
