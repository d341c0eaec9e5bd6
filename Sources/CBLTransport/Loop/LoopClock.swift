import CBLBase
import Synchronization

/// What an event loop measures time with.
package enum LoopClock: Sendable {
    /// The machine's clock that is never set.
    case system
    /// A clock that stands still until somebody moves it: no test waits for a timeout.
    case manual(ManualClock)

    var now: LoopTime {
        switch self {
        case .system: LoopTime(nanoseconds: MonotonicClock.nanoseconds)
        case .manual(let clock): clock.now
        }
    }
}

/// A clock that is moved by hand. Loops that use it look at their timers each time it moves.
package final class ManualClock: Sendable {
    private struct State {
        var now = LoopTime(nanoseconds: 1_000_000_000)
        var wakers: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    package init() {}

    package var now: LoopTime { state.withLock { $0.now } }

    package func advance(by duration: Duration) {
        let wakers = state.withLock { state in
            state.now = state.now + duration
            return state.wakers
        }
        for wake in wakers { wake() }
    }

    func onAdvance(_ wake: @escaping @Sendable () -> Void) { state.withLock { $0.wakers.append(wake) } }
}
