import CBLStore
import CBLTestSupport
import FoundationEssentials
import Testing

/// What a disk may hold when the power goes, at any time of a workload.
///
///     CBLITE_POWER_ROUNDS=50 swift test --filter PowerLossTests        fifty times as many states
///     CBLITE_POWER_SEED=7 swift test --filter PowerLossTests           others
extension ReliabilityTests {
    struct PowerLossTests {
        private static let rounds = ProcessInfo.processInfo.environment["CBLITE_POWER_ROUNDS"].flatMap(Int.init) ?? 1
        private static let seed = ProcessInfo.processInfo.environment["CBLITE_POWER_SEED"].flatMap(UInt64.init) ?? 1
        private static let statesPerRound = 20

        @Test(arguments: Workload.all) func nothingIsDamaged(_ workload: Workload) async throws {
            let directory = try TemporaryDirectory(inMemory: true)
            let place = Workload.Place(folder: directory.path, durability: workload.durability)
            try workload.prepare(place)
            let watch = try DiskWatch(directory.path)
            do { try await workload.run(place, Acknowledged(watch)) } catch {
                _ = watch.end()
                throw error
            }
            let record = watch.end()
            let tried = try await Examination(workload, record, seed: Self.seed).run(states: Self.statesPerRound * Self.rounds)
            print("\(workload.testDescription): \(record.actions.count) actions, \(tried) states")
        }
    }
}

/// Steps that are acknowledged when they return.
private struct Acknowledged: Workload.Steps {
    private let watch: DiskWatch
    init(_ watch: DiskWatch) { self.watch = watch }

    func step<Result>(_ work: () throws -> Result) throws -> Result {
        let result = try work()
        watch.acknowledge()
        return result
    }

    func step<Result>(_ work: () async throws -> Result) async throws -> Result {
        let result = try await work()
        watch.acknowledge()
        return result
    }

    func within<Result>(_ work: () throws -> Result) throws -> Result { try work() }
}

/// Looks at states of a record, each as a database that is opened when the power is back.
final class Examination {
    private let workload: Workload
    private let record: DiskRecord
    private let seed: UInt64
    /// What a disk that loses nothing holds, by the places in the record.
    private var whole: [Int: [Look]] = [:]
    private var known: [Int: [Look]] = [:]
    private var failures = 0

    init(_ workload: Workload, _ record: DiskRecord, seed: UInt64) {
        (self.workload, self.record, self.seed) = (workload, record, seed)
    }

    /// Gives the number of different states that were looked at.
    func run(states limit: Int) async throws -> Int {
        var random = SeededRandom(seed)
        let points = (1...record.actions.count).filter { $0 == record.actions.count || record.actions[$0].isPoint }
        var tried: Set<Int> = []
        var attempts = 0
        while tried.count < limit, attempts < limit * 4, failures < 3 {
            attempts += 1
            // Most often when a program waits for the disk, or has just done so.
            let place = random.below(4) == 0 ? 1 + random.below(record.actions.count) : random.element(of: points)
            let loss = Examination.loss(&random)
            let state = record.state(before: place, losing: loss)
            guard tried.insert(state.hash).inserted else { continue }
            await examine(state, place, loss)
        }
        return tried.count
    }

    private static func loss(_ random: inout SeededRandom) -> DiskRecord.Loss {
        switch random.below(10) {
        case 0: .nothing
        case 1, 2: .everything
        case 3: .contents
        case 4: .names
        case 5: .allButTheLast
        case 6: .theFirst
        case 7: .sectors(seed: random.next())
        default: .some(seed: random.next())
        }
    }

    private func examine(_ state: DiskState, _ place: Int, _ loss: DiskRecord.Loss) async {
        func complain(_ what: String) {
            failures += 1
            Issue.record(
                "\(workload.testDescription), seed \(seed), power lost before action \(place) of \(record.actions.count), losing \(loss): \(what) — \(record.description(before: place))"
            )
        }
        do {
            let directory = try TemporaryDirectory(inMemory: true)
            try state.write(to: directory.path)
            let found = try looks(directory, goesOn: true)
            guard try isExpected(found, before: place) else { return complain("a state that never was: \(found)") }
            try await workload.afterwards?(Workload.Place(folder: directory.path, durability: workload.durability))
        } catch { complain("\(error)") }
    }

    private func looks(_ directory: TemporaryDirectory, goesOn: Bool = false) throws -> [Look] {
        try workload.databases.map { try Look.at("\(directory.path)/\($0).cblite2", keys: workload.keys, goesOn: goesOn) }
    }

    private func look(_ state: DiskState) throws -> [Look] {
        let directory = try TemporaryDirectory(inMemory: true)
        try state.write(to: directory.path)
        return try looks(directory)
    }

    private func wholeLooks(_ place: Int) throws -> [Look] {
        if let found = whole[place] { return found }
        let state = record.state(before: place, losing: .nothing)
        let hash = state.hash
        let found = try known[hash] ?? look(state)
        known[hash] = found
        whole[place] = found
        return found
    }

    /// Each database is as it was at some time, and with full durability at none before the last acknowledgement.
    private func isExpected(_ found: [Look], before place: Int) throws -> Bool {
        var first = 0
        if workload.durability == .full {
            for (index, action) in record.actions[..<place].enumerated() { if case .acknowledgement = action { first = index } }
        }
        var open = Set(found.indices)
        // Most often it is one of these.
        for isQuick in [true, false] {
            for earlier in stride(from: place, through: first, by: -1) {
                if isQuick, earlier < place, earlier > first, !isChange(earlier - 1) { continue }
                let looks = try wholeLooks(earlier)
                open = open.filter { looks[$0] != found[$0] }
                if open.isEmpty { return true }
            }
        }
        return false
    }

    /// Whether something else can be seen after an action than before it: not while a piece of a file is followed by another.
    private func isChange(_ index: Int) -> Bool {
        guard case .write(let file, let place, let bytes) = record.actions[index] else { return record.actions[index].isAboutNames }
        guard index + 1 < record.actions.count, case .write(file, let next, _) = record.actions[index + 1] else { return true }
        return next != place + bytes.count
    }
}
