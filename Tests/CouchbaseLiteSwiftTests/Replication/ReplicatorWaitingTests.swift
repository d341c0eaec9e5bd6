import CouchbaseLiteSwift
import Testing

@Suite(.timeLimit(.minutes(5))) struct ReplicatorWaitingTests {
    let pair: Pair

    init() throws { pair = try Pair() }

    @Test func itIsWaitedForUntilItHasNothingToDoAndUntilItHasStopped() async throws {
        for number in 0..<100 { try pair.save("doc-\(number)", in: pair.mine) }
        let replicator = Replicator(config: pair.config(.push, continuous: true))
        // It was never started.
        #expect(try await replicator.async.untilStopped().activity == .stopped)
        #expect(try await replicator.async.pendingDocumentIds(collection: pair.mine).count == 100)
        replicator.start()
        #expect(try await replicator.async.untilIdle().activity == .idle)
        #expect(pair.other.count == 100)
        #expect(try await !replicator.async.isDocumentPending("doc-1", collection: pair.mine))
        let waiting = Task { try await replicator.async.untilStopped() }
        #expect(await replicator.async.stop().activity == .stopped)
        #expect(try await waiting.value.activity == .stopped)
        #expect(await replicator.async.stop().activity == .stopped)
    }

    @Test func whatItStopsWithIsThrown() async throws {
        var config = pair.config(to: URLEndpoint(url: try #require(URL(string: "ws://127.0.0.1:4083/nothing"))))
        config.maxAttempts = 1
        let replicator = Replicator(config: config)
        replicator.start()
        await #expect { try await replicator.async.untilIdle() } throws: { ($0 as NSError).code == Int(ECONNREFUSED) }
        await #expect { try await replicator.async.untilStopped() } throws: { ($0 as NSError).code == Int(ECONNREFUSED) }
        #expect(await replicator.async.stop().error != nil)
    }

    @Test func cancellingEndsTheWaitingAlone() async throws {
        let replicator = Replicator(
            config: pair.config(continuous: true, to: URLEndpoint(url: URL(string: "ws://127.0.0.1:4083/nothing")!)))
        replicator.start()
        let waiting = Task { try await replicator.async.untilIdle() }
        while replicator.status.activity != .offline { try await Task.sleep(for: .milliseconds(5)) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(replicator.status.activity != .stopped)
        // To stop is not given up.
        let stopping = Task { await replicator.async.stop() }
        stopping.cancel()
        #expect(await stopping.value.activity == .stopped)
    }
}
