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
    /// With `sharesLocal`, the remote has both, and shows the local one: that is what it has then, for all who settle the conflict. If each of them ended its
    /// own, none would be left.
    ///
    /// With `amongLeaves`, either may be a tombstone that does not compete by itself: servers that have branches are deleted with it all the same.
    @discardableResult
    package func settle(
        _ id: String, in collection: CollectionName = .default, local: RevisionID, remote: RevisionID, _ settlement: Settlement,
        amongLeaves: Bool = false, sharesLocal: Bool = false
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
        let wanted =
            switch settlement {
            case .local: ours
            case .remote: theirs
            case .merged(let body): Content(isDeleted: false, body: body)
            case .deleted: Content(isDeleted: true, body: nil)
            }
        if isLater(local, than: remote), wanted.isDeleted && ours.isDeleted || isSame(wanted, ours) {
            let saved = try resolveConflict(id, in: collection, winner: local, loser: remote)
            return SettledConflict(revision: saved, isRemotes: false)
        }
        if isSame(wanted, theirs), sharesLocal {
            let saved = try resolveConflict(id, in: collection, winner: local, loser: remote)
            return SettledConflict(revision: saved, isRemotes: false)
        }
        if isSame(wanted, theirs) {
            let saved = try resolveConflict(id, in: collection, winner: remote, loser: local)
            return SettledConflict(revision: saved, isRemotes: true)
        }
        let saved = try resolveConflict(
            id, in: collection, winner: remote, loser: local, merged: wanted.body ?? .emptyDictionary, mergedIsDeleted: wanted.isDeleted)
        return SettledConflict(revision: saved, isRemotes: saved.id == remote)
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
