import DocumentStore
import Transport

/// What a replicator is to do, and with whom.
public struct ReplicatorSettings: Sendable {
    public struct Collection: Sendable {
        public var name: CollectionName
        public var push: ActiveSession.Mode
        public var pull: ActiveSession.Mode
        /// What to pull: the documents of these channels, of these IDs, or what a filter of the server lets through.
        public var channels: [String] = []
        public var documentIDs: [String] = []
        public var filter: String?
        public var filterParameters: [String: String] = [:]
        /// What to push, and what of that which comes to take.
        public var pushFilter: SyncFilter?
        public var pullFilter: SyncFilter?
        /// What the two filters are called in the checkpoint: under another name everything is looked at anew. Nil if they are always the same.
        public var filterName: String?
        public var resolver: SyncResolver = SyncResolution.standard
        public var skipsDeleted = false
        public var purgesLost = true

        public init(_ name: CollectionName = .default, push: ActiveSession.Mode, pull: ActiveSession.Mode) {
            self.name = name
            self.push = push
            self.pull = pull
        }
    }

    public enum Peer: Sendable {
        /// With everything that concerns the way there: trust, proxy, credentials, headers, cookies, heartbeat.
        case server(WebSocketClientSettings)
        /// Another database of this machine.
        case database(Database)
    }

    public var peer: Peer
    public var collections: [Collection]
    /// By what the peer is known in checkpoints and documents; nil for its URL.
    public var peerID: String?
    /// Begin anew, whatever the checkpoints say.
    public var isReset = false
    public var allowsDeltas = true
    /// Nil for what is usual: for ever if it is continuous, otherwise nine times.
    public var retry: RetryPolicy?
    public var limits = FlowLimits()
    /// How long a server may send nothing while it owes an answer; nil for ever. The heartbeat is something else: it finds out who is gone.
    public var patience: Duration? = .seconds(600)
    /// How long a stop may take before the connection is cut.
    public var stopTimeout = Duration.seconds(10)

    public init(_ peer: Peer, collections: [Collection]) {
        self.peer = peer
        self.collections = collections
    }

    /// The settings for a server's database: `wss://host:4984/db`.
    public static func server(_ url: PeerURL) -> WebSocketClientSettings {
        WebSocketClientSettings(HandshakeRequest(url: url.appending("_blipsync"), protocols: []))
    }

    var isContinuous: Bool { collections.contains { $0.push == .continuous || $0.pull == .continuous } }
    var pushes: Bool { collections.contains { $0.push != .off } }
    var pulls: Bool { collections.contains { $0.pull != .off } }
}
