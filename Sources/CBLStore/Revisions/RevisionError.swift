/// What is wrong with a revision, or with what was asked of one. The store adds which document it is about.
package enum RevisionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A text or binary revision ID, version or vector that cannot be one.
    case badID(String, reason: String)
    /// A revision tree whose bytes are damaged, from a byte offset on.
    case corruptTree(offset: Int, reason: String)
    /// The stored revisions of a vector document are damaged.
    case corruptRevisions(reason: String)
    /// The document, or the revision asked for, is not there.
    case notFound
    /// The revision to be changed is not a current one any more.
    case conflict
    /// A history that does not fit together.
    case badHistory(reason: String)
    /// A version whose time is none.
    case badTime(Version)
    /// A version that was made later than it is now, by this machine's clock.
    case futureTime(Version)

    package var description: String {
        switch self {
        case .badID(let text, let reason): "\"\(text)\" is not a revision ID: \(reason)"
        case .corruptTree(let offset, let reason): "damaged revision tree: \(reason), at byte \(offset)"
        case .corruptRevisions(let reason): "damaged revisions: \(reason)"
        case .notFound: "no such revision"
        case .conflict: "the revision is not current any more"
        case .badHistory(let reason): "the revision history does not fit together: \(reason)"
        case .badTime(let version): "the time of version \(version) is out of range"
        case .futureTime(let version): "version \(version) is from the future: the clock here is behind, or another one is ahead"
        }
    }
}
