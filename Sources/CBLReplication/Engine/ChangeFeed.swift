import CBLStore
import CBLTransport

/// Tells of changes of a database, by whichever program, until it is stopped.
final class ChangeFeed: Sendable {
    private let subscription: ChangeSubscription

    /// `onChange` is called on the loop.
    init(_ database: Database, on loop: EventLoop, onChange: @escaping @Sendable (CollectionName) -> Void) throws {
        subscription = try database.subscribe { event in
            // What cannot be watched is looked at again when the next session begins.
            guard case .changed(let changes) = event else { return }
            // A session on a collection that is gone finds that out by looking, and ends.
            let names = changes.deleted.union(changes.collections.keys)
            loop.perform { for name in names { onChange(name) } }
        }
    }

    func stop() { subscription.cancel() }
}
