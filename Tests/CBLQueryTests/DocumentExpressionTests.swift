import CBLFleece
import CBLLanguage
import CBLStore
import Testing

@testable import CBLQuery

/// Expressions over a document that is in no database.
@Suite struct DocumentExpressionTests {
    private func subject(_ json: String, id: String = "hotel_1", isDeleted: Bool = false) throws -> DocumentExpression.Subject {
        let encoder = FleeceEncoder()
        try JSONParser.parse(json, into: encoder)
        return DocumentExpression.Subject(id: id, isDeleted: isDeleted, body: try encoder.finish())
    }

    @Test(
        arguments: [
            ("city = 'Paris'", true), ("city = 'paris'", false), ("stars > 3 AND city LIKE 'P%'", true), ("city LIKE 'p%'", false),
            ("META().id = 'hotel_1'", true), ("_id LIKE 'hotel%'", true), ("nowhere = 1", false), ("NOT (nowhere = 1)", false),
            ("nowhere IS MISSING", true), ("ARRAY_CONTAINS(rooms[0].has, 'wifi')", true), ("ANY r IN rooms SATISFIES r.n = 2 END", true),
            ("true", true),
            ("META().deleted", false), ("_deleted", false), ("nothing IS NULL", true), ("0", false),
        ] as [(String, Bool)])
    func conditionsHoldAsInQueries(text: String, isTrue: Bool) throws {
        let document = try subject(#"{"city":"Paris","stars":4,"nothing":null,"rooms":[{"n":1,"has":["wifi"]},{"n":2}]}"#)
        #expect(try DocumentExpression(text, .condition).isTrue(of: document) == isTrue)
    }

    @Test func oneExpressionServesManyDocuments() throws {
        let expression = try DocumentExpression("n % 2 = 0", .condition)
        for n in 0..<20 { #expect(try expression.isTrue(of: subject("{\"n\":\(n)}")) == (n % 2 == 0)) }
        #expect(try !expression.isTrue(of: subject("{}")))
    }

    @Test func namesInSharedKeysAreFound() throws {
        let keys = SharedKeysBuilder()
        let encoder = FleeceEncoder(sharedKeys: keys)
        try JSONParser.parse(#"{"city":"Paris"}"#, into: encoder)
        let expression = try DocumentExpression("city = 'Paris'", .condition)
        #expect(try expression.isTrue(of: .init(id: "a", body: encoder.finish(), keys: keys.state)))
        // The next document has none.
        #expect(try expression.isTrue(of: subject(#"{"city":"Paris"}"#)))
    }

    @Test func itIsKnownWhetherDeletionMatters() throws {
        #expect(try DocumentExpression("city = 'Paris' OR META().deleted", .condition).looksAtDeletion)
        #expect(try DocumentExpression("_deleted", .condition).isTrue(of: subject("{}", isDeleted: true)))
        #expect(try !DocumentExpression("city = 'Paris'", .condition).looksAtDeletion)
    }

    @Test(
        arguments: [
            ("a + 1", "2"), ("b", #"{"c":[1,null]}"#), ("b.c[1]", "null"), ("x", "missing"),
            ("CASE WHEN a > 0 THEN b ELSE NULL END", #"{"c":[1,null]}"#),
            ("{'n': a}", #"{"n":1}"#), ("a = 1", "true"), ("NULL", "null"),
        ] as [(String, String)])
    func valuesAreThoseOfQueries(text: String, json: String) throws {
        let value = try DocumentExpression(text, .value).value(of: subject(#"{"a":1,"b":{"c":[1,null]}}"#)) { value -> String in
            var buffer = ByteBuffer()
            value.append(to: &buffer, keys: nil, missing: "missing")
            return buffer.withBytes { String(decoding: $0, as: UTF8.self) }
        }
        #expect(value == json)
    }

    @Test(
        arguments: [
            "", "city =", "SELECT 1", "a, b", "city AS c", "city = $name", "SUM(n) > 1", "MATCH(names, 'x')", "(SELECT 1 FROM other)",
            "FROM _",
            "nofunction(1)",
        ])
    func whatIsNoExpressionIsRefused(text: String) {
        #expect(throws: QueryError.self) { try DocumentExpression(text, .condition) }
    }

    @Test func aMistakeHasItsPlace() throws {
        do {
            _ = try DocumentExpression("city == 'x' AND", .condition)
            Issue.record("it was understood")
        } catch let error as QueryError {
            #expect(error.report(in: "city == 'x' AND").contains("at column 16"))
        }
    }
}
