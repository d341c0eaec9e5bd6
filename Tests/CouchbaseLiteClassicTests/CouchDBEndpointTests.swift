import CBLListener
import CBLTestSupport
import CouchbaseLiteClassic
import Foundation
import Testing

/// Replications with a server that speaks CouchDB's protocol: a listener of ours, in this process.
@Suite struct CouchDBEndpointTests {
    private final class Server: Sendable {
        let listener: SyncListener
        private nonisolated(unsafe) let directory: TemporaryDirectory

        init() throws {
            directory = try TemporaryDirectory()
            var settings = ListenerSettings()
            settings.rest = RESTService.Settings()
            listener = try SyncListener(ServedDatabases(directory: directory.path), settings) { _ in }
        }

        deinit { listener.stop {} }

        func endpoint(_ name: String = "db") throws -> CouchDBEndpoint {
            var endpoint = CouchDBEndpoint(url: try #require(URL(string: "http://127.0.0.1:\(listener.port)/\(name)")))
            endpoint.createsDatabase = true
            return endpoint
        }
    }

    private let server: Server

    init() throws { server = try Server() }

    @Test func bothWaysWithBranches() throws {
        let (here, there) = (try TemporaryDatabase(keepingFormat: true), try TemporaryDatabase(keepingFormat: true))
        let endpoint = try server.endpoint()
        try here.save("a", ["n": 1])
        try replicate(CollectionConfiguration(collection: here.collection), with: endpoint, .push)
        #expect(try replicate(CollectionConfiguration(collection: there.collection), with: endpoint, .pull).map(\.id) == ["a"])
        try here.save("a", ["n": "here"])
        try there.save("a", ["n": "there"])
        for _ in 0..<2 {
            for side in [here, there] { try replicate(CollectionConfiguration(collection: side.collection), with: endpoint, .pushAndPull) }
        }
        for side in [here, there] {
            let leaves = try side.collection.leafRevisions(ofDocument: "a")
            #expect(Set(leaves.compactMap { $0.document?.string(forKey: "n") }) == ["here", "there"])
        }
        #expect(try here.collection.document(id: "a")?.revisionID == there.collection.document(id: "a")?.revisionID)
    }

    @Test func blobsGoAlong() throws {
        let (here, there) = (try TemporaryDatabase(keepingFormat: true), try TemporaryDatabase())
        let document = MutableDocument(id: "a")
        document.setBlob(Blob(contentType: "text/plain", data: Data("a text that is long enough to be sent".utf8)), forKey: "text")
        try here.collection.save(document: document)
        try replicate(CollectionConfiguration(collection: here.collection), with: server.endpoint(), .push)
        // A database with version vectors can pull, too.
        try replicate(CollectionConfiguration(collection: there.collection), with: server.endpoint(), .pull)
        let text = try there.collection.document(id: "a")?.blob(forKey: "text")?.content
        #expect(text == Data("a text that is long enough to be sent".utf8))
    }

    @Test func whatIsPendingIsKnown() throws {
        let scene = try TemporaryDatabase(keepingFormat: true)
        try scene.save("a", ["n": 1])
        var config = ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: scene.collection)], target: try server.endpoint("pending"))
        config.replicatorType = .push
        let replicator = Replicator(config: config)
        #expect(try replicator.pendingDocumentIds(collection: scene.collection) == ["a"])
        try replicate(CollectionConfiguration(collection: scene.collection), with: server.endpoint("pending"), .push)
        #expect(try replicator.pendingDocumentIds(collection: scene.collection).isEmpty)
        try scene.save("b", [:])
        #expect(try replicator.isDocumentPending("b", collection: scene.collection))
        #expect(try !replicator.isDocumentPending("a", collection: scene.collection))
    }

    @Test func aFilterOfTheServer() throws {
        let (here, there) = (try TemporaryDatabase(keepingFormat: true), try TemporaryDatabase(keepingFormat: true))
        for number in 0..<4 { try here.save("d\(number)", ["n": number]) }
        try replicate(CollectionConfiguration(collection: here.collection), with: server.endpoint("f"), .push)
        var endpoint = try server.endpoint("f")
        endpoint.filter = "_doc_ids"
        endpoint.filterParameters = ["doc_ids": #"["d1"]"#]
        #expect(try replicate(CollectionConfiguration(collection: there.collection), with: endpoint, .pull).map(\.id) == ["d1"])
    }
}
