import CBLFleece

/// The rows of a document's revisions, on their way to a tree.
///
/// In 1.x a leaf is what is marked as current, whatever the links say. Links that cannot be right are taken away: the tree is one in any case.
struct Version1Tree {
    struct Row {
        var sequence: Int64
        var parent: Int64?
        var id: RevisionID
        var isCurrent: Bool
        var flags: RevisionTree.Flags
        var body: FleeceData?
    }

    private(set) var rows: [Row] = []

    mutating func add(_ row: Row) {
        // No file that 1.x wrote has so many, or one twice.
        guard rows.count < RevisionTree.maximumCount - 1 else { return }
        rows.append(row)
    }

    /// The tree whose current revision is that of the row `winner`. Nil if there is no such row.
    func tree(winner: Int64) -> RevisionTree? {
        var rows = rows.sorted { $0.sequence < $1.sequence }
        dropStrays(&rows)
        guard let first = rows.firstIndex(where: { $0.sequence == winner && $0.isCurrent }) else { return nil }
        var tree = RevisionTree()
        let parents = parents(of: rows)
        for (row, parent) in zip(rows, parents) {
            let sequence = UInt64(clamping: row.sequence)
            tree.revisions.append(RevisionTree.Revision(id: row.id, parent: parent, sequence: sequence, flags: row.flags, body: row.body))
        }
        tree.markLeaves()
        tree.markLosers(winner: first)
        tree.recordSequence = UInt64(clamping: winner)
        tree.sort()
        return tree
    }

    /// Leaves out what is neither a leaf nor has one above it, and what has the name of another.
    private func dropStrays(_ rows: inout [Row]) {
        var seen: Set<RevisionID> = []
        rows = rows.filter { seen.insert($0.id).inserted }
        while true {
            let used = Set(rows.compactMap(\.parent))
            let count = rows.count
            rows = rows.filter { $0.isCurrent || used.contains($0.sequence) }
            if rows.count == count { return }
        }
    }

    private func parents(of rows: [Row]) -> [Int?] {
        rows.map { row in
            guard let sequence = row.parent, let place = Version1Tree.place(of: sequence, in: rows) else { return nil }
            // A child is of a later generation, so nobody is its own ancestor; and a leaf has none.
            return rows[place].id.generation < row.id.generation && !rows[place].isCurrent ? place : nil
        }
    }

    /// They are sorted by sequence.
    private static func place(of sequence: Int64, in rows: [Row]) -> Int? {
        var (low, high) = (0, rows.count)
        while low < high {
            let middle = (low + high) / 2
            if rows[middle].sequence < sequence { low = middle + 1 } else { high = middle }
        }
        return low < rows.count && rows[low].sequence == sequence ? low : nil
    }
}

extension RevisionTree {
    /// Marks what competes with the winner as the successors of 1.x do: live branches as conflicts, tombstones as closed.
    fileprivate mutating func markLosers(winner: Int) {
        var line: Set<Int> = []
        var next: Int? = winner
        while let index = next {
            line.insert(index)
            next = revisions[index].parent
        }
        for leaf in revisions.indices where leaf != winner && revisions[leaf].isLeaf {
            guard !revisions[leaf].isDeleted else {
                revisions[leaf].flags.insert(.closed)
                continue
            }
            var next: Int? = leaf
            while let index = next, !line.contains(index) {
                revisions[index].flags.insert(.conflict)
                next = revisions[index].parent
            }
        }
    }
}
