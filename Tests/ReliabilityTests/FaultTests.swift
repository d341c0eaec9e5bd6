import CBLDiskCalls
import CBLStore
import CBLTestSupport
import FoundationEssentials
import Glibc
import Synchronization
import Testing

/// Each call to a file that a workload makes fails, once or for ever after.
///
///     CBLITE_FAULT_ROUNDS=50 swift test --filter FaultTests        fifty times as many faults
///     CBLITE_FAULT_ROUNDS=all swift test --filter FaultTests       every call, with every error, both ways
///     CBLITE_FAULT_WORKLOAD=copies swift test --filter FaultTests       those alone whose names begin so
extension ReliabilityTests {
    struct FaultTests {
        private static let rounds = ProcessInfo.processInfo.environment["CBLITE_FAULT_ROUNDS"]
        private static let seed = ProcessInfo.processInfo.environment["CBLITE_FAULT_SEED"].flatMap(UInt64.init) ?? 1
        private static let faultsPerRound = 15
        /// One fault alone, as a failure names it: `CBLITE_FAULT="read 3 5 once"`, with the number of the error.
        private static let only = ProcessInfo.processInfo.environment["CBLITE_FAULT"]
        private static let workloads = (Workload.all + [.unfinished(), .unfinished(Workload.key)]).filter { workload in
            ProcessInfo.processInfo.environment["CBLITE_FAULT_WORKLOAD"].map(workload.testDescription.hasPrefix) ?? true
        }

        /// What the calls fail with: a broken disk, a full one, a quota, a mount that is gone, and too little of something.
        static let errors: [UInt32: [Int32]] = [
            disk_open.rawValue: [EIO, ENOSPC, EMFILE, ESTALE, EACCES], disk_read.rawValue: [EIO, ESTALE, ENODEV],
            disk_write.rawValue: [EIO, ENOSPC, EDQUOT, ESTALE], disk_truncate.rawValue: [EIO, EDQUOT],
            disk_sync.rawValue: [EIO, ENOSPC, EDQUOT],
            disk_lock.rawValue: [ENOLCK, EIO, ESTALE], disk_map.rawValue: [ENOMEM, ENODEV],
            disk_make_folder.rawValue: [ENOSPC, EDQUOT, EIO],
            disk_link.rawValue: [EIO, ENOSPC], disk_rename.rawValue: [EIO, ENOSPC], disk_remove.rawValue: [EIO, ESTALE],
            disk_remove_folder.rawValue: [EIO],
        ]

        @Test(arguments: workloads)
        func everyFailureIsReported(_ workload: Workload) async throws {
            let trial = FaultTrial(workload)
            let (counts, expected) = try await trial.rehearse()
            var faults: [DiskWatch.Fault] = []
            for (kind, count) in counts.sorted(by: { $0.key < $1.key }) {
                for place in 1...count {
                    for error in Self.errors[kind] ?? [EIO] {
                        for lasts in [false, true] {
                            faults.append(.init([disk_kind(kind)], place: place, error: error, lasts: lasts))
                        }
                    }
                }
            }
            let all = faults.count
            if let only = Self.only {
                faults.removeAll { $0.code != only }
            } else if Self.rounds != "all" {
                var random = SeededRandom(Self.seed)
                // Of each kind as many: of reads there are a hundred times as many as of syncs.
                let kinds = counts.keys.sorted()
                var chosen: [DiskWatch.Fault] = []
                for _ in 0..<(Self.faultsPerRound * (Self.rounds.flatMap(Int.init) ?? 1)) {
                    let kind = random.element(of: kinds)
                    chosen.append(
                        .init(
                            [disk_kind(kind)], place: 1 + random.below(counts[kind] ?? 1),
                            error: random.element(of: Self.errors[kind] ?? [EIO]),
                            lasts: random.below(2) == 0))
                }
                faults = chosen
            }
            await inject(faults, of: all, into: trial, expected)
        }

        /// A kernel tells of what the disk did not take once, and forgets it: that a sync succeeds the next time says nothing.
        @Test(arguments: [Workload.manyBlobs(.full), .manyBlobs(.full, Workload.key), .replication(.full)])
        func noSyncIsTrustedAfterOneThatFailed(_ workload: Workload) async throws {
            let trial = FaultTrial(workload)
            let (counts, expected) = try await trial.rehearse()
            let syncs = try #require(counts[disk_sync.rawValue])
            let faults = (1...syncs).map { DiskWatch.Fault([disk_sync], place: $0, error: EIO, lasts: true) }
            await inject(faults, of: syncs, into: trial, expected)
        }

        private func inject(_ faults: [DiskWatch.Fault], of all: Int, into trial: FaultTrial, _ expected: [Look]) async {
            let workload = trial.workload
            var (injected, reported, failures) = (0, 0, 0)
            for fault in faults where failures < 20 {
                do {
                    let outcome = try await trial.run(fault, expected)
                    injected += outcome.injected
                    reported += outcome.errors.isEmpty ? 0 : 1
                } catch {
                    failures += 1
                    Issue.record("\(workload.testDescription), \(fault): \(error)")
                }
            }
            print("\(workload.testDescription): \(faults.count) of \(all) faults, \(injected) calls failed, \(reported) were told of")
        }
    }
}

