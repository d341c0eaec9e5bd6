import Glibc

/// A moment that is waited for at most, by a clock that nobody sets.
package struct Deadline: Sendable {
    let time: timespec

    package init(after duration: Duration) {
        let now = MonotonicClock.nanoseconds
        let (seconds, attoseconds) = duration.components
        let nanoseconds = Int(now % 1_000_000_000) + Int(attoseconds / 1_000_000_000)
        time = timespec(
            tv_sec: Int(now / 1_000_000_000) + Int(clamping: min(seconds, 1 << 40)) + nanoseconds / 1_000_000_000,
            tv_nsec: nanoseconds % 1_000_000_000)
    }
}
