internal import CBLStore
internal import CBLViews
import CouchbaseLiteSwift

import class CouchbaseLiteSwift.Collection
import class CouchbaseLiteSwift.Document

/// A query for the documents of a collection, as if a view had their IDs as keys.
///
///     let query = collection.createAllDocumentsQuery()
///     query.mode = .onlyConflicts
///     for row in try query.run() { print(row.documentID, row.conflictingRevisions) }
public final class AllDocumentsQuery {
    /// Which documents, and in which order.
    public enum Mode: Sendable {
        /// All that are not deleted, by ID.
        case allDocuments
        /// Deleted ones too.
        case includeDeleted
        /// All, with the revisions that are in conflict.
        case showConflicts
        /// Only those that are in conflict, with the revisions that are.
        case onlyConflicts
        /// In the order of their last changes.
        case bySequence
    }

    /// Whose documents.
    public let collection: Collection
    /// Which documents, and in which order.
    public var mode = Mode.allDocuments
    /// The first ID; in a descending query that is the greatest one.
    public var startKey: String?
    /// The last ID.
    public var endKey: String?
    /// Whether the first ID belongs to the result.
    public var inclusiveStart = true
    /// Whether the last ID belongs to the result.
    public var inclusiveEnd = true
    /// Only these IDs, in this order; where there is no such document, there is a row without revision.
    public var keys: [String]?
    /// More than 0 lets the range end behind all IDs that begin as its upper end does.
    public var prefixMatchLevel = 0
    /// From the greatest ID, or the last change, to the least.
    public var descending = false
    /// How many rows to leave out.
    public var skip = 0
    /// How many rows there may be at most; nil for any number.
    public var limit: Int?

    init(_ collection: Collection) { self.collection = collection }

    /// The rows, as they are now.
    public func run() throws -> [DocumentRow] { try AllDocumentsQuery.run(core, collection) }

    /// What may take long, for code that must not wait.
    public var async: Async { Async(core: core, collection: collection) }

    /// What can be awaited of a query, with the options that it had when this was asked for.
    public struct Async: Sendable {
        let core: CBLViews.AllDocumentsQuery
        let collection: Collection

        /// The rows, as they are now. When the task is cancelled, the query ends.
        public func run() async throws -> [DocumentRow] {
            let cancellation = ViewCancellation()
            let (collection, core) = (collection, core)
            return try await collection.database.asyncWork.read(interruptedBy: { cancellation.cancel() }) {
                var core = core
                core.cancellation = cancellation
                return try AllDocumentsQuery.run(core, collection)
            }
        }
    }

    private static func run(_ core: CBLViews.AllDocumentsQuery, _ collection: Collection) throws -> [DocumentRow] {
        let store = try collection.openCore()
        return try translatingViewErrors {
            try store.read { snapshot in
                guard collection.coreName.isDefault || snapshot.hasCollection(collection.coreName) else {
                    throw libraryError(CBLError.notOpen, "The collection \"\(collection.fullName)\" was deleted.")
                }
                var rows: [DocumentRow] = []
                try snapshot.forEachDocument(core, in: collection.coreName) { row in
                    rows.append(
                        DocumentRow(
                            documentID: row.id, revisionID: row.revision?.description, sequence: row.sequence, isDeleted: row.isDeleted,
                            conflictingRevisions: row.conflicts.map(\.description), collection: collection))
                    return true
                }
                return rows
            }
        }
    }

    private var core: CBLViews.AllDocumentsQuery {
        let mode: CBLViews.AllDocumentsQuery.Mode =
            switch mode {
            case .allDocuments: .all
            case .includeDeleted: .includeDeleted
            case .showConflicts: .showConflicts
            case .onlyConflicts: .onlyConflicts
            case .bySequence: .bySequence
            }
        var core = CBLViews.AllDocumentsQuery(mode: mode, keys: keys)
        core.startKey = startKey
        core.endKey = endKey
        core.inclusiveStart = inclusiveStart
        core.inclusiveEnd = inclusiveEnd
        core.matchesPrefix = prefixMatchLevel > 0
        core.descending = descending
        core.skip = skip
        core.limit = limit
        return core
    }
}

/// A document of the result, or an ID that was asked for and is none.
public struct DocumentRow: Sendable {
    /// The document's name in its collection.
    public let documentID: String
    /// The current revision; nil if there is no such document.
    public let revisionID: String?
    /// The number of its last change in the order of the collection.
    public let sequence: UInt64
    /// Whether the document is deleted.
    public let isDeleted: Bool
    /// The revisions that compete with the current one, deletions left out, if the mode shows them.
    public let conflictingRevisions: [String]
    let collection: Collection

    /// The document as it is now; nil if there is none. It is read each time.
    public var document: Document? {
        do { return try collection.document(id: documentID) } catch {
            log(.query, .warning, "The document \"\(documentID)\" cannot be read: \(error.localizedDescription)")
            return nil
        }
    }
}

extension Collection {
    /// A query for the documents of the collection, all of them by ID until it is told otherwise.
    public func createAllDocumentsQuery() -> AllDocumentsQuery { AllDocumentsQuery(self) }
}
