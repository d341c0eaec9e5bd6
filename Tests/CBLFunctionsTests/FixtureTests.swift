import CBLFleece
import CBLSQLite
import CBLTestSupport
import Testing

@testable import CBLFunctions
@testable import CBLStore

/// Databases that the vendor's library made, with indexes of every kind: what it wrote must be found again, and what is written here must
/// look as if it had written it.
@Suite(.enabled(if: Fixtures.arePresent, "the folder ../shared/fixtures is not there")) struct FixtureTests {
    static let names = [
        "v2.x/upgrade_2.8_index", "v3.x/words_db", "v4.x/revtrees_4.1", "v4.x/vectors_4.1", "v4.x/upgraded_2.8_index_by_4.1",
        "v4.x/types_4.1",
    ]

    final class Database {
        let directory: TemporaryDirectory
        let connection: Connection

        init(_ name: String) throws {
            directory = try TemporaryDirectory()
            let bundle = try Fixtures.copy(name + ".cblite2", to: directory)
            connection = try Connection(path: bundle + "/db.sqlite3", mode: .readWrite)
            let keys = try connection.withStatement("SELECT body FROM kv_info WHERE key = 'SharedKeys'") { row in
                try row.step() ? try row.blob(0).map { try SharedKeys(encoded: $0) } : nil
            }
            let context = FunctionContext(sharedKeys: keys)
            context.revisionText = { try? RevisionID(column: $0).text }
            if name.hasPrefix("v2") || name.contains("2.8") { context.currentBody = RecordBody.current }
            try SQLFunctions.register(on: connection, context: context)
            try connection.trustSchema()
            try connection.configure(1010, true)  // SQLITE_DBCONFIG_DEFENSIVE
        }

        var keyStores: [String] {
            get throws {
                try connection.strings(
                    "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'kv\\_%' ESCAPE '\\' AND sql LIKE '%sequence INTEGER%'"
                )
            }
        }

        var fullTextTables: [String] {
            get throws { try connection.strings("SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL TABLE%fts4(%'") }
        }

        func expectIndexesAreRight(_ place: SourceLocation = #_sourceLocation) throws {
            #expect(try connection.strings("PRAGMA integrity_check") == ["ok"], sourceLocation: place)
            for table in try fullTextTables {
                let name = quoted(identifier: table)
                #expect(throws: Never.self, sourceLocation: place) {
                    try connection.execute("INSERT INTO \(name)(\(name)) VALUES ('integrity-check')")
                }
            }
        }
    }

    @Test(arguments: names) func whatTheVendorIndexedIsFound(_ name: String) throws {
        try Database(name).expectIndexesAreRight()
    }

    @Test(arguments: names) func updatesDeletionsAndInsertionsKeepIndexesRight(_ name: String) throws {
        let database = try Database(name)
        let stores = try database.keyStores
        try #require(!stores.isEmpty)
        for store in stores {
            let table = quoted(identifier: store)
            try database.connection.execute("UPDATE \(table) SET body = body")
            try database.expectIndexesAreRight()
            try database.connection.execute(
                "INSERT INTO \(table) (key, sequence, flags, version, body) SELECT 'copy of ' || key, NULL, flags, version, body FROM \(table)"
            )
            try database.expectIndexesAreRight()
            try database.connection.execute("DELETE FROM \(table) WHERE key LIKE 'copy of %' OR rowid % 2 = 0")
            try database.expectIndexesAreRight()
            try database.connection.execute("DELETE FROM \(table)")
            try database.expectIndexesAreRight()
        }
    }
}
