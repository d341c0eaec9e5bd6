/// A lock that may be held across functions, unlike `Mutex`.
package final class Gate: @unchecked Sendable {
    // Sendable: the flag is touched only under the lock.
    private let lock = WaitCondition()
    private var isHeld = false

    package init() {}

    package func enter() {
        lock.locked {
            while isHeld { lock.wait() }
            isHeld = true
        }
    }

    /// Enters if nobody is inside.
    package func tryEnter() -> Bool {
        lock.locked {
            defer { isHeld = true }
            return !isHeld
        }
    }

    /// Enters unless somebody is inside for longer than that; false then.
    package func enter(within duration: Duration) -> Bool {
        let end = Deadline(after: duration)
        return lock.locked {
            while isHeld {
                if !lock.wait(until: end), isHeld { return false }
            }
            isHeld = true
            return true
        }
    }

    package func leave() {
        lock.locked { isHeld = false }
        lock.signal()
    }
}
