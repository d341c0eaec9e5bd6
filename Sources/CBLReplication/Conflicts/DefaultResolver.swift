import CBLStore

/// Which side of a conflict wins when the app has nothing to say about it.
package enum DefaultResolver {
    package enum Winner: Hashable, Sendable {
        case local
        case remote
    }

    /// One side of a conflict.
    package struct Side: Hashable, Sendable {
        package var revision: RevisionID
        package var isDeleted: Bool

        package init(revision: RevisionID, isDeleted: Bool) {
            self.revision = revision
            self.isDeleted = isDeleted
        }
    }

    /// A deletion wins. Among revisions of trees then the longer history, and the greater ID as text; among versions the later one, and of the same
    /// time the greater source. All replicas must come to the same result, so there is no other rule.
    package static func winner(local: Side, remote: Side) -> Winner {
        if local.isDeleted || remote.isDeleted { return remote.isDeleted ? .remote : .local }
        if let mine = local.revision.version, let theirs = remote.revision.version { return mine.isLater(than: theirs) ? .local : .remote }
        let (mine, theirs) = (generation(local.revision), generation(remote.revision))
        if mine != theirs { return mine > theirs ? .local : .remote }
        return local.revision.text > remote.revision.text ? .local : .remote
    }

    /// A version that stands for a revision of a tree has its generation; others are later than all trees.
    private static func generation(_ revision: RevisionID) -> UInt64 {
        guard let version = revision.version else { return UInt64(revision.generation) }
        return version.source == .revisionTree ? version.time >> 40 : .max
    }
}
