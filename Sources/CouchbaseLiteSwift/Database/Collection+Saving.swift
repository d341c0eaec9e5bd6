package import CBLFleece
package import CBLStore
import Foundation

extension Collection {
    /// Saves a document. If somebody else has changed it meanwhile, that change is replaced.
    public func save(document: MutableDocument) throws { _ = try save(document: document, concurrencyControl: .lastWriteWins) }

    /// Saves a document. False if somebody else has changed it meanwhile and that is not to be replaced.
    public func save(document: MutableDocument, concurrencyControl: ConcurrencyControl) throws -> Bool {
        try store(document, concurrencyControl, isDeletion: false)
    }

    /// Saves a document. If somebody else has changed it meanwhile, the handler is called with the document and with the one that is stored, nil if
    /// that was deleted. It may change the document and return true, to have it saved over the other, or return false to give up.
    public func save(document: MutableDocument, conflictHandler: @escaping (MutableDocument, Document?) -> Bool) throws -> Bool {
        if try save(document: document, concurrencyControl: .failOnConflict) { return true }
        while true {
            guard let current = try storedDocument(document.id) else { throw notFound(document.id) }
            let isDeleted = current.place.isDeleted
            guard conflictHandler(document, isDeleted ? nil : current) else { return false }
            document.place.adopt(current.place)
            if try save(document: document, concurrencyControl: .failOnConflict) { return true }
        }
    }

    /// Deletes a document: what remains of it says so to other databases.
    public func delete(document: Document) throws { _ = try delete(document: document, concurrencyControl: .lastWriteWins) }

    /// Deletes a document. False if somebody else has changed it meanwhile and that is not to be replaced.
    public func delete(document: Document, concurrencyControl: ConcurrencyControl) throws -> Bool {
        guard document.place.revision != nil else {
            _ = try openCore()
            throw notFound(document.id)
        }
        return try store(document, concurrencyControl, isDeletion: true)
    }

    private func store(_ document: Document, _ control: ConcurrencyControl, isDeletion: Bool) throws -> Bool {
        try check(document)
        let place = document.place
        return try write { transaction in
            // Blobs are stored before, so that what is encoded is what is saved.
            let body = isDeletion ? FleeceData.emptyDictionary : try encode(document, transaction)
            do {
                let saved = try write(document.id, place, body, isDeletion, transaction)
                place.update(saved, in: self, isDeleted: isDeletion)
                return true
            } catch let error as StoreError where error.code == .conflict {
                // Looked at below.
            } catch let error as StoreError where error.code == .invalidDocument {
                try DocumentRules.check(id: document.id)
                // Not the ID then: what is in the document.
                throw libraryError(CBLError.corruptRevisionData, error.description)
            }
            guard let current = try transaction.document(document.id, in: coreName) else { throw notFound(document.id) }
            guard control == .lastWriteWins else { return false }
            if isDeletion {
                guard !current.isDeleted else {
                    place.adopt(DocumentPlace(current, in: self))
                    return true
                }
                place.update(try transaction.delete(current), in: self, isDeleted: true)
            } else {
                place.update(try transaction.save(current, body: body), in: self, isDeleted: false)
            }
            return true
        }
    }

    private func write(
        _ id: String, _ place: DocumentPlace, _ body: FleeceData, _ isDeletion: Bool, _ transaction: Transaction
    ) throws -> SavedRevision {
        let (row, revision) = place.base
        let parent: Parent = revision.map { .revision($0) } ?? .none
        if isDeletion {
            if let row { return try transaction.delete(row, parent: parent) }
            return try transaction.delete(id, in: coreName, parent: parent)
        }
        if let row { return try transaction.save(row, body: body, parent: parent) }
        return try transaction.save(id, in: coreName, body: body, parent: parent)
    }

    /// What is to be stored of a document; its blobs are stored.
    package func encode(_ document: Document, _ transaction: Transaction) throws -> FleeceData {
        let encoder = transaction.encoder
        encoder.reset()
        try document.storage.write(to: PropertyWriter(encoder: encoder, database: database, transaction: transaction))
        return try encoder.finish()
    }
}
