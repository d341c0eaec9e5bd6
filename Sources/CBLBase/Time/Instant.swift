import Glibc

/// A moment by a clock that nobody sets, and that goes on while the machine sleeps.
///
/// The language's own `ContinuousClock` brings its runtime for concurrency along, which takes a part of every start.
package struct Instant: Comparable, Hashable, Sendable {
    private let nanoseconds: Int64

    package static var now: Instant {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Instant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    private init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    package static func < (a: Instant, b: Instant) -> Bool { a.nanoseconds < b.nanoseconds }

    /// What is centuries away is as far as this clock goes.
    package static func + (instant: Instant, duration: Duration) -> Instant {
        let (seconds, attoseconds) = duration.components
        let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (span, isLonger) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        let (sum, isTooLate) = instant.nanoseconds.addingReportingOverflow(span)
        guard !isTooLong, !isLonger, !isTooLate else { return Instant(nanoseconds: duration < .zero ? .min : .max) }
        return Instant(nanoseconds: sum)
    }

    package static func - (later: Instant, earlier: Instant) -> Duration {
        .nanoseconds(later.nanoseconds) - .nanoseconds(earlier.nanoseconds)
    }
}
