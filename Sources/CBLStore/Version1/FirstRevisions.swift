import CBLFleece

/// Saves many new documents quickly, each as a first revision that is named as 1.x does: `Transaction.firstRevisions` makes one. Hot (benchmark
/// `_bulk_docs`).
///
/// The caller's thread encodes and digests while another one inserts. What is there already stays as it is, and is told at the end. Until then
/// nothing else may be done with the transaction but encode.
package final class FirstRevisions {
    private let transaction: Transaction
    private let insertion: BatchedInsertion
    /// What the caller calls the documents of the batches that are not settled yet.
    @exclusivity(unchecked) private var places: [Int] = []
    @exclusivity(unchecked) private var settledCount = 0
    @exclusivity(unchecked) private var existing: [Int] = []
    @exclusivity(unchecked) private var json = ByteBuffer(capacity: 4096)

    fileprivate init(_ transaction: Transaction, _ tables: CollectionTables) throws {
        self.transaction = transaction
        insertion = try BatchedInsertion(transaction, tables)
    }

    /// Saves what the transaction's encoder holds. `place` is what `finish` calls the document if it is there already.
    package func save(_ id: String, _ place: Int) throws -> RevisionID {
        try DocumentRules.check(id: id)
        return try transaction.encoder.withFinished { try save(id, $0, place) }
    }

    private func save(_ id: String, _ body: UnsafeRawBufferPointer, _ place: Int) throws -> RevisionID {
        guard let root = Value(root: body) else { throw StoreError(.invalidDocument, "the body is not Fleece") }
        let keys = transaction.sharedKeys
        if let problem = DocumentRules.problem(withBody: root, keys) { throw StoreError(.invalidDocument, problem) }
        json.removeAll(keepingCapacity: true)
        _ = JSONWriter.write(root, keys: keys, style: .canonical, to: &json)
        guard let revision = RevisionID.nextOfVersion1(after: nil, isDeleted: false, canonicalJSON: json.bytes) else {
            throw StoreError(.invalidRevision, "document \"\(id)\" cannot have a first revision")
        }
        let hasAttachments = BlobReferences.exist(in: body, root, keys)
        var id = id
        places.append(place)
        try id.withUTF8 {
            try insertion.append(
                id: UnsafeRawBufferPointer($0), body: body, revision: revision, hasAttachments: hasAttachments, settle)
        }
        return revision
    }

    /// Waits until everything is in the database, and gives the places of those that were not saved because there is something under their IDs, be
    /// it a tombstone.
    fileprivate func finish() throws -> [Int] {
        try insertion.finish(settle)
        return existing
    }

    fileprivate func cancel() { insertion.cancel() }

    private func settle(_ batch: BulkBatch) {
        for index in batch.existing { existing.append(places[settledCount + index]) }
        settledCount += batch.count
    }
}

extension Transaction {
    /// Saves new documents of a collection, and gives the places of those that are not new. Nil, and nothing done, where that cannot be: somebody is
    /// to be asked or told about each revision, or the file keeps revisions in another way.
    ///
    ///     let others = try transaction.firstRevisions(of: name) { first in
    ///         for (place, document) in documents.enumerated() {
    ///             // … into transaction.encoder
    ///             _ = try first.save(document.id, place)
    ///         }
    ///     }
    package func firstRevisions(of collection: CollectionName, _ work: (FirstRevisions) throws -> Void) throws -> [Int]? {
        guard generation.separatesBodies, versioning == .trees, revisionGuard == nil, revisionChanges == nil else { return nil }
        let first = try FirstRevisions(self, tables(collection))
        do {
            try work(first)
            return try first.finish()
        } catch {
            first.cancel()
            throw error
        }
    }
}
