import CBLFleece
import CBLStore

// What a push has to send.

/// A document that changed here, with the ends of all its branches: those that lost a conflict are pushed like those that won.
struct ChangedBranches {
    let id: String
    let sequence: UInt64
    let current: RevisionID
    let isDeleted: Bool
    let bodySize: Int
    /// Without those that the server is known to have.
    let leaves: [Leaf]

    struct Leaf {
        let id: RevisionID
        let isDeleted: Bool
        /// Its ancestors below what was pruned. Gateways name none that is more than a hundred generations away, unless they are asked for it.
        let farAncestors: [RevisionID]
    }
}

/// A page of changes.
struct BranchChanges {
    var documents: [ChangedBranches] = []
    var damaged: [DamagedChange] = []
    /// All up to here was looked at.
    var last: UInt64
    var isComplete: Bool
}

/// A revision that is to be sent.
struct DepartureOrder: Sendable {
    let id: String
    let revision: RevisionID
    /// What the server has that it may descend from.
    let ancestors: [String]
    let isDeleted: Bool
    let isCurrent: Bool
    /// Those of an ancestor, on the server.
    var knownAttachments: [String: KnownAttachment] = [:]
}

enum Departure {
    case ready(DepartingRevision)
    /// It is not there any more: what replaced it will be told of.
    case gone
    case failed(SyncError)
}

/// A revision in the words of the protocol.
struct DepartingRevision: Sendable {
    var json: [UInt8]
    /// The contents that are to follow it.
    var attachments: [FollowingAttachments.Part]
    /// The nearest ancestor that the server has: what it names may also stand on other branches.
    var ancestor: String?
}

extension ReplicatedDatabase {
    func branchChanges(since: UInt64, limit: Int) throws -> BranchChanges {
        try database.read { snapshot in
            let found = try snapshot.changes(in: collection, since: since, limit: limit, remote: remote)
            var page = BranchChanges(last: found.lastSequence ?? since, isComplete: found.count < limit)
            if page.isComplete { page.last = max(page.last, try snapshot.lastSequence(of: collection)) }
            page.damaged = found.damaged.filter { documentIDs?.contains($0.id) ?? true }
            for document in found.readable where try !document.isExpired && isWanted(document, snapshot) {
                guard let stored = try snapshot.document(document.id, in: collection) else { continue }
                let relatives = try KnownRevisions(stored)
                let leaves = relatives.leaves.filter { !$0.remotes.contains(remote) }
                guard !leaves.isEmpty else { continue }
                page.documents.append(
                    ChangedBranches(
                        id: document.id, sequence: document.sequence, current: document.revision, isDeleted: document.isDeleted,
                        bodySize: document.bodySize,
                        leaves: leaves.map { leaf in
                            ChangedBranches.Leaf(id: leaf.id, isDeleted: leaf.isDeleted, farAncestors: relatives.farAncestors(of: leaf.id))
                        }))
            }
            return page
        }
    }

    /// Revisions with their histories, and with the attachments that the server does not have.
    func departing(_ orders: [DepartureOrder], withAttachmentsBehind: Bool) throws -> [Departure] {
        try database.read { snapshot in
            orders.map { order in
                do {
                    return try departure(order, withAttachmentsBehind, snapshot).map { .ready($0) } ?? .gone
                } catch { return .failed(ReplicatedDatabase.translate(error)) }
            }
        }
    }

    private func departure(_ order: DepartureOrder, _ withAttachmentsBehind: Bool, _ snapshot: Snapshot) throws -> DepartingRevision? {
        guard let document = try snapshot.document(order.id, in: collection) else { return nil }
        let relatives = try KnownRevisions(document)
        guard let stored = relatives[order.revision] else { return nil }
        var options = DocumentOptions()
        options.showsHistory = true
        options.bridgesHistory = true
        options.includesAttachments = true
        options.knownRevisions = order.ancestors
        options.knownAttachments = order.knownAttachments
        var writer = DocumentWriter(options, snapshot, database.blobs)
        if withAttachmentsBehind { writer.following = FollowingAttachments() }
        var text = ByteBuffer(capacity: 1024)
        if try !writer.write(stored, relatives, to: &text) {
            // A deletion need not say anything.
            guard stored.isDeleted else { return nil }
            let subject = DocumentWriter.Subject(
                id: order.id, revision: order.revision, isDeleted: true, hasAttachments: false, sequence: stored.sequence, expiration: nil)
            try FleeceData.emptyDictionary.withRoot { try writer.write(subject, $0, relatives, to: &text) }
        }
        let known = Set(order.ancestors)
        let ancestor = relatives.history(of: order.revision).lazy.map(\.id.name).first { known.contains($0) }
        return DepartingRevision(json: Array(text.bytes), attachments: writer.following?.parts ?? [], ancestor: ancestor)
    }
}
