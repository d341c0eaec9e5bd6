import CBLFleece

/// A document as its row says, which it keeps; what is asked for is decoded then. It stays valid after the transaction it was read in.
///
/// A class because it is handed on often: a copy of all of it would count a reference for each of its parts.
package final class Document: Sendable {
    package let id: String
    package let collection: CollectionName
    /// The current revision.
    package let revision: RevisionID
    let record: Record
    private let source: SourceID

    package var sequence: UInt64 { record.sequence }
    /// Counts changes that did not make a revision.
    package var subsequence: Int { record.subsequence }
    package var flags: DocumentFlags { record.flags.subtracting(.synced) }
    /// When it will be gone, in milliseconds since 1970.
    package var expiration: Int64? { record.expiration }
    package var isDeleted: Bool { flags.contains(.deleted) }
    package var isConflicted: Bool { flags.contains(.conflicted) }

    /// The current revision's properties, with the database's shared keys.
    package var body: FleeceData { record.body }

    /// What it remembers besides the current revision. Decoded anew each time.
    package func revisions() throws(StoreError) -> DocumentRevisions {
        do { return try record.revisions(source: source) } catch { throw Document.damaged(id, error) }
    }

    init(_ id: String, in collection: CollectionName, _ record: Record, source: SourceID) throws(StoreError) {
        do { revision = try record.revision() } catch { throw Document.damaged(id, error) }
        self.id = id
        self.collection = collection
        self.record = record
        self.source = source
    }

    static func damaged(_ id: String, _ error: RevisionError) -> StoreError {
        StoreError(.corrupt, "document \"\(id)\" is damaged: \(error)")
    }
}
