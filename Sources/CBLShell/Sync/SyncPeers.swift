import CBLReplication
import CBLStore
import CBLTransport

/// The servers that a session has talked to: the interactive shell need not be told twice where one is, and who is asking.
struct SyncPeers {
    /// By URL, without a password.
    private var servers: [String: ServerAccess.Gateway] = [:]
    /// Those that speak CouchDB's protocol.
    private var couchServers: [String: WebServerSettings] = [:]
    /// The last one of each database, by its path.
    private var last: [String: String] = [:]
    /// By what checkpoints know those that were found by their names.
    private var ids: [String: String] = [:]

    /// How to reach a server: as the flags say, or if they say nothing, as before.
    func gateway(for url: String, _ invocation: Invocation) throws -> ServerAccess.Gateway {
        let isSaid = ServerAccess.names.contains { invocation.flag($0) }
        if !isSaid, let parsed = try? PeerURL(url), parsed.credentials == nil, let known = servers[parsed.description] { return known }
        return try ServerAccess(invocation: invocation).gateway(for: url)
    }

    /// The same for a server that speaks CouchDB's protocol.
    func couchSettings(for url: String, _ invocation: Invocation) throws -> WebServerSettings {
        let isSaid = ServerAccess.names.contains { invocation.flag($0) }
        if !isSaid, let parsed = try? PeerURL(url), parsed.credentials == nil, let known = couchServers[parsed.webDescription] {
            return known
        }
        return try ServerAccess(invocation: invocation).couchSettings(for: url)
    }

    mutating func remember(_ settings: ReplicatorSettings, of database: Database) {
        let name = settings.peer.name
        switch settings.peer {
        case .server(let server): servers[name] = ServerAccess.Gateway(settings: server, login: settings.login)
        case .couch(let couch): couchServers[name] = couch.settings
        case .database, .transport: break
        }
        ids[name] = settings.peerID
        last[database.path] = name
    }

    func id(of peer: ReplicatorSettings.Peer) -> String? { ids[peer.name] }

    func last(of database: Database) -> String? { last[database.path] }

    /// A URL without the password that may be in it.
    static func shown(_ text: String) -> String {
        guard let url = try? PeerURL(text) else { return text }
        return isCouch(text) ? url.webDescription : url.description
    }

    /// Whether a URL is that of a server which speaks CouchDB's protocol, and not WebSocket.
    static func isCouch(_ url: String) -> Bool { url.prefix(5).lowercased().hasPrefix("http") }
}

extension DatabaseSync {
    /// The peer that need not be named: the last one of this session, or the only server that the database remembers.
    func knownPeer(of database: Database, _ direction: Direction) throws -> String {
        let peer: String
        if let last = session.peers.last(of: database) {
            peer = last
        } else {
            let urls = try database.read { try $0.remotes() }.sorted { $0.key < $1.key }.map { SyncEndpoint.removed(from: $0.value) }
            let servers = urls.filter { if case .remote? = Endpoint($0) { true } else { false } }
            guard let first = servers.first else {
                throw invocation.usageError("PEER is missing: this database has been replicated with no server yet")
            }
            guard servers.count == 1 else {
                throw CommandError(
                    .usage, lines: ["\(invocation.parsed.title): PEER is missing: this database knows \(servers.count) servers"],
                    hints: servers)
            }
            peer = first
        }
        let preposition = direction == .push ? "to" : direction == .pull ? "from" : "with"
        session.notice("\(direction.title) \(preposition) \(peer).")
        return peer
    }
}
