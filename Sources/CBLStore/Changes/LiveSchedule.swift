/// How changes are put together: see the defaults.
package struct LiveTiming: Sendable {
    package var quiet: Duration
    package var delay: Duration
    /// Queries that take long wait longer for company, up to this.
    package var longestDelay: Duration?

    package init(quiet: Duration = .milliseconds(250), delay: Duration = .milliseconds(500), longestDelay: Duration? = nil) {
        self.quiet = quiet
        self.delay = delay
        self.longestDelay = longestDelay
    }
}

/// When a live query runs again, as a value: changes and times in, the time of the next run out. It owns no clock.
///
/// An isolated change is answered at once. In a burst the first is, and then all those of half a second together.
package struct LiveSchedule: Sendable {
    package typealias Instant = ContinuousClock.Instant

    /// How long it must have been quiet for a change to count as isolated.
    package var quiet = Duration.milliseconds(250)
    /// How long the others wait for company.
    package var delay = Duration.milliseconds(500)
    private var previousChange: Instant
    /// When to run next; nil if nothing has changed since the last run.
    package private(set) var due: Instant?

    package init(start: Instant, quiet: Duration = .milliseconds(250), delay: Duration = .milliseconds(500)) {
        self.quiet = quiet
        self.delay = delay
        previousChange = start
    }

    /// Something that the query reads was changed.
    package mutating func change(at now: Instant) {
        if due == nil { due = now - previousChange > quiet ? now : now + delay }
        previousChange = now
    }

    /// The query runs, for whatever reason: what has changed so far is seen by that.
    package mutating func run() { due = nil }
}
