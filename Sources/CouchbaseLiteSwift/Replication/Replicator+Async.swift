import Foundation

extension Replicator {
    /// Its status, whenever that changes, from the beginning of the loop on. It goes on after the replicator has stopped: leave the loop.
    public func changes() -> ChangeSequence<ReplicatorChange> {
        ChangeSequence { tell in self.addChangeListener(withQueue: replications, tell) }
    }

    /// The documents that are replicated, or cannot be.
    public func documentReplications() -> ChangeSequence<DocumentReplication> {
        ChangeSequence { tell in self.addDocumentReplicationListener(withQueue: replications, tell) }
    }

    /// Starts it, unless it runs, and waits until all is done: until it has stopped, or, if it is continuous, has nothing to do for the first time.
    /// Throws what it has stopped with. If the task is cancelled, it is stopped.
    @discardableResult
    public func replicate(reset: Bool = false) async throws -> Status {
        let waiting = Awaited<Status>()
        let isContinuous = config.continuous
        // A queue of its own: none that the program waits on.
        let token = addChangeListener(withQueue: DispatchQueue(label: "CouchbaseLiteSwift.replicate")) { change in
            let activity = change.status.activity
            if activity == .stopped || activity == .idle && isContinuous { waiting.finish(change.status) }
        }
        defer { token.remove() }
        if !begin(isReset: reset), isContinuous, status.activity == .idle { return status }
        let status = await withTaskCancellationHandler {
            await waiting.value()
        } onCancel: {
            self.stop()
        }
        if let error = status.error { throw error }
        try Task.checkCancellation()
        return status
    }
}

/// A queue for listeners that only pass on what they hear.
private let replications = DispatchQueue(label: "CouchbaseLiteSwift.replications")
