// Which revision is the current one. A branch from a remote never becomes current by itself while a local one exists, so the rule is not
// CouchDB's "the highest ID wins".
extension RevisionTree {
    /// Whether one revision stands before another: the first difference of these decides.
    static func precedes(_ a: Revision, _ b: Revision) -> Bool {
        if a.isLeaf != b.isLeaf { return a.isLeaf }
        if a.isConflict != b.isConflict { return b.isConflict }
        if a.isDeleted != b.isDeleted { return b.isDeleted }
        let (aIsClosed, bIsClosed) = (a.flags.contains(.closed), b.flags.contains(.closed))
        if aIsClosed != bIsClosed { return bIsClosed }
        return b.id < a.id
    }

    /// Puts the revisions into their order, after a change.
    mutating func sort() {
        let isSorted = zip(revisions, revisions.dropFirst()).allSatisfy { !RevisionTree.precedes($1, $0) }
        if !isSorted {
            let order = revisions.indices.sorted { RevisionTree.precedes(revisions[$0], revisions[$1]) }
            arrange(order)
        }
        // Only branches from remotes are left: the best of them is the document now.
        if revisions.first?.isConflict == true {
            clearConflict(fromWinner: 0)
            sort()
        }
    }

    /// Keeps the revisions at these indexes, in this order. A parent that is not kept must not be referred to.
    mutating func arrange(_ order: [Int]) {
        var place = [Int?](repeating: nil, count: revisions.count)
        for (new, old) in order.enumerated() { place[old] = new }
        revisions = order.map { old in
            var revision = revisions[old]
            revision.parent = revision.parent.flatMap { place[$0] }
            return revision
        }
        remotes = remotes.compactMap { entry in place[entry.index].map { (entry.remote, $0) } }
        rejected = rejected.compactMap { place[$0] }
    }

    /// A leaf that counts: live, or a tombstone that is a remote's latest revision.
    func isActive(_ index: Int) -> Bool {
        revisions[index].isLeaf && (!revisions[index].isDeleted || isLatestOnRemote(index))
    }

    /// Whether there is more than one active revision. The second leaf need not be one: a closed tombstone, left by an earlier conflict, stands
    /// before a branch that competes now.
    package var isConflicted: Bool {
        for index in revisions.indices.dropFirst() {
            guard revisions[index].isLeaf else { return false }
            if isActive(index) { return true }
        }
        return false
    }

    /// A leaf, but no tombstone with which a conflict was settled.
    func openLeaf(_ id: RevisionID) -> Revision? {
        guard let index = index(of: id), revisions[index].flags.isOpenLeaf else { return nil }
        return revisions[index]
    }

    /// The leaves that compete with the current revision.
    package var conflicts: [Revision] { revisions.indices.dropFirst().filter(isActive).map { revisions[$0] } }
}
