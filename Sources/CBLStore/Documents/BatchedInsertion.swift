import CBLFleece

/// New documents on their way into a collection's table, batch by batch: the caller's thread fills them, a second one puts them into SQLite.
///
/// `settle` is given each batch when it was inserted, on the caller's thread, while the other one may be at work on the next.
final class BatchedInsertion {
    private let transaction: Transaction
    private let tables: CollectionTables
    private let inserter: BulkInserter
    private let pipeline: BatchPipeline<BulkBatch>?
    @exclusivity(unchecked) private var batch: BulkBatch?

    init(_ transaction: Transaction, _ tables: CollectionTables) throws {
        self.transaction = transaction
        self.tables = tables
        let inserter = try BulkInserter(transaction, tables)
        self.inserter = inserter
        // Triggers and indexes call functions that look at the shared keys, which the caller's thread is adding to.
        pipeline = try inserter.isWatched(transaction.connection) ? nil : BatchPipeline("cblite-insert") { inserter.insert($0) }
    }

    func append(
        id: UnsafeRawBufferPointer, body: UnsafeRawBufferPointer, revision: RevisionID, hasAttachments: Bool,
        _ settle: (BulkBatch) throws -> Void
    ) throws {
        let batch = try self.batch ?? nextBatch(settle)
        self.batch = batch
        batch.append(id: id, body: body, revision: revision, hasAttachments: hasAttachments)
        if batch.isFull { try submit(batch, settle) }
    }

    /// Waits until everything is in the table.
    func finish(_ settle: (BulkBatch) throws -> Void) throws {
        defer { pipeline?.stop() }
        if let batch { try submit(batch, settle) }
        while let done = pipeline?.takeDone(isWaiting: true) { try take(done, settle) }
    }

    func cancel() { pipeline?.stop() }

    /// While a batch is settled, has `work` done with the transaction, which is not otherwise used meanwhile.
    func interrupted(_ work: () throws -> Void) throws {
        pipeline?.drain()
        try transaction.setLastSequence(inserter.lastSequence, tables)
        try work()
        inserter.lastSequence = try transaction.metadata(tables.live.keyStore).lastSequence
    }

    private func nextBatch(_ settle: (BulkBatch) throws -> Void) throws -> BulkBatch {
        // Three batches: one being filled, one on the way, one being inserted.
        guard let pipeline, pipeline.count >= 3, let done = pipeline.takeDone(isWaiting: true) else { return BulkBatch() }
        try take(done, settle)
        return done
    }

    private func submit(_ batch: BulkBatch, _ settle: (BulkBatch) throws -> Void) throws {
        self.batch = nil
        if let pipeline {
            pipeline.submit(batch)
        } else {
            inserter.insert(batch)
            try take(batch, settle)
            self.batch = batch
        }
    }

    private func take(_ batch: BulkBatch, _ settle: (BulkBatch) throws -> Void) throws {
        if let failure = batch.failure { throw failure }
        try transaction.checkSequence(batch.lastSequence, tables)
        try settle(batch)
        if pipeline == nil || pipeline?.count == 0 { try transaction.setLastSequence(inserter.lastSequence, tables) }
        batch.removeAll()
    }
}
