import FoundationEssentials
import Testing

@testable import Replication

/// Runs of some thousand steps; a seed that fails says so. `CBLITE_SIMULATION_SECONDS` lets further seeds follow for that long, and
/// `CBLITE_SIMULATION_SEED` repeats one.
@Suite struct SimulationTests {
    private static let environment = ProcessInfo.processInfo.environment

    @Test(arguments: 1...12)
    func replicasComeToAgree(_ seed: Int) throws {
        #expect(try Simulation.run(seed: UInt64(seed), steps: 4000) > 8000)
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
