import CouchbaseLiteClassic
import Testing

@Suite struct RevisionTests {
    let scene: TemporaryDatabase
    var collection: Collection { scene.collection }

    init() throws { scene = try TemporaryDatabase(keepingFormat: true) }

    /// A document with two branches, of which the second was made on purpose. Gives the ends of both.
    @discardableResult
    private func makeConflict() throws -> (first: String, second: String) {
        let base = try scene.revise("doc", ["name": "base"])
        let first = try scene.revise("doc", ["name": "first"])
        let rival = MutableDocument(id: "doc", data: ["name": "second"])
        let second = try collection.save(document: rival, parent: base, allowConflict: true)
        #expect(rival.revisionID == second.id)
        return (first, second.id)
    }

    @Test func aNewDatabaseKeepsTreesIfItIsToldTo() throws {
        #expect(try scene.database.hasRevisionTrees)
        let other = try TemporaryDatabase()
        #expect(try !other.database.hasRevisionTrees)
        #expect(try scene.revise("doc").hasPrefix("1-"))
    }

    @Test func allBranchesAreShownWithTheirProperties() throws {
        let (first, second) = try makeConflict()
        let leaves = try collection.leafRevisions(ofDocument: "doc")
        #expect(Set(leaves.map(\.id)) == [first, second])
        #expect(leaves.first?.isCurrent == true && leaves.last?.isConflicting == true)
        #expect(Set(leaves.compactMap { $0.document?.string(forKey: "name") }) == ["first", "second"])
        #expect(try collection.conflictedDocumentIDs() == ["doc"])
        #expect(try collection.conflictingRevisions(ofDocument: "doc").map(\.id) == leaves.map(\.id))
        let history = try collection.history(ofRevision: second, ofDocument: "doc")
        #expect(history.map(\.generation) == [2, 1] && history.map(\.isLeaf) == [true, false])
        #expect(try collection.history(ofRevision: first, ofDocument: "doc").last == history.last)
        #expect(try collection.revision("1-00", ofDocument: "doc") == nil)
        #expect(try collection.revisions(ofDocument: "nobody").isEmpty)
    }

    @Test func withoutPermissionThereIsNoSecondBranch() throws {
        let base = try scene.revise("doc", ["n": 1])
        try scene.save("doc", ["n": 2])
        let rival = MutableDocument(id: "doc", data: ["n": 3])
        #expect(code { try collection.save(document: rival, parent: base) } == CBLError.conflict)
        #expect(code { try collection.save(document: rival, parent: nil) } == CBLError.conflict)
        #expect(code { try collection.save(document: rival, parent: "nonsense") } == CBLError.badRevisionID)
        #expect(code { try collection.save(document: rival, parent: "7-abcd", allowConflict: true) } == CBLError.notFound)
        #expect(try collection.leafRevisions(ofDocument: "doc").count == 1)
    }

    @Test func aSecondRootCompetes() throws {
        try scene.save("doc", ["n": 1])
        let root = try collection.save(document: MutableDocument(id: "doc", data: ["n": 2]), parent: nil, allowConflict: true)
        #expect(root.parentID == nil && root.generation == 1)
        #expect(try collection.conflictingRevisions(ofDocument: "doc").count == 2)
    }

    @Test func aLosingBranchGoesOn() throws {
        try makeConflict()
        let loser = try #require(try collection.conflictingRevisions(ofDocument: "doc").last)
        let grown = try collection.save(document: MutableDocument(id: "doc", data: ["name": "grown"]), parent: loser.id)
        #expect(grown.parentID == loser.id && grown.isCurrent)
        #expect(try scene.document("doc").string(forKey: "name") == "grown")
        #expect(try collection.conflictingRevisions(ofDocument: "doc").count == 2)
    }

    @Test func aDeletedBranchLeavesTheOther() throws {
        try makeConflict()
        let all = try collection.conflictingRevisions(ofDocument: "doc")
        let tombstone = try collection.deleteRevision(all[0].id, ofDocument: "doc")
        #expect(tombstone.isDeletion && !tombstone.isCurrent)
        #expect(try collection.conflictedDocumentIDs().isEmpty)
        #expect(try scene.document("doc").revisionID == all[1].id)
        #expect(try collection.leafRevisions(ofDocument: "doc", includingDeleted: true).count == 2)
    }

    @Test func aPurgedBranchLeavesNoTrace() throws {
        try makeConflict()
        let all = try collection.conflictingRevisions(ofDocument: "doc")
        try collection.purgeRevision(all[0].id, ofDocument: "doc")
        #expect(try collection.revision(all[0].id, ofDocument: "doc") == nil)
        #expect(try collection.leafRevisions(ofDocument: "doc", includingDeleted: true).map(\.id) == [all[1].id])
        #expect(code { try collection.purgeRevision(all[0].id, ofDocument: "doc") } == CBLError.notFound)
        try collection.purgeRevision(all[1].id, ofDocument: "doc")
        #expect(try collection.revisions(ofDocument: "doc").isEmpty)
    }

