import CBLFleece

/// One revision of a document as people see it, whether it comes from a tree or from a document with version vectors.
package struct StoredRevision: Sendable {
    package let id: RevisionID
    /// As the vendor's program shows it: the ID of a tree, or a whole version vector.
    package let text: String
    /// Nil if it is not kept.
    package let body: FleeceData?
    package let bodySize: Int?
    package let sequence: UInt64
    package let flags: RevisionTree.Flags
    package let isCurrent: Bool
    /// The remotes whose latest revision it is.
    package var remotes: [UInt16]
    package let parent: RevisionID?

    /// Whether it competes with the current revision.
    package var isConflict = false

    /// A document with all of its revisions, as `DocumentCursor.next` reads them.
    package static func all(of document: Document) throws(StoreError) -> (document: Document, revisions: [StoredRevision]) {
        (document, try document.storedRevisions())
    }
}

extension Document {
    /// Every revision that is stored, the current one first.
    package func storedRevisions() throws(StoreError) -> [StoredRevision] { storedRevisions(of: try revisions()) }

    /// The same for who has decoded them already.
    package func storedRevisions(of revisions: DocumentRevisions) -> [StoredRevision] {
        switch revisions {
        case .tree(let tree): treeRevisions(tree)
        case .vectors(let vectors): vectorRevisions(vectors)
        }
    }

    private func treeRevisions(_ tree: RevisionTree) -> [StoredRevision] {
        let competing = Set(tree.conflicts.map(\.id))
        return tree.revisions.enumerated().map { index, revision in
            let body = revision.body ?? (index == 0 ? self.body : nil)
            return StoredRevision(
                id: revision.id, text: revision.id.text, body: body, bodySize: body?.bytes.count, sequence: revision.sequence,
                flags: revision.flags, isCurrent: index == 0,
                remotes: tree.remoteIDs.filter { tree.latest(onRemote: $0)?.id == revision.id },
                parent: revision.parent.map { tree.revisions[$0].id }, isConflict: competing.contains(revision.id))
        }
    }

    private func vectorRevisions(_ vectors: VectorRevisions) -> [StoredRevision] {
        let known = vectors.remoteIDs.compactMap { remote in vectors.latest(onRemote: remote).map { (remote, $0) } }
        var result = [
            StoredRevision(
                id: revision, text: vectors.history.description, body: body, bodySize: body.bytes.count, sequence: sequence,
                flags: RevisionTree.Flags.leaf.union(.init(flags)),
                isCurrent: true, remotes: known.filter { $0.1.id == revision }.map(\.0), parent: nil)
        ]
        for (remote, known) in known where known.id != revision {
            guard let id = known.id else { continue }
            if let index = result.firstIndex(where: { $0.id == id }) {
                result[index].remotes.append(remote)
                continue
            }
            let flags = RevisionTree.Flags(known.flags).union(known.isConflicted ? [.conflict, .leaf] : [])
            result.append(
                StoredRevision(
                    id: id, text: known.version.text, body: known.properties, bodySize: known.properties?.bytes.count, sequence: sequence,
                    flags: flags, isCurrent: false, remotes: [remote], parent: nil, isConflict: known.isConflicted))
        }
        return result
    }
}

extension RevisionTree.Flags {
    /// What a document's or a vector revision's flags say of the revision itself.
    fileprivate init(_ flags: DocumentFlags) {
        self = []
        if flags.contains(.deleted) { insert(.deleted) }
        if flags.contains(.hasAttachments) { insert(.hasAttachments) }
    }
}

extension StoredVersion {
    fileprivate var text: String {
        switch self {
        case .vector(let vector): vector.description
        case .tree(let id): id.text
        }
    }
}
