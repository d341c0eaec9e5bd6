import CBLStore

/// A conflict as an app's resolver sees it, on whichever thread. Instead of properties, nil stands for a deletion.
package struct SyncConflict: Sendable {
    package let documentID: String
    package let collection: CollectionName
    /// As all peers call it.
    package let localRevision: RevisionID
    package let remoteRevision: RevisionID
    package let local: DocumentProperties?
    package let remote: DocumentProperties?
    /// What both were made from, as far as it is kept. Version vectors keep nothing of it.
    package let base: DocumentProperties?
    /// The local side as its row says.
    package var document: Document?

    package init(
        documentID: String, collection: CollectionName, localRevision: RevisionID, remoteRevision: RevisionID, local: DocumentProperties?,
        remote: DocumentProperties?, base: DocumentProperties?
    ) {
        self.documentID = documentID
        self.collection = collection
        self.localRevision = localRevision
        self.remoteRevision = remoteRevision
        self.local = local
        self.remote = remote
        self.base = base
    }
}

extension SyncConflict {
    /// With the sides exchanged.
    var swapped: SyncConflict {
        SyncConflict(
            documentID: documentID, collection: collection, localRevision: remoteRevision, remoteRevision: localRevision, local: remote,
            remote: local, base: base)
    }
}

/// How a conflict ends.
package enum SyncResolution: Equatable, Sendable {
    case local
    case remote
    case merged(DocumentProperties)
    case deleted

    /// What the default rule says.
    package static func standard(_ conflict: SyncConflict) -> SyncResolution {
        let winner = DefaultResolver.winner(
            local: .init(revision: conflict.localRevision, isDeleted: conflict.local == nil),
            remote: .init(revision: conflict.remoteRevision, isDeleted: conflict.remote == nil))
        return winner == .local ? .local : .remote
    }
}

package typealias SyncResolver = @Sendable (SyncConflict) throws -> SyncResolution
