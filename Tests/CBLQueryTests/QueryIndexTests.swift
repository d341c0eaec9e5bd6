import CBLLanguage
import CBLQuery
import CBLStore
import CBLTestSupport
import Testing

/// Queries find the indexes that were made of the same expressions, and answer with them as they do without.
@Suite(.enabled(if: Fixtures.arePresent, "the folder ../shared/fixtures is not there")) struct QueryIndexTests {
    private func database(_ file: String) throws -> QueryDatabase {
        try QueryVectorTests.parsed(#"[{"file": "\#(file)", "format": "docs"}]"#) { try QueryDatabase($0) }
    }

    private func make(_ form: IndexSpecification.Form, in database: QueryDatabase) throws {
        try database.database.write { transaction in
            let source = IndexSpecification.Source(.sqlpp, "", condition: nil, unnest: nil, in: transaction.generation)
            _ = try transaction.createIndex(IndexSpecification(name: "byIt", collection: .default, form: form, source: source))
        }
    }

    private func run(_ query: String, in database: QueryDatabase) throws -> QueryDatabase.Answer {
        try database.run(query, query.hasPrefix("{") ? .json : .sqlpp, parameters: nil)
    }

    private func plan(_ query: String, in database: QueryDatabase) throws -> [String] {
        try database.database.read { snapshot in
            try Query(query, query.hasPrefix("{") ? .json : .sqlpp, on: snapshot).explain(on: snapshot).steps.map(\.detail)
        }
    }

    private func sql(_ expression: String) throws -> String {
        let expression = try Select(sqlpp: expression).results[0].expression
        return try Translator(schema: AssumedSchema()).indexExpression(expression, column: "")
    }

    static let searches = [
        ("num", "num = 50"), ("num", "num > 5 AND num < 7 AND type = 'number'"), ("num", "num BETWEEN 3 AND 5"),
        ("num", "num IN (1, 2, 99)"),
        ("num", "num IS MISSING"), ("num % 10", "num % 10 = 3"), ("num || 'x'", "num || 'x' = '7x'"), ("length(type)", "length(type) = 6"),
        ("META().id", "META().id = 'rec-007'"), ("META().sequence", "META().sequence > 98"), ("lower(type)", "lower(type) = 'number'"),
        ("type COLLATE NOCASE", "(type = 'NUMBER') COLLATE NOCASE"),
        ("type COLLATE (UNICODE NOCASE)", "(type = 'NUMBER') COLLATE (UNICODE NOCASE)"),
        ("CASE num WHEN 1 THEN 'a' END", "CASE num WHEN 1 THEN 'a' END = 'a'"), ("num", "num = -(-5)"),
    ]

    @Test(arguments: searches) func valueIndexesAreUsed(_ indexed: String, _ condition: String) throws {
        let database = try database("query/numbers.jsonl")
        let query = "SELECT num, META().id FROM _ WHERE \(condition) ORDER BY META().id"
        let without = try run(query, in: database)
        try make(.value(expressions: [sql(indexed)], condition: nil), in: database)
        let steps = try plan(query, in: database)
        #expect(steps.contains { $0.contains("USING INDEX byIt") || $0.contains("sqlite_autoindex") }, "\(steps)")
        #expect(try run(query, in: database) == without)
        #expect(!without.rows.isEmpty || condition == "num IS MISSING")
    }

    @Test func partialIndexesAreUsedWhereTheirConditionHolds() throws {
        let database = try database("query/numbers.jsonl")
        try make(.value(expressions: [sql("num")], condition: sql("type = 'number'")), in: database)
        #expect(
            try plan("SELECT num FROM _ WHERE num = 1 AND type = 'number'", in: database).contains {
                $0.contains("USING INDEX byIt")
            })
        #expect(try plan("SELECT num FROM _ WHERE num = 1", in: database).allSatisfy { !$0.contains("USING INDEX byIt") })
    }

    static let unnests = [
        "SELECT d.name, c FROM _ d UNNEST d.contacts c", "SELECT d.name, c.x, c.x[1] FROM _ d UNNEST d.contacts c WHERE c.x IS VALUED",
        "SELECT d.name, x FROM _ d UNNEST d.contacts c UNNEST c.x AS x",
        "SELECT c, count(1) FROM _ d UNNEST d.contacts c GROUP BY c ORDER BY c",
        "SELECT c.x, max(d.name) FROM _ d UNNEST d.contacts c GROUP BY c.x ORDER BY c.x",
        "SELECT d.name, contacts FROM _ d UNNEST d.contacts",
        "SELECT d.name FROM _ d UNNEST d.contacts c WHERE c = 'Contact1'",
        "SELECT d.name FROM _ d UNNEST d.contacts c WHERE ANY v IN c.x SATISFIES v = 6 END",
        "SELECT d.name FROM _ d UNNEST d.contacts c WHERE ANY v IN c SATISFIES v = 7 END",
        "SELECT d.name, array_count(c.x) FROM _ d UNNEST d.contacts c",
        "SELECT d.name FROM _ d UNNEST d.contacts c WHERE EVERY v IN c SATISFIES v > 'D' END",
        "SELECT d.name FROM _ d UNNEST d.contacts c WHERE ANY AND EVERY v IN c SATISFIES v = 7 END",
        "SELECT c, array_length(c) FROM _ d UNNEST d.contacts c",
        "SELECT d.name, v FROM _ d UNNEST d.contacts c UNNEST c AS v", "SELECT c || 'x' FROM _ d UNNEST d.contacts c WHERE c IS NOT NULL",
        #"{"WHAT": [".d.name"], "FROM": [{"AS": "d"}, {"AS": "c", "UNNEST": [".d.contacts"]}], "WHERE": ["EXISTS", [".c.x"]]}"#,
    ]

    @Test(arguments: unnests) func arrayIndexesAreUsed(_ query: String) throws {
        let database = try database("query/unnest_edge.jsonl")
        let without = try run(query, in: database)
        #expect(!without.rows.isEmpty)
        for levels in [["contacts"], ["contacts", "x"]] {
            try make(.array(levels: levels, expressions: [Translator(schema: AssumedSchema()).arrayIndexExpression(nil)]), in: database)
            let sql = try database.database.read { try Query(query, query.hasPrefix("{") ? .json : .sqlpp, on: $0).sql }
            #expect(sql.contains("JOIN \"42e4f661ecc2f3f6375b066daabb494f0461d4bd\" AS "), "\(sql)")
            let with = try run(query, in: database)
            #expect(with.titles == without.titles)
            // The table of an array index cannot tell null from MISSING.
            func unified(_ rows: [String]) -> [String] {
                rows.map { $0.split(separator: "null", omittingEmptySubsequences: false).joined(separator: #"{"$missing":true}"#) }.sorted()
            }
            #expect(unified(with.rows) == unified(without.rows))
        }
    }
}
