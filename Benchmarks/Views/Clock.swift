import Glibc

/// Time by the clock and of the processor, in seconds.
struct Times {
    var wall: Double
    var processor: Double

    private static func now(_ id: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(id, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    static func of(_ work: () throws -> Void) rethrows -> Times {
        let (wall, processor) = (now(CLOCK_MONOTONIC), now(CLOCK_PROCESS_CPUTIME_ID))
        try work()
        return Times(wall: now(CLOCK_MONOTONIC) - wall, processor: now(CLOCK_PROCESS_CPUTIME_ID) - processor)
    }

    /// The median of several, each by itself.
    static func median(_ all: [Times]) -> Times {
        func middle(_ values: [Double]) -> Double {
            let sorted = values.sorted()
            return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
        }
        return Times(wall: middle(all.map(\.wall)), processor: middle(all.map(\.processor)))
    }
}

/// A number with two decimals.
func decimal(_ number: Double) -> String {
    let hundredths = Int((number * 100).rounded())
    let rest = hundredths % 100
    return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
}
