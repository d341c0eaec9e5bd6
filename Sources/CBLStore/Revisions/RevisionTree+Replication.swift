import CBLFleece

// Revisions that were made elsewhere, and what remotes know of ours.
extension RevisionTree {
    /// What became of a revision with its history.
    package struct Received: Hashable, Sendable {
        /// How many revisions were not known before, counted from the received one.
        package let addedCount: Int
        /// Whether the record must be saved.
        package let needsSave: Bool
    }

    /// Adds a revision that exists elsewhere, and as many of its ancestors as are not known.
    ///
    /// - Parameters:
    ///   - history: the revision's ID and those of its ancestors, the nearest first. A gap is allowed only where `depth` would prune.
    ///   - flags: `deleted`, `hasAttachments`, `keepBody` and `closed` count.
    ///   - remote: the remote it comes from; 0 for none. Only a remote's revision may be marked as a conflict.
    package mutating func insert(
        history: [RevisionID], body: FleeceData?, flags: Flags, remote: UInt16 = 0, allowsConflicts: Bool = true,
        depth: Int = defaultDepth
    ) throws(RevisionError) -> Received {
        let wasConflicted = isConflicted
        let (known, ancestor) = try commonAncestor(history, depth: depth)
        guard let revision = history.first else { throw .badHistory(reason: "it is empty") }
        if known > 0 {
            guard allowsConflicts || (ancestor.map { revisions[$0].isLeaf } ?? isEmpty) else { throw .conflict }
            guard revisions.count + known <= RevisionTree.maximumCount else { throw .badHistory(reason: "there are too many revisions") }
            var parent = ancestor
            for (place, id) in history[..<known].enumerated().reversed() {
                var flags = place == 0 ? flags.intersection([.deleted, .hasAttachments, .keepBody, .closed]) : []
                let competes = parent.map { !revisions[$0].isLeaf || revisions[$0].isConflict } ?? !isEmpty
                if remote != 0, competes { flags.insert(.conflict) }
                parent = insert(id, after: parent, flags: flags, body: place == 0 ? body : nil)
            }
        }
        if remote != 0 { setLatest(revision, onRemote: remote) }
        sort()
        if wasConflicted { tellIfSettled() }
        return Received(addedCount: known, needsSave: known > 0 || remote != 0)
    }

    /// Adds a revision of somebody who has settled a conflict with the current one: that branch ends in a tombstone, and the revision comes in its
    /// place. Whether nothing else lives is checked: a conflict is not settled by half.
    ///
    /// - Parameter ended: the tombstone and what it descends from, the nearest first.
    package mutating func insert(
        history: [RevisionID], body: FleeceData?, flags: Flags, inPlaceOf ended: [RevisionID], depth: Int = defaultDepth
    ) throws(RevisionError) -> Received {
        if let revision = history.first, index(of: revision) != nil { return Received(addedCount: 0, needsSave: false) }
        var settled = self
        let tombstone = try settled.insert(history: ended, body: nil, flags: [.deleted, .closed], allowsConflicts: false, depth: depth)
        guard settled.revisions.first?.isDeleted ?? false else { throw .conflict }
        let received = try settled.insert(history: history, body: body, flags: flags, depth: depth)
        self = settled
        return Received(addedCount: received.addedCount, needsSave: tombstone.needsSave || received.needsSave)
    }

    /// How many items of a history are unknown, and where the first known one stands.
    private func commonAncestor(_ history: [RevisionID], depth: Int) throws(RevisionError) -> (unknown: Int, ancestor: Int?) {
        for (place, id) in history.enumerated() {
            guard !id.isVersion else { throw .badHistory(reason: "\(id) is not a tree revision") }
            if place > 0 {
                let step = (younger: history[place - 1].generation, older: id.generation)
                guard step.older < step.younger else { throw .badHistory(reason: "\(id) is not older than its child") }
                guard step.older == step.younger - 1 || place >= depth - 1 else {
                    throw .badHistory(reason: "generations are missing before \(history[place - 1])")
                }
            }
            if let index = index(of: id) { return (place, index) }
        }
        return (history.count, nil)
    }

    /// Whether a remote has moved on from a revision since.
    func isLate(_ index: Int, forRemote remote: UInt16) -> Bool {
        guard let latest = latestIndex(onRemote: remote) else { return false }
        return latest != index && isAncestor(index, of: latest)
    }

