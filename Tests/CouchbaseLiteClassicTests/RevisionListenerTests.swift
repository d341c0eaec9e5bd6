import CouchbaseLiteClassic
import Testing

@Suite struct RevisionListenerTests {
    @Test(arguments: [false, true]) func listenersHearWhereRevisionsComeFrom(_ keepingFormat: Bool) throws {
        let scene = try TemporaryDatabase(keepingFormat: keepingFormat)
        let other = try scene.folder.open("other", keepingFormat: keepingFormat)
        defer { try? other.close() }
        try other.defaultCollection().save(document: MutableDocument(id: "pulled"))
        let told = Told<[RevisionChange]>()
        let token = scene.collection.addRevisionListener(queue: told.queue) { told.add($0) }
        let local = try scene.revise("local", ["n": 1])
        try replicate(CollectionConfiguration(collection: scene.collection), with: other, .pull)
        try scene.collection.delete(document: try scene.document("local"))
        #expect(told.wait { $0.count == 3 })
        let changes = told.all.flatMap { $0 }
        #expect(changes.map(\.documentID) == ["local", "pulled", "local"])
        #expect(changes.map(\.isDeletion) == [false, false, true])
        #expect(changes.allSatisfy { $0.isCurrent && !$0.isConflict })
        #expect(changes.first?.revisionID == local && changes.first?.source == .local && changes.last?.source == .local)
        #expect(changes.dropFirst().first?.source.url?.absoluteString.hasPrefix("x-local:") == true)
        token.remove()
        try scene.save("unheard")
        told.queue.sync {}
        #expect(told.all.count == 3)
    }

    @Test func aBatchIsToldOnceAndOnlyWhenItIsCommitted() throws {
        let scene = try TemporaryDatabase()
        let told = Told<[RevisionChange]>()
        scene.collection.addRevisionListener(queue: told.queue) { told.add($0) }
        try scene.database.inBatch {
            try scene.save("a")
            try? scene.database.inBatch {
                try scene.save("taken back")
                throw CancellationError()
            }
            try scene.save("b")
        }
        try? scene.database.inBatch {
            try scene.save("c")
            throw CancellationError()
        }
        #expect(told.wait { !$0.isEmpty })
        told.queue.sync {}
        #expect(told.all.map { $0.map(\.documentID) } == [["a", "b"]])
    }

    @Test func anotherObjectOnTheFileIsHeard() async throws {
        let scene = try TemporaryDatabase()
        let other = try scene.folder.open()
        defer { try? other.close() }
        let changes = scene.collection.revisionChanges()
        try other.defaultCollection().save(document: MutableDocument(id: "doc"))
        for await change in changes {
            #expect(change.map(\.documentID) == ["doc"])
            break
        }
    }

    @Test func aLosingBranchIsToldAsAConflict() throws {
        let scene = try TemporaryDatabase(keepingFormat: true)
        let base = try scene.revise("doc", ["n": 0])
        for n in 1...3 { try scene.save("doc", ["n": n]) }
        let told = Told<[RevisionChange]>()
        scene.collection.addRevisionListener(queue: told.queue) { told.add($0) }
        try scene.collection.save(document: MutableDocument(id: "doc"), parent: base, allowConflict: true)
        #expect(told.wait { !$0.isEmpty })
        let change = try #require(told.all.first?.first)
        #expect(!change.isCurrent && change.isConflict)
    }
}
