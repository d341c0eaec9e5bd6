import DocumentStore
import Fleece

@testable import Replication

/// A database in memory, as far as a replication sees it: real revision trees, whose bodies are JSON.
final class ModelStore {
    struct Document {
        var tree = RevisionTree()
        var sequence: UInt64 = 0

        var body: String { tree.current?.body.map { String(decoding: $0, as: UTF8.self) } ?? "{}" }
        var isDeleted: Bool { tree.current?.isDeleted ?? true }
    }

    final class Collection {
        var documents: [String: Document] = [:]
        /// Sequences in order, also those that were replaced since.
        var log: [(sequence: UInt64, id: String)] = []
        var lastSequence: UInt64 = 0
        var checkpoint: [UInt8]?
        var peerCheckpoints: [String: (revision: Int, body: [UInt8])] = [:]
    }

    var collections: [Collection]
    var blobs: [BlobDigest: [UInt8]] = [:]
    private let remote: UInt16 = 1

    init(collections count: Int) { collections = (0..<count).map { _ in Collection() } }

    static func digest(_ content: [UInt8]) -> BlobDigest {
        BlobDigest("sha1-" + content.withUnsafeBytes { SHA1Text.base64(of: $0) })!
    }

    // Local edits

    /// Saves, or deletes without a body. Gives the revision.
    @discardableResult
    func edit(_ collection: Int, _ id: String, body: String?) throws -> RevisionID {
        var document = self.collections[collection].documents[id] ?? Document()
        let bytes = Array((body ?? "{}").utf8)
        let parent = document.tree.current?.id
        let added = try bytes.withUnsafeBytes { json in
            try document.tree.addRevision(
                after: parent, body: bytes[...], canonicalJSON: json, flags: body == nil ? .deleted : [])
        }
        try save(&document, collection, id)
        return added.id
    }

    private func save(_ document: inout Document, _ collection: Int, _ id: String) throws {
        let target = collections[collection]
        let outcome = try document.tree.prepareSave(isNewRecord: target.documents[id] == nil, depth: 20)
        if outcome.needsNewSequence {
            target.lastSequence += 1
            document.sequence = target.lastSequence
            target.log.append((document.sequence, id))
        }
        document.tree.didSave(sequence: document.sequence)
        target.documents[id] = document
    }

    // Requests

    func perform(_ request: StoreRequest, collection: Int) -> StoreAnswer {
        do { return try answer(request, collections[collection], collection) } catch {
            return .failed(SyncError(.liteCore, 10, "\(error)"))
        }
    }

    private func answer(_ request: StoreRequest, _ target: Collection, _ index: Int) throws -> StoreAnswer {
        switch request {
        case .loadCheckpoint: return .checkpoint(id: "cp-own-\(index)", body: target.checkpoint)
        case .saveCheckpoint(let body):
            target.checkpoint = body
            return .done
        case .loadPeerCheckpoint(let id):
            let stored = target.peerCheckpoints[id]
            return .peerCheckpoint(revision: stored.map { "\($0.revision)-cc" } ?? "", body: stored?.body)
        case .savePeerCheckpoint(let id, let revision, let body):
            let current = target.peerCheckpoints[id]?.revision ?? 0
            guard revision == (current == 0 ? "" : "\(current)-cc") else { return .failed(.http(409, "checkpoint")) }
            target.peerCheckpoints[id] = (current + 1, body)
            return .peerCheckpoint(revision: "\(current + 1)-cc", body: nil)
        case .readChanges(let since, let limit): return .changes(changes(target, since, limit))
        case .lookUp(let entries): return .lookups(try entries.map { try lookUp($0, target, index) })
        case .review(let entries):
            return .verdicts(
                entries.map { entry in
                    guard let revision = entry.revision else { return .refused(status: 400) }
                    switch (target.documents[entry.documentID]?.tree ?? RevisionTree()).verdict(on: revision, parent: entry.serverRevision)
                    {
                    case .wanted: return .accepted
                    case .known: return .known
                    case .conflict(let current): return .conflict(with: current)
                    }
                })
        case .inspect(let id, let peer):
            let tree = target.documents[id]?.tree ?? RevisionTree()
            return .state(
                DocumentState(
                    current: tree.current?.id, remoteRevision: tree.latest(onRemote: remote)?.id, isConflicted: tree.isConflicted,
                    descendsFromPeer: peer.map { tree.currentDescends(from: $0) } ?? false))
        case .loadRevisions(let orders, let options): return .revisions(orders.map { load($0, options, target) })
        case .prepare(let received): return .prepared(try prepare(received, target))
        case .insert(let revisions): return .inserted(revisions.map { insert($0, target, index) })
        case .mark(let marks):
            for mark in marks where !mark.isRejected {
                guard var document = target.documents[mark.documentID] else { continue }
                guard (try? document.tree.markPushed(mark.revision, toRemote: remote)) != nil else { continue }
                try save(&document, index, mark.documentID)
            }
            return .done
        case .purge(let ids):
            for id in ids { target.documents[id] = nil }
            return .done
        case .findConflicts: return .documents(target.documents.filter { $0.value.tree.isConflicted }.map(\.key).sorted())
        case .resolveConflict(let id): return .resolved(isNew: try resolve(id, target, index))
        }
    }

