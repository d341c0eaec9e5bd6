import CBLStore
import CBLTransport

/// What a replicator is to do, and with whom.
package struct ReplicatorSettings: Sendable {
    package struct Collection: Sendable {
        package var name: CollectionName
        package var push: ActiveSession.Mode
        package var pull: ActiveSession.Mode
        /// What to pull: the documents of these channels, of these IDs, or what a filter of the server lets through.
        package var channels: [String] = []
        package var documentIDs: [String] = []
        package var filter: String?
        package var filterParameters: [String: String] = [:]
        /// What to push, and what of that which comes to take.
        package var pushFilter: SyncFilter?
        package var pullFilter: SyncFilter?
        /// What the other database takes, if it is one of this process.
        package var peerFilter: SyncFilter?
        /// What the two filters are called in the checkpoint: under another name everything is looked at anew. Nil if they are always the same.
        package var filterName: String?
        package var resolver: SyncResolver = SyncResolution.standard
        /// Whether the resolver may take its time: then it is asked about several documents at once, and nothing waits for it but the end.
        package var resolvesAside = false
        package var skipsDeleted = false
        package var purgesLost = true
        /// Whether both branches of a conflict stay, as 1.x has it, instead of being settled: with servers of CouchDB's kind, in databases with
        /// revision trees.
        package var keepsConflicts = false
        /// Whether deletions come with the first pull too: of what never was here, but may be where it goes on to.
        package var takesAllDeletions = false

        package init(_ name: CollectionName = .default, push: ActiveSession.Mode, pull: ActiveSession.Mode) {
            self.name = name
            self.push = push
            self.pull = pull
        }
    }

    package enum Peer: Sendable {
        /// With everything that concerns the way there: trust, proxy, credentials, headers, cookies, heartbeat.
        case server(WebSocketClientSettings)
        /// A server of CouchDB's kind.
        case couch(CouchPeer)
        /// Another database of this machine.
        case database(Database)
        /// Whatever the app talks to it over, and by what it is known in checkpoints.
        case transport(any PeerTransport, id: String)
    }

    package var peer: Peer
    /// How one signs in, over HTTP, at a server that is then spoken to over WebSocket. What is sent with the handshake itself is said with the server.
    package var login = ServerLogin.nobody
    package var collections: [Collection]
    /// By what the peer is known in checkpoints and documents; nil for its URL.
    package var peerID: String?
    /// Begin anew, whatever the checkpoints say.
    package var isReset = false
    package var allowsDeltas = true
    /// Whether what settles a conflict is pushed at once by a replication that is to come to an end; otherwise the next one does it.
    package var pushesSettlements = true
    /// Nil for what is usual: for ever if it is continuous, otherwise nine times.
    package var retry: RetryPolicy?
    package var limits = FlowLimits()
    /// How long a server may send nothing while it owes an answer; nil for ever. The heartbeat is something else: it finds out who is gone.
    package var patience: Duration? = .seconds(600)
    /// How long a stop may take before the connection is cut.
    package var stopTimeout = Duration.seconds(10)

    package init(_ peer: Peer, collections: [Collection]) {
        self.peer = peer
        self.collections = collections
    }

    /// The settings for a server's database: `wss://host:4984/db`.
    package static func server(_ url: PeerURL) -> WebSocketClientSettings {
        WebSocketClientSettings(HandshakeRequest(url: url.appending(SyncEndpoint.name), protocols: []))
    }

    /// Who logs in at the server, by name.
    var user: String? {
        switch peer {
        case .server(let server): server.handshake.credentials?.user ?? login.user
        case .couch(let couch): couch.user
        case .database, .transport: nil
        }
    }

    package var isContinuous: Bool { collections.contains { $0.push == .continuous || $0.pull == .continuous } }
    var pushes: Bool { collections.contains { $0.push != .off } }
    var pulls: Bool { collections.contains { $0.pull != .off } }
}

/// A way to a peer that is neither a server's nor in memory.
package protocol PeerTransport: Sendable {
    /// Begins to connect, for a session that speaks one of these protocols, the best first. Called on the loop. The delegate is told when the
    /// connection is open, and in any case how it ended.
    func connect(protocols: [String], on loop: EventLoop, delegate: any WebSocketDelegate & Sendable)
}
