internal import CBLStore
import CouchbaseLiteSwift

import class CouchbaseLiteSwift.Collection
import class CouchbaseLiteSwift.Database
import class CouchbaseLiteSwift.Document

/// One revision of a document: where it stands among the others, and what it says, if that is kept.
public struct DocumentRevision: Sendable, Identifiable, Equatable {
    /// The document that it is a revision of.
    public let documentID: String
    /// `3-…` in a tree, `…@…` among version vectors.
    public let id: String
    /// The revision that it was made from; nil for the first one, and where that is not remembered.
    public let parentID: String?
    /// Whether it ends its branch with a deletion.
    public let isDeletion: Bool
    /// Whether nothing was made from it yet.
    public let isLeaf: Bool
    /// Whether it is what the document says.
    public let isCurrent: Bool
    /// Whether it competes with the current one.
    public let isConflicting: Bool
    /// What it says; nil if that is not kept. It cannot be saved to go on from a revision that is not current: see
    /// `save(document:parent:allowConflict:)` of the collection.
    public let document: Document?

    /// Its properties, as Swift's values; nil if they are not kept.
    public var properties: [String: Any]? { document?.toDictionary() }

    /// How many revisions there were on the way to it, itself among them; 0 with version vectors.
    public var generation: Int { id.contains("@") ? 0 : id.prefix { $0 != "-" }.reduce(0) { $0 &* 10 &+ ($1.wholeNumberValue ?? 0) } }

    /// Whether both are the same revision of the same document.
    public static func == (one: DocumentRevision, other: DocumentRevision) -> Bool {
        one.id == other.id && one.documentID == other.documentID
    }

    init(_ stored: StoredRevision, of documentID: String, _ snapshot: Snapshot, in collection: Collection) {
        self.documentID = documentID
        id = stored.id.text
        parentID = stored.parent?.text
        isDeletion = stored.flags.contains(.deleted)
        isLeaf = stored.flags.contains(.leaf)
        isCurrent = stored.isCurrent
        isConflicting = stored.isConflict
        document = stored.body.map { body in
            let place = DocumentPlace(revision: stored.id, in: collection, isDeleted: stored.flags.contains(.deleted))
            return Document(id: documentID, DocumentProperties(body, keys: snapshot.sharedKeys), place, of: collection)
        }
    }
}
