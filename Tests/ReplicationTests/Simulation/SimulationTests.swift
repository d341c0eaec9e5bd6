import FoundationEssentials
import Testing

@testable import Replication

/// Runs of some thousand steps; a seed that fails says so. `CBLITE_SIMULATION_SECONDS` lets further seeds follow for that long, and
/// `CBLITE_SIMULATION_SEED` repeats one.
@Suite struct SimulationTests {
    private static let environment = ProcessInfo.processInfo.environment

    // 1426: a conflict behind the closed tombstone of an earlier one.
    @Test(arguments: Array(1...12) + [1426] as [UInt64])
    func replicasComeToAgree(_ seed: UInt64) throws {
        #expect(try Simulation.run(seed: seed, steps: 4000) > 8000)
    }

    @Test(.enabled(if: environment["CBLITE_SIMULATION_SEED"] != nil)) func oneSeed() throws {
        let seed = try #require(SimulationTests.environment["CBLITE_SIMULATION_SEED"].flatMap { UInt64($0) })
        _ = try Simulation.run(seed: seed, steps: 4000)
    }

    @Test(.enabled(if: environment["CBLITE_SIMULATION_SECONDS"] != nil)) func manySeeds() throws {
        let seconds = try #require(SimulationTests.environment["CBLITE_SIMULATION_SECONDS"].flatMap { Double($0) })
        let start = ContinuousClock.now
        var seed: UInt64 = 1000
        var steps = 0
        while ContinuousClock.now - start < .seconds(seconds) {
            steps += try Simulation.run(seed: seed, steps: 4000)
            seed += 1
        }
        print("\(seed - 1000) seeds, \(steps) steps in \(seconds) s")
    }
}
