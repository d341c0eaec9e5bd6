import FoundationEssentials
import Synchronization
import Testing

@testable import CBLReplication

/// Runs of some thousand steps; a seed that fails says so. `CBLITE_SIMULATION_SEED` repeats one, and `CBLITE_SIMULATION_SECONDS` lets further
/// seeds follow for that long, all or those whose climate has the words of `CBLITE_SIMULATION_CLIMATE`: `trees`, `ring trees`, …
@Suite struct SimulationTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let first = environment["CBLITE_SIMULATION_SEED"].flatMap { UInt64($0) }
    private static let seconds = environment["CBLITE_SIMULATION_SECONDS"].flatMap { Double($0) }
    private static let words = environment["CBLITE_SIMULATION_CLIMATE"]?.split(separator: " ") ?? []
    private static let steps = 3000
    /// After so many failures it is enough.
    private static let mostFailures = 20

    /// A million steps in all: what is gone through in a minute.
    @Test(arguments: 0..<12 as Range<UInt64>) func replicasComeToAgree(_ tens: UInt64) throws {
        for seed in tens * 10 + 1...tens * 10 + 10 {
            let steps = try Simulation.run(seed: seed, steps: SimulationTests.steps)
            #expect(steps > 2 * SimulationTests.steps)
        }
    }

    @Test(.enabled(if: first != nil && seconds == nil)) func oneSeed() throws {
        _ = try Simulation.run(seed: try #require(SimulationTests.first), steps: SimulationTests.steps)
    }

    /// What the seeds gave that several threads go through.
    private final class Tally: Sendable {
        private let state: Mutex<(next: UInt64, count: Int, steps: Int, failures: Int)>

        init(first: UInt64) { state = Mutex((first, 0, 0, 0)) }

        /// The next seed, unless it is enough.
        func next() -> UInt64? {
            state.withLock { state in
                guard state.failures < mostFailures else { return nil }
                let candidates = state.next..<state.next + 10_000
                guard
                    let seed = candidates.first(where: { seed in
                        let climate = "\(Simulation.climate(seed: seed))"
                        return words.allSatisfy { climate.contains($0) }
                    })
                else { return nil }
                (state.next, state.count) = (seed + 1, state.count + 1)
                return seed
            }
        }

        func noteSuccess(steps: Int) { state.withLock { $0.steps += steps } }
        func noteFailure() { state.withLock { $0.failures += 1 } }
        var steps: Int { state.withLock { $0.steps } }
        var count: Int { state.withLock { $0.count } }
        var last: UInt64 { state.withLock { $0.next - 1 } }
    }

    @Test(.enabled(if: seconds != nil)) func manySeeds() async throws {
        let start = ContinuousClock.now
        let end = start + .seconds(try #require(SimulationTests.seconds))
        let first = SimulationTests.first ?? 1000
        let tally = Tally(first: first)
        await withTaskGroup { group in
            for _ in 0..<ProcessInfo.processInfo.activeProcessorCount {
                group.addTask {
                    while ContinuousClock.now < end, let seed = tally.next() {
                        do { tally.noteSuccess(steps: try Simulation.run(seed: seed, steps: SimulationTests.steps)) } catch {
                            Issue.record(error)
                            print(error)
                            tally.noteFailure()
                        }
                    }
                }
            }
        }
        print("\(tally.count) seeds up to \(tally.last), \(tally.steps) steps in \(ContinuousClock.now - start)")
    }
}
