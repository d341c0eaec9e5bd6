internal import CBLFleece
internal import CBLReplication
internal import CBLStore
import Foundation

/// Asks the program how conflicts of a collection end.
struct ConflictResolution: @unchecked Sendable {
    // Sendable: the resolver is called from several threads, as the program is told.
    let resolver: any ConflictResolverProtocol
    let collection: Collection

    func resolve(_ conflict: SyncConflict) throws -> SyncResolution {
        // There is nothing to decide.
        if conflict.local == nil, conflict.remote == nil { return .standard(conflict) }
        let local = conflict.local.map { document(conflict, $0, place(ofLocal: conflict)) }
        let remote = conflict.remote.map { document(conflict, $0, DocumentPlace(revision: conflict.remoteRevision, in: collection)) }
        let question = Conflict(documentID: conflict.documentID, localDocument: local, remoteDocument: remote)
        let result = AwaitedCallback.run { resolver.resolve(conflict: question) }
        guard let result else { return .deleted }
        if result === local { return .local }
        if result === remote { return .remote }
        return try resolution(result, conflict.documentID)
    }

    private func place(ofLocal conflict: SyncConflict) -> DocumentPlace {
        conflict.document.map { DocumentPlace($0, in: collection) } ?? DocumentPlace(revision: conflict.localRevision, in: collection)
    }

    private func document(_ conflict: SyncConflict, _ properties: DocumentProperties, _ place: DocumentPlace) -> Document {
        Document(id: conflict.documentID, properties, place, of: collection)
    }

    private func resolution(_ result: Document, _ id: String) throws -> SyncResolution {
        if result.id != id {
            let text =
                "The document ID of the resolved document '\(result.id)' is not matching with the document ID of the conflicting document '\(id)'."
            log(.replicator, .warning, text)
        }
        if let owner = result.collection {
            guard owner.coreName == collection.coreName, owner.database.hasSameFile(as: collection.database) else {
                throw SyncError(
                    .liteCore, CBLError.conflict,
                    "The conflict of document \"\(id)\" was resolved with a document of another collection, or of another database.")
            }
        }
        do {
            let encoder = FleeceEncoder()
            try result.storage.write(to: PropertyWriter(encoder: encoder, database: collection.database))
            return .merged(DocumentProperties(try encoder.finish()))
        } catch {
            throw SyncError(translated(error))
        }
    }
}
