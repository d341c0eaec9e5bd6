// swift-format-ignore-file
// Generated from Sources/CouchbaseLiteClassic/CouchbaseLiteClassic.docc/Guides/MapReduceViews.md by `make docs`: change that one.
import Testing
import CouchbaseLiteClassic

extension GuideTests {
    @Test func runMapReduceViews() async {
        await #expect(processExitsWith: .success) { try await runGuide(guideMapReduceViews) }
    }
}

private func guideMapReduceViews() async throws {

    let database = try Database(name: "travel")
    let collection = try database.defaultCollection()
    let cities: [(String, String, Int)] = [("FR", "Paris", 2103), ("FR", "Lyon", 522), ("JP", "Kobe", 1510), ("JP", "Tokyo", 14048)]
    for (country, city, people) in cities {
        try collection.save(
            document: MutableDocument(
                id: city, data: [
                    "type": "city", "country": country, "city": city, "people": people, "text": "\(city) has \(people) thousand inhabitants",
                    "place": ["type": "Point", "coordinates": [Double(people) / 100, 10]], "country_id": "none",
                ]))
    }

    let view = collection.view("byPlace")
    view.setMap(version: "1", documentType: "city", reduce: .sum) { document, emit in
        emit([document["country"], document["city"]], document["people"])
    }

    let query = view.createQuery()
    query.startKey = ["FR"]
    query.endKey = ["FR"]
    query.prefixMatchLevel = 1                       // all of France
    query.mapOnly = true                             // the rows, not their sum
    for row in try query.run() { print(row.key[1].string ?? "", row.value.int, row.documentID ?? "") }

    #expect(try query.run().map(\.documentID) == ["Lyon", "Paris"])

    let countries = view.createQuery()
    countries.groupLevel = 1                         // by the first part of the key
    for row in try countries.run() { print(row.key[0].string ?? "", row.value.int) }

    #expect(try countries.run().map { $0.value.int } == [2625, 15558])

    let found = collection.view("found")
    found.setMap(version: "1") { document, emit in
        emit(text: document["text"], language: "en", document["city"])
        emit(geoJSON: document["place"], document["city"])
    }
    let words = found.createQuery()
    words.fullTextQuery = "inhabitant AND tokyo"
    words.fullTextSnippets = true
    print(try words.run().first?.snippet() ?? "")

    let box = found.createQuery()
    box.boundingBox = ViewBox(x0: 0, y0: 0, x1: 20, y1: 20)
    print(try box.run().compactMap { $0.value.string })

    #expect(try words.run().map(\.documentID) == ["Tokyo"])
    #expect(Set(try box.run().compactMap { $0.value.string }) == ["Lyon", "Kobe"])

    let live = try view.createQuery().live()
    for await change in live.changes() {             // now, and whenever rows are different, whoever has changed documents
        print(change.rows?.count ?? 0, change.added.count, change.removed.count)
        break
    }
    let rows = try await view.createQuery().async.run()

    #expect(rows.first?.value.int == 18183)

    let script = collection.view("script")
    try script.setMap(javaScript: "function (doc, meta) { emit(doc.country, 1); }", reduce: "_count")

    try database.saveDesignView(named: "byCity", javaScript: "function (doc) { emit(doc.city, null); }")
    for view in try database.designViews() { print(view.name) }      // also those of a 1.x database

    #expect(try script.createQuery().run().first?.value.int == 4)
    #expect(try database.designView(named: "byCity")?.createQuery().run().count == 4)

    let all = collection.createAllDocumentsQuery()
    all.mode = .bySequence
    print(try all.run().map(\.documentID))

    #expect(try all.run().map(\.documentID) == ["Paris", "Lyon", "Kobe", "Tokyo"])
}
