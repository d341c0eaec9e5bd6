import CBLFleece

/// What a document remembers of its revisions: a tree of them, or the current one and those of remotes, named by version vectors.
package enum DocumentRevisions: Sendable {
    case tree(RevisionTree)
    case vectors(VectorRevisions)

    /// Reads the columns of a record. `source` is who `*` is to others.
    init(
        version: UnsafeRawBufferPointer, body: UnsafeRawBufferPointer?, extra: UnsafeRawBufferPointer?, sequence: UInt64,
        flags: DocumentFlags, source: SourceID, bodies: BodyKeeping
    ) throws(RevisionError) {
        if Record.holdVectors(version, body, extra) {
            var vectors = try VectorRevisions(
                version: version, body: body, extra: extra, sequence: sequence, flags: flags, bodies: bodies)
            vectors.source = source
            self = .vectors(vectors)
        } else {
            self = .tree(try RevisionTree(body: body, extra: extra, sequence: sequence, flags: flags, bodies: bodies))
        }
    }

    package var tree: RevisionTree? {
        if case .tree(let tree) = self { tree } else { nil }
    }

    package var vectors: VectorRevisions? {
        if case .vectors(let vectors) = self { vectors } else { nil }
    }

    /// All properties that are kept, of whichever revision.
    package var bodies: [FleeceData] {
        switch self {
        case .tree(let tree): tree.revisions.compactMap(\.body)
        case .vectors(let vectors):
            ([vectors.current] + vectors.remoteIDs.map { vectors.latest(onRemote: $0) }).compactMap { $0?.properties }
        }
    }

    /// What a remote is known to have, and whether it competes with the current revision.
    package func latest(onRemote remote: UInt16) -> (id: RevisionID, competes: Bool)? {
        switch self {
        case .tree(let tree): return tree.latest(onRemote: remote).map { ($0.id, $0.isConflict) }
        case .vectors(let vectors):
            guard let latest = vectors.latest(onRemote: remote) else { return nil }
            return latest.id.map { ($0, latest.isConflicted) }
        }
    }
}
