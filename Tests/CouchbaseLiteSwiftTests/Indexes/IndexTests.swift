import CBLTestSupport
import Foundation
import Testing

@testable import CouchbaseLiteSwift

/// Indexes of all kinds, made by configurations and by the builder.
@Suite struct IndexTests {
    let scene: QueryScene

    init() throws { scene = try QueryScene() }

    private func plan(_ sql: String) throws -> String { try scene.database.createQuery(sql).explain() }

    private func info(_ name: String) throws -> [String: Any] {
        try #require(try scene.hotels.indexesInfo()?.first { $0["name"] as? String == name })
    }

    @Test func valueIndexesAreUsed() throws {
        try scene.hotels.createIndex(withName: "byCity", config: ValueIndexConfiguration(["city", "stars"]))
        let items = [
            ValueIndexItem.property("name"), ValueIndexItem.expression(Function.lower(CouchbaseLiteSwift.Expression.property("city"))),
        ]
        try scene.hotels.createIndex(IndexBuilder.valueIndex(items: items), name: "byName")
        #expect(try scene.hotels.indexes() == ["byCity", "byName"])
        #expect(try plan("SELECT stars FROM inventory.hotels WHERE city = 'Kiel' AND stars > 2").contains("USING INDEX byCity"))
        #expect(try plan("SELECT stars FROM inventory.hotels WHERE name = 'Alpina'").contains("USING INDEX byName"))
        #expect(try info("byCity")["expr"] as? String == "city,stars" && info("byCity")["lang"] as? String == "n1ql")
        #expect(
            try info("byName")["expr"] as? String == #"[[".name"],["LOWER()",[".city"]]]"# && info("byName")["lang"] as? String == "json")
        #expect(try info("byName")["type"] as? Int == 0)
    }

    @Test func sameIndexesStayAndOthersAreReplaced() throws {
        try scene.hotels.createIndex(withName: "one", config: ValueIndexConfiguration(["city"]))
        try scene.hotels.createIndex(withName: "one", config: ValueIndexConfiguration(["city"]))
        try scene.hotels.createIndex(withName: "one", config: ValueIndexConfiguration(["stars"]))
        #expect(try scene.hotels.indexes() == ["one"] && info("one")["expr"] as? String == "stars")
        try scene.hotels.deleteIndex(forName: "unknown")
        try scene.hotels.deleteIndex(forName: "one")
        #expect(try scene.hotels.indexes().isEmpty)
    }

    @Test func partialIndexesHaveWhatMeetsTheirCondition() throws {
        try scene.hotels.createIndex(withName: "good", config: ValueIndexConfiguration(["name"], where: "stars > 3"))
        #expect(try info("good")["where"] as? String == "stars > 3")
        #expect(try plan("SELECT city FROM inventory.hotels WHERE name = 'x' AND stars > 3").contains("USING INDEX good"))
        #expect(try !plan("SELECT city FROM inventory.hotels WHERE name = 'x'").contains("USING INDEX good"))
        #expect(try scene.rows("SELECT city FROM inventory.hotels WHERE name = 'Seaview' AND stars > 3").count == 1)
    }

    @Test func wordsAreFound() throws {
        try scene.put("text", ["name": "Sleeping under the stars", "stars": 1, "city": "café"])
        try scene.hotels.createIndex(withName: "words", config: FullTextIndexConfiguration(["name", "city"], language: "en"))
        #expect(try scene.rows("SELECT name FROM inventory.hotels WHERE MATCH(words, 'sleep')").count == 1)
        #expect(try scene.rows("SELECT name FROM inventory.hotels WHERE MATCH(words, 'cafe')").isEmpty)
        try scene.hotels.createIndex(
            IndexBuilder.fullTextIndex(items: FullTextIndexItem.property("city")).ignoreAccents(true).language(nil), name: "folded")
        #expect(try scene.rows("SELECT name FROM inventory.hotels WHERE MATCH(folded, 'cafe')").count == 1)
        try scene.hotels.createIndex(withName: "plain", config: FullTextIndexConfiguration(["name"], language: ""))
        #expect(try scene.rows("SELECT name FROM inventory.hotels WHERE MATCH(plain, 'sleep')").isEmpty)
        #expect(try info("words")["type"] as? Int == 1)
        let index = CouchbaseLiteSwift.Expression.fullTextIndex("words")
        let query = QueryBuilder.select(SelectResult.property("name")).from(DataSource.collection(scene.hotels))
            .where(FullTextFunction.match(index, query: "sleeping")).orderBy(Ordering.expression(FullTextFunction.rank(index)).descending())
        #expect(try query.execute().map { $0.string(at: 0) } == ["Sleeping under the stars"])
        let aliased = QueryBuilder.select(SelectResult.expression(CouchbaseLiteSwift.Expression.property("name").from("h")))
            .from(DataSource.collection(scene.hotels).as("h")).where(FullTextFunction.match(index.from("h"), query: "'sleeping'"))
        #expect(try aliased.execute().allResults().count == 1)
    }

