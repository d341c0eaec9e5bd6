import CouchbaseLiteSwift
import Testing

@Suite struct SavingTests {
    let test: TemporaryDatabase

    init() throws { test = try TemporaryDatabase() }

    @Test func aSaveGivesRevisionSequenceAndCollection() throws {
        let document = MutableDocument(id: "doc", data: ["a": 1])
        #expect(document.revisionID == nil && document.sequence == 0 && document.collection == nil && document.timestamp == 0)
        try test.collection.save(document: document)
        let first = document.revisionID
        #expect(first != nil && document.sequence == 1 && document.collection === test.collection && document.timestamp > 0)
        try test.collection.save(document: document)
        #expect(document.revisionID != first && document.sequence == 2 && test.collection.count == 1)
        let read = try test.document("doc")
        #expect(read.revisionID == document.revisionID && read.sequence == 2 && read.timestamp == document.timestamp)
        #expect(read._getRevisionHistory()?.isEmpty == false)
    }

    @Test(arguments: ["", "_design", String(repeating: "x", count: 241), "a\u{1}b"])
    func badIDsAreRefused(_ id: String) throws {
        #expect(code { try test.collection.save(document: MutableDocument(id: id)) } == CBLError.badDocID)
        #expect(test.collection.count == 0)
    }

    @Test(arguments: ["", "_id", "_rev", "_deleted"])
    func propertiesThatNoDocumentCanHaveAreRefused(_ name: String) throws {
        let document = MutableDocument(id: "doc", data: ["inside": [name: 1]])
        try test.collection.save(document: document)
        #expect(code { try test.collection.save(document: document.setInt(1, forKey: name)) } == CBLError.corruptRevisionData)
        #expect(try test.document("doc").count == 1)
    }

