/// When to ask a silent peer whether it is still there, as a value: it owns no clock.
struct Heartbeat {
    enum Action: Equatable {
        case wait(until: LoopTime)
        case ping
        /// The peer did not answer the ping in time.
        case giveUp
    }

    private let interval: Duration
    private let patience: Duration
    private var lastHeard: LoopTime
    private var pingSent: LoopTime?

    /// The peer has as long for its answer as is usual, or less if the interval is short.
    init(interval: Duration, now: LoopTime) {
        self.interval = interval
        patience = max(min(.seconds(20), interval - .seconds(1)), min(interval, .milliseconds(500)))
        lastHeard = now
    }

    /// Something came from the peer: whatever it is, the peer is there.
    mutating func heard(_ now: LoopTime) {
        lastHeard = now
        pingSent = nil
    }

    mutating func action(_ now: LoopTime) -> Action {
        if let pingSent {
            let end = pingSent + patience
            return now >= end ? .giveUp : .wait(until: end)
        }
        let due = lastHeard + interval
        guard now >= due else { return .wait(until: due) }
        pingSent = now
        return .ping
    }
}