    @Test func partialFullTextIndexesAreThere() throws {
        try scene.hotels.createIndex(withName: "words", config: FullTextIndexConfiguration(["name"], where: "stars > 3", language: ""))
        #expect(try scene.rows("SELECT name FROM inventory.hotels WHERE MATCH(words, 'seaview')").count == 1)
        #expect(try scene.rows("SELECT name FROM inventory.hotels WHERE MATCH(words, 'station')").isEmpty)
    }

    @Test func arrayIndexesAreUsedByUnnest() throws {
        try scene.hotels.createIndex(withName: "phones", config: ArrayIndexConfiguration(path: "phones", expressions: ["type", "number"]))
        try scene.hotels.createIndex(withName: "tags", config: ArrayIndexConfiguration(path: "tags"))
        let sql = "SELECT h.name FROM inventory.hotels AS h UNNEST h.phones AS p WHERE p.type = 'home'"
        #expect(try plan(sql).contains("USING INDEX phones"))
        #expect(try scene.rows(sql).count == 1)
        #expect(try plan("SELECT h.name FROM inventory.hotels AS h UNNEST h.tags AS t WHERE t = 'sea'").contains("USING INDEX tags"))
        #expect(try info("phones")["expr"] as? String == "type,number" && info("phones")["unnestPath"] as? String == "phones")
        #expect(try info("tags")["expr"] as? String == "" && info("tags")["type"] as? Int == 2)
    }

    @Test func anIndexKnowsItsCollection() throws {
        try scene.hotels.createIndex(withName: "byCity", config: ValueIndexConfiguration(["city"]))
        let index = try #require(try scene.hotels.index(withName: "byCity"))
        #expect(index.name == "byCity" && index.collection === scene.hotels)
        #expect(try scene.hotels.index(withName: "unknown") == nil)
        let other = try scene.database.defaultCollection()
        #expect(try other.indexes().isEmpty && other.index(withName: "byCity") == nil)
        try other.deleteIndex(forName: "byCity")
        #expect(try scene.hotels.indexes() == ["byCity"])
        #expect(NSError.of { _ = try index.beginUpdate(limit: 1) }?.code == CBLError.unsupported)
    }

    @Test func mistakesAreErrors() throws {
        func code(_ config: any IndexConfiguration) -> Int? {
            NSError.of { try scene.hotels.createIndex(withName: "x", config: config) }?.code
        }
        #expect(code(ValueIndexConfiguration(["city ="])) == CBLError.invalidQuery)
        #expect(code(ValueIndexConfiguration(["city"], where: "stars >")) == CBLError.invalidQuery)
        #expect(code(ValueIndexConfiguration([])) == CBLError.invalidQuery)
        #expect(code(ValueIndexConfiguration(["nosuch(city)"])) == CBLError.invalidQuery)
        #expect(code(FullTextIndexConfiguration(["city +"])) == CBLError.invalidQuery)
        #expect(code(ArrayIndexConfiguration(path: "a[]")) == CBLError.invalidQuery)
        #expect(code(VectorIndexConfiguration(expression: "vector +", dimensions: 3, centroids: 2)) == CBLError.invalidQuery)
        #expect(try scene.hotels.indexes().isEmpty)
        try scene.database.deleteCollection(name: "hotels", scope: "inventory")
        #expect(code(ValueIndexConfiguration(["city"])) == CBLError.notOpen)
        #expect(NSError.of { _ = try scene.hotels.indexes() }?.code == CBLError.notOpen)
        let other = try scene.database.defaultCollection()
        try scene.database.close()
        #expect(NSError.of { try other.deleteIndex(forName: "x") }?.code == CBLError.notOpen)
    }

    @Test func defaultsAreThoseOfTheConfigurations() {
        let text = FullTextIndexConfiguration(["a"])
        #expect(!text.ignoreAccents && text.language == nil && text.where == nil && text.expressions == ["a"])
        let vector = VectorIndexConfiguration(expression: "v", dimensions: 2, centroids: 1)
        #expect(!vector.isLazy && vector.encoding == .scalarQuantizer(type: .SQ8) && vector.metric == .euclideanSquared)
        #expect(vector.minTrainingSize == 0 && vector.maxTrainingSize == 0 && vector.numProbes == 0)
        #expect(ArrayIndexConfiguration(path: "a").expressions == nil)
    }
}
