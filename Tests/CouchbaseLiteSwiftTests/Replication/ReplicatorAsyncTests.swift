import CouchbaseLiteSwift
import Testing

@Suite struct ReplicatorAsyncTests {
    let pair: Pair

    init() throws { pair = try Pair() }

    @Test func aOneShotIsWaitedForUntilItHasStopped() async throws {
        try pair.save("doc", in: pair.mine)
        let replicator = Replicator(config: pair.config())
        #expect(try await replicator.replicate().activity == .stopped)
        #expect(pair.other.count == 1)
        try pair.save("doc-2", in: pair.mine)
        #expect(try await replicator.replicate(reset: true).activity == .stopped)
        #expect(pair.other.count == 2)
    }

    @Test func aContinuousOneIsWaitedForUntilItHasCaughtUp() async throws {
        try pair.save("doc", in: pair.mine)
        let replicator = Replicator(config: pair.config(continuous: true))
        #expect(try await replicator.replicate().activity == .idle)
        #expect(pair.other.count == 1)
        // It runs already, and there is nothing to wait for.
        #expect(try await replicator.replicate().activity == .idle)
        try pair.ours.close()
    }

    @Test func whatItStopsWithIsThrown() async throws {
        var config = pair.config(to: URLEndpoint(url: try #require(URL(string: "ws://127.0.0.1:4083/nothing"))))
        config.maxAttempts = 1
        let replicator = Replicator(config: config)
        do {
            try await replicator.replicate()
            Issue.record("nobody listens there")
        } catch let error as NSError {
            #expect(error.domain == NSPOSIXErrorDomain && error.code == Int(ECONNREFUSED))
        }
    }

    @Test func cancellingStopsIt() async throws {
        let replicator = Replicator(
            config: pair.config(continuous: true, to: URLEndpoint(url: URL(string: "ws://127.0.0.1:4083/nothing")!)))
        let waiting = Task { try await replicator.replicate() }
        while replicator.status.activity != .offline { try await Task.sleep(for: .milliseconds(5)) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(replicator.status.activity == .stopped)
    }

    @Test func changesCanBeIterated() async throws {
        for number in 0..<3 { try pair.save("doc-\(number)", in: pair.mine) }
        let replicator = Replicator(config: pair.config(.push))
        var changes = replicator.changes().makeAsyncIterator()
        var documents = replicator.documentReplications().makeAsyncIterator()
        replicator.start()
        var activities: [Replicator.ActivityLevel] = []
        while activities.last != .stopped, let change = await changes.next() { activities.append(change.status.activity) }
        #expect(activities.first == .connecting && activities.contains(.busy))
        var ids: [String] = []
        while ids.count < 3, let replication = await documents.next() { ids += replication.documents.map(\.id) }
        #expect(ids == ["doc-0", "doc-1", "doc-2"])
    }
}
