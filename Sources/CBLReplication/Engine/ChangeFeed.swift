import CBLStore
import CBLTransport
import Synchronization

/// Tells of changes of a database, by whichever program, until it is stopped.
final class ChangeFeed: Sendable {
    private let subscription: ChangeSubscription

    /// `onChange` is called on the loop. Who commits faster than it takes notice is not told of each commit.
    init(_ database: Database, on loop: EventLoop, onChange: @escaping @Sendable (CollectionName) -> Void) throws {
        let news = News()
        subscription = try database.subscribe(ChangeInterest(isPassedOn: true)) { event in
            // What cannot be watched is looked at again when the next session begins.
            guard case .changed(let changes) = event else { return }
            // A session on a collection that is gone finds that out by looking, and ends.
            let isFirst = news.add(changes.deleted.union(changes.collections.keys))
            if isFirst { loop.perform { for name in news.take() { onChange(name) } } }
        }
    }

    func stop() { subscription.cancel() }
}

/// Collections that have changed, and of which the loop is still to hear.
private final class News: Sendable {
    private let names = Mutex(Set<CollectionName>())

    /// Whether nobody has been asked to take them yet.
    func add(_ added: Set<CollectionName>) -> Bool {
        names.withLock { names in
            defer { names.formUnion(added) }
            return names.isEmpty && !added.isEmpty
        }
    }

    func take() -> Set<CollectionName> {
        names.withLock { names in
            defer { names = [] }
            return names
        }
    }
}
