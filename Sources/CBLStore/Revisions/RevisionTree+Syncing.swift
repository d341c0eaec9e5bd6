// What a replication asks of a tree.
extension RevisionTree {
    /// How many possible ancestors are named to a peer.
    static let mostAncestors = 10

    /// The revisions that a newer one, which is not here, may descend from: those whose bodies are kept first, since a delta can start there, and
    /// among these what the remote is known to have.
    package func possibleAncestors(of id: RevisionID, remote: UInt16) -> [RevisionID] {
        let known = latestIndex(onRemote: remote)
        // A version may descend from any of them.
        let older = revisions.indices.filter { id.isVersion || revisions[$0].id.generation < id.generation }
        let sorted = older.sorted { a, b in
            let (first, second) = (revisions[a], revisions[b])
            if (first.body != nil) != (second.body != nil) { return first.body != nil }
            if (a == known) != (b == known) { return a == known }
            return second.id < first.id
        }
        return sorted.prefix(RevisionTree.mostAncestors).map { revisions[$0].id }
    }

    /// The ID by which a revision is known here, if a version that stands for a tree ID is given.
    func treeID(for id: RevisionID) -> RevisionID {
        guard let version = id.version, version.source == .revisionTree else { return id }
        return revisions.first { Version(legacy: $0.id) == version }?.id ?? id
    }

    /// Whether the current revision descends from another, or is it.
    package func currentDescends(from id: RevisionID) -> Bool { index(of: id).map { isAncestor($0, of: 0) } ?? false }

    /// What a peer that takes no conflicts says to a revision that is offered to it. `parent` is what the sender believes to be current here.
    package func verdict(on proposed: RevisionID, parent: RevisionID?) -> ProposalVerdict {
        guard let current else { return .wanted }
        // What is older than the current revision is known as well, even where an offer without a parent would be welcome.
        if currentDescends(from: proposed) { return .known }
        if let parent { return parent == current.id ? .wanted : .conflict(with: current.id) }
        return current.isDeleted ? .wanted : .conflict(with: current.id)
    }
}

/// What becomes of an offer.
package enum ProposalVerdict: Hashable, Sendable {
    case wanted
    case known
    case conflict(with: RevisionID)
}
