import CouchbaseLiteSwift
import Testing

@Suite struct PendingDocumentTests {
    let pair: Pair

    init() throws { pair = try Pair() }

    private func pending(_ replicator: Replicator) throws -> Set<String> {
        let ids = try replicator.pendingDocumentIds(collection: pair.mine)
        for number in 0..<5 {
            #expect(try replicator.isDocumentPending("doc-\(number)", collection: pair.mine) == ids.contains("doc-\(number)"))
        }
        return ids
    }

    @Test func whatWasNotPushedIsPending() throws {
        for number in 0..<5 { try pair.save("doc-\(number)", in: pair.mine) }
        let replicator = Replicator(config: pair.config(.push))
        #expect(try pending(replicator) == Set((0..<5).map { "doc-\($0)" }))
        #expect(Replication(replicator).error == nil)
        #expect(try pending(replicator).isEmpty)
        try pair.save("doc-1", ["n": 2], in: pair.mine)
        try pair.mine.delete(document: try #require(try pair.mine.document(id: "doc-2")))
        try pair.save("doc-3", ["n": 2], in: pair.mine)
        try pair.mine.purge(id: "doc-3")
        #expect(try pending(replicator) == ["doc-1", "doc-2"])
        #expect(try !replicator.isDocumentPending("none", collection: pair.mine))
        #expect(Set(Replication(replicator).ids) == ["doc-1", "doc-2"])
        #expect(try pending(replicator).isEmpty)
    }

    @Test func whatCameIsNotPending() throws {
        for number in 0..<5 { try pair.save("doc-\(number)", in: pair.other) }
        let replicator = Replicator(config: pair.config())
        _ = Replication(replicator)
        #expect(try pending(replicator).isEmpty)
    }

    @Test func filtersAndDocumentIDsCount() throws {
        for number in 0..<5 { try pair.save("doc-\(number)", ["n": number], in: pair.mine) }
        let filtered = Replicator(config: pair.config(.push) { $0.pushFilter = { document, _ in document.int(forKey: "n") > 2 } })
        #expect(try pending(filtered) == ["doc-3", "doc-4"])
        _ = Replication(filtered)
        #expect(try pending(filtered).isEmpty)
        #expect(try pending(Replicator(config: pair.config(.push) { $0.documentIDs = ["doc-1", "x"] })) == ["doc-1"])
    }

    @Test func itIsAskedOfReplicatorsThatPushTheCollection() throws {
        let elsewhere = try pair.ours.createCollection(name: "elsewhere")
        let (push, pull) = (Replicator(config: pair.config(.push)), Replicator(config: pair.config(.pull)))
        #expect(code { _ = try pull.pendingDocumentIds(collection: pair.mine) } == CBLError.unsupported)
        #expect(code { _ = try pull.isDocumentPending("doc", collection: pair.mine) } == CBLError.unsupported)
        #expect(code { _ = try push.pendingDocumentIds(collection: elsewhere) } == CBLError.invalidParameter)
        #expect(code { _ = try push.pendingDocumentIds(collection: pair.other) } == CBLError.invalidParameter)
        try pair.ours.close()
        #expect(code { _ = try push.pendingDocumentIds(collection: pair.mine) } == CBLError.notOpen)
    }

    @Test func aServerNeedNotBeThere() throws {
        try pair.save("doc-1", in: pair.mine)
        let replicator = Replicator(config: pair.config(.push, to: URLEndpoint(url: try #require(URL(string: "ws://127.0.0.1:1/db")))))
        #expect(try pending(replicator) == ["doc-1"])
    }
}
