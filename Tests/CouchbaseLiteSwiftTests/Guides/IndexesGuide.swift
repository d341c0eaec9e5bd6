// swift-format-ignore-file
// Generated from Sources/CouchbaseLiteSwift/CouchbaseLiteSwift.docc/Guides/Indexes.md by `make docs`: change that one.
import CouchbaseLiteSwift
import Testing

extension GuideTests {
    @Test func runIndexes() async {
        await #expect(processExitsWith: .success) { try await runGuide(guideIndexes) }
    }
}

private func guideIndexes() async throws {
    let database = try Database(name: "travel")
    let hotels = try database.createCollection(name: "hotels")
    try database.inBatch {
        for number in 0..<200 {
            let data: [String: Any] = [
                "name": "Hotel \(number)", "city": number % 2 == 0 ? "Kiel" : "Porto", "type": "hotel", "rooms": number,
                "text": number == 7 ? "A café by the quiet harbour" : "Rooms", "phones": [["kind": "desk", "number": "\(number)"]],
            ]
            try hotels.save(document: MutableDocument(id: "hotel-\(number)", data: data))
        }
    }

    try hotels.createIndex(withName: "byCity", config: ValueIndexConfiguration(["city", "rooms"]))

    let query = try database.createQuery("SELECT name FROM hotels WHERE city = 'Kiel' AND rooms > 100 ORDER BY rooms")
    print(try query.explain())                       // SEARCH … USING INDEX byCity

    #expect(try query.explain().contains("USING INDEX byCity"))

    try hotels.createIndex(withName: "large", config: ValueIndexConfiguration(["rooms"], where: "type = 'hotel'"))
    let large = try database.createQuery("SELECT name FROM hotels WHERE type = 'hotel' AND rooms > 150")

    #expect(try large.explain().contains("USING INDEX large"))
    #expect(try !database.createQuery("SELECT name FROM hotels WHERE rooms > 150").explain().contains("USING INDEX large"))

    try hotels.createIndex(withName: "phones", config: ArrayIndexConfiguration(path: "phones", expressions: ["number"]))
    let called = try database.createQuery("SELECT h.name FROM hotels AS h UNNEST h.phones AS p WHERE p.number = '42'")

    #expect(try called.explain().contains("phones"))
    #expect(try called.execute().map { $0.string(at: 0) } == ["Hotel 42"])

    try hotels.createIndex(
        withName: "text", config: FullTextIndexConfiguration(["text"], ignoreAccents: true, language: "en"))

    let search = try database.createQuery(
        "SELECT name, RANK(text) AS score FROM hotels WHERE MATCH(text, $words) ORDER BY RANK(text) DESC")
    search.parameters = Parameters().setString("cafe AND harbours", forName: "words")
    for row in try search.execute() { print(row.string(forKey: "name") ?? "-") }

    #expect(try search.execute().map { $0.string(forKey: "name") } == ["Hotel 7"])

    do {
        _ = try database.createQuery("SELECT name FROM hotels WHERE MATCH(nothing, 'x')").execute()
        Issue.record("there is no such index")
    } catch let error as NSError {
        #expect(error.code == CBLError.missingIndex)
    }

    struct Size: PredictiveModel {
        func predict(input: DictionaryObject) -> DictionaryObject? {
            MutableDictionaryObject().setString(input.int(forKey: "rooms") < 25 ? "small" : "large", forKey: "name")
        }
    }

    Database.prediction.registerModel(Size(), withName: "sizes")
    let input = Expression.dictionary(["rooms": Expression.property("rooms")])
    try hotels.createIndex(IndexBuilder.predictiveIndex(model: "sizes", input: input, properties: ["name"]), name: "bySize")
    let small = try database.createQuery("SELECT name FROM hotels WHERE PREDICTION(sizes, {'rooms': rooms}, '.name') = 'small'")

    #expect(try small.explain().contains(" INDEX bySize ("))
    #expect(try !small.execute().allResults().isEmpty)
    try hotels.deleteIndex(forName: "bySize")
    Database.prediction.unregisterModel(withName: "sizes")

    for number in 0..<200 {
        let hotel = try hotels.document(id: "hotel-\(number)")!.toMutable()
        hotel.setArray(MutableArrayObject(data: [Double(number), 1, 0]), forKey: "position")
        try hotels.save(document: hotel)
    }
    var config = VectorIndexConfiguration(expression: "position", dimensions: 3, centroids: 8)
    config.metric = .euclidean
    try hotels.createIndex(withName: "positions", config: config)

    let nearest = try database.createQuery("SELECT name FROM hotels ORDER BY APPROX_VECTOR_DISTANCE(position, $target, 'EUCLIDEAN') LIMIT 3")
    nearest.parameters = Parameters().setArray(MutableArrayObject(data: [17.2, 1.0, 0.0]), forName: "target")
    print(try nearest.execute().allResults().map { $0.string(at: 0)! })     // Hotel 17, Hotel 18, Hotel 16

    #expect(try nearest.execute().allResults().map { $0.string(at: 0) } == ["Hotel 17", "Hotel 18", "Hotel 16"])
    #expect(try nearest.explain().contains("kv_.hotels:vector:positions"))

    var lazy = VectorIndexConfiguration(expression: "name", dimensions: 2, centroids: 1)
    lazy.isLazy = true
    try hotels.createIndex(withName: "names", config: lazy)
    while let update = try hotels.index(withName: "names")!.beginUpdate(limit: 50) {
        for place in 0..<update.count {
            let name = update.string(at: place) ?? ""
            try update.setVector([Float(name.count), 0], at: place)
        }
        try update.finish()
    }

    #expect(try hotels.index(withName: "names")!.beginUpdate(limit: 1) == nil)
    try hotels.deleteIndex(forName: "names")
    try hotels.deleteIndex(forName: "positions")

    print(try hotels.indexes())
    try hotels.deleteIndex(forName: "large")
    try database.performMaintenance(type: .fullOptimize)     // has all data looked at, for better plans

    #expect(Set(try hotels.indexes()) == ["byCity", "phones", "text"])

    try hotels.createIndex(IndexBuilder.valueIndex(items: ValueIndexItem.property("name")), name: "byName")

    #expect(try hotels.index(withName: "byName") != nil)
}
