/// What a client wants to know of documents beside what they say.
package struct DocumentOptions {
    package var showsHistory = false
    /// No more than so many revisions of it.
    package var longestHistory = Int.max
    /// Whether what was pruned of it, above a revision that the client has, is made up: without it nothing could be joined to that.
    package var bridgesHistory = false
    package var showsRevisionStates = false
    package var showsConflicts = false
    package var showsSequence = false
    package var showsExpiration = false
    /// Contents in the place of stubs.
    package var includesAttachments = false
    /// Whether what is stored in gzip goes out so.
    package var keepsEncoding = false
    /// The revisions that the client has: attachments that came with these need no content.
    package var knownRevisions: [String] = []

    /// What the server has of attachments: those that are the same need no content either.
    package var knownAttachments: [String: KnownAttachment] = [:]

    package init() {}

    /// Whether a document's own row tells all of it.
    package var needsRelatives: Bool { showsHistory || showsRevisionStates || showsConflicts || !knownRevisions.isEmpty }
}

/// An attachment that the other side has.
package struct KnownAttachment: Hashable, Sendable {
    /// Of this content, as 1.x or as CouchDB writes it.
    package let digest: String
    /// Since that generation.
    package let generation: Int64
}