/// One workload on a disk that fails.
private struct FaultTrial {
    let workload: Workload

    struct Outcome {
        var errors: [any Error] = []
        var injected = 0
    }

    init(_ workload: Workload) { self.workload = workload }

    /// Without a fault: how many calls of each kind there are, and what comes of it.
    func rehearse() async throws -> (counts: [UInt32: Int], [Look]) {
        let directory = try TemporaryDirectory(inMemory: true)
        let place = Workload.Place(folder: directory.path, durability: workload.durability)
        try workload.prepare(place)
        let watch = try DiskWatch(directory.path)
        do { try await workload.run(place, PatientSteps(watch)) } catch {
            _ = watch.end()
            throw error
        }
        let counts = watch.callCounts
        _ = watch.end()
        return (counts, try looks(directory.path))
    }

    private func looks(_ folder: String) throws -> [Look] {
        try workload.databases.map { try Look.at("\(folder)/\($0).cblite2", keys: workload.keys) }
    }

    func run(_ fault: DiskWatch.Fault, _ expected: [Look]) async throws -> Outcome {
        let directory = try TemporaryDirectory(inMemory: true)
        let place = Workload.Place(folder: directory.path, durability: workload.durability)
        try workload.prepare(place)
        let watch = try DiskWatch(directory.path)
        watch.fault = fault
        let steps = PatientSteps(watch)
        let result: Result<Void, any Error>
        do {
            try await workload.run(place, steps)
            result = .success(())
        } catch { result = .failure(error) }
        let injected = watch.injectedCount
        let record = watch.end()
        if case .failure = result, fault.lasts, fault.kinds.contains(where: { $0 == disk_lock }) {
            // A lock that the system does not take back for so long is there until the database is closed. Nothing else is wrong.
            _ = try looks(directory.path)
            return Outcome(errors: steps.errors, injected: injected)
        }
        guard case .success = result else { throw Wrong(what: "it does not go on: \(steps.errors.map { "\($0)" }) and then \(result)") }
        for case let error as StoreError in steps.errors where FaultTrial.accusing.contains(error.code) {
            throw Wrong(what: "the disk fails, and the database is blamed: \(error)")
        }
        let open = FaultTrial.openFiles(in: directory.path)
        guard open.isEmpty else { throw Wrong(what: "files stay open: \(open)") }
        if !(fault.lasts && FaultTrial.clearing.contains { fault.kinds.contains($0) }) {
            let left = FaultTrial.leftovers(in: directory.path)
            guard left.isEmpty else { throw Wrong(what: "something is left over: \(left)") }
        }
        let found = try looks(directory.path)
        guard found == expected else { throw Wrong(what: "what was done is not there: \(found); errors: \(steps.errors)") }
        if workload.durability == .full {
            // Whatever a sync failed on is not safe, even if the next one succeeds.
            let left = try TemporaryDirectory(inMemory: true)
            try record.state(before: record.actions.count, losing: .everything).write(to: left.path)
            let safe = try looks(left.path)
            guard safe == expected else {
                let sync = record.actions.lastIndex { if case .failedSync = $0 { true } else { false } } ?? record.actions.count - 1
                throw Wrong(
                    what: "what was acknowledged is not safe: \(safe); errors: \(steps.errors); \(record.description(before: sync + 1))")
            }
        }
        return Outcome(errors: steps.errors, injected: injected)
    }

    /// What would make a person repair, or give up, a database in which nothing is wrong.
    private static let accusing: [StoreError.Code] = [
        .corrupt, .notADatabase, .needsKey, .wrongKey, .foreignSchema, .version1, .tooNew, .tooOld,
    ]

    /// Whoever cannot do this cannot tidy up.
    private static let clearing = [disk_remove, disk_remove_folder, disk_open, disk_lock]

    /// Descriptors of this process that lead below a folder.
    private static func openFiles(in folder: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return names.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
            .filter { $0.hasPrefix(folder + "/") }
    }

    private static func leftovers(in folder: String) -> [String] {
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.contains("_TEMP") || $0.contains("incoming_") }
    }
}

/// Steps that are tried once more when the fault has gone away.
private final class PatientSteps: Workload.Steps {
    private let watch: DiskWatch
    private let failures = Mutex<[any Error]>([])
    /// Whether a part of a step had to be tried twice, so that the step itself may be, too.
    private let isInterrupted = Mutex(false)
    var errors: [any Error] { failures.withLock { $0 } }

    init(_ watch: DiskWatch) { self.watch = watch }

    private func note(_ error: any Error) throws {
        failures.withLock { $0.append(error) }
        guard watch.fault != nil || isInterrupted.withLock({ $0 }) else { throw error }
        isInterrupted.withLock { $0 = false }
        watch.fault = nil
    }

    func step<Result>(_ work: () throws -> Result) throws -> Result {
        defer { isInterrupted.withLock { $0 = false } }
        do { return try work() } catch { try note(error) }
        return try work()
    }

    func within<Result>(_ work: () throws -> Result) throws -> Result {
        do { return try work() } catch {
            try note(error)
            // What comes of it is only seen at the end of the step.
            isInterrupted.withLock { $0 = true }
            return try work()
        }
    }

    func step<Result>(_ work: () async throws -> Result) async throws -> Result {
        do { return try await work() } catch { try note(error) }
        return try await work()
    }
}
