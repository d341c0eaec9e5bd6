extension RevisionTree {
    /// Forgets ancestors that are further than `depth` from a leaf (a leaf itself is at depth 1), except kept bodies and what remotes have.
    /// Children of what goes are linked to the nearest ancestor left, or become roots. Gives the number of revisions that went.
    @discardableResult
    mutating func prune(toDepth depth: Int) -> Int {
        guard revisions.count > depth else { return 0 }
        var isDoomed = heights().map { $0 > depth }
        for (index, revision) in revisions.enumerated() where revision.flags.contains(.keepBody) { isDoomed[index] = false }
        for entry in remotes { isDoomed[entry.index] = false }
        return remove(isDoomed)
    }

    /// How far each revision is from the furthest leaf above it: 1 for a leaf. One pass, children before their parents.
    private func heights() -> [Int] {
        var heights = [Int](repeating: 1, count: revisions.count)
        var children = childCounts()
        var ready = revisions.indices.filter { children[$0] == 0 }
        while let index = ready.popLast() {
            guard let parent = revisions[index].parent else { continue }
            heights[parent] = max(heights[parent], heights[index] + 1)
            children[parent] -= 1
            if children[parent] == 0 { ready.append(parent) }
        }
        return heights
    }

    private func childCounts() -> [Int] {
        var children = [Int](repeating: 0, count: revisions.count)
        for revision in revisions { if let parent = revision.parent { children[parent] += 1 } }
        return children
    }

    /// Removes a leaf, then its parent if it has no other child, and so on. Gives the number of revisions that went: 0 if it is no leaf.
    @discardableResult
    package mutating func purge(_ id: RevisionID) -> Int {
        guard let leaf = index(of: id), revisions[leaf].isLeaf else { return 0 }
        var children = childCounts()
        var isDoomed = [Bool](repeating: false, count: revisions.count)
        var next: Int? = leaf
        while let index = next, children[index] == 0 {
            isDoomed[index] = true
            next = revisions[index].parent
            if let parent = next { children[parent] -= 1 }
        }
        let count = remove(isDoomed)
        sort()
        return count
    }

    /// Removes what nobody else has of a branch that lives. Gives where it ends now; nil if another one goes on from there, or nothing is left.
    mutating func forget(_ leaf: RevisionID, downTo shared: Set<RevisionID>) -> RevisionID? {
        guard let end = index(of: leaf), revisions[end].isLeaf, !revisions[end].isDeleted else { return leaf }
        var children = childCounts()
        var isDoomed = [Bool](repeating: false, count: revisions.count)
        var next: Int? = end
        while let index = next, children[index] == 0, !shared.contains(revisions[index].id), !isLatestOnRemote(index) {
            isDoomed[index] = true
            next = revisions[index].parent
            if let parent = next { children[parent] -= 1 }
        }
        let rest = next.flatMap { children[$0] == 0 ? $0 : nil }
        if let rest { revisions[rest].flags.insert(.leaf) }
        let id = rest.map { revisions[$0].id }
        remove(isDoomed)
        sort()
        return id
    }

    @discardableResult
    private mutating func remove(_ isDoomed: [Bool]) -> Int {
        let kept = revisions.indices.filter { !isDoomed[$0] }
        let count = revisions.count - kept.count
        guard count > 0 else { return 0 }
        for index in kept { revisions[index].parent = nearestAncestor(of: index, without: isDoomed) }
        arrange(kept)
        return count
    }

    private mutating func nearestAncestor(of index: Int, without isDoomed: [Bool]) -> Int? {
        var path: [Int] = []
        var next = revisions[index].parent
        while let ancestor = next, isDoomed[ancestor] {
            path.append(ancestor)
            next = revisions[ancestor].parent
        }
        // Those that go point there too now, so that no part of a long way is walked twice.
        for ancestor in path { revisions[ancestor].parent = next }
        return next
    }
}
