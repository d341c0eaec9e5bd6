import CBLFleece

/// A revision that a peer has announced, as it stands to a document.
package enum Acquaintance: Hashable, Sendable {
    /// It is here, or something newer is. `isNoted` says whether that the remote has it is noted too.
    case known(isNoted: Bool)
    /// It is not here, but these are, the best base of a delta first.
    case unknown(ancestors: [RevisionID])
}

// What a replication asks of what a document remembers. Revisions are named as in the database: its own versions by `*`.
extension DocumentRevisions {
    package func acquaintance(with id: RevisionID, remote: UInt16) -> Acquaintance {
        switch self {
        case .tree(let tree):
            let id = tree.treeID(for: id)
            guard tree.index(of: id) != nil else { return .unknown(ancestors: tree.possibleAncestors(of: id, remote: remote)) }
            return .known(isNoted: remote == 0 || tree.latest(onRemote: remote)?.id == id)
        case .vectors(let vectors): return vectors.acquaintance(with: id, remote: remote)
        }
    }

    /// Whether the current revision descends from another, or is it.
    package func currentDescends(from id: RevisionID) -> Bool {
        switch self {
        case .tree(let tree): tree.currentDescends(from: tree.treeID(for: id))
        case .vectors(let vectors): vectors.knows(id)
        }
    }

    /// What a peer that takes no conflicts says to a revision that is offered.
    package func verdict(on proposed: RevisionID, parent: RevisionID?) -> ProposalVerdict {
        switch self {
        case .tree(let tree): tree.verdict(on: tree.treeID(for: proposed), parent: parent.map(tree.treeID))
        case .vectors(let vectors): vectors.verdict(on: proposed, parent: parent)
        }
    }

    /// Whether what a remote is known to have follows a revision.
    package func isNewer(onRemote remote: UInt16, than id: RevisionID) -> Bool {
        switch self {
        case .tree(let tree): return tree.index(of: tree.treeID(for: id)).map { tree.isLate($0, forRemote: remote) } ?? false
        case .vectors(let vectors):
            guard let latest = vectors.latest(onRemote: remote), let version = id.version else { return false }
            return latest.version.converted.order(relativeTo: version) == .newer
        }
    }

    /// The properties of a revision as far as they are kept, for a delta to start from: not a tombstone's.
    package func base(_ id: RevisionID) -> FleeceData? {
        switch self {
        case .tree(let tree):
            guard let index = tree.index(of: tree.treeID(for: id)), !tree.revisions[index].isDeleted else { return nil }
            return tree.revisions[index].body ?? (index == 0 ? .emptyDictionary : nil)
        case .vectors(let vectors):
            if let current = vectors.current, current.id == id {
                return current.isDeleted ? nil : current.properties ?? .emptyDictionary
            }
            return vectors.remoteIDs.lazy.compactMap { vectors.latest(onRemote: $0) }.first { $0.id == id && !$0.isDeleted }?.properties
        }
    }

    /// The history of the current revision as it is sent: down to what the receiver has, however long that is, for without it the receiver
    /// would take the revision for a rival. What it has nothing of is no longer than the limit; nil is none.
    package func historyToSend(limit: Int?, knownToReceiver: [RevisionID]) -> RevisionHistory {
        switch self {
        case .vectors(let vectors): return vectors.history
        case .tree(let tree):
            var random = SystemRandomNumberGenerator()
            let longest = DocumentRevisions.longestHistory
            let isConnected = tree.history(of: 0).dropFirst().contains(where: knownToReceiver.contains)
            var ids = tree.history(of: 0, limit: isConnected ? longest : min(max(1, limit ?? longest), longest), using: &random)
            if let end = ids.dropFirst().firstIndex(where: knownToReceiver.contains) { ids = Array(ids[...end]) }
            return RevisionHistory(treeIDs: ids)
        }
    }

    /// What there is room for among the properties of a message; a gap of any size could be made up otherwise.
    private static let longestHistory = 1000

    /// The properties that the current revision and a rival were both made from: those of the youngest common ancestor that has them still.
    package func commonBase(with rival: RevisionID) -> FleeceData? {
        guard let tree, let rival = tree.index(of: rival) else { return nil }
        var next = tree.revisions[rival].parent
        while let index = next {
            let revision = tree.revisions[index]
            if !revision.isDeleted, let body = revision.body, tree.isAncestor(index, of: 0) { return body }
            next = revision.parent
        }
        return nil
    }

