import Foundation

extension Collection {
    /// The collection for async code: the same calls, which let other tasks run while they wait.
    public var async: Async { Async(collection: self) }

    /// What can be awaited of a collection. What writes is done one after another, in the order of asking; a task that is cancelled before its turn
    /// writes nothing, and gets `CancellationError`.
    public struct Async: Sendable {
        let collection: Collection

        private func read<Value>(_ work: @escaping @Sendable (Collection) throws -> Value) async throws -> sending Value {
            let collection = collection
            return try await collection.database.asyncWork.read { try work(collection) }
        }

        private func write<Value>(_ work: @escaping @Sendable (Collection) throws -> Value) async throws -> sending Value {
            let collection = collection
            return try await collection.database.asyncWork.write { try work(collection) }
        }
    }
}

// Documents.
extension Collection.Async {
    /// A document by its ID, as it is now; nil if there is none, or it was deleted or has expired.
    public func document(id: String) async throws -> Document? { try await read { try $0.document(id: id) } }

    /// Saves a document. If somebody else has changed it meanwhile, that change is replaced. What is saved is what the document holds when its turn
    /// comes: leave it alone until then.
    public func save(document: MutableDocument) async throws { try await write { try $0.save(document: document) } }

    /// Saves a document. False if somebody else has changed it meanwhile and that is not to be replaced.
    public func save(document: MutableDocument, concurrencyControl: ConcurrencyControl) async throws -> Bool {
        try await write { try $0.save(document: document, concurrencyControl: concurrencyControl) }
    }

    /// Saves a document. If somebody else has changed it meanwhile, the handler is called, by a background thread, with the document and with the one
    /// that is stored: see ``Collection/save(document:conflictHandler:)``.
    public func save(
        document: MutableDocument, conflictHandler: @escaping @Sendable (MutableDocument, Document?) -> Bool
    ) async throws -> Bool {
        try await write { try $0.save(document: document, conflictHandler: conflictHandler) }
    }

    /// Deletes a document: what remains of it says so to other databases.
    public func delete(document: Document) async throws { try await write { try $0.delete(document: document) } }

    /// Deletes a document. False if somebody else has changed it meanwhile and that is not to be replaced.
    public func delete(document: Document, concurrencyControl: ConcurrencyControl) async throws -> Bool {
        try await write { try $0.delete(document: document, concurrencyControl: concurrencyControl) }
    }

    /// Removes a document with all traces: other databases do not hear of it.
    public func purge(document: Document) async throws { try await write { try $0.purge(document: document) } }

    /// Removes a document with all traces: other databases do not hear of it.
    public func purge(id: String) async throws { try await write { try $0.purge(id: id) } }

    /// Has a document purged at a time, in milliseconds; nil for never.
    public func setDocumentExpiration(id: String, expiration: Date?) async throws {
        try await write { try $0.setDocumentExpiration(id: id, expiration: expiration) }
    }

    /// When a document will be purged; nil for never, or if there is no such document.
    public func getDocumentExpiration(id: String) async throws -> Date? { try await read { try $0.getDocumentExpiration(id: id) } }
}

// Objects of the program's own classes, which have to be such that another thread may read and change them.
extension Collection.Async {
    /// A document as an object; nil if there is none.
    public func document<T: AsyncDecodable & AnyObject>(id: String, as type: T.Type) async throws -> sending T? {
        try await read { try $0.document(id: id, as: type) }
    }

    /// Saves an object. If somebody else has changed its document meanwhile, that change is replaced.
    public func save<T: DocumentEncodable & Sendable>(from object: T) async throws { try await write { try $0.save(from: object) } }

    /// Saves an object. False if somebody else has changed its document meanwhile and that is not to be replaced.
    public func save<T: DocumentEncodable & Sendable>(from object: T, concurrencyControl: ConcurrencyControl) async throws -> Bool {
        try await write { try $0.save(from: object, concurrencyControl: concurrencyControl) }
    }

    /// Deletes an object's document.
    public func delete<T: DocumentEncodable & Sendable>(for object: T) async throws { try await write { try $0.delete(for: object) } }

    /// Deletes an object's document. False if somebody else has changed it meanwhile and that is not to be replaced.
    public func delete<T: DocumentEncodable & Sendable>(for object: T, concurrencyControl: ConcurrencyControl) async throws -> Bool {
        try await write { try $0.delete(for: object, concurrencyControl: concurrencyControl) }
    }

    /// Removes an object's document with all traces.
    public func purge<T: DocumentEncodable & Sendable>(for object: T) async throws { try await write { try $0.purge(for: object) } }
}

// Indexes.
extension Collection.Async {
    /// The names of the indexes.
    public func indexes() async throws -> [String] { try await read { try $0.indexes() } }

    /// Makes an index, and fills it. If there is the same one, nothing happens; another of that name is replaced.
    public func createIndex(withName name: String, config: any IndexConfiguration & Sendable) async throws {
        try await write { try $0.createIndex(withName: name, config: config) }
    }

    /// Makes an index, and fills it. If there is the same one, nothing happens; another of that name is replaced.
    public func createIndex(_ index: any Index & Sendable, name: String) async throws {
        try await write { try $0.createIndex(index, name: name) }
    }

    /// Deletes an index. If there is none, nothing happens.
    public func deleteIndex(forName name: String) async throws { try await write { try $0.deleteIndex(forName: name) } }
}
