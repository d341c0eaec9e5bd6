import DocumentStore

/// A conflict as an app's resolver sees it. Properties are JSON; nil stands for a deletion.
public struct SyncConflict: Hashable, Sendable {
    public let documentID: String
    public let collection: CollectionName
    /// As all peers call it.
    public let localRevision: RevisionID
    public let remoteRevision: RevisionID
    public let local: String?
    public let remote: String?
    /// What both were made from, as far as it is kept. Version vectors keep nothing of it.
    public let base: String?
}

/// How a conflict ends.
public enum SyncResolution: Hashable, Sendable {
    case local
    case remote
    /// JSON.
    case merged(String)
    case deleted

    /// What the default rule says.
    public static func standard(_ conflict: SyncConflict) -> SyncResolution {
        let winner = DefaultResolver.winner(
            local: .init(revision: conflict.localRevision, isDeleted: conflict.local == nil),
            remote: .init(revision: conflict.remoteRevision, isDeleted: conflict.remote == nil))
        return winner == .local ? .local : .remote
    }
}

public typealias SyncResolver = @Sendable (SyncConflict) throws -> SyncResolution
