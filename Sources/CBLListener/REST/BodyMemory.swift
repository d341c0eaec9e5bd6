import CBLReplication
import Synchronization

/// Bodies that are held in memory, of all requests together: many at once would be many times what one may have, and what is made of them takes
/// several times as much again.
final class BodyMemory: Sendable {
    private let limit: Int
    private let held = Mutex(0)

    init(limit: Int) { self.limit = limit }

    func take(_ count: Int) throws(RESTError) {
        let hasRoom = held.withLock { held in
            guard held + count <= limit else { return false }
            held += count
            return true
        }
        guard hasRoom else { throw RESTError(503, "Service Unavailable", "other large bodies are being read: send it again later") }
    }

    func give(back count: Int) { held.withLock { $0 -= count } }
}
