import CBLStore
import CBLTestSupport
import Testing

@testable import CBLQuery

/// What a query's first run found out serves the next ones, as long as the schema stays.
@Suite struct QueryDecisionsTests {
    private func rows(_ query: Query, _ snapshot: Snapshot) throws -> [String] {
        var options = QueryOptions()
        options.pieces = ScanTests.small
        return try query.run(on: snapshot, options: options).json()
    }

    @Test func aRunDecidesForTheNext() throws {
        let sample = try ScanTests.sample(500, seed: 5)
        let (query, count, first) = try sample.database.read { snapshot in
            let query = try Query("SELECT word, count(*) AS n FROM _ GROUP BY word ORDER BY word", on: snapshot)
            let count = try Query("SELECT count(*) AS n FROM _", on: snapshot)
            #expect(query.decisions.scanCount == 0)
            return (query, count, try rows(query, snapshot) + rows(count, snapshot))
        }
        #expect(query.decisions.scanCount == 1)
        try sample.database.read { snapshot in
            // Nothing is asked again: what would be decided now is not.
            _ = try query.decisions.scan(running: query.sql) { throw StoreError(.notFound, "it is to be decided") }
            try #expect(rows(query, snapshot) + rows(count, snapshot) == first)
            #expect(query.decisions.scanCount == 1)
        }
        // With an index on it, the words come in another way; the result stays.
        try sample.database.write { transaction in
            _ = try transaction.createIndex(IndexDefinition(name: "w", .value, "word"))
        }
        try sample.database.read { snapshot in
            #expect(snapshot.schemaVersion != query.schemaVersion)
            try #expect(rows(query, snapshot) + rows(count, snapshot) == first)
            let renewed = try query.current(on: snapshot)
            #expect(renewed.schemaVersion == snapshot.schemaVersion)
            // The one that was renewed is kept, with what it knows.
            #expect(try query.current(on: snapshot).decisions === renewed.decisions && renewed.decisions.scanCount == 1)
        }
    }
}
