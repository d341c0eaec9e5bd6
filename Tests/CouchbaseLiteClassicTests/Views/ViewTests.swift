import CouchbaseLiteClassic
import Testing

/// What apps of 1.x did with views.
struct ViewTests {
    private let temporary: TemporaryDatabase
    private var collection: CouchbaseLiteClassic.Collection { temporary.collection }

    init() throws { temporary = try TemporaryDatabase() }

    private func saveCities() throws {
        let cities: [(String, String, String, Int)] = [
            ("c1", "FR", "Paris", 2103), ("c2", "FR", "Lyon", 522), ("c3", "JP", "Tokyo", 14048), ("c4", "JP", "Kobe", 1510),
            ("c5", "FR", "Lille", 236),
        ]
        for (id, country, city, people) in cities {
            try temporary.save(
                id, ["type": "city", "country": country, "city": city, "people": people, "at": ["x": 1.5, "tags": [7, "a"]]])
        }
    }

    private func byPlace(reduce: ViewReduction? = nil) -> View {
        let view = collection.view("byPlace")
        view.setMap(version: "1", reduce: reduce) { document, emit in
            emit([document["country"], document["city"]], document["people"])
        }
        return view
    }

    @Test func tasksAreListedByDate() throws {
        for (number, day) in [3, 1, 2].enumerated() {
            let due = Date(timeIntervalSince1970: Double(day) * 86_400)
            let document = MutableDocument(id: "task\(number)", data: ["type": "task", "title": "Day \(day)"]).setDate(due, forKey: "due")
            try collection.save(document: document)
        }
        try temporary.save("other", ["type": "list", "due": "1970-01-01T00:00:00Z"])
        let view = collection.view("tasksByDate")
        view.setMap(version: "1", documentType: "task") { document, emit in
            if let due = document["due"].date { emit(due, document["title"]) }
        }
        let query = view.createQuery()
        #expect(try query.run().map { $0.value.string } == ["Day 1", "Day 2", "Day 3"])
        query.startKey = ViewKey(Date(timeIntervalSince1970: 2 * 86_400))
        #expect(try query.run().map { $0.value.string } == ["Day 2", "Day 3"])
        query.descending = true
        query.startKey = nil
        query.limit = 1
        #expect(try query.run().first?.key.date == Date(timeIntervalSince1970: 3 * 86_400))
    }

