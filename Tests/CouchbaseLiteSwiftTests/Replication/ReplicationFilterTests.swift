import CouchbaseLiteSwift
import Testing

@Suite struct ReplicationFilterTests {
    let pair: Pair
    let photo = Blob(contentType: "text/plain", data: Data("content".utf8))

    init() throws { pair = try Pair() }

    private func fill(_ collection: Collection) throws {
        for id in ["doc1", "doc2", "doc3"] { try pair.save(id, ["species": "Tiger", "photo": photo], in: collection) }
        try collection.delete(document: try #require(try collection.document(id: "doc3")))
    }

    @Test(arguments: [false, true]) func aPushFilterSeesWhatWouldBeSent(_ continuous: Bool) throws {
        try fill(pair.mine)
        let seen = Shared(Set<String>())
        let mine = pair.mine
        let run = pair.run(
            pair.config(.push, continuous: continuous) {
                $0.pushFilter = { document, flags in
                    seen.change { $0.insert(document.id) }
                    #expect(flags.contains(.deleted) == (document.id == "doc3"))
                    #expect(document.collection == mine && document.sequence == 0 && document.revisionID != nil)
                    if flags.contains(.deleted) {
                        #expect(document.count == 0)
                    } else {
                        #expect(document.string(forKey: "species") == "Tiger")
                        #expect(document.blob(forKey: "photo")?.content == Data("content".utf8))
                    }
                    return document.id != "doc2"
                }
            })
        #expect(run.error == nil && Set(run.ids) == ["doc1", "doc3"])
        #expect(seen.value == ["doc1", "doc2", "doc3"])
        #expect(try pair.other.document(id: "doc1") != nil && pair.other.count == 1)
    }

    @Test(arguments: [false, true]) func aPullFilterSeesWhatHasCome(_ continuous: Bool) throws {
        // Into an empty database no deletions come.
        try pair.save("doc0", in: pair.mine)
        try fill(pair.other)
        let seen = Shared(Set<String>())
        let run = pair.run(
            pair.config(.pull, continuous: continuous) {
                $0.pullFilter = { document, flags in
                    seen.change { $0.insert(document.id) }
                    #expect(flags.contains(.deleted) == (document.id == "doc3"))
                    #expect(flags.contains(.deleted) ? document.count == 0 : document.blob(forKey: "photo")?.digest != nil)
                    return document.id != "doc2"
                }
            })
        // What is not let through is not told of.
        #expect(run.error == nil && Set(run.ids) == ["doc1", "doc3"])
        #expect(seen.value == ["doc1", "doc2", "doc3"])
        #expect(try pair.mine.document(id: "doc1") != nil && pair.mine.document(id: "doc2") == nil)
    }

    @Test(arguments: [false, true]) func accessThatIsLostGoesThroughTheFilter(_ continuous: Bool) throws {
        for id in ["kept", "lost"] { try pair.save(id, ["n": 1], in: pair.other) }
        let config = pair.config(.pull, continuous: continuous) {
            $0.pullFilter = { document, flags in !flags.contains(.accessRemoved) || document.id == "lost" }
        }
        pair.run(config)
        #expect(pair.mine.count == 2)
        for id in ["kept", "lost"] { try pair.save(id, ["_removed": true], in: pair.other) }
        let run = pair.run(config)
        #expect(run.error == nil && run.ids == ["lost"] && run.documents[0].flags == .accessRemoved)
        #expect(try pair.mine.document(id: "kept") != nil && pair.mine.document(id: "lost") == nil)
    }

    @Test func withoutAutoPurgeLostAccessIsOnlyTold() throws {
        try pair.save("doc", in: pair.other)
        var config = pair.config(.pull)
        config.enableAutoPurge = false
        pair.run(config)
        try pair.save("doc", ["_removed": true], in: pair.other)
        let run = pair.run(config)
        #expect(run.ids == ["doc"] && run.documents[0].flags == .accessRemoved && run.documents[0].error == nil)
        #expect(try pair.mine.document(id: "doc") != nil)
    }

    @Test func aFilteredChangeIsDoneForGood() throws {
        try pair.save("doc", in: pair.mine)
        let lets = Shared(false)
        let config = pair.config(.push) { $0.pushFilter = { _, _ in lets.value } }
        #expect(pair.run(config).ids == [])
        lets.change { $0 = true }
        #expect(pair.run(config).ids == [])
        try pair.save("doc", ["n": 2], in: pair.mine)
        #expect(pair.run(config).ids == ["doc"])
    }

    @Test func aDocumentInAFilterCannotBeChanged() async {
        await #expect(processExitsWith: .failure) {
            let pair = try Pair()
            try pair.save("doc", in: pair.mine)
            pair.run(pair.config(.push) { $0.pushFilter = { document, _ in document.toMutable().id == "doc" } })
        }
    }

    @Test func aFilterMayUseTheDatabase() throws {
        try pair.save("doc", in: pair.mine)
        try pair.save("allowed", ["id": "doc"], in: pair.mine)
        let mine = pair.mine
        let run = pair.run(
            pair.config(.push) {
                $0.pushFilter = { document, _ in
                    let allowed = try? mine.document(id: "allowed")
                    try? mine.save(document: MutableDocument(id: "seen-\(document.id)"))
                    return allowed?.string(forKey: "id") == document.id
                }
            })
        #expect(run.error == nil && run.ids == ["doc"])
        #expect(try pair.mine.document(id: "seen-doc") != nil)
    }
}
