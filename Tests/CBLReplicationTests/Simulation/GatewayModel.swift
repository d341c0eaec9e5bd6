import CBLFleece
import CBLStore
import CBLTestSupport

@testable import CBLReplication

/// A gateway's database as far as clients see it, written from the protocol alone and sharing nothing with the machines but the messages: it
/// takes no conflicts, keeps one branch of each document, and tells each user of what he may see.
final class GatewayModel {
    struct Document {
        /// The revision and its ancestors, the newest first; or its vector.
        var history: RevisionHistory
        var isDeleted: Bool
        var body: [UInt8]
        var sequence: UInt64
        var channels: Set<String> = []
        /// The bodies of earlier revisions, for deltas.
        var bodies: [RevisionID: [UInt8]] = [:]
        /// Earlier deletions, which can be told of for ever.
        var tombstones: [RevisionID: RevisionHistory] = [:]

        /// Remembers what it replaces.
        mutating func keep(_ old: Document?) {
            guard let old else { return }
            (bodies, tombstones) = (old.bodies, old.tombstones)
            if old.isDeleted { tombstones[old.revision] = old.history } else { bodies[old.revision] = old.body }
        }

        var revision: RevisionID { history.revision ?? RevisionID(Version(legacy: history.treeIDs[0])) }
    }

    /// A place in what a user is told: ordinary sequences, and those that a change of his rights triggered, which come before it.
    struct Place: Comparable, Hashable {
        var sequence: UInt64
        /// Of the document, if something triggered it.
        var triggered = UInt64.max

        static func < (a: Place, b: Place) -> Bool {
            a.sequence != b.sequence ? a.sequence < b.sequence : a.triggered < b.triggered
        }
    }

    /// Something that a user is told, if it is still so when he is.
    struct Entry {
        var place: Place
        var id: String
        var revision: RevisionID
        var flags: ChangesMessage.Flags = []
    }

    /// Everything that goes back when the server is restored.
    struct State {
        struct Collection {
            var documents: [String: Document] = [:]
            /// By user.
            var feeds: [[Entry]]
            var checkpoints: [String: (revision: Int, body: [UInt8])] = [:]
            /// Documents that were purged, and not made again.
            var purged: Set<String> = []
        }

        var collections: [Collection]
        var access: [Set<String>]
        var lastSequence: UInt64 = 0
        /// A sequence that something was to have, and has not yet.
        var hole: UInt64?
    }

    static let channels = ["a", "b", "c"]
    static let source = SourceID((1...16).map { UInt8($0) }) ?? .local

    var state: State
    let climate: Climate
    var blobs: [BlobDigest: [UInt8]] = [:]
    /// Open connections, to be told of what comes late.
    var connections: [GatewayEnd] = []
    var random: SeededRandom
    var isFair = false
    /// What was purged at some time, by collection and ID: what was told of it before may be nowhere.
    private(set) var everPurged: Set<String> = []
    private let clock: SimulatedClock
    private var lastTime: UInt64 = 0

    init(_ climate: Climate, clock: SimulatedClock, seed: UInt64) {
        self.climate = climate
        self.clock = clock
        random = SeededRandom(seed)
        let users = climate.replicaCount
        state = State(
            collections: Array(repeating: State.Collection(feeds: Array(repeating: [], count: users)), count: climate.collectionCount),
            access: Array(repeating: climate.hasChannels ? ["a"] : [], count: users))
    }

    func isVisible(_ document: Document, to user: Int) -> Bool {
        !climate.hasChannels || !document.channels.isDisjoint(with: state.access[user])
    }

    /// The rule of the protocol for a proposed revision.
    func verdict(_ entry: ProposalMessage.Entry, _ collection: Int) -> ProposalReply.Item {
        guard let document = state.collections[collection].documents[entry.documentID], let revision = entry.revision else {
            return .accepted
        }
        if document.revision == revision { return .known }
        if let server = entry.serverRevision, server == document.revision { return .accepted }
        let conflict = ProposalReply.Item.conflict(with: climate.conflictsNameRevision ? document.revision : nil)
        guard climate.usesVectors else { return entry.serverRevision == nil && document.isDeleted ? .accepted : conflict }
        guard let version = revision.version, let mine = document.revision.version else { return conflict }
        if let time = document.history.vector[version.source], time >= version.time { return .known }
        return mine.source == version.source && version.time > mine.time ? .accepted : conflict
    }

    /// What keeps a body from being accepted.
    func refusal(_ body: [UInt8], _ collection: Int) -> SyncError? {
        guard climate.refuses, !isFair else { return nil }
        let text = String(decoding: body, as: UTF8.self)
        if text.contains("\"forbidden\"") { return .http(403, "forbidden by the sync function") }
        guard let range = text.firstRange(of: "\"needs\":\"") else { return nil }
        let id = String(text[range.upperBound...].prefix { $0 != "\"" })
        return state.collections[collection].documents[id] == nil ? .http(403, "\(id) is missing") : nil
    }