    @Test func compoundKeysAreAskedForByRanges() throws {
        try saveCities()
        let query = byPlace().createQuery()
        #expect(
            try query.run().map(\.keyJSON) == [
                #"["FR","Lille"]"#, #"["FR","Lyon"]"#, #"["FR","Paris"]"#, #"["JP","Kobe"]"#, #"["JP","Tokyo"]"#,
            ])
        query.startKey = ["JP"]
        query.endKey = ["JP", ViewKey.last]
        #expect(try query.run().map { $0.key[1].string } == ["Kobe", "Tokyo"])
        query.startKey = ["FR", "L"]
        query.endKey = ["FR", "L"]
        query.prefixMatchLevel = 2
        #expect(try query.run().map { $0.key[1].string } == ["Lille", "Lyon"])
        let name = "Paris"
        query.startKey = nil
        query.endKey = nil
        query.keys = [["JP", "Kobe"], ["FR", name], ["XX", 1]]
        #expect(try query.run().map(\.documentID) == ["c4", "c1"])
    }

    @Test func aCompoundKeyFromVariousKindsComesBack() throws {
        let view = collection.view("kinds")
        view.setMap(version: "1") { document, emit in
            let nothing: String? = nil
            emit(["a", 1, 2.5, true, nothing, ["x": 1], document["list"], document["missing"]], ["value": document["list"][1]])
            emit(nothing)
            emit(document["missing"])
        }
        try temporary.save("d", ["list": [1, "two", NSNull()]])
        let rows = try view.createQuery().run()
        #expect(rows.map(\.keyJSON) == [#"["a",1,2.5,true,null,{"x":1},[1,"two",null],null]"#])
        #expect(rows[0].valueJSON == #"{"value":"two"}"#)
    }

    @Test func rowsAreCountedByGroups() throws {
        try saveCities()
        let view = byPlace(reduce: .count)
        let query = view.createQuery()
        #expect(try query.run().map { $0.value.int } == [5])
        query.groupLevel = 1
        let groups = try query.run()
        #expect(groups.map { $0.key[0].string } == ["FR", "JP"])
        #expect(groups.map { $0.value.int } == [3, 2])
        #expect(groups[0].documentID == nil && groups[0].document == nil)
        query.groupLevel = 0
        query.mapOnly = true
        #expect(try query.run().count == 5)
    }

    @Test func aReduceFunctionOfTheProgramIsCalled() throws {
        try saveCities()
        let view = byPlace(
            reduce: .function { rows in zip(rows.keys, rows.values).map { "\($0[1].string ?? "")=\($1.int)" }.joined(separator: " ") })
        let query = view.createQuery()
        query.groupLevel = 1
        #expect(try query.run().map { $0.value.string } == ["Lille=236 Lyon=522 Paris=2103", "Kobe=1510 Tokyo=14048"])
    }

    @Test func sumsAreThoseOfTheValues() throws {
        try saveCities()
        let query = byPlace(reduce: .sum).createQuery()
        #expect(try query.run().first?.value.int == 18419)
        let stats = try byPlace(reduce: .stats).createQuery().run()
        #expect(stats.first?.value["max"].int == 14048)
    }

    @Test func aLinkedDocumentComesWithItsRow() throws {
        try temporary.save("author", ["name": "Ada"])
        try temporary.save("book", ["author": "author"])
        let view = collection.view("authors")
        view.setMap(version: "1") { document, emit in
            if let author = document["author"].string { emit(document.id, ["_id": author]) }
        }
        let query = view.createQuery()
        #expect(try query.run().map { $0.document?.id } == ["author"])
        query.prefetch = true
        let rows = try query.run()
        #expect(rows.first?.documentID == "book")
        #expect(rows.first?.document?["name"].string == "Ada")
        #expect(rows.first?.document?.sequence == 1)
    }

    @Test func aMapFunctionSeesTheDocument() throws {
        try saveCities()
        let view = collection.view("sees")
        view.setMap(version: "1") { document, emit in
            guard document.id == "c1" else { return }
            let whole = document.toDictionary()
            emit(
                document.id,
                [
                    document.revisionID, document.sequence, document["at"]["tags"][1].string, document["people"].int,
                    document["at"].keys.count, whole.count, document["at"]["nowhere"][3]["x"].exists, document["at"]["tags"].count,
                    document["people"].double, document.conflicts.count,
                ] as ViewKey)
        }
        let row = try #require(try view.createQuery().run().first)
        let stored = try temporary.document("c1")
        #expect(row.value[0].string == stored.revisionID)
        #expect(row.value[1].int64 == Int64(stored.sequence))
        #expect(row.valueJSON?.hasSuffix(#","a",2103,2,5,false,2,2103.0,0]"#) == true)
        #expect(row.document == stored)
    }

    @Test func theDocumentItselfCanBeTheValue() throws {
        try temporary.save("d", ["name": "n"])
        let view = collection.view("whole")
        view.setMap(version: "1") { document, emit in emit(document["name"], document) }
        let row = try #require(try view.createQuery().run().first)
        #expect(row.value["_id"].string == "d" && row.value["name"].string == "n")
    }

    @Test func whatWasLentIsGoneAfterTheCall() throws {
        try temporary.save("d", ["name": "n"])
        nonisolated(unsafe) var kept: (document: MapDocument, value: MapValue, emit: MapEmitter)?
        let view = collection.view("kept")
        view.setMap(version: "1") { document, emit in kept = (document, document["name"], emit) }
        try view.updateIndex()
        let (document, value, emit) = try #require(kept)
        #expect(value.string == nil && !value.exists && value.value == nil)
        #expect(document.id.isEmpty && !document["name"].exists && document.toDictionary().isEmpty)
        emit("later")
        #expect(try view.totalRows == 0)
    }

    @Test func aDocumentThatFailsIsLeftOut() throws {
        try saveCities()
        struct Refused: Error {}
        let view = collection.view("fails")
        view.setMap(version: "1") { document, emit in
            if document.id == "c2" { throw Refused() }
            emit(document.id == "c3" ? ViewKey(Double.nan) : ViewKey(document.id))
        }
        #expect(try view.createQuery().run().map(\.documentID) == ["c1", "c4", "c5"])
    }

    @Test func anotherVersionHasTheIndexMadeAnew() throws {
        try saveCities()
        let view = byPlace()
        #expect(try view.isStale && view.totalRows == 0)
        #expect(try view.updateIndex() == 5)
        #expect(try view.updateIndex() == 0)
        #expect(try !view.isStale && view.totalRows == 5 && view.lastSequenceIndexed == 5)
        view.setMap(version: "2") { document, emit in emit(document["people"]) }
        #expect(try view.isStale && view.totalRows == 0)
        #expect(try view.createQuery().run().first?.key.int == 236)
        try temporary.save("c6", ["people": 1])
        #expect(try view.isStale)
        let query = view.createQuery()
        query.indexUpdateMode = .never
        #expect(try query.run().first?.key.int == 236)
        query.indexUpdateMode = .before
        #expect(try query.run().first?.key.int == 1)
        #expect(try query.run().lastSequence == 6)
    }

    @Test func viewsAreFoundByName() throws {
        #expect(try collection.existingView(named: "byPlace") == nil)
        #expect(code { _ = try collection.view("byPlace").createQuery().run() } == CBLError.notFound)
        try saveCities()
        let view = byPlace()
        collection.view("another").setMap(version: "1") { document, emit in emit(document.id) }
        #expect(try collection.allViews().map(\.name) == ["another", "byPlace"])
        try collection.updateViews()
        #expect(try view.totalRows == 5 && collection.view("another").totalRows == 5)
        try view.delete()
        #expect(try collection.allViews().map(\.name) == ["another"])
        #expect(!view.isDefined)
    }

    @Test func anIndexOutlivesTheProgram() throws {
        try saveCities()
        try byPlace().updateIndex()
        try temporary.database.close()
        let reopened = try temporary.folder.open()
        defer { try? reopened.close() }
        let view = try #require(try reopened.defaultCollection().existingView(named: "byPlace"))
        #expect(!view.isDefined)
        #expect(try view.totalRows == 5)
        view.setMap(version: "1") { _, emit in emit("never called") }
        #expect(try view.updateIndex() == 0)
        #expect(try view.createQuery().run().count == 5)
        #expect(FileManager.default.fileExists(atPath: temporary.folder.path + "/db.cblviews"))
    }

    @Test func rowsAreFilteredAndSorted() throws {
        try saveCities()
        let query = byPlace().createQuery()
        query.postFilter = { $0.value.int < 2000 }
        query.sortDescriptors = [ViewSort("value", ascending: false)]
        query.limit = 2
        #expect(try query.run().map { $0.value.int } == [1510, 522])
    }

    @Test func optionsThatDoNotGoTogetherAreRefused() throws {
        let query = byPlace().createQuery()
        query.group = true
        query.mapOnly = true
        #expect(code { _ = try query.run() } == CBLError.invalidParameter)
        let other = byPlace().createQuery()
        other.startKey = [Double.nan]
        #expect(code { _ = try other.run() } == CBLError.invalidParameter)
    }

    @Test func textsAreFoundByTheirWords() throws {
        try temporary.save("a", ["text": "A house by the sea, and more houses"])
        try temporary.save("b", ["text": "One house"])
        try temporary.save("c", ["text": "Nothing"])
        let view = collection.view("texts")
        view.setMap(version: "1") { document, emit in emit(text: document["text"], language: "en", document.id) }
        let query = view.createQuery()
        query.fullTextQuery = "housing"
        query.fullTextSnippets = true
        let rows = try query.run()
        #expect(Set(rows.map(\.documentID)) == ["a", "b"])
        let row = try #require(rows.first { $0.documentID == "b" })
        #expect(row.snippet(before: "<", after: ">") == "One <house>")
        let text = try #require(row.fullText)
        #expect(row.matches.map { String(text[$0.range]) } == ["house"])
        #expect(row.value.string == "b" && row.rank > 0)
    }

    @Test func shapesAreFoundInABox() throws {
        try temporary.save("a", ["place": ["type": "Point", "coordinates": [1, 2]]])
        try temporary.save("b", ["place": ["type": "Point", "coordinates": [9, 9]]])
        try temporary.save("c", [:])
        let view = collection.view("places")
        view.setMap(version: "1") { document, emit in emit(geoJSON: document["place"], document.id) }
        let query = view.createQuery()
        query.boundingBox = ViewBox(x0: 0, y0: 0, x1: 5, y1: 5)
        let rows = try query.run()
        #expect(rows.map(\.documentID) == ["a"])
        #expect(rows.first?.boundingBox == ViewBox(x: 1, y: 2))
        #expect(rows.first?.geometry["type"].string == "Point")
    }
}
