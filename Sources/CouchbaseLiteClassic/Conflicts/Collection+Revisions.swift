internal import CBLStore
import CouchbaseLiteSwift

import class CouchbaseLiteSwift.Collection
import class CouchbaseLiteSwift.Database
import class CouchbaseLiteSwift.Document

extension Collection {
    /// All revisions that are remembered of a document, the current one first; none if there is no such document.
    public func revisions(ofDocument id: String) throws -> [DocumentRevision] {
        try read { snapshot in
            guard let document = try snapshot.document(id, in: coreName) else { return [] }
            return try document.storedRevisions().map { DocumentRevision($0, of: id, snapshot, in: self) }
        }
    }

    /// The ends of all branches of a document, the current one first. Those that were deleted only if they are asked for.
    public func leafRevisions(ofDocument id: String, includingDeleted: Bool = false) throws -> [DocumentRevision] {
        try revisions(ofDocument: id).filter { $0.isLeaf && (includingDeleted || !$0.isDeletion || $0.isConflicting) }
    }

    /// The revisions between which a conflict is to be settled, the current one first; none if there is no conflict.
    public func conflictingRevisions(ofDocument id: String) throws -> [DocumentRevision] {
        let revisions = try revisions(ofDocument: id).filter { $0.isCurrent || $0.isConflicting }
        return revisions.count > 1 ? revisions : []
    }

    /// A revision by its ID; nil if it is not remembered.
    public func revision(_ revisionID: String, ofDocument id: String) throws -> DocumentRevision? {
        try revisions(ofDocument: id).first { $0.id == revisionID }
    }

    /// A revision and those that it was made from, the nearest first. Of most ancestors nothing but the ID is kept.
    public func history(ofRevision revisionID: String, ofDocument id: String) throws -> [DocumentRevision] {
        let all = try revisions(ofDocument: id)
        var history: [DocumentRevision] = []
        var next: String? = revisionID
        while let id = next, let revision = all.first(where: { $0.id == id }), !history.contains(revision) {
            history.append(revision)
            next = revision.parentID
        }
        return history
    }

    /// The documents that are in conflict.
    public func conflictedDocumentIDs() throws -> [String] { try read { try $0.conflictedDocuments(in: coreName) } }
}
