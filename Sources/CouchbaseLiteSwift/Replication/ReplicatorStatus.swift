import Foundation

extension Replicator {
    /// What a replicator is doing.
    public enum ActivityLevel: UInt8, Sendable {
        /// It has not been started, or is done, or has given up.
        case stopped
        /// There is no connection; it waits to try again.
        case offline
        case connecting
        /// All is done for now; only continuous replicators get there, and those that are about to stop.
        case idle
        case busy
    }

    /// How far it has come, in units that mean nothing by themselves. As long as the total is 0, nobody knows.
    public struct Progress: Sendable {
        public let completed: UInt64
        public let total: UInt64
    }

    public struct Status: Sendable {
        public let activity: ActivityLevel
        public let progress: Progress
        /// Why it has stopped, or why it was offline last.
        public let error: (any Error)?
    }
}

/// A replicator has come further, or does something else than before.
public struct ReplicatorChange {
    public let replicator: Replicator
    public let status: Replicator.Status
}

/// Documents that were replicated, or could not be.
public struct DocumentReplication {
    public let replicator: Replicator
    public let isPush: Bool
    public let documents: [ReplicatedDocument]
}

public struct ReplicatedDocument {
    public let id: String
    public let flags: DocumentFlags
    /// Nil if all went well.
    public let error: (any Error)?
    /// The names of its scope and its collection.
    public let scope: String
    public let collection: String
}