    /// Whether a branch lost a conflict that was settled here. A remote that goes back to it is to be told of that again: our tombstone is
    /// nobody's wish to delete the document.
    private func isEnded(_ index: Int) -> Bool {
        let leaves = revisions.indices.filter { revisions[$0].isLeaf && isAncestor(index, of: $0) }
        return leaves.allSatisfy { revisions[$0].flags.contains(.closed) }
    }

    /// Notes what a remote has now. When it changed to another branch, the one that came from it before goes.
    private mutating func setLatest(_ id: RevisionID, onRemote remote: UInt16) {
        guard let new = index(of: id), !isLate(new, forRemote: remote) else { return }
        if let old = latestIndex(onRemote: remote), old != new {
            // What another remote still has stays, to be settled with it.
            let isElsewhere = remotes.contains { $0.remote != remote && $0.index == old }
            if !isAncestor(old, of: new), !isElsewhere {
                let oldID = revisions[old].id
                if revisions[old].isConflict {
                    purge(oldID)
                } else if old == 0, !isEnded(new) {
                    clearConflict(fromWinner: new)
                    purge(oldID)
                }
            }
        }
        guard let new = index(of: id) else { return }
        setLatest(new, onRemote: remote)
        keepBody(of: new)
    }

    /// What a push left out as long as it was in conflict can be pushed, if nothing competes with it any more: it counts as changed.
    private mutating func tellIfSettled() {
        if !isConflicted, !isEmpty { revisions[0].sequence = 0 }
    }

    /// Keeps a revision that somebody else has too. False if it is kept already, or not here. As long as nothing has come that follows what was
    /// `pushed`, others may change what they had before: the oldest that is kept stays, too, as a base of merges.
    mutating func keepShared(_ id: RevisionID, pushed: Bool = false) -> Bool {
        guard let index = index(of: id), !revisions[index].flags.contains(.keepBody) else { return false }
        revisions[index].flags.insert(.keepBody)
        // Its ancestors are of no more use, down to where another branch begins that goes on.
        let others = revisions.indices.filter { openLeaf(revisions[$0].id) != nil && !isAncestor(index, of: $0) }
        var kept: [Int] = []
        var next = revisions[index].parent
        while let ancestor = next, !others.contains(where: { isAncestor(ancestor, of: $0) }) {
            if revisions[ancestor].flags.contains(.keepBody), !isLatestOnRemote(ancestor) { kept.append(ancestor) }
            next = revisions[ancestor].parent
        }
        // What is deleted goes.
        for ancestor in pushed && !revisions[index].isDeleted ? kept.dropLast() : kept[...] { revisions[ancestor].flags.remove(.keepBody) }
        return true
    }

    /// Keeps a revision's body when it is no leaf any more, and no other on its branch, except for what remotes have.
    mutating func keepBody(of index: Int) {
        revisions[index].flags.insert(.keepBody)
        let isConflict = revisions[index].isConflict
        var next = revisions[index].parent
        while let ancestor = next, !isConflict || revisions[ancestor].isConflict {
            if !isLatestOnRemote(ancestor) { revisions[ancestor].flags.remove(.keepBody) }
            next = revisions[ancestor].parent
        }
    }

    /// Notes that a remote has a revision of ours.
    package mutating func markPushed(_ id: RevisionID, toRemote remote: UInt16) throws(RevisionError) -> PushRecord {
        guard remote > 0, let index = index(of: id) else { throw .notFound }
        // What the remote made of it can arrive before the answer to the push.
        if isLate(index, forRemote: remote) { return .late }
        // That a branch goes which competed is more than a flag of the record can say.
        let wasConflicted = isConflicted
        let isFlag = remote == 1 && index == 0 && !wasConflicted
        let rival = latestIndex(onRemote: remote)
        setLatest(index, onRemote: remote)
        // Whoever takes ours has ended what competed with it.
        if let rival, revisions[rival].isConflict, !isAncestor(rival, of: index), !isLatestOnRemote(rival) { purge(revisions[rival].id) }
        if wasConflicted { tellIfSettled() }
        return isFlag ? .flag : .record
    }

    /// Notes that a remote refused a revision of ours.
    package mutating func markRejected(_ id: RevisionID) throws(RevisionError) {
        guard let index = index(of: id) else { throw .notFound }
        if !rejected.contains(index) { rejected.append(index) }
    }
}
