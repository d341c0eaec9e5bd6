import CBLBase

/// A hybrid logical clock: the wall clock's nanoseconds since 1970, with a counter in the low sixteen bits, that never goes back and runs
/// ahead of every time it was shown. The wall clock is the caller's, so that a test can set it.
package struct HybridClock: Hashable, Sendable {
    /// The newest time given or seen; 0 when a database was just opened.
    package private(set) var last: UInt64 = 0

    static let counterMask: UInt64 = 0xFFFF
    /// Times before are no times of the day but something else.
    static let earliest: UInt64 = 0x100_0000_0000
    /// How far another database's clock may be ahead: two minutes.
    static let tolerance: UInt64 = 120_000_000_000

    package init() {}

    /// The wall clock of this machine: nanoseconds since 1970.
    package static let systemTime: @Sendable () -> UInt64 = { WallClock.nanoseconds }

    /// A time for something that happens now: later than all others.
    package mutating func now(wallClock: UInt64) -> UInt64 {
        let wall = wallClock & ~HybridClock.counterMask
        last = wall > last & ~HybridClock.counterMask ? wall : last + 1
        return last
    }

    /// Shows the clock a time that was made elsewhere; false if it cannot be believed.
    package mutating func see(_ time: UInt64, wallClock: UInt64) -> Bool {
        guard time >= HybridClock.earliest, time <= Version.maximumTime else { return false }
        if time <= last { return true }
        let wall = time & ~HybridClock.counterMask
        guard wall <= wallClock || wall - wallClock <= HybridClock.tolerance else { return false }
        last = max(time, wallClock & ~HybridClock.counterMask)
        return true
    }

    /// Shows the clock all times of a vector.
    package mutating func see(_ vector: VersionVector, wallClock: UInt64) throws(RevisionError) {
        for version in vector.versions where !see(version.time, wallClock: wallClock) { throw .badTime(version) }
    }
}
