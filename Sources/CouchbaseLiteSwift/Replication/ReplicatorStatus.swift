import Foundation

extension Replicator {
    /// What a replicator is doing.
    public enum ActivityLevel: UInt8, Sendable {
        /// It has not been started, or is done, or has given up.
        case stopped
        /// There is no connection; it waits to try again.
        case offline
        /// It is calling the other side, or agreeing with it on what to do.
        case connecting
        /// All is done for now; only continuous replicators get there, and those that are about to stop.
        case idle
        /// Documents are on their way.
        case busy
    }

    /// How far it has come, in units that mean nothing by themselves. As long as the total is 0, nobody knows.
    public struct Progress: Sendable {
        /// What is done.
        public let completed: UInt64
        /// What there is to do. It grows while changes are being found.
        public let total: UInt64
    }

    /// How a replicator is at one moment.
    public struct Status: Sendable {
        /// What it is doing.
        public let activity: ActivityLevel
        /// How far it has come.
        public let progress: Progress
        /// Why it has stopped, or why it was offline last.
        public let error: (any Error)?
    }
}

/// A replicator has come further, or does something else than before.
public struct ReplicatorChange {
    /// The object that the listener was added to.
    public let replicator: Replicator
    /// How it was when this happened; it may be different by now.
    public let status: Replicator.Status
}

/// Documents that were replicated, or could not be.
public struct DocumentReplication {
    /// The object that the listener was added to.
    public let replicator: Replicator
    /// True for what was sent, false for what has come.
    public let isPush: Bool
    /// Each with the error it has met, if any.
    public let documents: [ReplicatedDocument]
}

/// What has become of one document of a replication.
public struct ReplicatedDocument {
    /// The document's ID.
    public let id: String
    /// Whether it was deleted, or access to it lost.
    public let flags: DocumentFlags
    /// Nil if all went well.
    public let error: (any Error)?
    /// The name of the scope of its collection.
    public let scope: String
    /// The collection's name alone.
    public let collection: String
}
