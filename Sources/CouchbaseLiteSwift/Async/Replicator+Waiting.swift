import Foundation

extension Replicator {
    /// The replicator for async code. ``replicate(reset:)`` starts it and waits in one call.
    public var async: Async { Async(replicator: self) }

    /// What can be awaited of a replicator.
    public struct Async: Sendable {
        let replicator: Replicator

        /// Waits until it has nothing to do, or has stopped; if that is so already, not at all. Throws what it has stopped with. If the task is
        /// cancelled, the replicator goes on.
        @discardableResult
        public func untilIdle() async throws -> Status { try await until { $0 == .idle || $0 == .stopped } }

        /// Waits until it has stopped; if it has, or was never started, not at all. Throws what it has stopped with. If the task is cancelled, the
        /// replicator goes on.
        @discardableResult
        public func untilStopped() async throws -> Status { try await until { $0 == .stopped } }

        /// Stops it, and waits until it has stopped, even if the task is cancelled.
        @discardableResult
        public func stop() async -> Status {
            let (awaited, token) = wait { $0 == .stopped }
            defer { token.remove() }
            replicator.stop()
            return await awaited.value() ?? replicator.status
        }

        private func until(_ isAwaited: @escaping @Sendable (ActivityLevel) -> Bool) async throws -> Status {
            try Task.checkCancellation()
            let (awaited, token) = wait(isAwaited)
            defer { token.remove() }
            let status = await withTaskCancellationHandler {
                await awaited.value()
            } onCancel: {
                awaited.finish(nil)
            }
            guard let status else { throw CancellationError() }
            if status.activity == .stopped, let error = status.error { throw error }
            return status
        }

        /// Gets a status like that, or nil from whoever gives up.
        private func wait(_ isAwaited: @escaping @Sendable (ActivityLevel) -> Bool) -> (Awaited<Status?>, ListenerToken) {
            let awaited = Awaited<Status?>()
            // A queue of its own: none that the program waits on.
            let queue = DispatchQueue(label: "CouchbaseLiteSwift.Replicator.Async")
            let token = replicator.addChangeListener(withQueue: queue) { change in
                if isAwaited(change.status.activity) { awaited.finish(change.status) }
            }
            let status = replicator.status
            if isAwaited(status.activity) { awaited.finish(status) }
            return (awaited, token)
        }

        /// The documents of a collection with changes that have not been pushed: see ``Replicator/pendingDocumentIds(collection:)``.
        public func pendingDocumentIds(collection: Collection) async throws -> Set<String> {
            let replicator = replicator
            return try await collection.database.asyncWork.read { try replicator.pendingDocumentIds(collection: collection) }
        }

        /// Whether a document has changes that have not been pushed, and are to be.
        public func isDocumentPending(_ documentID: String, collection: Collection) async throws -> Bool {
            let replicator = replicator
            return try await collection.database.asyncWork.read { try replicator.isDocumentPending(documentID, collection: collection) }
        }
    }
}
