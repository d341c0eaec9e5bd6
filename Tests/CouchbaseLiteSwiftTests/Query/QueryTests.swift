import CouchbaseLiteSwift
import Foundation
import Testing

/// Queries of SQL++, their parameters and their mistakes.
@Suite struct QueryTests {
    let scene: QueryScene

    init() throws { scene = try QueryScene() }

    @Test(arguments: [
        ("SELECT FROM WHERE", CBLError.invalidQuery), ("SELECT name", CBLError.invalidQuery),
        ("SELECT name FROM nowhere", CBLError.invalidQuery), ("SELECT nosuch(name) FROM _", CBLError.invalidQuery),
        ("SELECT name FROM _ WHERE MATCH(words, 'sea')", CBLError.missingIndex), ("", CBLError.invalidQuery),
    ])
    func mistakesAreFoundAtOnce(_ text: String, _ code: Int) throws {
        let error = NSError.of { _ = try scene.database.createQuery(text) }
        #expect(error?.domain == CBLError.domain && error?.code == code)
    }

    @Test func aClosedDatabaseHasNone() throws {
        let query = try scene.database.createQuery("SELECT name FROM _")
        try scene.database.close()
        #expect(NSError.of { _ = try scene.database.createQuery("SELECT name FROM _") }?.code == CBLError.notOpen)
        #expect(NSError.of { _ = try query.execute() }?.code == CBLError.notOpen)
        #expect(NSError.of { _ = try query.explain() }?.code == CBLError.notOpen)
    }

    @Test func parametersStandForValues() throws {
        let query = try scene.database.createQuery("SELECT name FROM inventory.hotels WHERE city = $city AND stars >= $stars ORDER BY name")
        let parameters = Parameters().setString("Kiel", forName: "city").setInt(3, forName: "stars")
        query.parameters = parameters
        #expect(try query.execute().map { $0.string(at: 0) } == ["Seaview"])
        // The query has a copy.
        parameters.setInt(1, forName: "stars")
        #expect(try query.execute().allResults().count == 1)
        query.parameters = parameters
        #expect(try query.execute().allResults().count == 2)
        #expect(query.parameters?.value(forName: "stars") as? Int == 1)
        query.parameters = nil
        #expect(query.parameters == nil)
        #expect(try query.execute().allResults().isEmpty)
    }

    @Test func parametersOfAllTypesReachTheQuery() throws {
        let date = Date(timeIntervalSince1970: 1_795_420_800)
        let parameters = Parameters()
            .setBoolean(true, forName: "boolean").setDouble(1.5, forName: "double").setFloat(0.5, forName: "float")
            .setInt64(.max, forName: "large").setDate(date, forName: "date").setArray(
                MutableArrayObject(data: [1, "two"]), forName: "array"
            )
            .setDictionary(MutableDictionaryObject(data: ["key": "value"]), forName: "dictionary").setValue([3], forName: "value")
            .setBlob(Blob(contentType: "text/plain", data: Data("x".utf8)), forName: "blob").setValue(NSNull(), forName: "nothing")
            .setString("", forName: "empty").setString("one\0two", forName: "text").setBoolean(false, forName: "no")
        let names = [
            "boolean", "double", "float", "large", "date", "array", "dictionary", "value", "blob", "nothing", "empty", "text", "no",
        ]
        let query = try scene.database.createQuery(
            "SELECT \(names.map { "$\($0) AS \("p_" + $0)" }.joined(separator: ", ")) FROM inventory.hotels LIMIT 1"
        )
        query.parameters = parameters
        let row = try #require(try query.execute().next())
        #expect(row.boolean(at: 0) && row.double(at: 1) == 1.5 && row.double(at: 2) == 0.5 && row.int64(at: 3) == .max)
        #expect(
            row.date(at: 4) == date && row.array(at: 5)?.toArray().count == 2 && row.dictionary(at: 6)?.string(forKey: "key") == "value")
        #expect(row.array(at: 7)?.int(at: 0) == 3 && row.blob(at: 8)?.contentType == "text/plain")
        #expect(row.value(at: 9) == nil && row.string(at: 10) == "" && row.string(at: 11) == "one\0two" && row.number(at: 12) == 0)
        #expect(parameters.value(forName: "date") as? Date == date && parameters.value(forName: "none") == nil)
    }

    @Test func nothingTakesAParameterAway() {
        let parameters = Parameters().setString("a", forName: "name").setInt(1, forName: "number")
        let copy = Parameters(parameters: parameters)
        parameters.setString(nil, forName: "name").setValue(nil, forName: "number")
        #expect(parameters.value(forName: "name") == nil && parameters.value(forName: "number") == nil)
        #expect(copy.value(forName: "name") as? String == "a" && copy.value(forName: "number") as? Int == 1)
        parameters.setDate(nil, forName: "a").setBlob(nil, forName: "a").setArray(nil, forName: "a").setDictionary(nil, forName: "a")
        #expect(parameters.value(forName: "a") == nil)
    }

    @Test func unknownParametersAreRefused() throws {
        let query = try scene.database.createQuery("SELECT name FROM _ WHERE name = $name")
        query.parameters = Parameters().setString("x", forName: "nmae")
        #expect(NSError.of { _ = try query.execute() }?.code == CBLError.invalidQueryParam)
    }

    @Test func anExplanationNamesIndexesAndScans() throws {
        let query = try scene.database.createQuery("SELECT name FROM inventory.hotels WHERE city = 'Kiel'")
        #expect(try query.explain().hasPrefix("SELECT") && query.explain().contains("SCAN"))
        try scene.hotels.createIndex(withName: "byCity", config: ValueIndexConfiguration(["city"]))
        #expect(try query.explain().contains("USING INDEX byCity"))
        #expect(query.description.hasPrefix("Query["))
    }

    @Test func aQueryOutlivesChangesOfTheSchema() throws {
        let query = try scene.database.createQuery("SELECT name FROM inventory.hotels WHERE city = 'Kiel'")
        #expect(try query.execute().allResults().count == 2)
        try scene.database.deleteCollection(name: "hotels", scope: "inventory")
        #expect(NSError.of { _ = try query.execute() }?.code == CBLError.invalidQuery)
        let fresh = try scene.database.createCollection(name: "hotels", scope: "inventory")
        try fresh.save(document: MutableDocument(id: "x", data: ["name": "X", "city": "Kiel"]))
        #expect(try query.execute().map { $0.string(at: 0) } == ["X"])
    }

    @Test func errorsOfARunAreThrown() throws {
        let query = try scene.database.createQuery("SELECT regexp_like(name, '(') FROM inventory.hotels")
        #expect(NSError.of { _ = try query.execute() }?.domain == "CouchbaseLite.SQLite")
    }
}