    /// Takes a revision. Nil if it is stored, or was.
    func store(_ message: RevisionMessage, body: [UInt8], _ collection: Int) -> SyncError? {
        guard let revision = message.revision else { return .http(400) }
        let known = state.collections[collection].documents[message.documentID]
        var history = message.history
        if let known {
            switch (climate.usesVectors, known.revision == revision) {
            case (_, true): return nil
            case (true, _):
                guard let version = revision.version else { return .http(400) }
                // What claims to know the current one is newer, whatever that claims. What it knew is added to it.
                guard let mine = known.revision.version, let time = history.vector[mine.source], time >= mine.time else {
                    if let time = known.history.vector[version.source], time >= version.time { return nil }
                    return .http(409, "Document revision conflict")
                }
                history.vector = history.vector.trivialMerge(loser: GatewayModel.others(known.history.vector, than: version.source))
            case (false, _):
                if known.history.treeIDs.contains(revision) { return nil }
                if let place = history.treeIDs.firstIndex(of: known.revision) {
                    history.treeIDs = Array(history.treeIDs[..<place]) + known.history.treeIDs
                } else {
                    guard known.isDeleted, history.treeIDs.count == 1 else { return .http(409, "Document revision conflict") }
                }
            }
        }
        if let error = refusal(body, collection) { return error }
        var document = Document(history: history, isDeleted: message.isDeleted, body: body, sequence: 0)
        document.keep(known)
        put(document, message.documentID, collection)
        return nil
    }

    private static func others(_ vector: VersionVector, than source: SourceID) -> VersionVector {
        var seen: Set<SourceID> = [source]
        return (try? VersionVector(vector.versions.filter { seen.insert($0.source).inserted })) ?? VersionVector()
    }

    private func nextSequence() -> UInt64 {
        if let hole = state.hole, random.below(4) == 0 || isFair {
            state.hole = nil
            return hole
        }
        state.lastSequence += 1
        if climate.hasHoles, state.hole == nil, !isFair, random.below(20) == 0 {
            state.hole = state.lastSequence
            state.lastSequence += 1
        }
        return state.lastSequence
    }

    private func put(_ new: Document, _ id: String, _ collection: Int) {
        var document = new
        document.sequence = nextSequence()
        if climate.hasChannels, !document.isDeleted { document.channels = GatewayModel.channels(of: document.body) }
        let old = state.collections[collection].documents[id]
        state.collections[collection].documents[id] = document
        state.collections[collection].purged.remove(id)
        for user in state.access.indices {
            let wasVisible = old.map { isVisible($0, to: user) } ?? false
            var flags: ChangesMessage.Flags = document.isDeleted ? .deleted : []
            if !isVisible(document, to: user) {
                guard wasVisible else { continue }
                flags.insert(.removed)
            }
            tell(user, Entry(place: Place(sequence: document.sequence), id: id, revision: document.revision, flags: flags), collection)
        }
    }

    /// What the sync function makes of a body: `"channels":"ab"`.
    private static func channels(of body: [UInt8]) -> Set<String> {
        let text = String(decoding: body, as: UTF8.self)
        guard let range = text.firstRange(of: "\"channels\":\"") else { return [] }
        return Set(text[range.upperBound...].prefix { $0 != "\"" }.map(String.init))
    }

    private func tell(_ user: Int, _ entry: Entry, _ collection: Int) {
        let feed = state.collections[collection].feeds[user]
        let index = feed.firstIndex { entry.place < $0.place } ?? feed.count
        state.collections[collection].feeds[user].insert(entry, at: index)
        for connection in connections where connection.user == user { connection.noteLate(entry, collection) }
    }

    // What happens at the server itself

    func grant(_ channel: String, to user: Int) { changeAccess(of: user, .init()) { $0.insert(channel) } }
    func revoke(_ channel: String, from user: Int) { changeAccess(of: user, .revoked) { $0.remove(channel) } }

    private func changeAccess(of user: Int, _ flags: ChangesMessage.Flags, _ change: (inout Set<String>) -> Void) {
        let before = state.access[user]
        var after = before
        change(&after)
        guard before != after else { return }
        state.lastSequence += 1
        for collection in state.collections.indices {
            let documents = state.collections[collection].documents.sorted { $0.value.sequence < $1.value.sequence }
            let (old, new) = (before, after)
            for (id, document) in documents where document.channels.isDisjoint(with: old) != document.channels.isDisjoint(with: new) {
                state.access[user] = after
                let place = Place(sequence: state.lastSequence, triggered: document.sequence)
                tell(user, Entry(place: place, id: id, revision: document.revision, flags: flags), collection)
            }
        }
        state.access[user] = after
    }

    /// Somebody changes a document by other means than a replication. False if nothing is to be deleted.
    func edit(_ collection: Int, _ id: String, _ json: String?) -> Bool {
        let known = state.collections[collection].documents[id]
        if json == nil, known?.isDeleted ?? true { return false }
        let body = Array((json ?? "{}").utf8)
        var history = known?.history ?? RevisionHistory()
        if climate.usesVectors {
            // Later than everything that was seen.
            lastTime = max(lastTime, history.vector.versions.map(\.time).max() ?? 0, clock.now()) + 0x10000
            let version = Version(time: lastTime, source: GatewayModel.source)
            let rest = history.vector.versions.filter { $0.source != GatewayModel.source }
            guard
                let vector = try? VersionVector(
                    [version]
                        + rest.reduce(into: [Version]()) { list, version in
                            if !list.contains(where: { $0.source == version.source }) { list.append(version) }
                        })
            else { return false }
            history = RevisionHistory(vector: vector)
        } else {
            guard let id = body.withUnsafeBytes({ RevisionID.next(after: known?.revision, isDeleted: json == nil, canonicalJSON: $0) })
            else {
                return false
            }
            history.treeIDs.insert(id, at: 0)
        }
        var document = Document(history: history, isDeleted: json == nil, body: body, sequence: 0)
        document.keep(known)
        put(document, id, collection)
        return true
    }

    func purge(_ collection: Int, _ id: String) {
        guard state.collections[collection].documents.removeValue(forKey: id) != nil else { return }
        state.collections[collection].purged.insert(id)
        everPurged.insert("\(collection) \(id)")
    }

    /// What was never to come does not come: sequences are complete again.
    func closeHole() { state.hole = nil }
}
