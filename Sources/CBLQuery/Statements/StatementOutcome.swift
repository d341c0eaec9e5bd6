import CBLFleece
import CBLStore

/// A document that a statement has written.
package struct DocumentChange: Sendable {
    package enum Action: String, Sendable { case inserted, updated, deleted }

    package let action: Action
    package let collection: CollectionName
    package let id: String
    package let revision: RevisionID
    /// What it says now; nil if it is deleted.
    package let body: FleeceData?
}

/// What a statement has come to.
package enum StatementOutcome: Sendable {
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
    package var count: Int {
        if case .documents(let inserted, let updated, let deleted) = self { inserted + updated + deleted } else { 0 }
    }
}
