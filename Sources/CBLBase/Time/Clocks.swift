import Glibc

/// The clock that nobody sets, and that stands still while the machine sleeps.
package enum MonotonicClock {
    package static var nanoseconds: UInt64 { CBLBase.nanoseconds(CLOCK_MONOTONIC) }

    /// The same, a few milliseconds behind, for a fraction of the cost.
    package static var coarseNanoseconds: UInt64 { CBLBase.nanoseconds(CLOCK_MONOTONIC_COARSE) }

    package static var seconds: Double { Double(nanoseconds) / 1e9 }
}

/// The time of day, since the beginning of 1970. Somebody may set it.
package enum WallClock {
    package static var nanoseconds: UInt64 { CBLBase.nanoseconds(CLOCK_REALTIME) }
    package static var milliseconds: Int64 { Int64(nanoseconds / 1_000_000) }
}

private func nanoseconds(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(max(0, time.tv_sec)) * 1_000_000_000 + UInt64(time.tv_nsec)
}
