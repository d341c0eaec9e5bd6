import CBLFleece
import CBLStore

/// What must be read of the database before a session can begin.
struct SessionPlan: Sendable {
    var configuration: ActiveSession.Configuration
    var stores: [CollectionName: ReplicatedDatabase]
    /// What to offer the peer, the best first.
    var protocols: [ReplicationProtocol]

    /// `reset` names the collections that begin anew.
    init(_ settings: ReplicatorSettings, _ database: Database, reset: Set<Int>) throws {
        guard !settings.collections.isEmpty else { throw SyncError(.other, 0, "there is no collection to replicate") }
        let remote = try SessionPlan.peerID(settings)
        let number = try database.write { try $0.remoteID(of: remote) }
        let usesVectors = try database.read { $0.versioning == .vectors }
        try database.prepareChangeFeed(of: settings.collections.filter { $0.push != .off }.map(\.name))
        try database.prepareConflictSearch(of: settings.collections.filter { $0.pull != .off }.map(\.name))
        var collections: [ActiveSession.Collection] = []
        var stores: [CollectionName: ReplicatedDatabase] = [:]
        for (index, wanted) in settings.collections.enumerated() {
            let name = wanted.name
            guard stores[name] == nil else { throw SyncError(.other, 0, "the collection \"\(name)\" is named twice") }
            var store = try SessionPlan.store(wanted, database, peer: remote, number: number)
            // In a tree a peer has one revision of a document, and what it had before goes with its branch. Servers of CouchDB's kind have branches.
            if case .couch = settings.peer, !usesVectors {
                store = store.withoutNotes
                store.keepsShared = true
            }
            store.origin = RevisionOrigin(url: remote, user: settings.user, channels: wanted.channels)
            stores[name] = store
            var collection = ActiveSession.Collection(name, checkpointID: store.checkpointID, push: wanted.push, pull: wanted.pull)
            collection.channels = wanted.channels
            collection.documentIDs = wanted.documentIDs.isEmpty ? nil : wanted.documentIDs
            collection.filter = wanted.filter
            collection.filterParameters = wanted.filterParameters
            collection.skipsDeleted = wanted.skipsDeleted
            collection.purgesLost = wanted.purgesLost
            collection.isReset = reset.contains(index)
            collection.isEmpty = try !wanted.takesAllDeletions && database.read { try $0.lastSequence(of: name) } == 0
            collections.append(collection)
        }
        configuration = ActiveSession.Configuration(collections: collections)
        configuration.usesVectors = usesVectors
        configuration.allowsDeltas = settings.allowsDeltas
        configuration.pushesSettlements = settings.pushesSettlements
        configuration.databaseUUID = try database.read { $0.publicUUID }?.description
        configuration.limits = settings.limits
        self.stores = stores
        protocols = ReplicationProtocol.offers(
            usesVectors: usesVectors, pushes: settings.pushes, pulls: settings.pulls,
            onlyDefaultCollection: collections.count == 1 && collections[0].name == .default)
    }

    /// A collection as the replicator sees it; `number` is by what documents know the peer.
    static func store(
        _ wanted: ReplicatorSettings.Collection, _ database: Database, peer: String, number: UInt16
    ) throws -> ReplicatedDatabase {
        let (own, previous) = try database.read { ($0.privateUUID, try $0.previousPrivateUUID) }
        guard let own else {
            throw SyncError.liteCore(SyncError.LiteCoreCode.corruptData, "the database has no UUID: run check --repair")
        }
        let scope = CheckpointScope(
            collection: wanted.name, pushes: wanted.push != .off, pulls: wanted.pull != .off, remote: peer, channels: wanted.channels,
            documentIDs: wanted.documentIDs,
            filter: wanted.filter ?? (wanted.channels.isEmpty ? wanted.filterName.map { _ in ownFilter } : channelFilter),
            filterParameters: try parameters(wanted))
        var store = ReplicatedDatabase(database, collection: wanted.name, remote: number)
        store.checkpointID = try scope.checkpointID(privateUUID: own)
        store.formerCheckpointIDs = try previous.map { try scope.formerCheckpointIDs(previousUUID: $0) } ?? []
        store.documentIDs = wanted.documentIDs.isEmpty ? nil : Set(wanted.documentIDs)
        store.pushFilter = wanted.pushFilter
        store.pullFilter = wanted.pullFilter
        store.resolver = wanted.resolver
        store.resolvesAside = wanted.resolvesAside
        return store
    }

    static func peerID(_ settings: ReplicatorSettings) throws -> String {
        if let id = settings.peerID { return id }
        switch settings.peer {
        case .server(let server): return server.handshake.url.description
        case .couch(let peer): return peer.id
        case .database(let peer):
            guard let uuid = try peer.read({ $0.publicUUID }) else {
                throw SyncError.liteCore(SyncError.LiteCoreCode.corruptData, "\(peer.path) has no UUID: run check --repair on it")
            }
            return "x-local:\(uuid.description.uppercased())"
        case .transport(_, let id): return id
        }
    }

    // No server has a filter with such a parameter: the checkpoint alone knows of it.
    private static let ownFilter = "cblite"
    private static let channelFilter = "sync_gateway/bychannel"

    private static func parameters(_ collection: ReplicatorSettings.Collection) throws -> String? {
        var parameters = collection.filterParameters
        if !collection.channels.isEmpty, collection.filter == nil { parameters["channels"] = collection.channels.joined(separator: ",") }
        if let name = collection.filterName { parameters[SessionPlan.ownFilter] = name }
        guard !parameters.isEmpty else { return nil }
        let encoder = FleeceEncoder()
        encoder.beginDictionary()
        for (name, value) in parameters.sorted(by: { $0.key < $1.key }) {
            encoder.writeKey(name)
            encoder.write(value)
        }
        encoder.endDictionary()
        return try encoder.finish().withRoot { $0.json() }
    }
}
