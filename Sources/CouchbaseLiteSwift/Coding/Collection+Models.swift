internal import CBLQuery
internal import CBLStore
import Foundation

/// What `save(from:)` takes: an object of a class that is `Encodable`. A struct is not accepted, since its ID could not be filled in.
public typealias DocumentEncodable = Encodable & AnyObject
/// What `document(id:as:)` gives: an object of a class that is `Decodable`.
public typealias DocumentDecodable = Decodable & AnyObject
/// A class that is both saved and read, as `save(from:conflictHandler:)` needs it.
public typealias DocumentCodable = Codable & AnyObject

// Documents as objects of the program's own classes, which have a property with `@DocumentID`.
extension Collection {
    /// A document as an object; nil if there is none. Throws `decodingError` if the document does not fit.
    public func document<T: DocumentDecodable>(id: String, as type: T.Type) throws -> T? {
        guard let document = try document(id: id) else { return nil }
        return try decode(type, document)
    }

    /// Saves an object. If somebody else has changed its document meanwhile, that change is replaced.
    public func save<T: DocumentEncodable>(from object: T) throws { _ = try save(from: object, concurrencyControl: .lastWriteWins) }

    /// Saves an object. False if somebody else has changed its document meanwhile and that is not to be replaced.
    public func save<T: DocumentEncodable>(from object: T, concurrencyControl: ConcurrencyControl) throws -> Bool {
        let id = try DocumentID.of(object)
        let document = try self.document(of: object, id)
        guard try save(document: document, concurrencyControl: concurrencyControl) else { return false }
        id.adopt(document)
        return true
    }

    /// Saves an object. If somebody else has changed its document meanwhile, the handler is called with the object and with another one as it is
    /// stored, nil if it was deleted. It may change the first and return true, to have it saved over the other, or return false to give up.
    public func save<T: DocumentCodable>(from object: T, conflictHandler: @escaping (T, T?) -> Bool) throws -> Bool {
        let id = try DocumentID.of(object)
        let document = try self.document(of: object, id)
        let isSaved = try save(document: document) { [self] document, current in
            do {
                guard conflictHandler(object, try current.map { try decode(T.self, $0) }) else { return false }
                document.storage.replaceAll(with: try PropertyEncoder.properties(of: object, id))
                return true
            } catch {
                log(.database, .warning, "The conflict of \"\(document.id)\" is left as it is: \(error.localizedDescription)")
                return false
            }
        }
        if isSaved { id.adopt(document) }
        return isSaved
    }

    /// Deletes an object's document.
    public func delete<T: DocumentEncodable>(for object: T) throws { _ = try delete(for: object, concurrencyControl: .lastWriteWins) }

    /// Deletes an object's document. False if somebody else has changed it meanwhile and that is not to be replaced.
    public func delete<T: DocumentEncodable>(for object: T, concurrencyControl: ConcurrencyControl) throws -> Bool {
        let id = try DocumentID.of(object)
        let document = try self.document(of: object, id)
        guard try delete(document: document, concurrencyControl: concurrencyControl) else { return false }
        id.adopt(document)
        return true
    }

    /// Removes an object's document with all traces.
    public func purge<T: DocumentEncodable>(for object: T) throws {
        let id = try DocumentID.of(object)
        guard let name = id.wrappedValue else { throw notFound("(an object without ID)") }
        if let collection = id.place?.collection { try check(collection, name) }
        try purge(id: name)
    }

    /// What an object is saved as: a new document, or the next revision of the one that it stands for.
    private func document(of object: some Encodable, _ id: DocumentID) throws -> MutableDocument {
        let place: DocumentPlace
        if let known = id.place {
            place = DocumentPlace(copying: known)
        } else if let name = id.wrappedValue, let current = try document(id: name) {
            place = DocumentPlace(copying: current.place)
        } else {
            place = DocumentPlace()
        }
        let document = MutableDocument(id: id.wrappedValue ?? DocumentRules.newID(), DictionaryStorage(), place)
        document.storage.replaceAll(with: try PropertyEncoder.properties(of: object, id))
        return document
    }

    private func decode<T: Decodable>(_ type: T.Type, _ document: Document) throws -> T {
        guard let source = document.storage.source else { throw notFound(document.id) }
        let decoded = DecodedDocument(document, source)
        let object = try T(from: ValueDecoder(decoded))
        if !decoded.hasDocumentID { _ = try DocumentID.of(object as AnyObject) }
        return object
    }
}
