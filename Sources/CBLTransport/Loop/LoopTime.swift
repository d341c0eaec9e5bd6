/// A moment of an event loop's clock.
package struct LoopTime: Hashable, Comparable, Sendable {
    package var nanoseconds: UInt64

    package init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

    package static func < (a: LoopTime, b: LoopTime) -> Bool { a.nanoseconds < b.nanoseconds }

    package static func + (time: LoopTime, duration: Duration) -> LoopTime {
        LoopTime(nanoseconds: time.nanoseconds &+ UInt64(max(0, duration.nanoseconds)))
    }

    /// How long it is from then to now; nothing if `other` is later.
    package func since(_ other: LoopTime) -> Duration {
        nanoseconds > other.nanoseconds ? .nanoseconds(Int64(clamping: nanoseconds - other.nanoseconds)) : .zero
    }
}

extension Duration {
    /// The whole of it, as far as 64 bits reach: 292 years.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? (seconds < 0 ? .min : .max) : product.addingReportingOverflow(attoseconds / 1_000_000_000).partialValue
    }
}
