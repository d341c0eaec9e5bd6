internal import CBLStore
import CouchbaseLiteSwift
import Dispatch

import class CouchbaseLiteSwift.Collection

extension Collection {
    /// Has the listener called on a queue, by default the main one, with the revisions of each transaction that this program commits to the collection,
    /// through whichever database object. What other processes store, it does not hear of; change listeners do. The listener stays until its token
    /// is removed.
    @discardableResult
    public func addRevisionListener(
        queue: DispatchQueue? = nil, listener: @escaping ([CouchbaseLiteClassic.RevisionChange]) -> Void
    ) -> ListenerToken {
        let listener = Listener(queue, listener)
        let end = witness { listener.tell($0) }
        return ListenerToken {
            end()
            listener.remove()
        }
    }

    /// The same for asynchronous code.
    public func revisionChanges() -> AsyncStream<[CouchbaseLiteClassic.RevisionChange]> {
        AsyncStream { continuation in
            let end = witness { continuation.yield($0) }
            continuation.onTermination = { _ in end() }
        }
    }

    private func witness(_ tell: @escaping @Sendable ([CouchbaseLiteClassic.RevisionChange]) -> Void) -> @Sendable () -> Void {
        let name = coreName
        return database.core.witnessRevisions { changes in
            let own = changes.filter { $0.collection == name }
            guard !own.isEmpty else { return }
            tell(
                own.map { change in
                    RevisionChange(
                        documentID: change.documentID, revisionID: change.revision.text, isDeletion: change.isDeleted,
                        isCurrent: change.isCurrent, isConflict: change.isConflict, source: RevisionSource(change.origin))
                })
        }
    }
}
