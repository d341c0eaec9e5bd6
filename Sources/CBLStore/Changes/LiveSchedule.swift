import CBLBase

/// How changes are put together: see the defaults.
package struct LiveTiming: Sendable {
    /// How long it must have been quiet for a change to count as isolated.
    package var quiet: Duration
    /// How long the others wait for company.
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
    /// How long the others wait for company.
    package private(set) var delay = Duration.milliseconds(500)
    private let timing: LiveTiming
    private var previousChange: Instant
    /// When to run next; nil if nothing has changed since the last run.
    package private(set) var due: Instant?

    package init(start: Instant, _ timing: LiveTiming = LiveTiming()) {
        self.timing = timing
        delay = timing.delay
        previousChange = start
    }

    /// Something that the query reads was changed. False if a change before is not answered yet: it stands for this one.
    @discardableResult
    package mutating func change(at now: Instant) -> Bool {
        defer { previousChange = now }
        guard due == nil else { return false }
        due = now - previousChange > timing.quiet ? now : now + delay
        return true
    }

    /// The query runs, for whatever reason: what has changed so far is seen by that.
    package mutating func run() { due = nil }

    /// Who takes long to answer has more changes answered together: a third of the time for it at most.
    package mutating func took(_ time: Duration) {
        guard let longest = timing.longestDelay else { return }
        delay = max(timing.delay, min(longest, time * 2))
    }
}
