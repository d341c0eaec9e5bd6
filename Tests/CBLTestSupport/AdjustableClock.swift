import Synchronization

/// A time of day that a test sets, as people, batteries and time servers do. It stands still in between.
package final class AdjustableClock: Sendable {
    /// In the spring of 2026.
    package static let start: UInt64 = 0x18a9_d1d1_10c0_0000

    private let time = Atomic<UInt64>(start)

    package init() {}

    /// In nanoseconds since 1970.
    package var now: UInt64 { time.load(ordering: .sequentiallyConsistent) }
    package var milliseconds: Int64 { Int64(now / 1_000_000) }

    package func set(_ now: UInt64) { time.store(now, ordering: .sequentiallyConsistent) }

    package func jump(hours: Double) { set(UInt64(max(0, Double(now) + hours * 3600e9))) }

    package static let hoursOfAYear = 8766.0
}
