import FoundationEssentials
import Testing

@testable import Replication

/// Runs of some thousand steps; a seed that fails says so. `CBLITE_SIMULATION_SEED` repeats one, and `CBLITE_SIMULATION_SECONDS` lets further
/// seeds follow for that long.
@Suite struct SimulationTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let first = environment["CBLITE_SIMULATION_SEED"].flatMap { UInt64($0) }
    private static let seconds = environment["CBLITE_SIMULATION_SECONDS"].flatMap { Double($0) }
    private static let steps = 3000
    /// After so many failures it is enough.
    private static let mostFailures = 20

    @Test(arguments: [1, 2, 3, 4, 5, 7, 8, 9, 10] as [UInt64])
    func replicasComeToAgree(_ seed: UInt64) throws {
        #expect(try Simulation.run(seed: seed, steps: 1200) > 2400)
    }

    @Test(.enabled(if: first != nil && seconds == nil)) func oneSeed() throws {
        _ = try Simulation.run(seed: try #require(SimulationTests.first), steps: SimulationTests.steps)
    }

    @Test(.enabled(if: seconds != nil)) func manySeeds() throws {
        let seconds = try #require(SimulationTests.seconds)
        let start = ContinuousClock.now
        let first = SimulationTests.first ?? 1000
        var seed = first
        var steps = 0
        var failures = 0
        while ContinuousClock.now - start < .seconds(seconds), failures < SimulationTests.mostFailures {
            do { steps += try Simulation.run(seed: seed, steps: SimulationTests.steps) } catch {
                Issue.record(error)
                print(error)
                failures += 1
            }
            seed += 1
        }
        print("\(seed - first) seeds, \(steps) steps in \(ContinuousClock.now - start)")
    }
}
