// What a peer is called.
extension ReplicatorSettings {
    /// By what the database remembers the peer, in the form in which people name servers.
    package func rememberedPeer() throws -> String { SyncEndpoint.removed(from: try SessionPlan.peerID(self)) }
}

extension ReplicatorSettings.Peer {
    /// The URL of a server's database, without a password, or the path of another one.
    package var name: String {
        switch self {
        case .server(let settings): SyncEndpoint.removed(from: settings.handshake.url.description)
        case .couch(let couch): couch.id
        case .database(let database): database.path
        case .transport(_, let id): id
        }
    }
}