    private func changes(_ target: Collection, _ since: UInt64, _ limit: Int) -> LocalChanges {
        var low = 0
        var high = target.log.count
        while low < high {
            let middle = (low + high) / 2
            if target.log[middle].sequence > since { high = middle } else { low = middle + 1 }
        }
        var list = LocalChanges(changes: [], last: since, isComplete: true)
        for (sequence, id) in target.log[low...] {
            guard let document = target.documents[id], document.sequence == sequence, let current = document.tree.current else { continue }
            if list.changes.count == limit {
                list.isComplete = false
                return list
            }
            list.last = sequence
            if document.tree.isConflicted { continue }
            list.changes.append(
                LocalChange(
                    sequence: sequence, documentID: id, revision: current.id, isDeleted: current.isDeleted,
                    bodySize: current.body?.count ?? 0, remoteRevision: document.tree.latest(onRemote: remote)?.id))
        }
        list.last = max(since, target.lastSequence)
        return list
    }

    private func lookUp(_ entry: ChangesMessage.Entry, _ target: Collection, _ index: Int) throws -> Lookup {
        guard let revision = entry.revision, !entry.flags.losesAccess, var document = target.documents[entry.documentID] else {
            return .unknown(ancestors: [])
        }
        guard document.tree.index(of: revision) != nil else {
            return .unknown(ancestors: document.tree.possibleAncestors(of: revision, remote: remote))
        }
        if document.tree.latest(onRemote: remote)?.id != revision {
            // As with a push: the tree knows which of the two is newer.
            let received = try document.tree.insert(
                history: document.tree.history(of: document.tree.index(of: revision)!), body: nil, flags: [], remote: remote, depth: 20)
            if received.needsSave { try save(&document, index, entry.documentID) }
        }
        return .known
    }

    private func load(_ order: SendOrder, _ options: SendOptions, _ target: Collection) -> LoadedRevision {
        guard let tree = target.documents[order.documentID]?.tree, let current = tree.current, current.id == order.revision else {
            return .obsolete
        }
        var random = TestRandom(1)
        var history = tree.history(of: 0, limit: options.maxHistory ?? 20, using: &random)
        if let known = history.dropFirst().firstIndex(where: order.ancestors.contains) { history = Array(history[...known]) }
        var message = RevisionMessage(documentID: order.documentID, history: RevisionHistory(treeIDs: history))
        message.isDeleted = current.isDeleted
        message.body = current.body.map { Array($0) } ?? Array("{}".utf8)
        if !options.acceptsBlobs {
            let encoder = Encoder()
            let isTranslated = (try? fleece(String(decoding: message.body, as: UTF8.self)))?.withRoot {
                AttachmentEncoding.write($0, keys: nil, generation: current.id.generation, into: encoder)
            }
            if isTranslated == true, let data = try? encoder.finish() { message.body = data.withRoot { Array($0.json().utf8) } }
        }
        return .loaded(message)
    }

    private func prepare(_ received: ReceivedRevision, _ target: Collection) throws -> Preparation {
        let message = received.message
        let encoder = Encoder()
        var properties = FleeceData.emptyDictionary
        if let source = message.deltaSource {
            guard let base = target.documents[message.documentID]?.tree[source]?.body else { return .deltaFailed("no base") }
            do {
                try fleece(String(decoding: base, as: UTF8.self)).withRoot {
                    try Delta.apply(String(decoding: message.body, as: UTF8.self), to: $0, into: encoder)
                }
                properties = try encoder.finish()
            } catch {
                return .deltaFailed("\(error)")
            }
        } else {
            properties = try fleece(String(decoding: message.body, as: UTF8.self))
        }
        encoder.reset()
        let body = try properties.withRoot { try ReceivedBody($0, into: encoder) }
        if body.isRemoved { return .removed }
        if let digest = body.badDigest { return .failed(.http(404, "no blob \(digest)")) }
        return .ready(try encoder.finish(), missing: body.blobs.filter { blobs[$0.digest] == nil })
    }

    private func insert(_ received: ReceivedRevision, _ target: Collection, _ index: Int) -> Insertion {
        let message = received.message
        let json = received.properties.map { $0.withRoot { Array($0.json(style: .canonical).utf8) } } ?? message.body
        var document = target.documents[message.documentID] ?? Document()
        do {
            let change = try document.tree.insert(
                history: message.history.treeIDs, body: json[...], flags: message.isDeleted ? .deleted : [], remote: remote,
                allowsConflicts: received.allowsConflict, depth: 20)
            try save(&document, index, message.documentID)
            try document.tree.checkInvariants()
            return change.addedCount == 0 ? .known : .inserted(isConflict: document.tree.isConflicted)
        } catch let error as RevisionError where error == .conflict {
            return .failed(.http(409, "conflict"))
        } catch {
            return .failed(SyncError(.blip, 400, "\(error)"))
        }
    }

    /// The remote's branch wins structurally; what survives of ours becomes its child.
    private func resolve(_ id: String, _ target: Collection, _ index: Int) throws -> Bool {
        guard var document = target.documents[id], document.tree.isConflicted, let local = document.tree.current,
            let theirs = document.tree.conflicts.first
        else { return false }
        let winner = DefaultResolver.winner(
            local: .init(revision: local.id, isDeleted: local.isDeleted), remote: .init(revision: theirs.id, isDeleted: theirs.isDeleted))
        if winner == .remote {
            try document.tree.resolveConflict(winner: theirs.id, loser: local.id, merged: nil)
        } else {
            let body = local.body ?? Array("{}".utf8)[...]
            try Array(body).withUnsafeBytes { json in
                _ = try document.tree.resolveConflict(
                    winner: theirs.id, loser: local.id,
                    merged: .init(body: body, canonicalJSON: json, flags: local.isDeleted ? .deleted : []))
            }
        }
        try save(&document, index, id)
        return winner == .local
    }
}
