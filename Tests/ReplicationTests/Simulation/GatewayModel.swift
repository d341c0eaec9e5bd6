import DocumentStore
import Fleece

@testable import Replication

/// A gateway as far as its clients see it, written from the protocol alone and sharing nothing with the machines but the messages: it takes no
/// conflicts, keeps one branch of each document, and tells of changes one batch at a time.
final class GatewayModel {
    struct Document {
        var revision: RevisionID
        /// The revision and its ancestors, the newest first.
        var history: [RevisionID]
        var isDeleted: Bool
        var body: [UInt8]
        var sequence: UInt64
        /// The bodies of earlier revisions, for deltas.
        var bodies: [RevisionID: [UInt8]] = [:]
    }

    final class Collection {
        var documents: [String: Document] = [:]
        var log: [(sequence: UInt64, id: String)] = []
        var checkpoints: [String: (revision: Int, body: [UInt8])] = [:]
    }

    var collections: [Collection]
    var blobs: [BlobDigest: [UInt8]] = [:]
    var lastSequence: UInt64 = 0
    var sendsDeltas = true

    init(collections count: Int) { collections = (0..<count).map { _ in Collection() } }

    /// The rule of the protocol for a proposed revision.
    func verdict(_ entry: ProposalMessage.Entry, _ collection: Int) -> ProposalReply.Item {
        guard let document = collections[collection].documents[entry.documentID], let revision = entry.revision else { return .accepted }
        if document.revision == revision { return .known }
        if let server = entry.serverRevision {
            return server == document.revision ? .accepted : .conflict(with: document.revision)
        }
        return document.isDeleted ? .accepted : .conflict(with: document.revision)
    }

    /// Takes a revision. Nil if it is stored, or was.
    func store(_ message: RevisionMessage, _ collection: Int) -> SyncError? {
        guard let revision = message.revision else { return .http(400) }
        let target = collections[collection]
        let known = target.documents[message.documentID]
        if let known {
            if known.history.contains(revision) { return nil }
            let descends = message.history.treeIDs.contains(known.revision)
            guard descends || known.isDeleted && message.history.treeIDs.count == 1 else { return .http(409, "Document revision conflict") }
        }
        var history = message.history.treeIDs
        if let known, let place = history.firstIndex(of: known.revision) { history = Array(history[..<place]) + known.history }
        lastSequence += 1
        var document = Document(
            revision: revision, history: history, isDeleted: message.isDeleted, body: message.body, sequence: lastSequence)
        if let known {
            document.bodies = known.bodies
            document.bodies[known.revision] = known.body
        }
        target.documents[message.documentID] = document
        target.log.append((lastSequence, message.documentID))
        return nil
    }
}

/// One client's connection to the gateway.
struct GatewayConnection {
    /// What it wants sent.
    enum Output {
        case request(WireRequest, number: Int?)
        case reply(WireReply, to: IncomingID)
    }

    private enum Pending {
        case changes(collection: Int, [(id: String, sequence: UInt64, revision: RevisionID)])
        case revision(collection: Int, id: String, sequence: UInt64, isDelta: Bool)
        case blob(Incoming, BlobDigest)
        case proof(Incoming, BlobDigest, nonce: [UInt8])
    }

    private struct Incoming {
        var collection: Int
        var message: RevisionMessage
        var id: IncomingID?
        var digests: [BlobDigest]
    }

    private struct Feed {
        var lastSent: UInt64
        var isContinuous: Bool
        var saidCaughtUp = false
        var unanswered = 0
    }

    let gateway: GatewayModel
    private var feeds: [Int: Feed] = [:]
    private var hasCollections: Bool?
    private var last = 0
    private var pending: [Int: Pending] = [:]
    var random: TestRandom

    init(_ gateway: GatewayModel, seed: UInt64) {
        self.gateway = gateway
        random = TestRandom(seed)
    }

    private mutating func number() -> Int {
        last += 1
        return last
    }

    private func wire(_ content: SyncRequest.Content, _ collection: Int, noReply: Bool = false) -> WireRequest {
        var wire = SyncRequest(content, collection: hasCollections == true ? collection : nil).wire
        if noReply { wire.isNoReply = true }
        return wire
    }

