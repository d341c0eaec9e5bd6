import CouchbaseLiteSwift
import Testing

/// Replicators between two databases of this process.
@Suite struct LocalReplicationTests {
    let pair: Pair

    init() throws { pair = try Pair() }

    @Test(arguments: [false, true]) func documentsGoBothWays(_ continuous: Bool) throws {
        for number in 0..<300 { try pair.save("mine-\(number)", ["n": number], in: pair.mine) }
        try pair.save("theirs", ["photo": Blob(contentType: "text/plain", data: Data("content".utf8))], in: pair.other)
        let run = pair.run(pair.config(continuous: continuous))
        #expect(run.error == nil && run.activities.first == .connecting && run.activities.last == .stopped)
        #expect(run.activities.contains(.busy) && !run.activities.contains(.offline))
        #expect(run.activities.contains(.idle) || !continuous)
        #expect(pair.mine.count == 301 && pair.other.count == 301)
        #expect(try pair.mine.document(id: "theirs")?.blob(forKey: "photo")?.content == Data("content".utf8))
        #expect(run.documents(isPush: true).count == 300 && run.documents(isPush: false).map(\.id) == ["theirs"])
        #expect(run.documents.allSatisfy { $0.error == nil && $0.flags == [] && $0.scope == "_default" && $0.collection == "_default" })
        #expect(run.statuses.last.map { $0.progress.completed == $0.progress.total && $0.progress.total > 0 } == true)
        #expect(pair.run(pair.config(continuous: continuous)).documents.isEmpty)
    }

    @Test(arguments: [ReplicatorType.push, .pull]) func aDirectionAloneIsPossible(_ type: ReplicatorType) throws {
        try pair.save("mine", in: pair.mine)
        try pair.save("theirs", in: pair.other)
        let run = pair.run(pair.config(type))
        #expect(run.error == nil && run.ids == [type == .push ? "mine" : "theirs"])
        #expect(pair.mine.count == (type == .push ? 1 : 2) && pair.other.count == (type == .push ? 2 : 1))
    }