    @Test(arguments: [0, 1], [false, true]) func aConflictEndsAsItIsTold(_ place: Int, _ merges: Bool) throws {
        try makeConflict()
        let rivals = try collection.conflictingRevisions(ofDocument: "doc")
        let merged = merges ? MutableDocument(id: "doc", data: ["name": "both"]) : nil
        let result = try collection.resolveConflict(ofDocument: "doc", winner: rivals[place].id, merging: merged)
        #expect(result.isCurrent && (merges ? result.parentID : result.id) == rivals[place].id)
        let expected = merges ? "both" : rivals[place].document?.string(forKey: "name")
        #expect(try scene.document("doc").string(forKey: "name") == expected)
        #expect(try collection.conflictedDocumentIDs().isEmpty)
        #expect(code { try collection.resolveConflict(ofDocument: "doc", winner: result.id) } == CBLError.notFound)
    }

    @Test func threeBranchesAreSettledAtOnce() throws {
        try makeConflict()
        let base = try #require(try collection.revisions(ofDocument: "doc").last)
        try collection.save(document: MutableDocument(id: "doc", data: ["name": "third"]), parent: base.id, allowConflict: true)
        let rivals = try collection.conflictingRevisions(ofDocument: "doc")
        #expect(rivals.count == 3)
        #expect(code { try collection.resolveConflict(ofDocument: "doc", winner: base.id) } == CBLError.notFound)
        let merged = MutableDocument(id: "doc", data: ["name": "all"])
        try collection.resolveConflict(ofDocument: "doc", winner: rivals[2].id, merging: merged)
        #expect(try collection.conflictingRevisions(ofDocument: "doc").isEmpty)
        #expect(try scene.document("doc").string(forKey: "name") == "all")
    }

    @Test func whatFailsInABatchIsTakenBack() throws {
        try makeConflict()
        let rivals = try collection.conflictingRevisions(ofDocument: "doc")
        #expect(throws: (any Error).self) {
            try scene.database.inBatch {
                try collection.resolveConflict(ofDocument: "doc", winner: rivals[1].id)
                throw CancellationError()
            }
        }
        #expect(try collection.conflictingRevisions(ofDocument: "doc") == rivals)
    }

    @Test func versionVectorsSayWhatTheyCannotDo() throws {
        let scene = try TemporaryDatabase()
        let first = try scene.revise("doc", ["n": 1])
        let all = try scene.collection.revisions(ofDocument: "doc")
        #expect(all.map(\.id) == [first] && all[0].isCurrent && all[0].generation == 0)
        let next = try scene.collection.save(document: MutableDocument(id: "doc", data: ["n": 2]), parent: first)
        #expect(next.isCurrent && next.document?.int(forKey: "n") == 2)
        let stale = MutableDocument(id: "doc", data: ["n": 3])
        #expect(code { try scene.collection.save(document: stale, parent: first, allowConflict: true) } == CBLError.conflict)
        #expect(code { try scene.collection.purgeRevision(next.id, ofDocument: "doc") } == CBLError.unsupported)
    }

    @Test func aConflictOfVersionVectorsCanBeSettledByHand() throws {
        let scene = try TemporaryDatabase()
        let other = try scene.folder.open("other")
        defer { try? other.close() }
        let there = try other.defaultCollection()
        try scene.save("doc", ["name": "mine"])
        try there.save(document: MutableDocument(id: "doc", data: ["name": "theirs"]))
        var configuration = CollectionConfiguration(collection: scene.collection)
        configuration.conflictResolver = Merging()
        // What the resolver makes is a revision like others: as long as it is refused, the conflict stays.
        scene.collection.setValidation("by hand") { _, context in if context.source == .local { context.reject() } }
        let documents = try replicate(configuration, with: other, .pull)
        #expect(documents.contains { ($0.error as? NSError)?.code == CBLError.httpForbidden })
        scene.collection.setValidation("by hand", nil)
        let rivals = try scene.collection.conflictingRevisions(ofDocument: "doc")
        try #require(rivals.count == 2)
        #expect(Set(rivals.compactMap { $0.document?.string(forKey: "name") }) == ["mine", "theirs"])
        let parent = rivals[1].id
        #expect(
            code { try scene.collection.save(document: MutableDocument(id: "doc"), parent: parent) } == CBLError.unsupported)
        let merged = MutableDocument(id: "doc", data: ["name": "both"])
        try scene.collection.resolveConflict(ofDocument: "doc", winner: rivals[0].id, merging: merged)
        #expect(try scene.collection.conflictingRevisions(ofDocument: "doc").isEmpty)
        #expect(try scene.document("doc").string(forKey: "name") == "both")
    }
}

private struct Merging: ConflictResolverProtocol {
    func resolve(conflict: Conflict) -> Document? { MutableDocument(id: conflict.documentID, data: ["name": "merged"]) }
}
