import CBLFleece

extension RevisionTree {
    /// The revision that settles a conflict, made here: its Fleece, the same as canonical JSON, and what it is.
    package struct Merged {
        package var body: FleeceData
        package var canonicalJSON: UnsafeRawBufferPointer
        package var flags: Flags

        package init(body: FleeceData, canonicalJSON: UnsafeRawBufferPointer, flags: Flags = []) {
            self.body = body
            self.canonicalJSON = canonicalJSON
            self.flags = flags
        }
    }

    /// Settles a conflict between two leaves. The loser's branch goes if no remote has it, else it ends in a closed tombstone; a merged
    /// revision becomes the winner's child. Gives the ID of what won: the winner's, or the merged revision's.
    ///
    /// Where it is known which revisions are `shared`, those of the loser's branch that are not go, and the rest ends, if there is any.
    @discardableResult
    package mutating func resolveConflict(
        winner: RevisionID, loser: RevisionID, merged: Merged?, prunesLoser: Bool = true, shared: Set<RevisionID>? = nil
    ) throws(RevisionError) -> RevisionID {
        guard let winnerIndex = index(of: winner), let loserIndex = index(of: loser) else { throw .notFound }
        guard winner != loser, revisions[winnerIndex].isLeaf, revisions[loserIndex].isLeaf else { throw .conflict }
        var result = winner
        var mergedID: RevisionID?
        if let merged {
            guard
                let id = RevisionID.next(
                    after: winner, isDeleted: merged.flags.contains(.deleted), canonicalJSON: merged.canonicalJSON), index(of: id) == nil
            else { throw .badHistory(reason: "nothing can follow \(winner)") }
            mergedID = id
        }
        clearConflict(fromWinner: winnerIndex)
        clearConflict(fromLoser: loserIndex)
        let end: RevisionID? = if let shared { forget(loser, downTo: shared) } else { loser }
        if let end { try finish(end, prunes: prunesLoser) }

        if let winnerIndex = index(of: winner) {
            if let merged, let mergedID {
                insert(mergedID, after: winnerIndex, flags: merged.flags.intersection([.deleted, .hasAttachments]), body: merged.body)
                result = mergedID
            } else if revisions[winnerIndex].sequence == recordSequence || !revisions.contains(where: { $0.sequence == 0 }) {
                // The document changes although no revision is new: a new sequence tells those who watch it.
                revisions[winnerIndex].sequence = 0
            }
        }
        sort()
        return result
    }

    /// Ends a branch that lost.
    private mutating func finish(_ loser: RevisionID, prunes: Bool) throws(RevisionError) {
        guard let index = index(of: loser) else { throw .notFound }
        if prunes, !isLatestOnRemote(index) {
            purge(loser)
        } else if revisions[index].isDeleted, !isLatestOnRemote(index) {
            // It ends as it is.
            revisions[index].flags.insert(.closed)
        } else if !revisions[index].flags.contains(.closed) {
            guard let tombstone = RevisionID.tombstone(after: loser), self.index(of: tombstone) == nil else {
                throw .badHistory(reason: "nothing can follow \(loser)")
            }
            insert(tombstone, after: index, flags: [.deleted, .closed], body: .emptyDictionary)
        }
    }

    /// Makes a branch the main one: takes the conflict flag off it, down to its root, and leaves it only the newest kept body.
    mutating func clearConflict(fromWinner leaf: Int) {
        var hasKeptBody = false
        var next: Int? = leaf
        while let index = next {
            revisions[index].flags.remove(.conflict)
            if revisions[index].flags.contains(.keepBody) {
                if hasKeptBody, !isLatestOnRemote(index) { revisions[index].flags.remove(.keepBody) }
                hasKeptBody = true
            }
            next = revisions[index].parent
        }
    }

    /// Takes the conflict flag off a branch, as far down as it goes.
    private mutating func clearConflict(fromLoser leaf: Int) {
        var next: Int? = leaf
        while let index = next, revisions[index].isConflict {
            revisions[index].flags.remove(.conflict)
            next = revisions[index].parent
        }
    }
}
