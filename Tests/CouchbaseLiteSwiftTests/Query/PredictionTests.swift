import CBLBase
import CouchbaseLiteSwift
import Foundation
import Testing

private typealias Expression = CouchbaseLiteSwift.Expression

/// Queries that ask models. Each test has a model of its own: the list of models is that of the process.
@Suite struct PredictionTests {
    let scene: QueryScene
    let name = "model_" + UUID().uuidString.replacingOccurrences(of: "-", with: "_")

    init() throws { scene = try QueryScene() }

    /// Adds numbers up, and says what it was given.
    private final class Sum: PredictiveModel, @unchecked Sendable {
        let calls = LockedCount()

        func predict(input: DictionaryObject) -> DictionaryObject? {
            calls.add()
            guard let numbers = input.array(forKey: "numbers") else { return nil }
            let values = (0..<numbers.count).map { numbers.int(at: $0) }
            let output = MutableDictionaryObject().setInt(values.reduce(0, +), forKey: "sum").setInt(values.count, forKey: "count")
            if let blob = input.blob(forKey: "blob") { output.setInt(blob.content?.count ?? -1, forKey: "bytes") }
            return output
        }
    }

    private func register() -> Sum {
        let model = Sum()
        Database.prediction.registerModel(model, withName: name)
        return model
    }

    private var input: any ExpressionProtocol { Expression.dictionary(["numbers": Expression.property("numbers")]) }

    private func names(_ query: Query) throws -> [String] { try query.execute().map { $0.toJSON() } }