    @Test func whatIsNoNumberIsRefused() throws {
        let error = #expect(throws: (any Error).self) {
            try test.collection.save(document: MutableDocument(id: "doc").setDouble(.nan, forKey: "x"))
        }
        #expect((error as NSError?)?.domain == "CouchbaseLite.Fleece" && (error as NSError?)?.code == 3 && test.collection.count == 0)
    }

    @Test func theLastWriterWinsOrIsRefused() throws {
        try test.save("doc", ["n": 0])
        let (one, two) = (try test.document("doc").toMutable(), try test.document("doc").toMutable())
        try test.collection.save(document: one.setInt(1, forKey: "n"))
        #expect(try !test.collection.save(document: two.setInt(2, forKey: "n"), concurrencyControl: .failOnConflict))
        #expect(try test.document("doc").int(forKey: "n") == 1)
        #expect(try test.collection.save(document: two, concurrencyControl: .lastWriteWins))
        #expect(try test.document("doc").int(forKey: "n") == 2)
        #expect(try test.collection.save(document: two.setInt(3, forKey: "n"), concurrencyControl: .failOnConflict))
        #expect(try !test.collection.save(document: MutableDocument(id: "doc"), concurrencyControl: .failOnConflict))
    }

    /// Nothing is left that it could be in conflict with.
    @Test(arguments: [true, false])
    func whatWasPurgedMeanwhileIsNotFound(_ mayFail: Bool) throws {
        let control: ConcurrencyControl = mayFail ? .failOnConflict : .lastWriteWins
        try test.save("doc", ["n": 0])
        let document = try test.document("doc").toMutable()
        try test.collection.purge(id: "doc")
        #expect(code { _ = try test.collection.save(document: document, concurrencyControl: control) } == CBLError.notFound)
        #expect(code { _ = try test.collection.delete(document: document, concurrencyControl: control) } == CBLError.notFound)
        #expect(test.collection.count == 0)
    }

    @Test func whatIsRefusedTakesNoSequence() throws {
        let document = try test.save("doc", ["n": 0])
        let copies = try (0..<4).map { _ in try test.document("doc").toMutable() }
        for number in 1...3 { try test.collection.save(document: document.setInt(number, forKey: "n")) }
        for copy in copies.dropLast() {
            #expect(try !test.collection.save(document: copy, concurrencyControl: .failOnConflict))
            #expect(try !test.collection.delete(document: copy, concurrencyControl: .failOnConflict))
        }
        try test.collection.save(document: copies[0])
        #expect(copies[0].sequence == 5)
        try test.collection.delete(document: copies[1])
        #expect(copies[1].sequence == 6)
        // Over a tombstone.
        try test.collection.save(document: copies[2])
        #expect(copies[2].sequence == 7)
        #expect(try test.save("other").sequence == 8)
    }

    @Test func aHandlerDecidesConflicts() throws {
        try test.save("doc", ["n": 0])
        let (one, two) = (try test.document("doc").toMutable(), try test.document("doc").toMutable())
        try test.collection.save(document: one.setInt(1, forKey: "n"))
        #expect(try !test.collection.save(document: two.setInt(2, forKey: "n"), conflictHandler: { _, _ in false }))
        var calls = 0
        let isSaved = try test.collection.save(document: two) { mine, theirs in
            calls += 1
            #expect(mine === two && theirs?.int(forKey: "n") == calls)
            // Somebody is quicker once more.
            if calls == 1 { try? test.collection.save(document: one.setInt(2, forKey: "n")) }
            mine.setInt(10 + calls, forKey: "n")
            return true
        }
        #expect(isSaved && calls == 2)
        #expect(try test.document("doc").int(forKey: "n") == 12)
    }

    @Test func aHandlerIsToldOfDeletionAndPurge() throws {
        try test.save("doc")
        let (one, two) = (try test.document("doc").toMutable(), try test.document("doc").toMutable())
        try test.collection.delete(document: one)
        #expect(try test.collection.save(document: two) { _, theirs in theirs == nil })
        #expect(try test.document("doc").revisionID == two.revisionID)
        try test.collection.purge(document: two)
        #expect(code { _ = try test.collection.save(document: two) { _, _ in true } } == CBLError.notFound)
    }

    @Test func deletionLeavesATombstone() throws {
        #expect(code { try test.collection.delete(document: MutableDocument(id: "new")) } == CBLError.notFound)
        let document = try test.save("doc", ["a": 1])
        try test.collection.delete(document: document)
        #expect(try test.collection.document(id: "doc") == nil)
        #expect(document.int(forKey: "a") == 1 && document.sequence == 2 && test.collection.count == 0)
        try test.collection.delete(document: document)
        #expect(document.sequence == 3)
        try test.collection.save(document: document)
        #expect(try test.document("doc").int(forKey: "a") == 1)
    }

    @Test func aConflictingDeletionIsDecidedLikeASave() throws {
        try test.save("doc", ["n": 0])
        let (one, two) = (try test.document("doc").toMutable(), try test.document("doc"))
        try test.collection.save(document: one.setInt(1, forKey: "n"))
        #expect(try !test.collection.delete(document: two, concurrencyControl: .failOnConflict))
        #expect(try test.collection.delete(document: two, concurrencyControl: .lastWriteWins))
        #expect(try test.collection.document(id: "doc") == nil)
    }

    @Test func purgingLeavesNothing() throws {
        let document = try test.save("doc")
        #expect(code { try test.collection.purge(document: MutableDocument(id: "doc")) } == CBLError.notFound)
        try test.collection.purge(document: document)
        #expect(code { try test.collection.purge(id: "doc") } == CBLError.notFound)
        #expect(code { try test.collection.delete(document: document) } == CBLError.notFound)
    }

    @Test func documentsOfAnotherDatabaseObjectAreRefused() throws {
        let document = try test.save("doc")
        let other = try test.another()
        defer { try? other.close() }
        let collection = try other.defaultCollection()
        #expect(code { try collection.save(document: document) } == CBLError.invalidParameter)
        #expect(code { try collection.delete(document: document) } == CBLError.invalidParameter)
        #expect(code { try collection.purge(document: document) } == CBLError.invalidParameter)
        let named = try test.database.createCollection(name: "named")
        #expect(code { try named.save(document: document) } == CBLError.invalidParameter)
        try collection.purge(id: "doc")
        #expect(test.collection.count == 0)
    }

    @Test func aBatchIsAllOrNothing() throws {
        struct Failure: LocalizedError { var errorDescription: String? { "on purpose" } }
        do {
            try test.database.inBatch {
                try test.save("one")
                try test.database.inBatch { try test.save("two") }
                #expect(test.collection.count == 2)
                throw Failure()
            }
            Issue.record("the batch did not fail")
        } catch let error as NSError {
            #expect(error.code == CBLError.unexpectedError && error.localizedDescription == "on purpose")
        }
        #expect(test.collection.count == 0)
        try test.database.inBatch { for number in 0..<1000 { try test.save("doc \(number)", ["n": number]) } }
        #expect(test.collection.count == 1000)
        #expect(try test.document("doc 999").sequence == 1000)
    }

    @Test func expiredDocumentsGoByThemselves() throws {
        try test.save("soon")
        try test.save("never")
        let told = Told<DocumentChange>()
        let token = test.collection.addDocumentChangeListener(id: "soon", queue: told.queue) { told.add($0) }
        defer { token.remove() }
        let date = Date(timeIntervalSinceNow: 0.5)
        try test.collection.setDocumentExpiration(id: "soon", expiration: date)
        try test.collection.setDocumentExpiration(id: "never", expiration: date)
        try test.collection.setDocumentExpiration(id: "never", expiration: nil)
        let stored = try #require(try test.collection.getDocumentExpiration(id: "soon"))
        #expect(abs(stored.timeIntervalSince(date)) <= 0.001)
        #expect(try test.collection.getDocumentExpiration(id: "never") == nil)
        #expect(code { try test.collection.setDocumentExpiration(id: "nobody", expiration: date) } == CBLError.notFound)
        #expect(told.wait { $0.count == 1 })
        #expect(try test.collection.document(id: "soon") == nil)
        #expect(test.collection.count == 1)
    }

    @Test func listenersStayWithoutTheirTokens() throws {
        let (told, toldOfOne) = (Told<CollectionChange>(), Told<DocumentChange>())
        _ = test.collection.addChangeListener(queue: told.queue) { told.add($0) }
        _ = test.collection.addDocumentChangeListener(id: "b", queue: toldOfOne.queue) { toldOfOne.add($0) }
        try test.save("a")
        try test.save("b")
        #expect(told.wait { $0.flatMap(\.documentIDs) == ["a", "b"] })
        #expect(toldOfOne.wait { $0.map(\.documentID) == ["b"] })
    }

    @Test func listenersHearOfAllThatIsCommitted() throws {
        let told = Told<CollectionChange>()
        let token = test.collection.addChangeListener(queue: told.queue) { told.add($0) }
        try test.save("a")
        let other = try test.another()
        defer { try? other.close() }
        try other.inBatch { for id in ["b", "c"] { try other.defaultCollection().save(document: MutableDocument(id: id)) } }
        try test.collection.purge(id: "a")
        // What comes in quick succession may be told together.
        #expect(told.wait { Set($0.flatMap(\.documentIDs)) == ["a", "b", "c"] })
        token.remove()
        token.remove()
        try test.save("d")
        usleep(100_000)
        #expect(!told.all.flatMap(\.documentIDs).contains("d"))
    }
}
