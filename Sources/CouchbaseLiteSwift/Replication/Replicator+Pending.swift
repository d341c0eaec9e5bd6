internal import CBLReplication
import Foundation

extension Replicator {
    /// The documents of a collection with changes that have not been pushed, deletions among them; as far as the configuration has them pushed.
    public func pendingDocumentIds(collection: Collection) throws -> Set<String> {
        let replicated = try replicated(collection)
        return Set(try translatingErrors { try replicated.pendingDocuments() })
    }

    /// Whether a document has changes that have not been pushed, and are to be.
    public func isDocumentPending(_ documentID: String, collection: Collection) throws -> Bool {
        let replicated = try replicated(collection)
        return try translatingErrors { try replicated.isPending(documentID) }
    }

    private func replicated(_ collection: Collection) throws -> ReplicatedDatabase {
        guard config.pushes else {
            throw libraryError(CBLError.unsupported, "A replicator that only pulls has no pending documents.")
        }
        let core = try collection.openCore()
        let isOurs = collection.database.hasSameFile(as: config.database)
        guard isOurs, let found = try translatingErrors({ try config.settings().replicated(collection.coreName, of: core) }) else {
            throw libraryError(CBLError.invalidParameter, "The replicator does not replicate the collection \(collection.fullName).")
        }
        return found
    }
}
