import DocumentStore
import Fleece

/// A document that a statement has written.
public struct DocumentChange: Sendable {
    public enum Action: String, Sendable { case inserted, updated, deleted }

    public let action: Action
    public let collection: CollectionName
    public let id: String
    public let revision: RevisionID
    /// What it says now; nil if it is deleted.
    public let body: FleeceData?
}

/// What a statement has come to.
public enum StatementOutcome: Sendable {
    /// How many documents it has written.
    case documents(inserted: Int, updated: Int, deleted: Int)
    case collectionCreated(CollectionName)
    case collectionDropped(CollectionName)
    /// `IF NOT EXISTS`, and it did.
    case collectionExists(CollectionName)
    /// `IF EXISTS`, and it did not. What it is about, as it was written.
    case nothingToDrop(String)
    case index(name: String, IndexChange)
    case indexDropped(String)
    case indexExists(String)

    /// The number of documents written.
    public var count: Int {
        if case .documents(let inserted, let updated, let deleted) = self { inserted + updated + deleted } else { 0 }
    }
}