    @Test func modelsAreAskedForEachRow() throws {
        let model = register()
        try scene.put("a", ["numbers": [1, 2, 3]])
        try scene.put("b", ["numbers": [4, 5]])
        let prediction = Function.prediction(model: name, input: input)
        let query = QueryBuilder.select(
            SelectResult.expression(prediction.property("sum")).as("sum"), SelectResult.expression(prediction).as("all")
        )
        .from(DataSource.collection(scene.hotels)).where(Expression.property("numbers").isValued()).orderBy(Ordering.expression(Meta.id))
        let rows = try query.execute().allResults()
        #expect(rows.map { $0.int(forKey: "sum") } == [6, 9])
        #expect(
            rows.map { $0.dictionary(forKey: "all")?.toDictionary() as? [String: Int] } == [
                ["sum": 6, "count": 3], ["sum": 9, "count": 2],
            ])
        #expect(model.calls.value == 4)
        let filtered = QueryBuilder.select(SelectResult.expression(Meta.id)).from(DataSource.collection(scene.hotels))
            .where(prediction.property("sum").greaterThan(Expression.int(6)))
        #expect(try names(filtered) == [#"{"id":"b"}"#])
        let text = try scene.database.createQuery(
            "SELECT prediction(\(name), {\"numbers\": numbers}).sum FROM inventory.hotels WHERE numbers IS VALUED ORDER BY META().id")
        #expect(try text.execute().map { $0.int(at: 0) } == [6, 9])
        Database.prediction.unregisterModel(withName: name)
    }

    @Test func nothingIsMissing() throws {
        _ = register()
        let prediction = Function.prediction(model: name, input: input)
        let query = QueryBuilder.select(SelectResult.expression(prediction).as("p")).from(DataSource.collection(scene.hotels))
        #expect(try names(query) == ["{}", "{}", "{}"])
        Database.prediction.unregisterModel(withName: name)
    }

    @Test func blobsReachModels() throws {
        _ = register()
        try scene.put("a", ["numbers": [1], "picture": Blob(contentType: "image/png", data: Data(count: 77))])
        let input: [String: Any] = ["numbers": Expression.property("numbers"), "blob": Expression.property("picture")]
        let from = DataSource.collection(scene.hotels)
        let stored = QueryBuilder.select(
            SelectResult.expression(Function.prediction(model: name, input: Expression.dictionary(input)).property("bytes"))
        )
        .from(from).where(Expression.property("picture").isValued())
        #expect(try stored.execute().map { $0.int(at: 0) } == [77])
        let given: [String: Any] = ["numbers": Expression.property("numbers"), "blob": Expression.parameter("blob")]
        let parameter = QueryBuilder.select(
            SelectResult.expression(Function.prediction(model: name, input: Expression.dictionary(given)).property("bytes"))
        )
        .from(from).where(Expression.property("picture").isValued())
        parameter.parameters = Parameters().setBlob(Blob(contentType: "image/png", data: Data(count: 5)), forName: "blob")
        #expect(try parameter.execute().map { $0.int(at: 0) } == [5])
        Database.prediction.unregisterModel(withName: name)
    }

    @Test func whatCannotBeAskedIsAnError() throws {
        func error(_ prediction: any ExpressionProtocol) -> NSError? {
            NSError.of {
                _ = try QueryBuilder.select(SelectResult.expression(prediction)).from(DataSource.collection(scene.hotels)).execute()
            }
        }
        let unknown = error(Function.prediction(model: name, input: Expression.dictionary(["numbers": [1]])))
        #expect(unknown?.domain == "CouchbaseLite.SQLite" && unknown?.code == 1)
        _ = register()
        let wrong = error(Function.prediction(model: name, input: Expression.string("text")))
        #expect(wrong?.domain == "CouchbaseLite.SQLite" && wrong?.code == 1)
        Database.prediction.unregisterModel(withName: name)
        Database.prediction.unregisterModel(withName: name)
    }

    @Test func aModelReplacesAnother() throws {
        struct Constant: PredictiveModel {
            func predict(input: DictionaryObject) -> DictionaryObject? { MutableDictionaryObject().setInt(42, forKey: "sum") }
        }
        _ = register()
        Database.prediction.registerModel(Constant(), withName: name)
        let prediction = Function.prediction(model: name, input: Expression.dictionary(["numbers": [1]])).property("sum")
        let query = QueryBuilder.select(SelectResult.expression(prediction)).from(DataSource.collection(scene.hotels)).limit(
            Expression.int(1))
        #expect(try query.execute().next()?.int(at: 0) == 42)
        Database.prediction.unregisterModel(withName: name)
    }

    @Test func anIndexKeepsWhatModelsSay() throws {
        let model = register()
        try scene.put("a", ["numbers": [1, 2, 3]])
        try scene.put("b", ["numbers": [4, 5]])
        let sum = Function.prediction(model: name, input: input).property("sum")
        let before = model.calls.value
        try scene.hotels.createIndex(IndexBuilder.valueIndex(items: ValueIndexItem.expression(sum)), name: "sums")
        #expect(model.calls.value == before + 5)
        let query = QueryBuilder.select(SelectResult.expression(Meta.id)).from(DataSource.collection(scene.hotels)).where(
            sum.equalTo(Expression.int(9)))
        #expect(try query.explain().contains("INDEX sums"))
        #expect(try names(query) == [#"{"id":"b"}"#])
        #expect(model.calls.value == before + 5)
        try scene.hotels.deleteIndex(forName: "sums")
        Database.prediction.unregisterModel(withName: name)
    }

    // The vendor's tests count how often a model is asked.

    private func putNumbers() throws {
        try scene.put("a", ["numbers": [1, 2, 3, 4, 5]])
        try scene.put("b", ["numbers": [6, 7, 8, 9, 10]])
        for id in ["seaview", "alpina", "station"] { try scene.hotels.purge(id: id) }
    }

    private func sums(_ condition: any ExpressionProtocol) throws -> [Int] {
        let sum = Function.prediction(model: name, input: input).property("sum")
        let query = QueryBuilder.select(SelectResult.expression(sum).as("sum")).from(DataSource.collection(scene.hotels)).where(condition)
            .orderBy(Ordering.expression(sum).descending())
        return try query.execute().map { $0.int(forKey: "sum") }
    }

    static let indexes: [(indexes: [(name: String, properties: [String]?)], isUsed: Bool)] = [
        ([("All", nil)], false), ([("Sum", ["sum"])], true), ([("Sum", ["sum"]), ("Count", ["count"])], true),
        ([("Both", ["sum", "count"])], true), ([("All", nil), ("Sum", ["sum"])], true),
    ]

    @Test(arguments: indexes) func aPredictiveIndexAsksOnceForEachDocument(
        indexes: [(name: String, properties: [String]?)], isUsed: Bool
    ) throws {
        try putNumbers()
        let model = register()
        for index in indexes {
            let built = IndexBuilder.predictiveIndex(model: name, input: input, properties: index.properties)
            try scene.hotels.createIndex(built, name: index.name)
            try scene.hotels.createIndex(built, name: index.name)
        }
        let prediction = Function.prediction(model: name, input: input)
        #expect(try sums(prediction.property("sum").greaterThan(Expression.int(1))) == [40, 15])
        #expect(try sums(prediction.property("sum").equalTo(Expression.int(15))) == [15])
        #expect(model.calls.value == 2)
        let query = QueryBuilder.select(SelectResult.expression(Meta.id)).from(DataSource.collection(scene.hotels)).where(
            prediction.property("sum").equalTo(Expression.int(15)))
        let explanation = try query.explain()
        #expect(!explanation.contains("prediction("))
        #expect(indexes.contains { explanation.contains(" INDEX \($0.name) (") } == isUsed)
        #expect(Set(try scene.hotels.indexes()) == Set(indexes.map(\.name)))
        Database.prediction.unregisterModel(withName: name)
        #expect(try sums(prediction.property("sum").equalTo(Expression.int(15))) == [15])
    }

    @Test func aValueIndexAsksForEachProperty() throws {
        try putNumbers()
        let model = register()
        let prediction = Function.prediction(model: name, input: input)
        try scene.hotels.createIndex(
            IndexBuilder.valueIndex(
                items: ValueIndexItem.expression(prediction.property("sum")), ValueIndexItem.expression(prediction.property("count"))),
            name: "both")
        #expect(model.calls.value == 4)
        let query = QueryBuilder.select(SelectResult.expression(Meta.id)).from(DataSource.collection(scene.hotels))
            .where(
                prediction.property("sum").equalTo(Expression.int(15)).and(prediction.property("count").equalTo(Expression.int(5))))
        #expect(try names(query) == [#"{"id":"a"}"#])
        #expect(model.calls.value == 4)
        Database.prediction.unregisterModel(withName: name)
    }

    @Test func indexesOfTheSameInputShareWhatIsKept() throws {
        try putNumbers()
        let model = register()
        for (index, properties) in [("All", nil), ("Sum", ["sum"]), ("Count", ["count"])] {
            try scene.hotels.createIndex(IndexBuilder.predictiveIndex(model: name, input: input, properties: properties), name: index)
        }
        let prediction = Function.prediction(model: name, input: input)
        for index in ["Sum", "Count", "All"] {
            #expect(try sums(prediction.property("sum").equalTo(Expression.int(15))) == [15])
            #expect(model.calls.value == 2)
            try scene.hotels.deleteIndex(forName: index)
        }
        #expect(try sums(prediction.property("sum").equalTo(Expression.int(15))) == [15])
        #expect(model.calls.value > 2)
        Database.prediction.unregisterModel(withName: name)
    }

    @Test func withoutItsModelADocumentIsNotSaved() throws {
        _ = register()
        try scene.hotels.createIndex(IndexBuilder.predictiveIndex(model: name, input: input), name: "All")
        Database.prediction.unregisterModel(withName: name)
        let error = NSError.of { try scene.put("a", ["numbers": [1]]) }
        #expect(error?.domain == "CouchbaseLite.SQLite" && error?.code == 1)
        #expect(error?.localizedDescription.contains("Unknown ML model name") == true)
        #expect(try scene.hotels.document(id: "a") == nil)
        try scene.hotels.deleteIndex(forName: "All")
        try scene.put("a", ["numbers": [1]])
    }

    @Test func aModelSeesTheDatabaseThroughAnotherObject() throws {
        try putNumbers()
        struct Lookup: PredictiveModel, @unchecked Sendable {
            let database: Database
            func predict(input: DictionaryObject) -> DictionaryObject? {
                let query = try? database.createQuery("SELECT count(*) AS n FROM inventory.hotels")
                guard let count = try? query?.execute().next()?.int(at: 0) else { return nil }
                return MutableDictionaryObject().setInt(count, forKey: "sum")
            }
        }
        let other = try Database(name: scene.database.name, config: QueryScene.configuration(scene.directory))
        Database.prediction.registerModel(Lookup(database: other), withName: name)
        try scene.hotels.createIndex(IndexBuilder.predictiveIndex(model: name, input: input, properties: ["sum"]), name: "Sum")
        try scene.put("c", ["numbers": [1]])
        let prediction = Function.prediction(model: name, input: input)
        // What saves it sees only what was committed before.
        #expect(try sums(prediction.property("sum").greaterThan(Expression.int(0))) == [2, 2, 2])
        Database.prediction.unregisterModel(withName: name)
        try other.close()
    }

    /// The vendor forbids it. Here it does no harm: what is asked reads the state that the one who asks sees.
    @Test func aModelMayAskThroughTheSameObject() throws {
        try putNumbers()
        struct Lookup: PredictiveModel, @unchecked Sendable {
            let database: Database
            func predict(input: DictionaryObject) -> DictionaryObject? {
                let query = try? database.createQuery("SELECT numbers FROM inventory.hotels WHERE META().id = 'a'")
                guard let numbers = try? query?.execute().next()?.array(at: 0) else { return nil }
                return MutableDictionaryObject().setInt(numbers.count, forKey: "sum")
            }
        }
        Database.prediction.registerModel(Lookup(database: scene.database), withName: name)
        let prediction = Function.prediction(model: name, input: input)
        #expect(try sums(prediction.property("sum").greaterThan(Expression.int(0))) == [5, 5])
        try scene.hotels.createIndex(IndexBuilder.predictiveIndex(model: name, input: input, properties: ["sum"]), name: "Sum")
        try scene.database.inBatch { for id in ["c", "d"] { try scene.put(id, ["numbers": [1]]) } }
        #expect(try sums(prediction.property("sum").greaterThan(Expression.int(0))) == [5, 5, 5, 5])
        Database.prediction.unregisterModel(withName: name)
    }

    @Test func blobsAreGivenBack() throws {
        struct Echo: PredictiveModel {
            func predict(input: DictionaryObject) -> DictionaryObject? { input }
        }
        Database.prediction.registerModel(Echo(), withName: name)
        try scene.put("a", ["numbers": [1], "picture": Blob(contentType: "image/png", data: Data(count: 77))])
        let echo = Function.prediction(model: name, input: Expression.dictionary(["b": Expression.property("picture")]))
        let query = QueryBuilder.select(SelectResult.expression(echo.property("b")).as("b")).from(DataSource.collection(scene.hotels))
            .where(Expression.property("picture").isValued())
        #expect(try query.execute().next()?.blob(forKey: "b")?.content?.count == 77)
        Database.prediction.unregisterModel(withName: name)
    }

    @Test func distancesAreComputed() throws {
        func value(_ distance: any ExpressionProtocol) throws -> Any? {
            try QueryBuilder.select(SelectResult.expression(distance)).from(DataSource.collection(scene.hotels)).execute().next()?.value(
                at: 0)
        }
        let (one, two) = (Expression.array([1, 0]), Expression.array([4, 4]))
        #expect(try value(Function.euclideanDistance(between: one, and: two)) as? Double == 5)
        #expect(try value(Function.squaredEuclideanDistance(between: one, and: two)) as? Double == 25)
        let cosine = try #require(try value(Function.cosineDistance(between: one, and: two)) as? Double)
        #expect(abs(cosine - (1 - 0.5.squareRoot())) < 1e-9)
        #expect(try value(Function.euclideanDistance(between: one, and: Expression.array([1]))) == nil)
        #expect(try value(Function.cosineDistance(between: one, and: Expression.string("x"))) == nil)
        let text = try scene.database.createQuery("SELECT EUCLIDEAN_DISTANCE([1, 0], [4, 4]) FROM inventory.hotels LIMIT 1")
        #expect(try text.execute().next()?.double(at: 0) == 5)
    }
}