    @Test func aContinuousReplicatorGoesOnUntilItIsStopped() throws {
        let replicator = Replicator(config: pair.config(continuous: true))
        let statuses = Told<Replicator.Status>()
        let documents = Told<String>()
        replicator.addChangeListener(withQueue: statuses.queue) { statuses.add($0.status) }
        replicator.addDocumentReplicationListener(withQueue: documents.queue) { $0.documents.forEach { documents.add($0.id) } }
        replicator.start()
        #expect(statuses.wait { $0.last?.activity == .idle })
        try pair.save("a", in: pair.mine)
        try pair.save("b", in: pair.other)
        #expect(documents.wait { Set($0) == ["a", "b"] })
        try pair.mine.delete(document: try #require(try pair.mine.document(id: "b")))
        #expect(documents.wait { $0.count == 3 })
        #expect(try pair.other.document(id: "b") == nil)
        replicator.start()
        replicator.stop()
        replicator.stop()
        #expect(statuses.wait { $0.last?.activity == .stopped })
        #expect(replicator.status.activity == .stopped && replicator.status.error == nil)
        replicator.stop()
        #expect(replicator.status.activity == .stopped)
    }

    @Test func aReplicatorThatHasStoppedCanBeStartedAgain() throws {
        let replicator = Replicator(config: pair.config(.push))
        #expect(replicator.status.activity == .stopped && replicator.status.progress.total == 0)
        for number in 0..<3 {
            try pair.save("doc-\(number)", in: pair.mine)
            #expect(Replication(replicator).ids == ["doc-\(number)"])
        }
        #expect(pair.other.count == 3)
    }

    @Test(arguments: [false, true]) func aResetBringsBackWhatWasPurged(_ continuous: Bool) throws {
        for id in ["a", "b"] { try pair.save(id, in: pair.other) }
        let config = pair.config(.pull, continuous: continuous)
        pair.run(config)
        for id in ["a", "b"] { try pair.mine.purge(id: id) }
        pair.run(config)
        #expect(pair.mine.count == 0)
        #expect(pair.run(config, reset: true).error == nil)
        #expect(pair.mine.count == 2)
    }

    @Test func eachCollectionHasAConfigurationOfItsOwn() throws {
        var configurations: [CollectionConfiguration] = []
        for name in ["flowers", "trees"] {
            let collection = try pair.ours.createCollection(name: name, scope: "garden")
            _ = try pair.theirs.createCollection(name: name, scope: "garden")
            for number in 0..<10 { try pair.save("doc-\(number)", ["n": number], in: collection) }
            var configuration = CollectionConfiguration(collection: collection)
            if name == "flowers" { configuration.documentIDs = ["doc-1", "doc-2"] }
            if name == "trees" {
                configuration.pushFilter = { document, _ in document.int(forKey: "n") < 5 && document.collection == collection }
            }
            configurations.append(configuration)
        }
        let run = pair.run(ReplicatorConfiguration(collections: configurations, target: DatabaseEndpoint(database: pair.theirs)))
        #expect(run.error == nil && run.documents.count == 7)
        #expect(run.documents.allSatisfy { $0.scope == "garden" })
        #expect(run.documents.filter { $0.collection == "flowers" }.map(\.id) == ["doc-1", "doc-2"])
        #expect(try pair.theirs.collection(name: "flowers", scope: "garden")?.count == 2)
        #expect(try pair.theirs.collection(name: "trees", scope: "garden")?.count == 5)
    }

    @Test func documentIDsLimitThePullToo() throws {
        for number in 0..<5 { try pair.save("doc-\(number)", in: pair.other) }
        #expect(pair.run(pair.config(.pull) { $0.documentIDs = ["doc-3", "none"] }).ids == ["doc-3"])
        #expect(pair.mine.count == 1)
    }

    @Test func aCollectionThatThePeerDoesNotHaveIsNotFound() throws {
        let collection = try pair.ours.createCollection(name: "nobodys")
        let config = ReplicatorConfiguration(
            collections: CollectionConfiguration.fromCollections([collection]), target: DatabaseEndpoint(database: pair.theirs))
        let error = pair.run(config).error
        #expect(error?.domain == CBLError.domain && error?.code == CBLError.httpNotFound)
    }

    @Test func aCollectionThatWasDeletedIsNotOpen() throws {
        let collection = try pair.ours.createCollection(name: "gone")
        let config = ReplicatorConfiguration(
            collections: CollectionConfiguration.fromCollections([collection]), target: DatabaseEndpoint(database: pair.theirs))
        try pair.ours.deleteCollection(name: "gone")
        #expect(pair.run(config).error?.code == CBLError.notOpen)
    }

    @Test func deletionsAreToldOfAsSuch() throws {
        try pair.save("doc", in: pair.mine)
        try pair.mine.delete(document: try #require(try pair.mine.document(id: "doc")))
        let run = pair.run(pair.config(.push))
        #expect(run.ids == ["doc"] && run.documents[0].flags == .deleted && run.documents[0].error == nil)
    }

    @Test func aPushReportsConflictsAndLeavesThem() throws {
        try pair.save("doc", ["by": "us"], in: pair.mine)
        try pair.save("doc", ["by": "them"], in: pair.other)
        let run = pair.run(pair.config(.push))
        #expect(run.error == nil && run.ids == ["doc"])
        let error = run.documents.first?.error as NSError?
        #expect(error?.domain == CBLError.domain && error?.code == CBLError.httpConflict)
        #expect(try pair.other.document(id: "doc")?.string(forKey: "by") == "them")
    }

    @Test func aListenerThatWasRemovedHearsNothing() throws {
        try pair.save("doc", in: pair.mine)
        let replicator = Replicator(config: pair.config(.push))
        let told = Told<Int>()
        replicator.addDocumentReplicationListener(withQueue: told.queue) { _ in told.add(1) }.remove()
        let token = replicator.addChangeListener(withQueue: told.queue) { _ in told.add(2) }
        token.remove()
        token.remove()
        #expect(Replication(replicator).ids == ["doc"])
        #expect(told.all.isEmpty)
    }

    @Test func theConnectionHasAName() throws {
        let replicator = Replicator(config: pair.config())
        #expect(replicator.correlationID == nil && replicator.serverCertificate == nil)
        _ = Replication(replicator)
        #expect(replicator.correlationID?.isEmpty == false && replicator.serverCertificate == nil)
    }

    @Test func progressIsToldNowAndThenAndTheLastWordIsTrue() throws {
        try pair.ours.inBatch { for number in 0..<5000 { try pair.save("doc-\(number)", ["n": number], in: pair.mine) } }
        let run = pair.run(pair.config(.push))
        #expect(run.documents.count == 5000 && run.replications.count < 500 && run.statuses.count < 200)
        let completed = run.statuses.map(\.progress.completed)
        #expect(completed == completed.sorted())
        #expect(pair.other.count == 5000)
    }
}
