/// How far one call of a script may go.
package struct ScriptLimits: Sendable, Equatable {
    /// Processor time: a call is not stopped because the machine had something else to do.
    package var time: Duration
    /// Bytes of everything that the functions of one runner have at a time. Less than two megabytes are too few to begin with.
    package var memory: Int

    package init(time: Duration = .seconds(5), memory: Int = 64 << 20) {
        self.time = time
        self.memory = memory
    }

    var nanoseconds: Int64 {
        let (seconds, attoseconds) = time.components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? .max : max(1_000_000, whole &+ attoseconds / 1_000_000_000)
    }
}
