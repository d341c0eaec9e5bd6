import CBLFleece
import CBLLanguage
import CBLQuery
import CBLTestSupport
import FoundationEssentials
import Testing

/// Queries put to the vendor's library, with its answers: rows, titles of columns, and what is wrong.
@Suite(.enabled(if: Fixtures.arePresent, "the folder ../shared/fixtures is not there")) struct QueryVectorTests {
    struct DataSet: Sendable, CustomTestStringConvertible {
        let name: String
        let lines: [String]
        var testDescription: String { name }
    }

    static let dataSets: [DataSet] = Fixtures.arePresent ? (try? readDataSets()) ?? [] : []

    static func readDataSets() throws -> [DataSet] {
        var lines: [String: [String]] = [:]
        var names: [String] = []
        for line in try Fixtures.lines("../vectors/query-results.jsonl") {
            let name = try parsed(line) { $0.dictionary?.value(forKey: "dataset", nil)?.string ?? "" }
            if lines[name] == nil { names.append(name) }
            lines[name, default: []].append(line)
        }
        return names.map { DataSet(name: $0, lines: lines[$0] ?? []) }
    }

    static func parsed<Result>(_ json: String, _ body: (Value) throws -> Result) throws -> Result {
        let encoder = FleeceEncoder()
        try JSONParser.parse(json, into: encoder)
        return try encoder.finish().withRoot(body)
    }

    @Test func everyVectorIsThere() {
        #expect(QueryVectorTests.dataSets.map(\.lines.count).reduce(0, +) == 1060)
    }

    @Test(arguments: dataSets) func queriesAnswerAsTheVendors(_ set: DataSet) throws {
        let description = try String(contentsOfFile: Fixtures.path("json/query-datasets.json"), encoding: .utf8)
        try QueryVectorTests.parsed(description) { root in
            let parts = root.dictionary?.value(forKey: "datasets", nil)?.dictionary?.value(forKey: set.name, nil)
            let database = try QueryDatabase(try #require(parts))
            for line in set.lines {
                try QueryVectorTests.parsed(line) { vector in try QueryVectorTests.check(#require(vector.dictionary), database) }
            }
        }
    }

    /// Answers that come from a defect of the reference, by which we do not abide.
    static let defects = [
        // lower('İstanbul') is empty for it, as the result is longer than the argument.
        "SELECT lower(s) AS k, count(*) AS n FROM _ GROUP BY lower(s) HAVING count(*) > 1 ORDER BY k"
    ]

    private static func check(_ vector: DictionaryView, _ database: QueryDatabase) throws {
        func member(_ name: String) -> Value? { vector.value(forKey: name, nil) }
        let query = try #require(member("query"))
        let text = query.string ?? query.json()
        if defects.contains(text) { return }
        let rows = member("rows").flatMap(\.array)
        try database.makeIndexes(member("indexes")?.array)
        do {
            var answer = try database.run(text, query.string == nil ? .json : .sqlpp, parameters: member("params")?.json())
            guard let rows else {
                Issue.record("\(text) gave rows where an error was expected: \(member("error")?.json() ?? "")")
                return
            }
            var expected = rows.map { $0.json(style: .canonical) }
            if member("ordered")?.boolean == false {
                answer.rows.sort()
                expected.sort()
            }
            #expect(answer.rows == expected, "\(text)")
            #expect(answer.titles == (member("columns")?.array?.compactMap(\.string) ?? []), "\(text)")
        } catch let error as QueryError {
            guard rows == nil, let expected = member("error") else {
                Issue.record("\(text): \(error.diagnostics.map(\.message))")
                return
            }
            guard let message = expected.string else { return }
            if error.kind == .syntax {
                #expect("N1QL syntax error near character \((error.errorPosition ?? -1) + 1)" == message, "\(text)")
                return
            }
            #expect(error.diagnostics.first?.message == message, "\(text)")
            #expect(error.kind == (member("code")?.integer == 25 ? .unknownParameter : .meaning), "\(text)")
        } catch let error as QueryFailure {
            if rows != nil { Issue.record("\(text): \(error)") }
        }
    }
}
