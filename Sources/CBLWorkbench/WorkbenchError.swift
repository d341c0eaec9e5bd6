import CBLStore

/// Why something cannot be done to a database. What to do about it depends on where one stands: whoever tells people of it knows what they can say.
package enum WorkbenchError: Error, Equatable, CustomStringConvertible {
    case unknownRevision(String, document: String, closest: String?)
    case ambiguousRevision(String, document: String, matches: [RevisionID])
    case notDeleted(document: String)
    /// Of so many revisions, none that is not a deletion has its properties.
    case propertiesGone(document: String, revisionCount: Int)
    case isCurrent(RevisionID)
    case isDeletion(RevisionID)
    case notKept(RevisionID, document: String)
    case notInConflict(document: String)
    /// The revision is neither the current one nor one that competes with it.
    case noPartInConflict(RevisionID, among: [RevisionID])
    /// A property cannot be put where it was to go.
    case noPlace(document: String, reason: String)
    /// There are several sides to choose from.
    case severalCompete(among: [RevisionID])

    package var description: String {
        switch self {
        case .unknownRevision(let name, let document, let closest):
            "document \"\(document)\" has no revision \"\(name)\".\(closest.map { " Did you mean \($0)?" } ?? "")"
        case .ambiguousRevision(let name, let document, let matches):
            "\"\(name)\" is the beginning of several revisions of \"\(document)\": \(WorkbenchError.list(matches))"
        case .notDeleted(let document): "document \"\(document)\" is not deleted"
        case .propertiesGone(let document, let count):
            "the properties that document \"\(document)\" had are not kept any more; "
                + (count > 1 ? "only the IDs of its \(count) revisions are left" : "only its tombstone is left")
        case .isCurrent(let revision): "revision \(revision) is the current one"
        case .isDeletion(let revision): "revision \(revision) is a deletion"
        case .notKept(let revision, let document): "the properties of revision \(revision) of \"\(document)\" are not kept any more"
        case .notInConflict(let document): "document \"\(document)\" is not in conflict"
        case .noPartInConflict(let revision, _): "revision \(revision) takes no part in the conflict"
        case .noPlace(let document, let reason): "document \"\(document)\": \(reason)"
        case .severalCompete(let all): "\(all.count - 1) revisions compete with the one made here: name one"
        }
    }

    package static func list(_ revisions: [RevisionID]) -> String { revisions.map(\.text).joined(separator: ", ") }
}
