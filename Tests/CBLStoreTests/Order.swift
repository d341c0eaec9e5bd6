import CBLBase

/// What has happened, on whichever thread.
final class Order: @unchecked Sendable {
    // Sendable: touched only under the lock.
    private let lock = WaitCondition()
    private var events: Set<String> = []

    func note(_ event: String) {
        lock.locked { _ = events.insert(event) }
        lock.signal()
    }

    func await(_ event: String) { lock.locked { while !events.contains(event) { lock.wait() } } }
    func has(_ event: String) -> Bool { lock.locked { events.contains(event) } }
}
