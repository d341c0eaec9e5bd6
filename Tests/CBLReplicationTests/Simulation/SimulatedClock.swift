import Synchronization

/// The time of a simulation, so that a seed's versions are the same each time, and some of them, of different databases, have the same time.
final class SimulatedClock: Sendable {
    /// How often it is asked before it moves on.
    private let patience: UInt64
    private let asked = Atomic<UInt64>(0)

    private static let start: UInt64 = 0x18e9_d1d1_10c0_0000
    /// What versions can tell apart.
    private static let tick: UInt64 = 0x10000

    init(patience: UInt64) { self.patience = patience }

    /// Nanoseconds since 1970, as a clock shows them that is wrong by so much.
    func now(ahead: UInt64 = 0) -> UInt64 {
        let number = asked.wrappingAdd(1, ordering: .relaxed).newValue
        return SimulatedClock.start + ahead + number / patience * SimulatedClock.tick
    }
}
