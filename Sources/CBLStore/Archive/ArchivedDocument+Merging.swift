// A document of one database on its way into another, where sequences and numbers of remotes are different.
extension ArchivedDocument {
    /// The sequences of another database mean nothing here.
    mutating func forgetSequences() {
        sequence = nil
        if case .tree(var tree) = revisions {
            for index in tree.revisions.indices { tree.revisions[index].sequence = 0 }
            revisions = .tree(tree)
        }
    }

    /// Gives remotes their numbers of this database; unknown ones go.
    mutating func renumber(_ numbers: [UInt16: UInt16]) {
        if numbers[1] != 1, flags.contains(.synced) {
            // The flag stands for remote 1.
            flags.remove(.synced)
            setCurrentKnown(onRemote: 1)
        }
        switch revisions {
        case .tree(var tree):
            tree.remotes = tree.remotes.compactMap { entry in numbers[entry.remote].map { ($0, entry.index) } }
            tree.remotes.sort { $0.remote < $1.remote }
            revisions = .tree(tree)
        case .vectors(var vectors):
            vectors.remotes = Dictionary(vectors.remotes.compactMap { entry in numbers[entry.key].map { ($0, entry.value) } }) { first, _ in
                first
            }
            revisions = .vectors(vectors)
        }
    }

    private mutating func setCurrentKnown(onRemote remote: UInt16) {
        switch revisions {
        case .tree(var tree):
            tree.setLatest(0, onRemote: remote)
            revisions = .tree(tree)
        case .vectors(var vectors):
            vectors.remotes[remote] = vectors.current
            revisions = .vectors(vectors)
        }
    }
}
