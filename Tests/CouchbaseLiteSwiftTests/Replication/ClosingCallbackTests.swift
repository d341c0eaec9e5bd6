import CBLBase
import CouchbaseLiteSwift
import Testing

/// Filters and resolvers that close the database that they are asked about: the replicator waits for them, and closing for the replicator.
@Suite(.timeLimit(.minutes(5))) struct ClosingCallbackTests {
    enum Callback: CaseIterable { case pushFilter, pullFilter, resolver }

    let pair: Pair

    init() throws { pair = try Pair() }

    @Test(arguments: Callback.allCases, [false, true]) func closingInACallbackEndsTheReplicator(_ callback: Callback, _ closesTheirs: Bool)
        throws
    {
        if callback == .resolver {
            try pair.conflict(["n": 1], ["n": 2])
        } else {
            for number in 0..<200 {
                try pair.save("mine-\(number)", in: pair.mine)
                try pair.save("theirs-\(number)", in: pair.other)
            }
        }
        let database = closesTheirs ? pair.theirs : pair.ours
        let closed = Told<Int?>()
        let close: @Sendable () -> Void = { closed.add(code { try database.close() }) }
        let config = pair.config(continuous: true) { collection in
            switch callback {
            case .pushFilter:
                collection.pushFilter = { _, _ in
                    close()
                    return true
                }
            case .pullFilter:
                collection.pullFilter = { _, _ in
                    close()
                    return true
                }
            case .resolver:
                collection.conflictResolver = Resolver { conflict in
                    close()
                    return conflict.localDocument
                }
            }
        }
        let replicator = Replicator(config: config)
        let statuses = Told<Replicator.ActivityLevel>()
        replicator.addChangeListener(withQueue: statuses.queue) { statuses.add($0.status.activity) }
        replicator.start()
        #expect(statuses.wait { $0.last == .stopped })
        #expect(replicator.status.error == nil)
        #expect(closed.all.first == .some(nil))
        #expect(database.path == nil)
        // The files are whole, and can be opened by whoever wants them.
        let again = try pair.folder.open(database.name)
        try again.performMaintenance(type: .integrityCheck)
        try again.close()
    }

    @Test func severalMayCloseAtTheSameTime() throws {
        for number in 0..<50 { try pair.save("mine-\(number)", in: pair.mine) }
        let (ours, folder) = (pair.ours, pair.folder)
        let replicators = try (0..<4).map { number in
            let target = try folder.open("target-\(number)")
            return Replicator(
                config: pair.config(.push, continuous: true, to: DatabaseEndpoint(database: target)) { collection in
                    collection.pushFilter = { _, _ in
                        try? ours.close()
                        return true
                    }
                })
        }
        for replicator in replicators where ours.path != nil { replicator.start() }
        let thread = WorkerThread { try? ours.close() }
        thread.join()
        for replicator in replicators {
            for _ in 0..<20_000 where replicator.status.activity != .stopped { usleep(1000) }
            #expect(replicator.status.activity == .stopped)
        }
        #expect(ours.path == nil)
    }
}
