import CBLBase
import CouchbaseLiteSwift
import Testing

/// When replicators begin, end, and give up.
@Suite struct ReplicatorLifeTests {
    let pair: Pair
    /// Nobody listens there.
    let nowhere = URLEndpoint(url: URL(string: "ws://127.0.0.1:4083/nothing")!)

    init() throws { pair = try Pair() }

    @Test(arguments: [false, true]) func aRefusedConnectionIsTriedAgainAsOftenAsWanted(_ continuous: Bool) throws {
        var config = pair.config(continuous: continuous, to: nowhere)
        config.maxAttempts = 1
        var run = pair.run(config)
        #expect(run.activities == [.connecting, .stopped])
        #expect(run.error?.domain == NSPOSIXErrorDomain && run.error?.code == Int(ECONNREFUSED))
        config.maxAttempts = 2
        run = pair.run(config)
        #expect(run.activities == [.connecting, .offline, .connecting, .stopped])
        let waiting = run.statuses[1].error as NSError?
        #expect(waiting?.domain == NSPOSIXErrorDomain && waiting?.code == Int(ECONNREFUSED))
        #expect(run.error?.code == Int(ECONNREFUSED))
    }

    @Test func theLongestPauseHolds() throws {
        var config = pair.config(to: nowhere)
        config.maxAttempts = 3
        config.maxAttemptWaitTime = 1
        let start = Date()
        #expect(pair.run(config).activities.filter { $0 == .offline }.count == 2)
        #expect((2..<6).contains(Date().timeIntervalSince(start)))
    }

    @Test func whatIsOfflineCanBeStopped() throws {
        let replicator = Replicator(config: pair.config(continuous: true, to: nowhere))
        let statuses = Told<Replicator.ActivityLevel>()
        replicator.addChangeListener(withQueue: statuses.queue) { statuses.add($0.status.activity) }
        replicator.start()
        #expect(statuses.wait { $0.last == .offline })
        replicator.stop()
        #expect(statuses.wait { $0.last == .stopped } && replicator.status.error == nil)
    }

    @Test func aHostThatNobodyKnowsEndsAOneShot() throws {
        let url = try #require(URL(string: "ws://no-such-host.invalid/db"))
        let error = pair.run(pair.config(to: URLEndpoint(url: url))).error
        #expect(error?.domain == CBLError.domain && [CBLError.unknownHost, CBLError.dnsFailure].contains(error?.code))
    }

    @Test func anInterfaceThatIsNotThereIsSaidSo() throws {
        var config = pair.config(to: nowhere)
        config.networkInterface = "no-such-interface"
        #expect(pair.run(config).error?.code == CBLError.unknownInterface)
    }

    @Test(arguments: [false, true]) func closingEitherDatabaseStopsAndWaits(_ closesTheirs: Bool) throws {
        try pair.ours.inBatch { for number in 0..<3000 { try pair.save("doc-\(number)", in: pair.mine) } }
        let replicator = Replicator(config: pair.config(continuous: true))
        let documents = Told<Int>()
        replicator.addDocumentReplicationListener(withQueue: documents.queue) { documents.add($0.documents.count) }
        replicator.start()
        #expect(documents.wait { !$0.isEmpty })
        try (closesTheirs ? pair.theirs : pair.ours).close()
        #expect(replicator.status.activity == .stopped && replicator.status.error == nil)
    }

    @Test func closingStopsWhatIsOffline() throws {
        let replicator = Replicator(config: pair.config(continuous: true, to: nowhere))
        replicator.start()
        try pair.ours.close()
        #expect(replicator.status.activity == .stopped)
    }

    @Test func deletingADatabaseStopsItsReplicators() throws {
        let replicator = Replicator(config: pair.config(continuous: true))
        replicator.start()
        try pair.ours.delete()
        #expect(replicator.status.activity == .stopped)
    }

    @Test func aReplicatorThatRunsNeedsNoOwner() throws {
        try pair.save("doc", in: pair.mine)
        let told = Told<Replicator.ActivityLevel>()
        weak var weak: Replicator?
        do {
            let replicator = Replicator(config: pair.config(.push))
            weak = replicator
            replicator.addChangeListener(withQueue: told.queue) { told.add($0.status.activity) }
            replicator.start()
        }
        #expect(told.wait { $0.last == .stopped } && pair.other.count == 1)
        // And is gone then.
        for _ in 0..<1000 where weak != nil { usleep(1000) }
        #expect(weak == nil)
    }

    @Test func aBatchIsNoPlaceToStart() throws {
        let replicator = Replicator(config: pair.config())
        let statuses = Told<Replicator.Status>()
        replicator.addChangeListener(withQueue: statuses.queue) { statuses.add($0.status) }
        try pair.ours.inBatch { replicator.start() }
        #expect(statuses.wait { $0.last?.activity == .stopped })
        #expect((replicator.status.error as NSError?)?.code == CBLError.transactionNotClosed)
        #expect(Replication(replicator).error == nil)
    }

    @Test func aPeerThatIsClosedIsNotOpen() throws {
        try pair.theirs.close()
        #expect(pair.run(pair.config()).error?.code == CBLError.notOpen)
    }

    @Test func mistakesOfTheProgramEndIt() async {
        await #expect(processExitsWith: .failure) {
            let pair = try Pair()
            let replicator = Replicator(config: pair.config())
            try pair.ours.close()
            replicator.start()
        }
        await #expect(processExitsWith: .failure) {
            let pair = try Pair()
            _ = ReplicatorConfiguration(
                collections: CollectionConfiguration.fromCollections([pair.mine, pair.other]),
                target: DatabaseEndpoint(database: pair.theirs))
        }
        await #expect(processExitsWith: .failure) {
            let pair = try Pair()
            _ = ReplicatorConfiguration(collections: [], target: DatabaseEndpoint(database: pair.theirs))
        }
        await #expect(processExitsWith: .failure) { _ = CollectionConfiguration.fromCollections([]) }
        await #expect(processExitsWith: .failure) { _ = URLEndpoint(url: URL(string: "http://host/db")!) }
        await #expect(processExitsWith: .failure) { _ = URLEndpoint(url: URL(string: "ws://ann:secret@host/db")!) }
        await #expect(processExitsWith: .failure) {
            let pair = try Pair()
            var config = pair.config()
            config.heartbeat = -1
        }
        await #expect(processExitsWith: .failure) {
            let pair = try Pair()
            var config = pair.config()
            config.maxAttemptWaitTime = -.infinity
        }
        await #expect(processExitsWith: .failure) {
            struct Own: Endpoint {}
            let pair = try Pair()
            Replicator(config: pair.config(to: Own())).start()
        }
    }

    @Test func manyThreadsStartAndStop() throws {
        for number in 0..<50 { try pair.save("doc-\(number)", in: pair.mine) }
        let replicator = Replicator(config: pair.config(continuous: true))
        let threads = (0..<4).map { number in
            WorkerThread {
                for _ in 0..<25 {
                    if number % 2 == 0 { replicator.start() } else { replicator.stop() }
                    _ = replicator.status
                    usleep(2000)
                }
            }
        }
        for thread in threads { thread.join() }
        try pair.ours.close()
        #expect(replicator.status.activity == .stopped)
    }
}
