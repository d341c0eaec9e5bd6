import CBLLanguage
import CBLSQLite
import CBLStore
import Testing

@testable import CBLQuery

/// Names that mean something to SQLite are names like others in a query.
struct AwkwardNamesTests {
    static let words = [
        "abort", "action", "add", "all", "alter", "analyze", "as", "before", "check", "column", "commit", "create", "cross", "current_date",
        "default", "delete", "do", "drop", "escape", "exclude", "explain", "filter", "foreign", "full", "glob", "group", "if", "index",
        "indexed", "insert", "into", "isnull", "key", "match", "natural", "no", "nothing", "notnull", "of", "over", "plan", "primary",
        "raise", "range", "references", "regexp", "replace", "returning", "row", "rows", "set", "table", "temp", "to", "transaction",
        "union", "unique", "update", "using", "values", "view", "virtual", "window", "with", "without", "body", "rowid", "sequence",
        "a\"b", "a'b", "a b", "ä", "1st", "", "$x",
    ]

    @Test func aliasesMayBeWordsOfSQL() throws {
        let sample = try Sample(["ada": #"{"name": "Ada"}"#, "bob": #"{"name": "Bob"}"#])
        for word in AwkwardNamesTests.words where !word.isEmpty {
            let name = "`\(word)`"
            let queries = [
                "SELECT name AS \(name) FROM _ WHERE \(name) = 'Ada' GROUP BY \(name) ORDER BY \(name)",
                "SELECT \(name).name FROM _ AS \(name) WHERE \(name).name = 'Ada' ORDER BY \(name).name",
                "SELECT x.name FROM _ AS x JOIN _ AS \(name) ON x.name = \(name).name WHERE \(name).name = 'Ada'",
            ]
            for query in queries {
                let rows = try sample.database.read { snapshot in try Query(query, on: snapshot).run(on: snapshot).json() }
                #expect(rows == [#"["Ada"]"#], "\(query)")
            }
        }
    }

    /// Something else stands where the default collection's table should: a query of it says so, one of another collection is answered.
    @Test func whatHasThePlaceOfTheDefaultCollectionIsNamed() throws {
        let sample = try Sample(["a": "{}"])
        try sample.database.write { _ = try $0.createCollection(CollectionName(parsing: "other")) }
        try sample.save(["b": #"{"n":1}"#], in: CollectionName(parsing: "other"))
        sample.database.close()
        let connection = try Connection(path: sample.database.path + "/db.sqlite3", mode: .readWrite)
        try connection.execute("ALTER TABLE kv_default RENAME TO mine")
        try connection.execute("CREATE TABLE kv_default (mine TEXT)")
        try Database(path: sample.database.path).read { snapshot in
            for text in ["SELECT n FROM _", "SELECT n FROM sample"] {
                let error = #expect(throws: QueryError.self) { try Query(text, on: snapshot) }
                #expect(error?.diagnostics.first?.message.contains("kv_default") == true, "\(text)")
            }
            try #expect(Query("SELECT n FROM other", on: snapshot).run(on: snapshot).json() == ["[1]"])
        }
    }
}
