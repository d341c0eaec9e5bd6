import CBLFleece
import CBLSQLite
import CBLSystemSQLite

/// Saves many documents quickly: `Transaction.bulk` makes one. Hot (benchmark `import`).
///
/// The caller's thread parses, encodes and digests; a second one puts finished rows into SQLite, batch by batch. Documents that exist already
/// come back to the caller's thread, which extends their revision trees while the other one rests.
///
/// Between the calls of `save`, nothing else may be done with the transaction but encode: while `Database.openTransaction` has one open, that is
/// every use of the database by its thread.
package final class BulkWriter {
    /// Documents that were not there, or only as tombstones.
    @exclusivity(unchecked) package private(set) var createdCount = 0
    @exclusivity(unchecked) package private(set) var updatedCount = 0
    /// Those of the created ones that went the short way.
    @exclusivity(unchecked) fileprivate private(set) var insertedCount = 0
    /// Documents that were there and may not be replaced. Only with `Parent.none`.
    @exclusivity(unchecked) package private(set) var refusedCount = 0

    /// Told of each document that refers to a blob.
    @exclusivity(unchecked) package var refersToBlobs: ((_ root: Value, _ keys: SharedKeys) throws -> Void)?

    private let transaction: Transaction
    private let tables: CollectionTables
    private let parent: Parent
    private let insertion: BatchedInsertion?
    @exclusivity(unchecked) private var json = ByteBuffer(capacity: 4096)

    init(_ transaction: Transaction, _ collection: CollectionName, parent: Parent) throws {
        self.transaction = transaction
        tables = try transaction.tables(collection)
        self.parent = parent
        // 2.x keeps bodies in trees, and a vector document's version needs the clock: these go the long way, one by one.
        guard transaction.generation.separatesBodies, transaction.versioning == .trees else {
            insertion = nil
            return
        }
        insertion = try BatchedInsertion(transaction, tables)
    }

    /// Saves a body that was encoded with the transaction's encoder, under an ID in UTF-8.
    package func save(id: UnsafeRawBufferPointer, body: UnsafeRawBufferPointer) throws {
        if let problem = DocumentRules.problem(withID: id) {
            throw StoreError(.invalidDocument, "\"\(String(decoding: id, as: UTF8.self))\" cannot be a document ID: \(problem)")
        }
        guard let root = Value(root: body) else { throw StoreError(.invalidDocument, "the body is not Fleece") }
        let keys = transaction.sharedKeys
        guard let insertion else {
            if let refersToBlobs, BlobReferences.exist(in: body, root, keys) { try refersToBlobs(root, keys) }
            return try saveOne(id, body)
        }
        if let problem = DocumentRules.problem(withBody: root, keys) { throw StoreError(.invalidDocument, problem) }
        json.removeAll(keepingCapacity: true)
        _ = JSONWriter.write(root, keys: keys, style: .canonical, to: &json)
        guard let revision = RevisionID.next(after: nil, isDeleted: false, canonicalJSON: json.bytes) else { return }
        let hasBlobs = BlobReferences.exist(in: body, root, keys)
        if hasBlobs, let refersToBlobs { try refersToBlobs(root, keys) }
        try insertion.append(id: id, body: body, revision: revision, hasAttachments: hasBlobs, settle)
    }

    /// Saves what the transaction's encoder holds.
    package func save(id: UnsafeRawBufferPointer) throws {
        try transaction.encoder.withFinished { try save(id: id, body: $0) }
    }

    /// Waits until everything is in the database.
    func finish() throws {
        try insertion?.finish(settle)
    }

    func cancel() { insertion?.cancel() }

    /// Takes stock of an inserted batch, and saves what was there already.
    private func settle(_ batch: BulkBatch) throws {
        createdCount += batch.insertedCount
        insertedCount += batch.insertedCount
        guard let insertion, !batch.existing.isEmpty else { return }
        try insertion.interrupted {
            for index in batch.existing { try batch.withDocument(index) { try saveOne($0, $1) } }
        }
    }

    private func saveOne(_ id: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer) throws {
        do {
            let saved = try transaction.save(
                id, tables, Transaction.Revision(body: FleeceData(lent: body), isDeleted: false), parent: parent)
            if saved.isCreated { createdCount += 1 } else { updatedCount += 1 }
        } catch let error as StoreError where error.code == .conflict && parent == .none {
            refusedCount += 1
        }
    }
}

extension Transaction {
    /// Saves many documents, each with a new revision on what is there, or with `Parent.none` only those that are not there.
    ///
    ///     try transaction.bulk(into: name) { bulk in
    ///         for line in lines {
    ///             transaction.encoder.reset()
    ///             try JSONParser.parse(line, into: transaction.encoder)
    ///             try bulk.save(id: …)
    ///         }
    ///     }
    package func bulk<Result>(
        into collection: CollectionName = .default, parent: Parent = .current, _ work: (BulkWriter) throws -> Result
    ) throws -> Result {
        let bulk = try BulkWriter(self, collection, parent: parent)
        let sequence = try journal == nil ? 0 : lastSequence(of: collection)
        do {
            let result = try work(bulk)
            try bulk.finish()
            try journalInsertions(tables(collection), count: bulk.insertedCount, behind: sequence)
            return result
        } catch {
            bulk.cancel()
            throw error
        }
    }
}