    mutating func receive(_ wire: WireRequest, _ id: IncomingID?) throws -> [Output] {
        let request = try SyncRequest(wire)
        var outputs: [Output] = []
        func reply(_ reply: WireReply) { if let id { outputs.append(.reply(reply, to: id)) } }
        if case .getCollections(let message) = request.content {
            hasCollections = true
            let items = message.items.enumerated().map { place, item in
                guard let stored = gateway.collections[place].checkpoints[item.checkpointID] else { return CollectionsReply.Item.new }
                return .checkpoint(revision: "0-\(stored.revision)", body: stored.body)
            }
            reply(CollectionsReply(items: items).wire)
            return outputs
        }
        if hasCollections == nil { hasCollections = false }
        guard (request.collection != nil) == hasCollections else { throw MalformedMessage("collection property does not fit") }
        let index = request.collection ?? 0
        let target = gateway.collections[index]
        switch request.content {
        case .getCheckpoint(let message):
            if let stored = target.checkpoints[message.client] {
                reply(CheckpointReply(revision: "0-\(stored.revision)", body: stored.body).wire)
            } else {
                reply(SyncError.http(404, "missing").reply)
            }
        case .setCheckpoint(let message):
            let current = target.checkpoints[message.client]?.revision ?? 0
            if message.revision == (current == 0 ? "" : "0-\(current)") {
                target.checkpoints[message.client] = (current + 1, message.body)
                reply(WireReply(properties: ["rev": "0-\(current + 1)"]))
            } else {
                reply(SyncError.http(409, "Document update conflict").reply)
            }
        case .subChanges(let message):
            let since = message.since.flatMap { UInt64($0.json) } ?? 0
            feeds[index] = Feed(lastSent: since, isContinuous: message.isContinuous)
            reply(.empty)
        case .proposeChanges(let message):
            // Now and then it has a bad moment.
            let items = message.entries.map { random.below(200) == 0 ? .refused(status: 503) : gateway.verdict($0, index) }
            reply(ProposalReply(items: items).wire)
        case .rev(let message):
            let digests = try GatewayConnection.stubs(message.body)
            outputs += store(Incoming(collection: index, message: message, id: id, digests: digests))
        case .getAttachment(let message):
            if let content = gateway.blobs[message.digest] { reply(WireReply(body: content)) } else { reply(SyncError.http(404).reply) }
        default: throw MalformedMessage("a client does not send \(request.profile)")
        }
        return outputs
    }

    /// The digests in `_attachments`.
    static func stubs(_ body: [UInt8]) throws -> [BlobDigest] {
        try fleece(String(decoding: body, as: UTF8.self)).withRoot { root in
            guard let list = root.dictionary?.value(forKey: "_attachments", nil)?.dictionary else { return [] }
            return list.compactMap { $0.value.dictionary?.value(forKey: "digest", nil)?.string.flatMap { BlobDigest($0) } }
        }
    }

    /// Gets what is missing of a revision before it stores it.
    private mutating func store(_ incoming: Incoming) -> [Output] {
        var incoming = incoming
        guard let digest = incoming.digests.popLast() else {
            let error = gateway.store(incoming.message, incoming.collection)
            guard let id = incoming.id else { return [] }
            return [.reply(error?.reply ?? .empty, to: id)]
        }
        let number = number()
        if gateway.blobs[digest] == nil {
            pending[number] = .blob(incoming, digest)
            let message = GetAttachment(digest: digest, documentID: incoming.message.documentID, compress: false)
            return [.request(wire(.getAttachment(message), incoming.collection), number: number)]
        }
        let nonce = (0..<20).map { _ in UInt8(random.below(256)) }
        pending[number] = .proof(incoming, digest, nonce: nonce)
        return [.request(wire(.proveAttachment(ProveAttachment(digest: digest, nonce: nonce)), incoming.collection), number: number)]
    }

    mutating func replied(_ reply: WireReply, _ number: Int) throws -> [Output] {
        switch pending.removeValue(forKey: number) {
        case .blob(let incoming, let digest)?:
            guard !reply.isError, ModelStore.digest(reply.body) == digest else { throw MalformedMessage("the blob is wrong") }
            gateway.blobs[digest] = reply.body
            return store(incoming)
        case .proof(let incoming, let digest, let nonce)?:
            var proof = PossessionProof(nonce: nonce)
            gateway.blobs[digest]!.withUnsafeBytes { proof.update($0) }
            guard String(decoding: reply.body, as: UTF8.self) == proof.finish() else { throw MalformedMessage("the proof is wrong") }
            return store(incoming)
        case .changes(let collection, let told)?:
            feeds[collection]?.unanswered -= 1
            guard !reply.isError else { return [] }
            let answer = try ChangesReply(reply)
            var outputs: [Output] = []
            for (place, change) in told.enumerated() {
                guard case .wanted(let ancestors) = answer[place] else { continue }
                outputs.append(send(change, collection, ancestors, deltas: gateway.sendsDeltas))
            }
            return outputs
        case .revision(let collection, let id, let sequence, let isDelta)?:
            // Status 422: all of it, then.
            guard reply.isError, isDelta, let document = gateway.collections[collection].documents[id] else { return [] }
            return [send((id, sequence, document.revision), collection, [], deltas: false)]
        case nil: return []
        }
    }

