import CBLFleece

/// How a conflict between the current revision and a remote's is to end.
package enum Settlement: Sendable {
    case local
    case remote
    /// Properties that replace those of both, with the database's shared keys.
    case merged(FleeceData)
    case deleted

    /// The same with the sides exchanged.
    package var swapped: Settlement {
        switch self {
        case .local: .remote
        case .remote: .local
        case .merged, .deleted: self
        }
    }
}

/// What came of it.
package struct SettledConflict: Hashable, Sendable {
    package let revision: SavedRevision
    /// Whether the remote's revision stays as it is: the remote then has nothing to learn.
    package let isRemotes: Bool
}

extension Transaction {
    /// Settles a conflict between two revisions, `local` and a remote's, of which one is the current one and the other competes with it. If either is not
    /// what the document has any more, that is a conflict of its own.
    ///
    /// The remote's revision wins structurally, so that the history is the server's; what else is to survive becomes its child. But the later of two
    /// versions can stay as it is, with what the other one knew: nothing new is made then, which others would have to settle again. (If each side took
    /// the other's of two that say the same, such as two deletions, they would swap them.) An earlier one that is to win is made anew: who has the
    /// later one, and knows both, would go on taking that for the winner.
    ///
    /// `shared` are revisions that a remote which keeps branches is known to have. Others may settle the same conflict there, each with its own rule. So
    /// that one branch lives whatever they do, nothing that is there is ended for less than what is there: of two branches that both are, the greater goes
    /// on, by the order of leaves that all have (`hasPrecedence`), and follows the rule by what it says next. Of what ends, all that is not there goes.
    ///
    /// With `amongLeaves`, either may be a tombstone that does not compete by itself: servers that have branches are deleted with it all the same.
    @discardableResult
    package func settle(
        _ id: String, in collection: CollectionName = .default, local: RevisionID, remote: RevisionID, _ settlement: Settlement,
        amongLeaves: Bool = false, shared: Set<RevisionID>? = nil
    ) throws -> SettledConflict {
        guard let document = try document(id, in: collection) else { throw Transaction.missing(id) }
        let other = document.revision == local ? remote : local
        let revisions = try document.revisions()
        guard [local, remote].contains(document.revision),
            let rival = revisions.competitors.first(where: { $0.revision == other }) ?? (amongLeaves ? revisions.openLeaf(other) : nil)
        else { throw Transaction.refused(.conflict, id) }
        let current = Content(isDeleted: document.isDeleted, body: document.body)
        let competing = Content(isDeleted: rival.isDeleted, body: rival.body)
        let (ours, theirs) = document.revision == local ? (current, competing) : (competing, current)
        let isOurs = shared.map { hasPrecedence(local, over: remote, $0, revisions) } ?? false
        let isOutlived = shared?.contains(local) ?? false || isOurs
        let wanted =
            switch settlement {
            // No conflict, where a server has both.
            case _ where isOutlived && ours.isDeleted != theirs.isDeleted: ours.isDeleted ? theirs : ours
            case .local: ours
            case .remote: theirs
            case .merged(let body): Content(isDeleted: false, body: body)
            case .deleted: Content(isDeleted: true, body: nil)
            }
        if isLater(local, than: remote), wanted.isDeleted && ours.isDeleted || isSame(wanted, ours) {
            let saved = try resolveConflict(id, in: collection, winner: local, loser: remote)
            return SettledConflict(revision: saved, isRemotes: false)
        }
        let (winner, loser) = isOurs ? (local, remote) : (remote, local)
        let isMerged = !isSame(wanted, isOurs ? ours : theirs)
        let saved = try resolveConflict(
            id, in: collection, winner: winner, loser: loser, merged: isMerged ? wanted.body ?? .emptyDictionary : nil,
            mergedIsDeleted: isMerged && wanted.isDeleted, shared: shared.map { try known($0, revisions) })
        return SettledConflict(revision: saved, isRemotes: saved.id == remote)
    }

    /// Whether of two branches that a remote has, as far as it has them, ours is the greater. Live ones are, then those of more generations.
    private func hasPrecedence(
        _ local: RevisionID, over remote: RevisionID, _ shared: Set<RevisionID>, _ revisions: DocumentRevisions
    ) -> Bool {
        guard let tree = revisions.tree, let ours = tree.index(of: local), let theirs = tree.index(of: remote) else { return false }
        let (mine, others) = (tree.history(of: ours), tree.history(of: theirs))
        guard let highest = mine.first(where: { shared.contains($0) && !others.contains($0) }) else { return false }
        let (oursEnds, theirsEnds) = (tree.revisions[ours].isDeleted, tree.revisions[theirs].isDeleted)
        guard oursEnds == theirsEnds else { return theirsEnds }
        return others.first { shared.contains($0) && !mine.contains($0) } ?? remote < highest
    }

    /// What anybody else may have of a document.
    private func known(_ shared: Set<RevisionID>, _ revisions: DocumentRevisions) throws -> Set<RevisionID> {
        guard try remotes().count > 1, let tree = revisions.tree else { return shared }
        return shared.union(tree.revisions.lazy.filter { $0.flags.contains(.keepBody) }.map(\.id))
    }

    /// Settles what else competes with a revision to which a conflict was settled: it stays.
    package func settleRest(of id: String, in collection: CollectionName = .default, with saved: SavedRevision, _ rest: [RevisionID]) throws
        -> SavedRevision
    {
        try rest.reduce(saved) { saved, rival in
            if versioning == .vectors { return try settle(id, in: collection, local: saved.id, remote: rival, .local).revision }
            return try resolveConflict(id, in: collection, winner: saved.id, loser: rival)
        }
    }

    /// What a revision says. A deletion without a body says nothing but that.
    private struct Content {
        let isDeleted: Bool
        let body: FleeceData?
    }

    private func isSame(_ a: Content, _ b: Content) -> Bool {
        guard a.isDeleted == b.isDeleted else { return false }
        guard let a = a.body, let b = b.body else { return true }
        return a.withRoot { a in b.withRoot { a.isEqual(to: $0, sharedKeys, sharedKeys) } }
    }

    /// As all databases see it. Of revisions of trees neither is: they have no time.
    private func isLater(_ a: RevisionID, than b: RevisionID) -> Bool {
        guard let a = global(a).version, let b = global(b).version else { return false }
        return a.isLater(than: b)
    }
}
