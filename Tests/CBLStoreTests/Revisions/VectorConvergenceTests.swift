import CBLFleece
import CBLTestSupport
import FoundationEssentials
import Testing

@testable import CBLStore

/// One document in several databases that replicate with each other: whatever was edited, deleted and settled where, all come to have the same.
/// What the replication's machines do is said here in a few lines, without messages, so that many thousands of worlds can be gone through.
@Suite struct VectorConvergenceTests {
    private static let environment = ProcessInfo.processInfo.environment

    /// Those at the end are worlds in which versions came to beat each other in a ring.
    @Test func ringsComeToAgree() throws {
        let known: [UInt64] = [350, 503, 583, 838, 851, 1486, 5159, 6515, 7699, 15167, 16519, 18415]
        for seed in Array(0..<200) + known { try agree(seed, steps: 40) }
        for seed in [14498, 26563] as [UInt64] { try agree(seed, steps: 100) }
        for seed in 1000..<1100 as Range<UInt64> { try agree(seed, steps: 40, hasSlowClock: true) }
    }

    /// `CBLITE_SIMULATION_WORLDS=40000` goes through so many, beginning with `CBLITE_SIMULATION_SEED`.
    @Test(.enabled(if: environment["CBLITE_SIMULATION_WORLDS"] != nil)) func manyRingsComeToAgree() throws {
        let first = VectorConvergenceTests.environment["CBLITE_SIMULATION_SEED"].flatMap { UInt64($0) } ?? 1000
        let count = try #require(VectorConvergenceTests.environment["CBLITE_SIMULATION_WORLDS"].flatMap { UInt64($0) })
        for seed in first..<first + count { try agree(seed, steps: seed % 2 == 0 ? 40 : 100, hasSlowClock: seed % 5 == 0) }
    }

    private func agree(_ seed: UInt64, steps: Int, hasSlowClock: Bool = false) throws {
        var world = World(seed: seed, replicaCount: 2 + Int(seed % 3), hasChord: seed % 4 == 3, hasSlowClock: hasSlowClock)
        try world.run(steps: steps)
        try world.heal()
        let first = world.state(of: 0)
        for number in world.replicas.indices {
            #expect(world.state(of: number) == first, "seed \(seed), replica \(number)")
            #expect(!world.replicas[number].isConflicted, "seed \(seed), replica \(number)")
        }
    }
}

private struct World {
    /// Who asks whom, and by what number the one knows the other.
    private struct Route {
        let client: Int
        let server: Int
        let remote: UInt16
        /// Up to which change the one has heard of the other, and told it.
        var heard = 0
        var told = 0
    }

    struct State: Equatable {
        var revision: RevisionID
        var isDeleted: Bool
        var body: [UInt8]
    }

    private(set) var replicas: [VectorRevisions]
    private var clocks: [HybridClock]
    private let sources: [SourceID]
    private var routes: [Route]
    private var random: SeededRandom
    private var time: UInt64 = 0x18e9_d1d1_10c0_0000
    /// It is often asked before it moves on: versions of several databases have the same time.
    private let hasSlowClock: Bool
    private var ticks = 0
    private var editCount: UInt8 = 0
    /// How often each has changed.
    private var changes: [Int]

    init(seed: UInt64, replicaCount: Int, hasChord: Bool, hasSlowClock: Bool) {
        random = SeededRandom(seed)
        self.hasSlowClock = hasSlowClock
        replicas = Array(repeating: VectorRevisions(), count: replicaCount)
        clocks = Array(repeating: HybridClock(), count: replicaCount)
        sources = (1...replicaCount).map { number in SourceID(Array(repeating: UInt8(number), count: SourceID.byteCount)) ?? .local }
        for number in replicas.indices { replicas[number].source = sources[number] }
        changes = Array(repeating: 0, count: replicaCount)
        routes = (0..<replicaCount).map { Route(client: $0, server: ($0 + 1) % replicaCount, remote: 1) }
        if hasChord { routes.append(Route(client: 0, server: replicaCount - 1, remote: 2)) }
    }

    func state(of number: Int) -> State? {
        guard let current = replicas[number].current, let id = current.id else { return nil }
        return State(
            revision: global(id, number), isDeleted: current.isDeleted,
            body: (current.properties ?? .emptyDictionary).withRoot { Array($0.json().utf8) })
    }

    private func global(_ id: RevisionID, _ number: Int) -> RevisionID { replace(.local, sources[number], id) }
    private func local(_ id: RevisionID, _ number: Int) -> RevisionID { replace(sources[number], .local, id) }

    private func replace(_ source: SourceID, _ other: SourceID, _ id: RevisionID) -> RevisionID {
        guard let version = id.version, version.source == source else { return id }
        return RevisionID(Version(time: version.time, source: other))
    }

    private mutating func now() -> UInt64 {
        ticks += 1
        if !hasSlowClock || ticks.isMultiple(of: 12) { time += 0x10000 }
        return time
    }

