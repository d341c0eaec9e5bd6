/// A revision that was stored: what listeners of revisions are told.
public struct RevisionChange: Hashable, Sendable {
    /// The document that it is a revision of.
    public let documentID: String
    /// The new revision.
    public let revisionID: String
    /// Whether it is a deletion.
    public let isDeletion: Bool
    /// Whether it is what the document says now; otherwise it competes with that.
    public let isCurrent: Bool
    /// Whether the document is in conflict now.
    public let isConflict: Bool
    /// Whether it was made here, or came from elsewhere.
    public let source: RevisionSource
}
