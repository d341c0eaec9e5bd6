internal import CBLStore
import Foundation

/// What tells listeners of the documents that are changed in it.
public protocol CollectionChangeObservable {
    /// Has the listener called on the main queue, with what is committed from now on.
    func addChangeListener(listener: @escaping (CollectionChange) -> Void) -> ListenerToken
    /// Has the listener called on a queue, by default the main one, with what is committed from now on.
    func addChangeListener(queue: DispatchQueue?, listener: @escaping (CollectionChange) -> Void) -> ListenerToken
}

/// What was committed to a collection, by whomever.
public struct CollectionChange {
    /// The object that the listener was added to.
    public let collection: Collection
    /// The documents that were saved, deleted or purged.
    public let documentIDs: [String]
}

/// What was committed to a document, by whomever.
public struct DocumentChange {
    /// Which document it was. Read it to know what has become of it: it may be gone.
    public let documentID: String
    /// The object that the listener was added to.
    public let collection: Collection
}

extension Collection {
    /// Has the listener called on the main queue, with what is committed from now on.
    @discardableResult
    public func addChangeListener(listener: @escaping (CollectionChange) -> Void) -> ListenerToken {
        addChangeListener(queue: nil, listener: listener)
    }

    /// Has the listener called on a queue, by default the main one, with what is committed from now on.
    @discardableResult
    public func addChangeListener(queue: DispatchQueue?, listener: @escaping (CollectionChange) -> Void) -> ListenerToken {
        let listener = Listener(queue, listener)
        return observe(ChangeInterest(collections: [coreName], purges: true, documentIDs: true)) { [weak self] ids in
            guard let self else { return }
            listener.tell(CollectionChange(collection: self, documentIDs: ids))
        } end: {
            listener.remove()
        }
    }

    /// Has the listener called on the main queue, when a document is saved, deleted, purged or expires.
    @discardableResult
    public func addDocumentChangeListener(id: String, listener: @escaping (DocumentChange) -> Void) -> ListenerToken {
        addDocumentChangeListener(id: id, queue: nil, listener: listener)
    }

    /// Has the listener called on a queue, by default the main one, when a document is saved, deleted, purged or expires.
    @discardableResult
    public func addDocumentChangeListener(
        id: String, queue: DispatchQueue?, listener: @escaping (DocumentChange) -> Void
    ) -> ListenerToken {
        let listener = Listener(queue, listener)
        return observe(ChangeInterest(document: id, in: coreName)) { [weak self] _ in
            guard let self else {
                log(.database, .warning, "The collection that a listener of \"\(id)\" was added to is gone.")
                return
            }
            listener.tell(DocumentChange(documentID: id, collection: self))
        } end: {
            listener.remove()
        }
    }

    private func observe(
        _ interest: ChangeInterest, _ tell: @escaping @Sendable ([String]) -> Void, end: @escaping @Sendable () -> Void
    ) -> ListenerToken {
        let name = coreName
        var interest = interest
        // Listeners are called on queues.
        interest.isPassedOn = true
        do {
            let core = try openCore()
            if core.isInTransaction == false { try core.prepareChangeFeed(of: name) }
            let subscription = try core.subscribe(interest) { [weak core] event in
                guard case .changed(let changes) = event, let change = changes.collections[name] else { return }
                if let ids = change.documentIDs ?? core.flatMap({ try? $0.documentIDs(after: change.previous, of: name) }) {
                    if !ids.isEmpty { tell(ids) }
                }
            }
            subscriptions.add(subscription)
            return ListenerToken { [subscriptions] in
                end()
                subscription.cancel()
                subscriptions.remove(subscription)
            }
        } catch {
            log(.database, .warning, "A listener of collection \(fullName) hears of nothing: \(error.localizedDescription)")
            return ListenerToken(end)
        }
    }
}

extension CBLStore.Database {
    /// Those that were saved since, in the order in which they were.
    fileprivate func documentIDs(after sequence: UInt64, of name: CollectionName) throws -> [String] {
        try read { snapshot in
            var options = ScanOptions()
            options.order = .sequence
            options.since = sequence
            options.includesDeleted = true
            let cursor = try snapshot.scan(name, options)
            var ids: [String] = []
            while try cursor.next() { ids.append(cursor.id) }
            return ids
        }
    }
}
