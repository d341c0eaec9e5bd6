import CouchbaseLiteClassic
import Testing

@Suite struct ValidationTests {
    @Test(arguments: [false, true]) func whatIsRejectedIsNotSaved(_ keepingFormat: Bool) throws {
        let scene = try TemporaryDatabase(keepingFormat: keepingFormat)
        scene.collection.setValidation("needs a name") { document, context in
            if !context.isDeletion, document.string(forKey: "name") == nil { context.reject("it has no name") }
        }
        #expect(code { try scene.save("doc") } == CBLError.httpForbidden)
        #expect(try scene.collection.document(id: "doc") == nil)
        try scene.save("doc", ["name": "one"])
        #expect(code { try scene.save("doc", ["n": 1]) } == CBLError.httpForbidden)
        #expect(try scene.document("doc").string(forKey: "name") == "one")
        do {
            try scene.save("doc", ["n": 1])
        } catch {
            #expect(error.localizedDescription.contains("it has no name") && error.localizedDescription.contains("needs a name"))
        }
        scene.collection.setValidation("needs a name", nil)
        try scene.save("doc", ["n": 1])
    }

    @Test(arguments: [false, true]) func theContextTellsOfBothRevisions(_ keepingFormat: Bool) throws {
        let scene = try TemporaryDatabase(keepingFormat: keepingFormat)
        let first = try scene.revise("doc", ["same": 1, "changed": 1, "gone": [1, 2]])
        let told = Told<String>()
        scene.collection.setValidation("look") { document, context in
            told.add(
                [
                    context.documentID, context.parentRevisionID ?? "none", "\(context.source)", "\(context.isDeletion)",
                    context.changedKeys.joined(separator: " "), "\(context.current?.int(forKey: "changed") ?? 0)",
                    "\(document.int(forKey: "changed"))",
                ].joined(separator: ","))
        }
        let second = try scene.revise("doc", ["same": 1, "changed": 2, "new": true])
        try scene.collection.delete(document: try scene.document("doc"))
        try scene.save("other", ["changed": 3])
        #expect(
            told.all == [
                "doc,\(first),local,false,changed gone new,1,2", "doc,\(second),local,true,changed new same,2,0",
                "other,none,local,false,changed,0,3",
            ])
    }

    @Test func changesAreAskedAboutOneByOne() throws {
        let scene = try TemporaryDatabase()
        try scene.save("doc", ["owner": "ada", "n": 1])
        scene.collection.setValidation("owners stay") { _, context in
            context.validateChanges { key, old, new in key != "owner" || old == nil || old as? String == new as? String }
        }
        try scene.save("doc", ["owner": "ada", "n": 2])
        #expect(code { try scene.save("doc", ["owner": "eve", "n": 2]) } == CBLError.httpForbidden)
        #expect(try scene.document("doc").string(forKey: "owner") == "ada")
    }

    @Test func deletionsAreLookedAtAndPurgesAreNot() throws {
        let scene = try TemporaryDatabase()
        try scene.save("doc")
        scene.collection.setValidation("stays") { _, context in if context.isDeletion { context.reject() } }
        #expect(code { try scene.collection.delete(document: try scene.document("doc")) } == CBLError.httpForbidden)
        #expect(scene.collection.count == 1)
        try scene.collection.purge(id: "doc")
        #expect(scene.collection.count == 0)
    }

    @Test func aRejectionInABatchTakesAllBack() throws {
        let scene = try TemporaryDatabase()
        scene.collection.setValidation("no b") { _, context in if context.documentID == "b" { throw CancellationError() } }
        #expect(throws: (any Error).self) { try scene.database.inBatch { for id in ["a", "b"] { try scene.save(id) } } }
        #expect(scene.collection.count == 0)
    }

    @Test func otherCollectionsAndStatementsAreToldApart() throws {
        let scene = try TemporaryDatabase()
        let other = try scene.database.createCollection(name: "other")
        other.setValidation("closed") { _, context in context.reject() }
        try scene.save("doc", ["n": 1])
        #expect(code { try other.save(document: MutableDocument()) } == CBLError.httpForbidden)
        scene.collection.setValidation("small") { document, context in if document.int(forKey: "n") > 10 { context.reject() } }
        #expect(throws: (any Error).self) { try scene.database.execute("UPDATE _ SET n = 11") }
        #expect(try scene.document("doc").int(forKey: "n") == 1)
        #expect(scene.collection.validation(named: "small") != nil && scene.collection.validation(named: "closed") == nil)
    }

    @Test(arguments: [false, true]) func aPullGoesOnWithoutWhatIsRejected(_ keepingFormat: Bool) throws {
        let scene = try TemporaryDatabase(keepingFormat: keepingFormat)
        let other = try scene.folder.open("other", keepingFormat: keepingFormat)
        defer { try? other.close() }
        let there = try other.defaultCollection()
        for n in 0..<20 { try there.save(document: MutableDocument(id: "doc-\(n)", data: ["n": n])) }
        let sources = scene.refusingOddNumbers()
        let documents = try replicate(CollectionConfiguration(collection: scene.collection), with: other, .pull)
        #expect(scene.collection.count == 10)
        let refused = documents.filter { $0.error != nil }
        #expect(refused.count == 10)
        #expect(refused.allSatisfy { ($0.error as? NSError)?.code == CBLError.httpForbidden })
        #expect(sources.all.count == 20 && sources.all.allSatisfy { $0.url != nil })
        // It counts as done.
        #expect(try replicate(CollectionConfiguration(collection: scene.collection), with: other, .pull).isEmpty)
    }

    @Test(arguments: [false, true]) func aPushOfAPeerGoesOnWithoutWhatIsRejected(_ keepingFormat: Bool) throws {
        let scene = try TemporaryDatabase(keepingFormat: keepingFormat)
        let sources = scene.refusingOddNumbers()
        var listening = URLEndpointListenerConfiguration(collections: [scene.collection])
        listening.networkInterface = "127.0.0.1"
        listening.disableTLS = true
        listening.authenticator = ListenerPasswordAuthenticator { name, password in name == "ada" && password == "secret" }
        let listener = URLEndpointListener(config: listening)
        try listener.start()
        defer { listener.stop() }
        let peer = try TemporaryDatabase(keepingFormat: keepingFormat)
        for n in 0..<20 { try peer.save("doc-\(n)", ["n": n]) }
        func push() throws -> [ReplicatedDocument] {
            let target = URLEndpoint(url: try #require(listener.urls?.first))
            let ada = BasicAuthenticator(username: "ada", password: "secret")
            return try replicate(CollectionConfiguration(collection: peer.collection), with: target, as: ada, .push)
        }
        let refused = try push().filter { $0.error != nil }
        #expect(scene.collection.count == 10)
        #expect(refused.count == 10 && refused.allSatisfy { ($0.error as? NSError)?.code == CBLError.httpForbidden })
        // What was refused is offered once more.
        #expect(sources.all.count == 30)
        #expect(Set(sources.all) == [.remote(nil, user: "ada", channels: [])])
        // It counts as done, until it is mended.
        #expect(try push().isEmpty)
        try peer.save("doc-1", ["n": 2])
        #expect(try push().map(\.id) == ["doc-1"])
        #expect(scene.collection.count == 11)
    }

    @Test func aPushFromAnotherDatabaseOfTheProgramIsLookedAtToo() throws {
        let (scene, other) = (try TemporaryDatabase(), try TemporaryDatabase())
        let sources = scene.refusingOddNumbers()
        for n in 0..<4 { try other.save("doc-\(n)", ["n": n]) }
        let documents = try replicate(CollectionConfiguration(collection: other.collection), with: scene.database, .push)
        #expect(scene.collection.count == 2)
        #expect(documents.count { ($0.error as? NSError)?.code == CBLError.httpForbidden } == 2)
        #expect(sources.all.allSatisfy { $0 != .local })
    }

    static let schema = """
        {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}, "rooms": {"type": "integer", "minimum": 1}}}
        """

    @Test(arguments: [SchemaDraft?.none, .draft4, .draft2020]) func aSchemaIsAValidation(_ draft: SchemaDraft?) throws {
        let scene = try TemporaryDatabase()
        try scene.collection.setValidation("hotel", schema: ValidationTests.schema, draft: draft)
        try scene.save("doc", ["name": "Seaview", "rooms": 3])
        #expect(code { try scene.save("doc", ["name": "Seaview", "rooms": 0]) } == CBLError.httpForbidden)
        #expect(code { try scene.save("other", ["rooms": 1]) } == CBLError.httpForbidden)
        do { try scene.save("doc", ["name": 1]) } catch { #expect(error.localizedDescription.contains("/name")) }
        try scene.collection.delete(document: try scene.document("doc"))
    }

    @Test(arguments: ["{", #"{"type": "nothing"}"#, #"{"$ref": "https://example.com/schema"}"#])
    func whatIsNoSchemaIsRefused(_ schema: String) throws {
        let scene = try TemporaryDatabase()
        #expect(code { try scene.collection.setValidation("broken", schema: schema) } == CBLError.invalidParameter)
        try scene.save("doc")
    }
}

extension TemporaryDatabase {
    /// Sets a validation, and gives the sources of the revisions that it is shown.
    fileprivate func refusingOddNumbers() -> Told<RevisionSource> {
        let sources = Told<RevisionSource>()
        collection.setValidation("even") { document, context in
            sources.add(context.source)
            if document.int(forKey: "n") % 2 == 1 { context.reject("it is odd") }
        }
        return sources
    }
}
