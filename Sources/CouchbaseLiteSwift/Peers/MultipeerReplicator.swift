import Foundation
import Synchronization

/// Finds peers of the same group on the local network, and replicates with them.
///
/// In this version peers cannot be found yet: after `start()` the status tells the error `unsupported`, and nothing is replicated.
public class MultipeerReplicator: @unchecked Sendable {
    // Sendable: what changes is guarded by the lock.

    private struct State {
        var isStarted = false
        var isStopped = false
        var error: NSError?
    }

    /// As it was given; later changes of the caller's copy do not reach it.
    public let config: MultipeerReplicatorConfiguration
    /// By what others know this side.
    public let peerID: PeerID
    private let state = Mutex(State())
    private let listeners = Listeners<MultipeerReplicatorStatus>()

    /// Throws if the database is closed, or a collection was deleted.
    public init(config: MultipeerReplicatorConfiguration) throws {
        _ = try config.database.openCore()
        for configuration in config.collections { _ = try configuration.collection.read { _ in } }
        self.config = config
        peerID = PeerID(config.identity.certs[0])
    }

    /// The peers that were found: none in this version.
    public var neighborPeers: [PeerID] { [] }

    /// Tells listeners of the status that it is unsupported. One that was stopped cannot be started again.
    public func start() {
        let error = libraryError(
            CBLError.unsupported, "Peers cannot be found on the network yet: this version replicates with those it is given.")
        let isStopped = state.withLock { state in
            state.isStarted = true
            if !state.isStopped { state.error = error }
            return state.isStopped
        }
        programmerErrorUnless(!isStopped, .internalInconsistency, "A multipeer replicator that was stopped cannot be started again.")
        log(.multipeer, .error, error.localizedDescription)
        tell(error)
    }

    /// It cannot be started again.
    public func stop() {
        let wasStarted = state.withLock { state in
            guard state.isStarted, !state.isStopped else { return false }
            state.isStopped = true
            state.error = nil
            return true
        }
        if wasStarted { tell(nil) }
    }

    private func tell(_ error: NSError?) {
        for transport in config.transports.sorted(by: { $0.rawValue < $1.rawValue }) {
            listeners.tell(MultipeerReplicatorStatus(transport: transport, active: false, error: error))
        }
        listeners.tell(MultipeerReplicatorStatus(transport: nil, active: false, error: error))
    }

    /// What is known of a peer; of this side always something, of others nothing before they were found.
    public func peerInfo(for peerID: PeerID) -> PeerInfo? {
        guard peerID == self.peerID else { return nil }
        let status = Replicator.Status(activity: .stopped, progress: Replicator.Progress(completed: 0, total: 0), error: nil)
        return PeerInfo(
            peerID: peerID, certificate: config.identity.certs[0], transports: [], online: false, replicatorTransport: nil,
            replicatorStatus: status, neighborPeers: [])
    }

    /// Nil for a transport that is not in the configuration.
    public func status(for transport: MultipeerTransport) -> MultipeerReplicatorStatus? {
        guard config.transports.contains(transport) else { return nil }
        return MultipeerReplicatorStatus(transport: transport, active: false, error: state.withLock { $0.error })
    }

    // MARK: Listeners

    /// Has the listener called when the replicator begins, ends or fails: for each transport, and for all of them together.
    public func addStatusListener(
        on queue: DispatchQueue? = nil, listener: @escaping (MultipeerReplicatorStatus) -> Void
    ) -> ListenerToken {
        listeners.add(queue, listener)
    }

    // As long as no peer is found, there is nothing to tell about peers.

    /// Has the listener called when a peer comes or goes.
    public func addPeerDiscoveryStatusListener(
        on queue: DispatchQueue? = nil, listener: @escaping (PeerDiscoveryStatus) -> Void
    ) -> ListenerToken { ListenerToken {} }

    /// Has the listener called when the replicator for a peer does something else than before.
    public func addPeerReplicatorStatusListener(
        on queue: DispatchQueue? = nil, listener: @escaping (PeerReplicatorStatus) -> Void
    ) -> ListenerToken { ListenerToken {} }

    /// Has the listener called with the documents that were replicated with a peer, or could not be.
    public func addPeerDocumentReplicationListener(
        on queue: DispatchQueue? = nil, listener: @escaping (PeerDocumentReplication) -> Void
    ) -> ListenerToken { ListenerToken {} }
}