    private mutating func send(
        _ change: (id: String, sequence: UInt64, revision: RevisionID), _ collection: Int, _ ancestors: [RevisionID], deltas: Bool
    ) -> Output {
        let document = gateway.collections[collection].documents[change.id]!
        let sequence = RemoteSequence(change.sequence)
        if document.revision != change.revision, random.below(2) == 0 {
            return .request(
                wire(
                    .norev(NoRevisionMessage(documentID: change.id, revision: change.revision, sequence: sequence, status: 404)), collection
                ),
                number: nil)
        }
        let end = document.history.firstIndex(where: ancestors.contains)
        var message = RevisionMessage(
            documentID: change.id, history: RevisionHistory(treeIDs: Array(document.history.prefix((end ?? 19) + 1))), sequence: sequence,
            body: document.body)
        if document.revision != change.revision { message.replaces = change.revision }
        message.isDeleted = document.isDeleted
        let hasBlobs = String(decoding: document.body, as: UTF8.self).contains("_attachments")
        if deltas, !message.isDeleted, !hasBlobs, let base = ancestors.first, let old = document.bodies[base],
            let from = try? fleece(String(decoding: old, as: UTF8.self)),
            let to = try? fleece(String(decoding: document.body, as: UTF8.self)),
            let delta = try? from.withRoot({ from in try to.withRoot { try Delta.create(from: from, to: $0) } })
        {
            message.deltaSource = base
            // Now and then it does not fit.
            message.body = Array((random.below(10) == 0 ? #"{"nowhere":{"a":1}}"# : delta).utf8)
        }
        let waits = hasBlobs || message.deltaSource != nil
        guard waits else { return .request(wire(.rev(message), collection, noReply: true), number: nil) }
        let number = number()
        pending[number] = .revision(collection: collection, id: change.id, sequence: change.sequence, isDelta: message.deltaSource != nil)
        return .request(wire(.rev(message), collection), number: number)
    }

    /// Tells of the next changes, if there are any and the last ones were answered.
    mutating func tell() -> [Output] {
        var outputs: [Output] = []
        for (index, feed) in feeds.sorted(by: { $0.key < $1.key }) {
            var feed = feed
            guard feed.unanswered < 2, feed.isContinuous || !feed.saidCaughtUp else { continue }
            let target = gateway.collections[index]
            var told: [(id: String, sequence: UInt64, revision: RevisionID)] = []
            for (sequence, id) in target.log[target.firstPlace(after: feed.lastSent)...] {
                guard told.count < 10 else { break }
                feed.lastSent = sequence
                guard let document = target.documents[id], document.sequence == sequence else { continue }
                told.append((id, sequence, document.revision))
            }
            if told.isEmpty {
                if !feed.saidCaughtUp {
                    feed.saidCaughtUp = true
                    var message = wire(.changes(ChangesMessage(entries: [])), index, noReply: true)
                    message.body = Array("null".utf8)
                    outputs.append(.request(message, number: nil))
                }
            } else {
                let entries = told.map {
                    ChangesMessage.Entry(
                        sequence: RemoteSequence($0.sequence), documentID: $0.id, revision: $0.revision,
                        flags: target.documents[$0.id]!.isDeleted ? .deleted : [])
                }
                let number = number()
                feed.unanswered += 1
                pending[number] = .changes(collection: index, told)
                outputs.append(.request(wire(.changes(ChangesMessage(entries: entries)), index), number: number))
            }
            feeds[index] = feed
        }
        return outputs
    }
}

extension GatewayModel.Collection {
    func firstPlace(after sequence: UInt64) -> Int {
        var (low, high) = (0, log.count)
        while low < high {
            let middle = (low + high) / 2
            if log[middle].sequence > sequence { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
