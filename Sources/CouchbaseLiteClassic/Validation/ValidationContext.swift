internal import CBLStore
import CouchbaseLiteSwift
import Foundation

import class CouchbaseLiteSwift.Collection
import class CouchbaseLiteSwift.Database
import class CouchbaseLiteSwift.Document

/// What a validation is told of a revision, besides what it says. It is not to be kept.
public final class ValidationContext {
    /// The document that the revision is to be of.
    public let documentID: String
    /// The new revision, if it has an ID already, as those that come from elsewhere have.
    public let revisionID: String?
    /// The revision that it was made from.
    public let parentRevisionID: String?
    /// Whether it deletes the document.
    public let isDeletion: Bool
    /// What the document says up to now; nil if there is none, or it was deleted.
    public let current: Document?
    /// Where the revision comes from.
    public let source: RevisionSource
    /// Why it was rejected; nil as long as it was not.
    public private(set) var rejection: String?

    private let proposed: Document

    init(_ revision: ProposedRevision, _ proposed: Document, in collection: Collection) {
        documentID = revision.documentID
        revisionID = revision.revision?.text
        parentRevisionID = revision.parent?.text
        isDeletion = revision.isDeleted
        current = revision.current.flatMap { current in
            guard !current.isDeleted else { return nil }
            let place = DocumentPlace(revision: current.revision, in: collection, isLent: true)
            return Document(id: current.id, DocumentProperties(current.body, keys: revision.keys), place, of: collection)
        }
        source = RevisionSource(revision.origin)
        self.proposed = proposed
    }

    /// Refuses the revision. The first message counts.
    public func reject(_ message: String = "invalid document") { if rejection == nil { rejection = message } }

    /// The names of the properties that the new revision adds, changes or takes away, sorted.
    public var changedKeys: [String] {
        let keys = Set(proposed.keys).union(current?.keys ?? [])
        return keys.filter { key in !ValidationContext.isSame(value(of: current, key), value(of: proposed, key)) }.sorted()
    }

    /// Asks about each changed property, with what it was and what it is to be; if one is not allowed, the revision is rejected. Gives whether all are.
    @discardableResult
    public func validateChanges(_ isAllowed: (_ key: String, _ old: Any?, _ new: Any?) -> Bool) -> Bool {
        for key in changedKeys where !isAllowed(key, value(of: current, key), value(of: proposed, key)) {
            reject("illegal change of \"\(key)\"")
            return false
        }
        return true
    }

    private func value(of document: Document?, _ key: String) -> Any? { document?.value(forKey: key) }

    private static func isSame(_ one: Any?, _ other: Any?) -> Bool {
        switch (one, other) {
        case (nil, nil): true
        case (let one as AnyHashable, let other as AnyHashable): one == other
        default: false
        }
    }
}

/// Looks at a revision before it is stored, and rejects what is not allowed: through the context, or by throwing. It is called inside the transaction,
/// on whichever thread that is, and must not use the database from another one.
public typealias Validation = @Sendable (_ revision: Document, _ context: ValidationContext) throws -> Void
