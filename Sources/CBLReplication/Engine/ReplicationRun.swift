import CBLStore

/// What a replicator has under way between two waits: a connection, or whatever else it talks to a peer with. On the loop.
protocol ReplicationRun: AnyObject {
    /// Comes to an end at a checkpoint.
    func stop()
    /// Ends at once.
    func terminate()
    func databaseChanged(_ name: CollectionName)
    /// Whether the peer has answered.
    var hasOpened: Bool { get }
    /// The collections whose checkpoint has been saved.
    var savedCheckpoints: Set<Int> { get }
}

extension SyncConnection: ReplicationRun {}
