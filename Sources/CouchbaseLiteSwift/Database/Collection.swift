package import CBLStore
import Foundation

/// Documents of a database under a common name, with indexes.
public final class Collection: CollectionChangeObservable, Equatable, Hashable, @unchecked Sendable {
    // Sendable: nothing of it changes but the subscriptions, which have a lock.

    /// `_default`: what the collection that is always there is called.
    public static let defaultCollectionName = Database.defaultCollectionName

    /// The scope that it is in.
    public let scope: Scope
    /// The very object that it was taken from. Documents of another object on the same file are refused, with `invalidParameter`.
    public let database: Database
    package let coreName: CollectionName
    /// How many of this name had been deleted before it was opened.
    private let earlierDeletions: Int
    /// What listeners were added to this object: they stay, whatever becomes of their tokens.
    let subscriptions = Subscriptions()

    package init(_ name: CollectionName, _ scope: Scope) {
        coreName = name
        self.scope = scope
        database = scope.database
        earlierDeletions = name.isDefault ? 0 : database.core.deletions(of: name)
    }

    /// Without the scope. It is unique in the scope, and upper and lower case are not the same.
    public var name: String { coreName.name }

    /// With the scope's name: `inventory.hotels`.
    public var fullName: String { "\(coreName.scope).\(coreName.name)" }

    /// How many documents there are, without deleted ones; 0 if the collection is gone or the database closed.
    public var count: UInt64 { (try? read { UInt64(try $0.counts(of: coreName).live) }) ?? 0 }

    /// Whether it can be used: the database is open, and the collection was not deleted since this object was made.
    var isValid: Bool { (try? openCore()) != nil && (try? database.core.glance { $0.hasCollection(coreName) }) == true }

    // MARK: The core

    /// The core of the database, if that is open and the collection was not deleted.
    package func openCore() throws -> CBLStore.Database {
        let core = try database.openCore()
        if !coreName.isDefault, core.deletions(of: coreName) != earlierDeletions { throw gone }
        return core
    }

    private var gone: NSError { libraryError(CBLError.notOpen, "The collection \"\(fullName)\" was deleted.") }

    package func read<Result>(_ work: (Snapshot) throws -> Result) throws -> Result {
        let core = try openCore()
        return try translatingErrors { try core.glance { try work(checked($0)) } }
    }

    private func checked(_ snapshot: Snapshot) throws -> Snapshot {
        guard coreName.isDefault || snapshot.hasCollection(coreName) else { throw gone }
        return snapshot
    }

    @discardableResult
    package func write<Result>(_ work: (Transaction) throws -> Result) throws -> Result {
        let core = try openCore()
        return try translatingErrors {
            try core.step { transaction in
                guard coreName.isDefault || transaction.hasCollection(coreName) else { throw gone }
                return try work(transaction)
            }
        }
    }

    // MARK: Reading

    /// A document by its ID, as it is now; nil if there is none, or it was deleted or has expired.
    public func document(id: String) throws -> Document? {
        try storedDocument(id) { $0.isLive }
    }

    /// What is stored of a document, if it is to be had.
    package func storedDocument(_ id: String, if isWanted: (CBLStore.Document) -> Bool = { _ in true }) throws -> Document? {
        let core = try openCore()
        return try translatingErrors {
            try core.peek { snapshot in
                guard let row = try checked(snapshot).document(id, in: coreName), isWanted(row) else { return nil }
                return Document(id: id, DocumentProperties(row.body, keys: snapshot.sharedKeys), DocumentPlace(row, in: self), of: self)
            }
        }
    }

    /// The place of a document, whether there is one or not.
    public subscript(key: String) -> DocumentFragment { DocumentFragment(self, key) }

    // MARK: Deletion without a trace, and expiration

    /// Removes a document with all traces: other databases do not hear of it.
    public func purge(document: Document) throws {
        try check(document)
        guard document.revisionID != nil else { throw notFound(document.id) }
        try purge(id: document.id)
    }

    /// Removes a document with all traces: other databases do not hear of it.
    public func purge(id: String) throws {
        guard try write({ try $0.purge(id, in: coreName) }) else { throw notFound(id) }
    }

    /// Has a document purged at a time, in milliseconds; nil for never.
    public func setDocumentExpiration(id: String, expiration: Date?) throws {
        let time = expiration.map(ISO8601.milliseconds)
        guard try write({ try $0.setExpiration(id, in: coreName, time) }) else { throw notFound(id) }
        if time != nil { try translatingErrors { try openCore().keepExpirations() } }
    }

    /// When a document will be purged; nil for never, or if there is no such document.
    public func getDocumentExpiration(id: String) throws -> Date? {
        try read { try $0.document(id, in: coreName)?.expiration }.map { Date(timeIntervalSince1970: Double($0) / 1000) }
    }

    package func notFound(_ id: String) -> NSError { libraryError(CBLError.notFound, "There is no document \"\(id)\" in \(fullName).") }

    /// Refuses documents of other collections.
    package func check(_ document: Document) throws {
        if let collection = document.collection { try check(collection, document.id) }
    }

    func check(_ collection: Collection, _ id: String) throws {
        guard collection !== self else { return }
        guard collection.coreName == coreName, collection.database === database else {
            throw libraryError(
                CBLError.invalidParameter, "The document \"\(id)\" belongs to another collection, or to another database object.")
        }
    }

    // MARK: Identity

    public static func == (lhs: Collection, rhs: Collection) -> Bool {
        lhs === rhs
            || (lhs.coreName == rhs.coreName && lhs.database.hasSameFile(as: rhs.database) && lhs.isValid && rhs.isValid)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(coreName)
        hasher.combine(database.core.path)
    }
}

extension CBLStore.Document {
    /// Whether it is to be seen: neither deleted nor beyond its time.
    var isLive: Bool { !isDeleted && expiration.map { $0 > Transaction.now } ?? true }
}
