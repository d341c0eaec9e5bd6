import CBLFleece
import CBLLanguage
import CBLStore
import CBLTestSupport
import Synchronization
import Testing

@testable import CBLQuery

@Suite struct StatementRunnerTests {
    private let sample: Sample

    init() throws {
        sample = try Sample([
            "a": #"{"type": "hotel", "stars": 3, "address": {"city": "Paris"}, "tags": ["x", "y"]}"#,
            "b": #"{"type": "hotel", "stars": 4, "address": {"city": "Rome"}}"#, "c": #"{"type": "bar", "stars": 1}"#,
        ])
    }

    /// Runs a statement in a transaction of its own, and gives what it says of itself in short.
    @discardableResult
    private func run(_ text: String, _ parameters: String = "{}") throws -> String {
        let statement = try CBLLanguage.Statement(sqlpp: text)
        let outcome = try sample.database.write {
            try StatementRunner($0, parameters: QueryParameters(json: parameters)).run(statement)
        }
        switch outcome {
        case .documents(let inserted, let updated, let deleted): return "+\(inserted) ~\(updated) -\(deleted)"
        case .index(let name, let change): return "index \(name): \(change)"
        default: return "\(outcome)"
        }
    }

    private func body(_ id: String, in collection: CollectionName = .default) throws -> String? {
        try sample.database.read { snapshot in
            guard let document = try snapshot.document(id, in: collection), !document.isDeleted else { return nil }
            return document.body.withRoot { $0.json(keys: snapshot.sharedKeys, style: .canonical) }
        }
    }

    private func ids(in collection: CollectionName = .default) throws -> [String] {
        try sample.database.read { snapshot in
            var ids: [String] = []
            let cursor = try snapshot.scan(collection, ScanOptions(content: .id))
            while try cursor.next() { ids.append(cursor.id) }
            return ids
        }
    }

    // UPDATE

    @Test func anUpdateMakesRevisions() throws {
        try #expect(run("UPDATE _ SET stars = stars + 1 WHERE type = 'hotel'") == "+0 ~2 -0")
        try sample.database.read { snapshot in
            try #expect(snapshot.document("a")?.revision.text.hasPrefix("2-") == true)
            try #expect(snapshot.document("c")?.revision.text.hasPrefix("1-") == true)
        }
        try #expect(body("a")?.contains(#""stars":4"#) == true)
        try #expect(body("b")?.contains(#""stars":5"#) == true)
    }

    @Test func pathsAreMadeAsTheyAreNeeded() throws {
        try run(
            "UPDATE _ AS h SET h.address.zip.code = 'x', tags[1] = 'z', tags[2] = {'deep': [1, 2.5, null, true]} WHERE META(h).id = 'a'")
        try #expect(
            body("a")
                == #"{"address":{"city":"Paris","zip":{"code":"x"}},"stars":3,"tags":["x","z",{"deep":[1,2.5,null,true]}],"type":"hotel"}"#)
    }

