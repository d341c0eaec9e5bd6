import CBLBase
import CBLFleece
import CBLTestSupport
import FoundationEssentials
import Testing

@testable import CBLReplication
@testable import CBLStore

/// A database of the simulation: a real one.
final class Replica {
    /// How a document stands.
    struct State: Equatable {
        var revision: RevisionID
        var isDeleted: Bool
        /// Canonical JSON.
        var body: String
        var isConflicted: Bool
    }

    /// With whom it replicates, and as what.
    struct Partner {
        let remote: UInt16
        let name: String
    }

    let number: Int
    let database: Database
    let collections: [CollectionName]
    let ways: [Climate.Way]
    let usesVectors: Bool
    var links: [Link] = []
    /// Its ends of connections, whoever opened them.
    var ends: [SessionEnd] = []
    /// Revisions that a partner acknowledged: over which connection, and when.
    var acknowledged: [String: (link: ObjectIdentifier, step: Int)] = [:]
    /// Revisions that somebody told of and that were not here, by collection, document and revision: when that was last so.
    var lacked: [String: Int] = [:]
    /// What came from the gateway last, by collection and document, until it took another revision.
    var pulled: [String: String] = [:]
    /// What was ever edited here, by collection and ID.
    var edited: Set<String> = []
    private let resolver: SyncResolver

    init(
        _ number: Int, path: String, _ climate: Climate, clock: SimulatedClock, collections: [CollectionName],
        resolver: @escaping SyncResolver
    ) throws {
        self.number = number
        self.collections = collections
        self.resolver = resolver
        usesVectors = climate.usesVectors
        ways = climate.ways[number]
        var options = Database.Options(access: .create, upgrade: usesVectors ? .versionVectors : .none)
        if usesVectors {
            let ahead = climate.clocksAhead[number]
            options.wallClock = { clock.now(ahead: ahead) }
            // Who made a version decides between two of the same time.
            let created = try Database(path: path, options: options)
            let bytes = Array(repeating: climate.sourceOrder[number], count: SourceID.byteCount)
            let uuid = try #require(bytes.withUnsafeBytes { UniqueID($0) })
            try created.write { try $0.setIdentity(publicUUID: uuid, privateUUID: uuid) }
            created.close()
        }
        database = try Database(path: path, options: options)
        try database.write { transaction in for name in collections where name != .default { try transaction.createCollection(name) } }
        for name in collections {
            try database.prepareChangeFeed(of: name)
            try database.prepareConflictSearch(of: [name])
        }
    }

    /// A partner does not have any more what it had.
    func forgetPartners() {
        acknowledged = [:]
        pulled = [:]
    }

    func partner(_ name: String) throws -> Partner {
        Partner(remote: try database.write { try $0.remoteID(of: name) }, name: name)
    }

    /// The store of a collection as one partner's session sees it; without a partner as those see it who connect to us.
    func store(_ index: Int, for partner: Partner?) -> ReplicatedDatabase {
        var store = ReplicatedDatabase(database, collection: collections[index], remote: partner?.remote ?? 0)
        guard let partner else { return store }
        store.checkpointID = "cp-\(number)-\(index)-\(partner.name)"
        store.documentIDs = ways[index].documentIDs
        let filter: SyncFilter = { !Replica.isSecret(String(decoding: $0.properties.bytes, as: UTF8.self)) }
        if ways[index].keepsSecrets { store.pushFilter = filter }
        if ways[index].takesNoSecrets { store.pullFilter = filter }
        store.resolver = resolver
        return store
    }

    static func isSecret(_ body: String) -> Bool { body.contains("classified") }

    /// Saves, or deletes without a body; false if there is nothing to delete.
    func edit(_ collection: Int, _ id: String, _ json: String?) throws -> Bool {
        let name = collections[collection]
        let isDone = try database.write { transaction in
            let isLive = try transaction.document(id, in: name).map { !$0.isDeleted } ?? false
            if let json {
                try transaction.save(id, in: name, body: transaction.encode(json: json))
            } else {
                guard isLive else { return false }
                try transaction.delete(id, in: name)
            }
            return true
        }
        if isDone { edited.insert("\(collection) \(id)") }
        return isDone
    }

    func save(blob content: [UInt8]) throws -> BlobDigest {
        // There are few, and most are here.
        if let digest = SessionEnd.digest(of: content), database.blobs.exists(digest) { return digest }
        return try content.withUnsafeBytes { try database.blobs.write($0) }.digest
    }

    func blob(_ digest: BlobDigest) -> [UInt8]? {
        var content: [UInt8] = []
        do { try database.blobs.read(digest) { content += $0 } } catch { return nil }
        return content
    }

    func contents(_ collection: Int) throws -> [String: State] {
        try database.read { snapshot in
            var options = ScanOptions(content: .everything)
            options.includesDeleted = true
            let cursor = try snapshot.scan(collections[collection], options)
            var contents: [String: State] = [:]
            while let document = try cursor.next(reading: { $0 }) {
                contents[document.id] = State(
                    revision: snapshot.global(document.revision), isDeleted: document.isDeleted,
                    body: document.body.withRoot { $0.json(keys: snapshot.sharedKeys, style: .canonical) },
                    isConflicted: document.isConflicted)
            }
            return contents
        }
    }

    /// Whether a revision is here, or was, or something newer is.
    /// `asRemote` if this is asked for a pull: what is known but later than the current version is wanted once more then, to see its vector.
    func knows(_ id: String, _ revision: RevisionID, _ collection: Int, asRemote remote: UInt16 = 0) throws -> Bool {
        try firstUnknown(of: [(id, revision)], collection, asRemote: remote) == nil
    }

    func firstUnknown(
        of revisions: [(id: String, revision: RevisionID)], _ collection: Int, asRemote remote: UInt16 = 0
    ) throws -> (id: String, revision: RevisionID)? {
        try database.read { snapshot in
            try revisions.first { id, revision in
                guard let document = try snapshot.document(id, in: collections[collection]) else { return true }
                if case .known = try document.revisions().acquaintance(with: snapshot.local(revision), remote: remote) { return false }
                let rivals = try document.revisions().competitors.map(\.revision)
                return !rivals.contains(snapshot.local(revision))
            }
        }
    }
}