    mutating func run(steps: Int) throws {
        try edit(0)
        for _ in 0..<steps {
            if random.below(3) == 0 { try edit(random.below(replicas.count)) } else { try replicate(random.below(routes.count)) }
        }
    }

    mutating func heal() throws {
        for _ in 0..<2 + 2 * routes.count {
            for number in routes.indices { try replicate(number, isWhole: true) }
        }
    }

    private mutating func edit(_ number: Int) throws {
        let current = replicas[number].current
        let deletes = random.below(4) == 0
        if deletes, current?.isDeleted ?? true { return }
        editCount += 1
        // Now and then two say the same.
        let properties: FleeceData = deletes ? .emptyDictionary : try body(random.below(4) == 0 ? 0 : editCount)
        _ = try replicas[number].addRevision(
            after: current?.id, properties: properties, flags: deletes ? .deleted : [], clock: &clocks[number], wallClock: now())
        try save(number)
    }

    private func body(_ number: UInt8) throws -> FleeceData {
        let encoder = FleeceEncoder()
        encoder.beginDictionary()
        encoder.writeKey("edit")
        encoder.write(Int64(number))
        encoder.endDictionary()
        return try encoder.finish()
    }

    private mutating func save(_ number: Int) throws {
        if try replicas[number].prepareSave().needsNewSequence { changes[number] += 1 }
        replicas[number].didSave()
    }

    /// One session: first what is in conflict, then both ways, or one of them only. Nobody speaks of what did not change.
    private mutating func replicate(_ number: Int, isWhole: Bool = false) throws {
        let route = routes[number]
        try settle(route.client)
        let choice = isWhole ? 0 : random.below(4)
        if choice != 1, changes[route.server] > route.heard {
            routes[number].heard = changes[route.server]
            try pull(route)
        }
        if choice != 2, changes[route.client] > route.told {
            let count = changes[route.client]
            if try push(route) { routes[number].told = count }
        }
    }

    private mutating func take(
        _ number: Int, from other: Int, remote: UInt16
    ) throws -> VectorRevisions.Received {
        guard let current = replicas[other].current else { return .ignored }
        let history = replicas[other].history.replacing(.local, by: sources[other]).replacing(sources[number], by: .local)
        let received = try replicas[number].insert(
            history: history, properties: current.properties ?? .emptyDictionary, flags: current.flags, remote: remote,
            clock: &clocks[number], wallClock: now())
        try save(number)
        return received
    }

    private mutating func pull(_ route: Route) throws {
        guard let id = replicas[route.server].current?.id else { return }
        let announced = local(global(id, route.server), route.client)
        switch replicas[route.client].acquaintance(with: announced, remote: route.remote) {
        case .known(isNoted: true): break
        case .known(isNoted: false):
            if announced == replicas[route.client].current?.id {
                _ = try replicas[route.client].markPushed(announced, toRemote: route.remote)
            } else {
                try replicas[route.client].noteLatest(announced, onRemote: route.remote)
            }
            try save(route.client)
        case .unknown:
            _ = try take(route.client, from: route.server, remote: route.remote)
            try settle(route.client)
        }
    }

    /// Whether nothing is left to be told.
    private mutating func push(_ route: Route) throws -> Bool {
        let mark = replicas[route.client].latest(onRemote: route.remote)
        guard let id = replicas[route.client].current?.id, mark?.id != id, mark?.isConflicted != true else { return true }
        var parent = mark?.id.map { global($0, route.client) }
        for _ in 0..<2 {
            let proposed = local(global(id, route.client), route.server)
            switch replicas[route.server].verdict(on: proposed, parent: parent.map { local($0, route.server) }) {
            case .known:
                _ = try replicas[route.client].markPushed(id, toRemote: route.remote)
                return true
            case .wanted:
                do {
                    _ = try take(route.server, from: route.client, remote: 0)
                    _ = try replicas[route.client].markPushed(id, toRemote: route.remote)
                    return true
                } catch RevisionError.conflict {
                    // The pull brings what is in the way.
                    return false
                }
            case .conflict(let theirs):
                let theirs = global(theirs, route.server)
                guard theirs != parent, replicas[route.client].knows(local(theirs, route.client)) else { return false }
                parent = theirs
            }
        }
        return false
    }

    /// By the default rule: a deletion wins, then the later time. A new version is made of an own deletion that is not the later one.
    private mutating func settle(_ number: Int) throws {
        while let ours = replicas[number].current, let theirs = replicas[number].conflicts.first, let mine = ours.id, let other = theirs.id
        {
            guard let myVersion = global(mine, number).version, let theirVersion = global(other, number).version else { return }
            let isLater = myVersion.isLater(than: theirVersion)
            let localWins = ours.isDeleted != theirs.isDeleted ? ours.isDeleted : isLater
            let merged = localWins && !isLater ? VectorRevisions.Merged(properties: .emptyDictionary, flags: .deleted) : nil
            let keepsOurs = localWins && isLater
            try replicas[number].resolveConflict(
                winner: keepsOurs ? mine : other, loser: keepsOurs ? other : mine, merged: merged, clock: &clocks[number], wallClock: now())
            try save(number)
        }
    }
}