    package typealias Competitor = (revision: RevisionID, isDeleted: Bool, body: FleeceData)

    /// The revision of a remote that competes with the current one; of several, the first.
    package var competitor: Competitor? { competitors.first }

    /// A revision that has not ended, whether it competes or not: in a tree, the tombstone of a branch is as good as any.
    package func openLeaf(_ id: RevisionID) -> Competitor? {
        (tree?.openLeaf(id)).map { ($0.id, $0.isDeleted, $0.body ?? .emptyDictionary) }
    }

    /// All that compete with it.
    package var competitors: [Competitor] {
        switch self {
        case .tree(let tree): tree.conflicts.map { ($0.id, $0.isDeleted, $0.body ?? .emptyDictionary) }
        case .vectors(let vectors):
            vectors.conflicts.compactMap { rival in rival.id.map { ($0, rival.isDeleted, rival.properties ?? .emptyDictionary) } }
        }
    }
}

extension VectorRevisions {
    /// Whether the current revision is this one, or descends from it. A tree ID and the version that stands for it are one.
    func knows(_ id: RevisionID) -> Bool {
        guard let current else { return false }
        if names(id, current.version) { return true }
        let version = id.version ?? Version(legacy: id)
        if history.treeIDs.contains(where: { $0 == id || Version(legacy: $0) == version }) { return true }
        guard id.isVersion else { return current.version.vector.order(relativeTo: version) == .same }
        return current.version.vector.order(relativeTo: version) != .older
    }

    func acquaintance(with id: RevisionID, remote: UInt16) -> Acquaintance {
        let noted = latest(onRemote: remote)
        if knows(id) {
            guard remote != 0 else { return .known(isNoted: true) }
            if let current, names(id, current.version) { return .known(isNoted: noted?.id == id) }
            // A later version that is known was beaten, but may claim the same of the current one: only its vector says that.
            if let version = id.version, let mine = current?.version.vector.current, isLater(version, than: mine) {
                return .unknown(ancestors: [])
            }
            guard noted?.id != id, let version = id.version else { return .known(isNoted: true) }
            // What somebody else brought here may be all that this remote has. What is older than its mark is told late.
            return .known(isNoted: noted.map { $0.version.converted.order(relativeTo: version) != .older } ?? false)
        }
        if noted?.id == id { return .known(isNoted: true) }
        // Tombstones are no bases, nor is what is not here.
        let bases = [current, noted].compactMap { $0 }.filter { !$0.isDeleted && $0.properties != nil }.compactMap(\.id)
        return .unknown(ancestors: bases.count == 2 && bases[0] == bases[1] ? [bases[0]] : bases)
    }

    func verdict(on proposed: RevisionID, parent: RevisionID?) -> ProposalVerdict {
        guard let current, let currentID = current.id else { return .wanted }
        // Even if the current one claims to know it: the sender, who has the current one, claims the same of what it offers.
        if let parent, names(parent, current.version), !names(proposed, current.version) { return .wanted }
        if knows(proposed) { return .known }
        if let version = proposed.version, let mine = current.version.vector.current, version.source == mine.source,
            version.time > mine.time
        {
            return .wanted
        }
        return current.isDeleted && parent == nil ? .wanted : .conflict(with: currentID)
    }
}

extension Transaction {
    /// Notes that a remote has a revision which is here, as its latest one.
    package func noteLatest(_ revision: RevisionID, of id: String, in collection: CollectionName = .default, onRemote remote: UInt16) throws
    {
        guard let document = try document(id, in: collection) else { throw Transaction.missing(id) }
        if case .tree(let tree) = try document.revisions() {
            guard let index = tree.index(of: revision) else {
                throw StoreError(.notFound, "document \"\(id)\" has no revision \(revision)")
            }
            // As if it had come from there: the tree knows when a late note is to be ignored.
            try insertExisting(id, in: collection, history: tree.history(of: index), body: nil, remote: remote)
        } else if document.revision == revision {
            try markPushed(revision, of: id, in: collection, to: remote)
        } else {
            try noteLatestVersion(revision, of: id, in: collection, onRemote: remote)
        }
    }
}
