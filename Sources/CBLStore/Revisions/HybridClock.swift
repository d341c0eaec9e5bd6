import CBLBase

/// A hybrid logical clock: the wall clock's nanoseconds since 1970, with a counter in the low sixteen bits, that does not go back and runs
/// ahead of every time it was shown. The wall clock is the caller's, so that a test can set it.
///
/// Somebody may set the wall clock. If it goes back by more than a peer's may be ahead, this one follows: nobody would take the times that it
/// gave else. A document that has a later time already gets one behind that, and it alone.
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

    /// A time for something that happens now: later than all others, and than one that this clock could not follow.
    package mutating func now(wallClock: UInt64, after known: UInt64 = 0) -> UInt64 {
        forgetFuture(wallClock)
        // A machine that does not know the time yet believes to be in 1970, where there are no times.
        let wall = max(wallClock, HybridClock.earliest) & ~HybridClock.counterMask
        last = wall > last & ~HybridClock.counterMask ? wall : last + 1
        return max(last, known + 1)
    }

    /// The wall clock was set back since, or was ahead for a moment.
    private mutating func forgetFuture(_ wallClock: UInt64) {
        if HybridClock.isFuture(last, wallClock) { last = 0 }
    }

    private static func isFuture(_ time: UInt64, _ wallClock: UInt64) -> Bool {
        let (wall, now) = (time & ~counterMask, max(wallClock, earliest))
        return wall > now && wall - now > tolerance
    }

    /// Shows the clock a time that was made elsewhere; false if it cannot be believed.
    package mutating func see(_ time: UInt64, wallClock: UInt64) -> Bool {
        guard HybridClock.isTime(time) else { return false }
        forgetFuture(wallClock)
        if time <= last { return true }
        guard !HybridClock.isFuture(time, wallClock) else { return false }
        last = max(time, wallClock & ~HybridClock.counterMask)
        return true
    }

    private static func isTime(_ time: UInt64) -> Bool { (earliest...Version.maximumTime).contains(time) }

    /// Shows the clock all times of a vector. Those that the document has already may lie in the future: the wall clock was set back since.
    package mutating func see(_ vector: VersionVector, known: VersionVector = VersionVector(), wallClock: UInt64) throws(RevisionError) {
        for version in vector.versions where !see(version.time, wallClock: wallClock) {
            guard HybridClock.isTime(version.time) else { throw .badTime(version) }
            guard let time = known[version.source], time >= version.time else { throw .futureTime(version) }
        }
    }

    /// Shows the clock a version that the document has already. Gives what comes after it: nothing in particular if the clock is later now.
    mutating func seeStored(_ version: Version, wallClock: UInt64) throws(RevisionError) -> UInt64 {
        if see(version.time, wallClock: wallClock) { return 0 }
        guard HybridClock.isTime(version.time), version.time < Version.maximumTime else { throw .badTime(version) }
        return version.time
    }
}
