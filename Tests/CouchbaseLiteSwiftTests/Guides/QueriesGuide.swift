// swift-format-ignore-file
// Generated from Sources/CouchbaseLiteSwift/CouchbaseLiteSwift.docc/Guides/Queries.md by `make docs`: change that one.
import CouchbaseLiteSwift
import Testing

extension GuideTests {
    @Test func runQueries() async {
        await #expect(processExitsWith: .success) { try await runGuide(guideQueries) }
    }
}

private func guideQueries() async throws {
    let database = try Database(name: "travel")
    let hotels = try database.createCollection(name: "hotels")
    let towns = try database.createCollection(name: "towns")
    try database.inBatch {
        for (number, city) in ["Kiel", "Kiel", "Porto", "Oslo"].enumerated() {
            let data: [String: Any] = [
                "name": "Hotel \(number)", "rooms": 10 * (number + 1), "city": city, "tags": number < 2 ? ["sea"] : ["town"],
            ]
            try hotels.save(document: MutableDocument(id: "hotel-\(number)", data: data))
        }
        try towns.save(document: MutableDocument(id: "Kiel", data: ["country": "Germany"]))
    }

    let query = try database.createQuery("""
        SELECT META().id, name, rooms FROM hotels
        WHERE city = $city AND rooms >= $least
        ORDER BY rooms DESC LIMIT 10
        """)
    query.parameters = Parameters().setString("Kiel", forName: "city").setInt(15, forName: "least")

    for row in try query.execute() {
        print(row.string(forKey: "id") ?? "-", row.string(at: 1) ?? "-", row.int(forKey: "rooms"))
    }

    #expect(try query.execute().allResults().map { $0.string(at: 0) } == ["hotel-1"])

    struct Row: Decodable {
        let name: String
        let rooms: Int
        let rating: Double?
    }

    let rows = try database.createQuery("SELECT name, rooms, rating FROM hotels ORDER BY name").execute(as: Row.self)
    print(rows.map(\.name))

    #expect(rows.count == 4 && rows[0].rooms == 10 && rows[0].rating == nil)

    struct Hotel: Decodable {
        let name: String
        let tags: [String]
    }

    let hotelsOfKiel = try database.createQuery("SELECT * FROM hotels WHERE city = 'Kiel'").execute(as: Hotel.self, dataKey: "hotels")

    #expect(hotelsOfKiel.map(\.tags) == [["sea"], ["sea"]])

    let built = QueryBuilder
        .select(
            SelectResult.expression(Meta.id), SelectResult.property("name"),
            SelectResult.expression(Function.lower(Expression.property("city"))).as("town"))
        .from(DataSource.collection(hotels))
        .where(
            Expression.property("rooms").greaterThan(Expression.int(15))
                .and(ArrayFunction.contains(Expression.property("tags"), value: Expression.string("town"))))
        .orderBy(Ordering.property("rooms").descending())
        .limit(Expression.int(5))

    for row in try built.execute() { print(row.string(forKey: "town") ?? "-") }

    #expect(try built.execute().map { $0.string(forKey: "town") } == ["oslo", "porto"])

    let joined = QueryBuilder
        .select(SelectResult.expression(Expression.property("name").from("h")), SelectResult.expression(Expression.property("country").from("t")))
        .from(DataSource.collection(hotels).as("h"))
        .join(Join.join(DataSource.collection(towns).as("t")).on(Expression.property("city").from("h").equalTo(Meta.id.from("t"))))

    #expect(try joined.execute().allResults().map { $0.string(forKey: "country") } == ["Germany", "Germany"])

    let results = try database.createQuery("SELECT name FROM hotels").execute()
    let first = results.next()
    let others = results.allResults()                // those that are left
    if let error = results.error { throw error }     // the rows ended before their time

    #expect(first != nil && others.count == 3)
    #expect(results.allResults().isEmpty)

    print(try query.explain())

    let closed = try database.execute(
        "UPDATE hotels SET closed = true WHERE city = $city", parameters: Parameters().setString("Oslo", forName: "city"))
    print(closed.updated)

    #expect(closed.updated == 1)
    #expect(try hotels.document(id: "hotel-3")?.boolean(forKey: "closed") == true)
    #expect(throws: (any Error).self) { try database.createQuery("UPDATE hotels SET closed = true") }
    #expect(throws: (any Error).self) { try database.execute("SELECT 1") }

    struct Size: PredictiveModel {
        func predict(input: DictionaryObject) -> DictionaryObject? {
            MutableDictionaryObject().setString(input.int(forKey: "rooms") < 25 ? "small" : "large", forKey: "name")
        }
    }

    Database.prediction.registerModel(Size(), withName: "size")
    let sizes = try database.createQuery("SELECT name, PREDICTION(size, {'rooms': rooms}).name AS size FROM hotels ORDER BY rooms")

    #expect(try sizes.execute().map { $0.string(forKey: "size") } == ["small", "small", "large", "large"])
    Database.prediction.unregisterModel(withName: "size")

    try database.inBatch {
        try hotels.save(document: MutableDocument(id: "hotel-new"))
        #expect(try database.createQuery("SELECT META().id FROM hotels WHERE city IS MISSING").execute().allResults().count == 1)
        #expect(try database.createQuery("SELECT META().id FROM hotels WHERE city IS NOT VALUED").execute().allResults().count == 1)
        #expect(try database.createQuery("SELECT META().id FROM hotels WHERE NOT (city = 'Kiel')").execute().allResults().count == 2)
    }
    #expect(try database.createQuery("SELECT 7 / 2 AS a, 7.0 / 2 AS b FROM hotels LIMIT 1").execute().next()?.toArray() as? [Double] == [3, 3.5])
}
