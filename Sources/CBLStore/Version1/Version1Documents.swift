import CBLFleece
import CBLSQLite

/// The documents of a 1.x file on their way into the tables of a new one.
final class Version1Documents {
    private(set) var omitted: [StoreError] = []
    private(set) var digests: Set<BlobDigest> = []
    private let snapshot: Snapshot
    private let transaction: Transaction
    private let body: Version1Body
    /// For revisions beside it, while it lends a body.
    private let otherBody: Version1Body
    private let progress: Version1Conversion.Progress
    /// Whether the body that was lent last refers to blobs.
    private var hasBlobs = false
    private let schema: Version1Schema

    init(_ snapshot: Snapshot, _ transaction: Transaction, _ progress: @escaping Version1Conversion.Progress) throws {
        guard let schema = snapshot.file.version1 else { throw StoreError(.unsupported, "only a 1.x database can be converted so") }
        self.schema = schema
        self.snapshot = snapshot
        self.transaction = transaction
        self.progress = progress
        (body, otherBody) = (Version1Body(keys: transaction.file.keys), Version1Body(keys: transaction.file.keys))
    }

    func convert() throws {
        let tables = try transaction.tables(.default)
        let total = Int(try snapshot.connection.integer("SELECT count(*) FROM main.docs") ?? 0)
        var reader = try Version1Reader(schema, snapshot.connection)
        let reading = BatchPipeline<Version1Rows>("cblite-read") { reader.read($0) }
        defer { reading.stop() }
        let inserter = try BulkInserter(transaction, tables, converts: true)
        let inserting = BatchPipeline<BulkBatch>("cblite-insert") { inserter.insert($0) }
        defer { inserting.stop() }
        var batch = BulkBatch()
        func settle(_ done: BulkBatch) throws {
            if let failure = done.failure { throw failure }
            done.removeAll()
        }
        func submit() throws {
            inserting.submit(batch)
            guard inserting.count >= 3, let done = inserting.takeDone(isWaiting: true) else { return batch = BulkBatch() }
            try settle(done)
            batch = done
        }
        for _ in 0..<3 { reading.submit(Version1Rows()) }
        var done = 0
        while let rows = reading.takeDone(isWaiting: true) {
            if let failure = rows.failure { throw failure }
            if rows.documents.isEmpty { break }
            for document in rows.documents {
                try add(document, of: rows, to: batch)
                if batch.isFull { try submit() }
            }
            done += rows.documents.count
            reading.submit(rows)
            try progress(done, total)
        }
        try submit()
        while let last = inserting.takeDone(isWaiting: true) { try settle(last) }
        try transaction.setLastSequence(inserter.lastSequence, tables)
    }

    private func add(_ document: Version1Rows.Document, of rows: Version1Rows, to batch: BulkBatch) throws {
        let revisions = rows.revisions(of: document)
        // The same as that of the view: live before deleted, then by name.
        let winner = revisions.lazy.filter(\.isCurrent).max { a, b in
            let (aIsDeleted, bIsDeleted) = (a.flags.contains(.deleted), b.flags.contains(.deleted))
            if aIsDeleted != bIsDeleted { return aIsDeleted }
            return Version1RevisionText.compare(rows.text(a.id), rows.text(b.id)) < 0
        }
        guard let winner else { return }
        let id = rows.text(document.id)
        // Those have gone another way.
        if id.starts(with: DesignDocuments.prefix.utf8) { return }
        if let problem = DocumentRules.problem(withID: id) {
            let name = String(decoding: id, as: UTF8.self)
            return omitted.append(
                StoreError(.invalidDocument, "document \"\(name)\" is left out, for no successor takes its ID: \(problem)"))
        }
        let revision = RevisionID(version1: rows.text(winner.id))
        var flags = DocumentFlags()
        if winner.flags.contains(.deleted) { flags.insert(.deleted) }
        try withBody(of: winner, rows, body) { body in
            if hasBlobs { flags.insert(.hasAttachments) }
            // What the vendor's upgrade writes for a body without properties.
            let body = body.isEmpty ? FleeceData.emptyDictionary.bytes : body
            // Most have one revision, and those of them that are live are made as new ones are.
            guard revisions.count > 1 || flags.contains(.deleted) || document.expiration != nil else {
                return batch.append(id: id, body: body, revision: revision, flags: flags)
            }
            guard let tree = try tree(revisions, rows, winner: winner.sequence, winnerHasBlobs: flags.contains(.hasAttachments)) else {
                return
            }
            if tree.isConflicted { flags.insert(.conflicted) }
            if tree.revisions.contains(where: { $0.flags.contains(.hasAttachments) }) { flags.insert(.hasAttachments) }
            tree.encoded(transaction.treeForm).withUnsafeBytes {
                batch.append(id: id, body: body, revision: revision, flags: flags, extra: $0, expiration: document.expiration)
            }
        }
    }

    private func tree(
        _ revisions: ArraySlice<Version1Rows.Revision>, _ rows: Version1Rows, winner: Int64, winnerHasBlobs: Bool
    ) throws -> RevisionTree? {
        var tree = Version1Tree()
        for revision in revisions {
            var flags = revision.flags
            var body: FleeceData?
            if revision.sequence == winner {
                if winnerHasBlobs { flags.insert(.hasAttachments) }
            } else {
                body = try withBody(of: revision, rows, otherBody) { $0.isEmpty ? nil : FleeceData(copying: $0) }
                if hasBlobs { flags.insert(.hasAttachments) }
            }
            tree.add(
                Version1Tree.Row(
                    sequence: revision.sequence, parent: revision.parent, id: RevisionID(version1: rows.text(revision.id)),
                    isCurrent: revision.isCurrent, flags: flags, body: body))
        }
        // The sequences of this file say nothing in the new one: all are the document's.
        return tree.tree(winner: winner)?.withoutSequences
    }

    /// Lends the body of a revision with the new file's keys, and notes the blobs that it refers to.
    private func withBody<Result>(
        of revision: Version1Rows.Revision, _ rows: Version1Rows, _ body: Version1Body, _ take: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        hasBlobs = false
        return try body.encode(revision.json.map(rows.text), attachments: revision.attachments.map(rows.text)) { bytes in
            // Whatever the row says.
            if let root = Value(root: bytes), BlobReferences.exist(in: bytes, root, transaction.sharedKeys) {
                hasBlobs = true
                BlobReferences.forEach(in: root, transaction.sharedKeys) { digest, _ in
                    if let digest = BlobDigest(digest) { digests.insert(digest) }
                }
            }
            return try take(bytes)
        }
    }
}

extension RevisionTree {
    /// All with the sequence of the record, whatever that will be.
    fileprivate var withoutSequences: RevisionTree {
        var tree = self
        for index in tree.revisions.indices { tree.revisions[index].sequence = 0 }
        return tree
    }
}