    @Test func valuesAreOfTheDocumentAsItWas() throws {
        try run(
            "UPDATE _ SET stars = 10, old = stars, same = 'stars', city = address.city, isGood = stars > 2 WHERE META().id IN ['a', 'c']")
        try #expect(
            body("a")
                == #"{"address":{"city":"Paris"},"city":"Paris","isGood":true,"old":3,"same":"stars","stars":10,"tags":["x","y"],"type":"hotel"}"#
        )
        // What is MISSING is not set.
        try #expect(body("c") == #"{"isGood":false,"old":1,"same":"stars","stars":10,"type":"bar"}"#)
    }

    @Test func whatIsSetToMissingOrUnsetGoes() throws {
        try run("UPDATE _ SET stars = MISSING UNSET address.city, tags[0], nothing.there WHERE META().id = 'a'")
        try #expect(body("a") == #"{"address":{},"tags":["y"],"type":"hotel"}"#)
    }

    @Test func parametersAndLimitsCount() throws {
        try #expect(
            run("UPDATE _ SET extra = $extra WHERE type = $type LIMIT 1", #"{"extra": {"k": [true]}, "type": "hotel"}"#) == "+0 ~1 -0")
        try #expect(body("a")?.contains(#""extra":{"k":[true]}"#) == true)
        #expect(throws: QueryError.self) { try run("UPDATE _ SET x = 1", #"{"type": 1}"#) }
    }

    @Test func whatCannotBeSetIsRefusedAsAWhole() throws {
        let error = #expect(throws: QueryFailure.self) { try run("UPDATE _ SET stars.deep = 1") }
        #expect(error?.description.hasPrefix("document \"a\" cannot be changed so: ") == true)
        try #expect(body("a")?.contains(#""stars":3"#) == true)
        #expect(throws: StoreError.self) { try run("UPDATE _ SET _id = 'x'") }
    }

    @Test func writingDoesNotFindWhatItHasWritten() throws {
        try sample.saveNumbers(500)
        try sample.database.write { try $0.connection.execute("CREATE INDEX byN ON kv_default (fl_value(body, 'n'))") }
        // Through the index, each document would be met again and again.
        try #expect(run("UPDATE _ SET n = n + 1000 WHERE n >= 0") == "+0 ~500 -0")
        try #expect(body("n7")?.contains(#""n":1007"#) == true)
    }

    @Test func theTimeOfExpirationIsNoRevision() throws {
        try #expect(run("UPDATE _ AS d SET META(d).expiration = 4102444800000 + d.stars WHERE d.type = 'hotel'") == "+0 ~2 -0")
        try sample.database.read { snapshot in
            try #expect(snapshot.document("a")?.expiration == 4_102_444_800_003)
            try #expect(snapshot.document("a")?.revision.text.hasPrefix("1-") == true)
        }
        try run("UPDATE _ SET META().expiration = NULL, n = 1 WHERE META().id = 'a'")
        try sample.database.read { snapshot in
            try #expect(snapshot.document("a")?.expiration == nil)
            try #expect(snapshot.document("a")?.revision.text.hasPrefix("2-") == true)
            try #expect(snapshot.document("b")?.expiration == 4_102_444_800_004)
        }
        #expect(throws: QueryError.self) { try run("UPDATE _ SET META().expiration = 'soon'") }
    }

    // DELETE

    @Test func aDeleteLeavesTombstones() throws {
        try #expect(run("DELETE FROM _ WHERE stars > 2") == "+0 ~0 -2")
        try #expect(ids() == ["c"])
        try sample.database.read { try #expect($0.document("a")?.isDeleted == true) }
        // They are not deleted once more.
        try #expect(run("DELETE FROM _ WHERE META().deleted OR type = 'bar'") == "+0 ~0 -1")
        try #expect(run("DELETE FROM _") == "+0 ~0 -0")
    }

    // INSERT and UPSERT

    @Test func insertedDocumentsAreAsWritten() throws {
        let text = """
            INSERT INTO _ (KEY, VALUE) VALUES ('n1', {'i': -7, 'd': 1.0, 't': 'x', 'l': [1, {'k': null}], 'b': false}), \
            ('n' || '2', {'sum': 1 + 2, 'upper': upper('abc')}), ($id, $body)
            """
        try #expect(run(text, #"{"id": "n3", "body": {"deep": [true, 18446744073709551615]}}"#) == "+3 ~0 -0")
        try #expect(body("n1") == #"{"b":false,"d":1.0,"i":-7,"l":[1,{"k":null}],"t":"x"}"#)
        try #expect(body("n2") == #"{"sum":3,"upper":"ABC"}"#)
        try #expect(body("n3") == #"{"deep":[true,18446744073709551615]}"#)
    }

    @Test func aDocumentThatIsThereIsNotReplaced() throws {
        let error = #expect(throws: StoreError.self) { try run("INSERT INTO _ (KEY, VALUE) VALUES ('new', {}), ('a', {})") }
        #expect(error?.code == .conflict)
        #expect(error?.message == "collection \"_default\" has a document \"a\" already; UPSERT would replace it")
        try #expect(ids() == ["a", "b", "c"])
        // Not even by the same.
        try #expect(run("INSERT INTO _ (KEY, VALUE) VALUES ('same', {'n': 1})") == "+1 ~0 -0")
        #expect(throws: StoreError.self) { try run("INSERT INTO _ (KEY, VALUE) VALUES ('same', {'n': 1})") }
        try #expect(run("DELETE FROM _ WHERE META().id = 'same'") == "+0 ~0 -1")
        try #expect(run("UPSERT INTO _ (KEY, VALUE) VALUES ('new', {'n': 1}), ('a', {'n': 2})") == "+1 ~1 -0")
        try #expect(body("a") == #"{"n":2}"#)
        try sample.database.read { try #expect($0.document("a")?.revision.text.hasPrefix("2-") == true) }
    }

    @Test func aDeletedOneIsNoObstacle() throws {
        try run("DELETE FROM _ WHERE META().id = 'a'")
        try #expect(run("INSERT INTO _ (KEY, VALUE) VALUES ('a', {'n': 1})") == "+1 ~0 -0")
    }

    @Test func everyRowCanHaveAnIDOfItsOwn() throws {
        try run("DELETE FROM _")
        try run("INSERT INTO _ (KEY, VALUE) VALUES (UUID(), {'own': UUID()}), ('u-' || UUID(), {})")
        let made = try ids()
        #expect(made.count == 2 && made.map(\.count).sorted() == [36, 38])
    }

    @Test(arguments: [
        ("INSERT INTO _ (KEY, VALUE) VALUES (12, {})", "the key of a document must be a string, not 12"),
        ("INSERT INTO _ (KEY, VALUE) VALUES (name, {})", "there is no document here whose property this could be"),
        ("INSERT INTO nowhere (KEY, VALUE) VALUES ('a', {})", "no such collection \"nowhere\"."),
    ]) func mistakesArePointedAt(text: String, message: String) throws {
        let error = #expect(throws: QueryError.self) { try run(text) }
        #expect(error?.diagnostics.map(\.message) == [message])
        #expect(error?.diagnostics.first?.range.isNone == false)
    }

    @Test func aValueMustBeAnObject() throws {
        #expect(throws: QueryFailure.refused("document \"x\": its value must be an object, not [1]")) {
            try run("INSERT INTO _ (KEY, VALUE) VALUES ('x', [1])")
        }
        #expect(throws: StoreError.self) { try run("INSERT INTO _ (KEY, VALUE) VALUES ('_x', {})") }
    }

    @Test func selectedRowsAreInserted() throws {
        try run("CREATE COLLECTION copies")
        let copies = try CollectionName(parsing: "copies")
        try #expect(run("INSERT INTO copies (KEY META(d).id) SELECT d.* FROM _ AS d WHERE d.type = 'hotel'") == "+2 ~0 -0")
        try #expect(body("b", in: copies) == body("b"))
        try #expect(
            run("INSERT INTO copies (KEY 'of-' || id, VALUE {'from': id, 'more': v.city}) SELECT META().id AS id, address AS v FROM _")
                == "+3 ~0 -0")
        try #expect(body("of-a", in: copies) == #"{"from":"a","more":"Paris"}"#)
        try #expect(body("of-c", in: copies) == #"{"from":"c"}"#)
        try #expect(run("UPSERT INTO copies (KEY UUID()) SELECT type, count(*) AS n FROM _ GROUP BY type") == "+2 ~0 -0")
        try #expect(ids(in: copies).count == 7)
        // Rows that it writes are not read by it.
        try #expect(run("INSERT INTO copies (KEY 'again-' || META(x).id) SELECT x.* FROM copies AS x") == "+7 ~0 -0")
    }

    // Collections and indexes

    @Test func collectionsComeAndGo() throws {
        try run("CREATE COLLECTION inventory.hotels")
        #expect(throws: StoreError.self) { try run("CREATE COLLECTION inventory.hotels") }
        try #expect(run("CREATE COLLECTION IF NOT EXISTS inventory.hotels").hasPrefix("collectionExists"))
        try #expect(run("UPSERT INTO inventory.hotels (KEY, VALUE) VALUES ('x', {})") == "+1 ~0 -0")
        try run("DROP COLLECTION inventory.hotels")
        let error = #expect(throws: QueryError.self) { try run("DROP COLLECTION inventory.hotels") }
        #expect(error?.kind == .meaning)
        try #expect(run("DROP COLLECTION IF EXISTS inventory.hotels").hasPrefix("nothingToDrop"))
        #expect(throws: StoreError.self) { try run("DROP COLLECTION _default") }
    }

    @Test func indexesComeAndGo() throws {
        try #expect(run("CREATE INDEX byStars ON _ (stars, address.city)") == "index byStars: created")
        let query = "SELECT META().id FROM _ WHERE stars = 3"
        try sample.database.read { try #expect(Query(query, on: $0).explain(on: $0).scannedCollections.isEmpty) }
        #expect(throws: StoreError.self) { try run("CREATE INDEX byStars ON _ (stars)") }
        try #expect(run("CREATE INDEX IF NOT EXISTS byStars ON _ (stars)") == #"indexExists("byStars")"#)
        try #expect(run("DROP INDEX byStars ON _") == #"indexDropped("byStars")"#)
        try sample.database.read { try #expect(Query(query, on: $0).explain(on: $0).scannedCollections == ["_default"]) }
        let error = #expect(throws: StoreError.self) { try run("DROP INDEX byStars") }
        #expect(error?.code == .notFound)
        try #expect(run("DROP INDEX IF EXISTS byStars").hasPrefix("nothingToDrop"))
    }

    // As a whole

    @Test func everyChangeIsTold() throws {
        let told = Mutex<[String]>([])
        let statement = try CBLLanguage.Statement(sqlpp: "UPDATE _ SET n = 1 WHERE type = 'hotel'")
        try sample.database.write { transaction in
            let runner = StatementRunner(transaction) { change in
                told.withLock { $0.append("\(change.action) \(change.id) \(change.body != nil) \(change.revision.text.prefix(2))") }
            }
            _ = try runner.run(statement)
        }
        #expect(told.withLock { $0 } == ["updated a true 2-", "updated b true 2-"])
    }

    @Test func aStatementCanBeCancelled() throws {
        let cancellation = QueryCancellation()
        let statement = try CBLLanguage.Statement(sqlpp: "DELETE FROM _")
        #expect(throws: QueryFailure.cancelled) {
            try sample.database.write { transaction in
                let runner = StatementRunner(transaction, options: QueryOptions(cancellation: cancellation)) { _ in cancellation.cancel() }
                _ = try runner.run(statement)
            }
        }
        try #expect(ids() == ["a", "b", "c"])
    }

    @Test func aSelectIsNoChange() throws {
        #expect(throws: QueryFailure.self) { try run("SELECT * FROM _") }
    }
}
