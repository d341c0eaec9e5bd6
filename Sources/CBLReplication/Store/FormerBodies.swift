import CBLBase
import CBLFleece
import CBLStore
import Synchronization

/// Bodies that peers were sent, or sent themselves, of late: deltas for them can start there when the documents have changed. A database keeps no
/// body that was replaced, but for what it knows a remote to have, and of those who connect to it nothing is noted.
///
/// Those that were added first go when it is full. None of them is needed: without it, the whole document is sent.
final class FormerBodies: Sendable {
    struct Key: Hashable, Sendable {
        let collection: CollectionName
        let documentID: String
        /// As peers call it.
        let revision: RevisionID
    }

    private struct State {
        var bodies: [Key: FleeceData] = [:]
        var order = Queue<Key>()
        var bytes = 0
    }

    /// Of a smaller one a delta saves little, and one larger than that would drive out all others.
    static let sizes = 1 << 10...2 << 20

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int = 8 << 20) { self.limit = limit }

    var bytes: Int { state.withLock { $0.bytes } }

    func add(_ body: FleeceData, _ key: Key) {
        let size = body.bytes.count
        guard FormerBodies.sizes.contains(size) else { return }
        state.withLock { state in
            guard state.bodies[key] == nil else { return }
            state.bodies[key] = body
            state.order.append(key)
            state.bytes += size
            while state.bytes > limit, let oldest = state.order.popFirst() {
                state.bytes -= state.bodies.removeValue(forKey: oldest)?.bytes.count ?? 0
            }
        }
    }

    subscript(key: Key) -> FleeceData? { state.withLock { $0.bodies[key] } }
}
