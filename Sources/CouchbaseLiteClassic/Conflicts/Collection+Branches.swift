internal import CBLStore
import CouchbaseLiteSwift

import class CouchbaseLiteSwift.Collection
import class CouchbaseLiteSwift.Database
import class CouchbaseLiteSwift.Document

extension Collection {
    /// Saves what a document says as a new revision below a chosen one, nil for none: also below one that has lost. Where something was made from that
    /// already, `conflict` is thrown; with `allowConflict` a branch of its own begins there. Gives the new revision.
    ///
    /// In a database with version vectors a revision follows the current one, and nothing else; another parent is `unsupported`.
    @discardableResult
    public func save(document: MutableDocument, parent: String?, allowConflict: Bool = false) throws -> DocumentRevision {
        let parent = try parent.map { try CouchbaseLiteClassic.revisionID($0) }
        return try write { transaction in
            let body = try encode(document, transaction)
            let saved = try transaction.addRevision(
                document.id, in: coreName, after: parent, body: body, allowsConflict: allowConflict)
            document.place.update(saved, in: self, isDeleted: false)
            return try stored(saved, of: document.id, transaction)
        }
    }

    /// Ends a branch of a document with a deletion. What competes with it, or nothing, is what the document says then. Gives the new revision.
    @discardableResult
    public func deleteRevision(_ revisionID: String, ofDocument id: String) throws -> DocumentRevision {
        let parent = try CouchbaseLiteClassic.revisionID(revisionID)
        return try write { transaction in
            let saved = try transaction.addRevision(id, in: coreName, after: parent, body: .emptyDictionary, isDeleted: true)
            return try stored(saved, of: id, transaction)
        }
    }

    /// Forgets a branch from its end to where it begins, without a trace; the document, if there is no other. Databases with version vectors have no
    /// branches: `unsupported`.
    public func purgeRevision(_ revisionID: String, ofDocument id: String) throws {
        let revision = try CouchbaseLiteClassic.revisionID(revisionID)
        try write { try $0.purgeRevision(revision, of: id, in: coreName) }
    }

    /// Ends the conflict of a document: one revision remains, and with a document to merge a new one below it says what that says. All of it happens, or
    /// nothing; who wants to look first, does both inside `inBatch`. Gives the revision that is current then.
    @discardableResult
    public func resolveConflict(
        ofDocument id: String, winner: String, merging merged: MutableDocument? = nil
    ) throws -> DocumentRevision {
        let winner = try CouchbaseLiteClassic.revisionID(winner)
        return try write { transaction in
            let body = try merged.map { try encode($0, transaction) }
            let saved = try transaction.settleAll(id, in: coreName, winner: winner, merged: body)
            return try stored(saved, of: id, transaction)
        }
    }

    private func stored(_ saved: SavedRevision, of id: String, _ snapshot: Snapshot) throws -> DocumentRevision {
        let all = try snapshot.document(id, in: coreName)?.storedRevisions()
        guard let stored = all?.first(where: { $0.id == saved.id }) else { throw notFound(id) }
        return DocumentRevision(stored, of: id, snapshot, in: self)
    }
}

/// A revision ID as the program has it.
func revisionID(_ text: String) throws -> RevisionID {
    do { return try RevisionID(parsing: text) } catch {
        throw libraryError(CBLError.badRevisionID, "\"\(text)\" is no revision ID.")
    }
}
