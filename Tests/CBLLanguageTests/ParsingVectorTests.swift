import CBLFleece
import CBLLanguage
import CBLTestSupport
import Testing

/// What the vendor's parser made of queries: the JSON form, or the place of the error.
@Suite(.enabled(if: Fixtures.arePresent, "the folder ../shared/fixtures is not there")) struct ParsingVectorTests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let query: String
        let json: String?
        let errorPosition: Int?
        var testDescription: String { query }
    }

    static let vectors: [Vector] = Fixtures.arePresent ? (try? readVectors()) ?? [] : []

    static func readVectors() throws -> [Vector] {
        let encoder = FleeceEncoder()
        return try Fixtures.lines("../vectors/n1ql-to-json.jsonl").map { line in
            try JSONParser.parse(line, into: encoder)
            return try encoder.finish().withRoot { root in
                let vector = try #require(root.dictionary)
                let json = try #require(vector.value(forKey: "json", nil))
                return Vector(
                    query: try #require(vector.value(forKey: "sqlpp", nil)?.string),
                    json: json.kind == .null ? nil : json.json(style: .canonical),
                    errorPosition: vector.value(forKey: "errpos", nil)?.integer.map { Int($0) })
            }
        }
    }

    @Test func thereAreManyVectors() { #expect(ParsingVectorTests.vectors.count > 600) }

    @Test(arguments: vectors) func theOutcomeIsTheVendors(_ vector: Vector) {
        do {
            #expect(try Select(sqlpp: vector.query).jsonForm() == vector.json)
        } catch {
            #expect(vector.json == nil && error.errorPosition == vector.errorPosition, "\(error)")
        }
    }

    @Test(arguments: vectors.filter { $0.json != nil }) func theJSONFormSaysEverything(_ vector: Vector) throws {
        let select = try Select(sqlpp: vector.query)
        let json = select.jsonForm()
        // In JSON a string by itself is a property where results and groups stand, and some names in backquotes cannot be told from paths.
        let isAmbiguous = (select.results.map(\.expression) + select.groupBy).contains { if case .string = $0.node { true } else { false } }
        if isAmbiguous || ["`a.b`", "`x.y`", "`my v`", "a\\b"].contains(where: vector.query.contains) { return }
        #expect(try Select(json: json).jsonForm() == json)
    }
}
