internal import CBLStore
import Foundation

/// A document that was changed on both sides.
public struct Conflict {
    /// Of both documents.
    public let documentID: String
    /// As it is here; nil if it was deleted here.
    public let localDocument: Document?
    /// As it has come; nil if it was deleted there. Not both are nil.
    public let remoteDocument: Document?
}

/// Decides how conflicts end.
public protocol ConflictResolverProtocol {
    /// Gives one of the two documents, or another one with what is to be there instead; nil to delete the document. It is called on background
    /// threads, for several documents at the same time, and again if the document changes here meanwhile.
    func resolve(conflict: Conflict) -> Document?
}

/// The resolver that is used where none is given.
public final class ConflictResolver {
    /// A deletion wins, then the later change, and of two at the same time the remote one.
    public static var `default`: any ConflictResolverProtocol { DefaultConflictResolver.shared }

    private init() {}
}

final class DefaultConflictResolver: ConflictResolverProtocol, Sendable {
    static let shared = DefaultConflictResolver()

    func resolve(conflict: Conflict) -> Document? {
        guard let local = conflict.localDocument, let remote = conflict.remoteDocument else { return nil }
        return local.timestamp > remote.timestamp ? local : remote
    }
}
