extension RevisionTree {
    /// What must be true of every tree at rest. Tests call it after each step.
    package func checkInvariants() throws(RevisionError) {
        func violated(_ reason: String) -> RevisionError { .corruptTree(offset: 0, reason: reason) }
        guard Set(revisions.map(\.id)).count == revisions.count else { throw violated("an ID occurs twice") }
        let parents = Set(revisions.compactMap(\.parent))
        for (index, revision) in revisions.enumerated() {
            if let parent = revision.parent {
                guard revisions.indices.contains(parent) else { throw violated("a parent is missing") }
                guard revisions[parent].id.generation < revision.id.generation else { throw violated("a child is not younger") }
            }
            guard revision.isLeaf != parents.contains(index) else { throw violated("the leaf flag of \(revision.id) is wrong") }
            guard !revision.flags.contains(.closed) || revision.isDeleted else {
                throw violated("what lives is closed")
            }
        }
        for (a, b) in zip(revisions, revisions.dropFirst()) where RevisionTree.precedes(b, a) { throw violated("\(b.id) precedes \(a.id)") }
        guard current?.isConflict != true else { throw violated("the current revision competes with itself") }
        guard zip(remotes, remotes.dropFirst()).allSatisfy({ $0.remote < $1.remote }) else { throw violated("remotes are out of order") }
        guard remotes.allSatisfy({ revisions.indices.contains($0.index) && $0.remote > 0 }) else {
            throw violated("a remote's revision is missing")
        }
        guard rejected.allSatisfy(revisions.indices.contains) else { throw violated("a refused revision is missing") }
    }
}
