import CBLStore

/// A conflict as an app's resolver sees it. Properties are JSON; nil stands for a deletion.
package struct SyncConflict: Hashable, Sendable {
    package let documentID: String
    package let collection: CollectionName
    /// As all peers call it.
    package let localRevision: RevisionID
    package let remoteRevision: RevisionID
    package let local: String?
    package let remote: String?
    /// What both were made from, as far as it is kept. Version vectors keep nothing of it.
    package let base: String?

    package init(
        documentID: String, collection: CollectionName, localRevision: RevisionID, remoteRevision: RevisionID, local: String?,
        remote: String?,
        base: String?
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

/// How a conflict ends.
package enum SyncResolution: Hashable, Sendable {
    case local
    case remote
    /// JSON.
    case merged(String)
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
