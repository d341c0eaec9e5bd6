import CBLFleece
import CBLSQLite
import FoundationEssentials

/// Makes a database of the newest generation of a 1.x one.
///
/// What the vendor's upgrade makes is made byte for byte as there: documents under their IDs, with their revisions' own IDs, sequences in the order
/// of the documents' rows, `_attachments` left in the bodies and their files among the blobs. What it leaves out comes along: branches that lost a
/// conflict, bodies of older revisions, expirations; local and design documents and checkpoints, as raw documents that other programs leave alone.
struct Version1Conversion {
    /// Where checkpoints and the identity that they belong to go: what a replication needs to go on where it was.
    static let rawStore = "_version1"

    /// Documents, of how many.
    typealias Progress = (_ done: Int, _ total: Int) throws -> Void

    private let source: Database
    private let target: FileAccess
    private let keepsIdentity: Bool
    private let progress: Progress

    /// `target` is a bundle that nobody sees yet.
    init(of source: Database, to target: FileAccess, keepsIdentity: Bool, progress: @escaping Progress) {
        self.source = source
        self.target = target
        self.keepsIdentity = keepsIdentity
        self.progress = progress
    }

    /// Gives what could not be carried over.
    func run() throws -> [StoreError] {
        let database = try Database(path: target.bundle.path, options: .create)
        defer { database.close() }
        var omitted: [StoreError] = []
        var digests: Set<BlobDigest> = []
        try source.read { snapshot in
            // On its own: where pages that a large transaction has put into the log change again, SQLite writes all of the log anew.
            try database.write { transaction in
                try copyRawDocuments(snapshot, transaction)
                try copyIdentity(snapshot, transaction)
            }
            try database.write { transaction in
                let documents = try Version1Documents(snapshot, transaction, progress)
                try documents.convert()
                (omitted, digests) = (documents.omitted, documents.digests)
            }
        }
        return try omitted + copyBlobs(digests, to: database)
    }

    private func copyRawDocuments(_ snapshot: Snapshot, _ transaction: Transaction) throws {
        for key in try snapshot.rawDocumentKeys(in: LocalDocuments.keyStore) {
            guard let document = try snapshot.rawDocument(key, in: LocalDocuments.keyStore) else { continue }
            try transaction.putRaw(document, in: LocalDocuments.keyStore)
        }
        for name in try snapshot.designDocumentNames() {
            guard let document = try snapshot.document(DesignDocuments.prefix + name), !document.isDeleted else { continue }
            let json = Array(document.body.withRoot { $0.json() }.utf8)
            let design = RawDocument(key: name, meta: Array(document.revision.description.utf8), body: json)
            try transaction.putRaw(design, in: DesignDocuments.keyStore)
        }
        for key in try snapshot.rawDocumentKeys(in: "checkpoints") {
            guard let checkpoint = try snapshot.rawDocument(key, in: "checkpoints") else { continue }
            try transaction.putRaw(RawDocument(key: "checkpoint/" + key, meta: nil, body: checkpoint.body), in: Version1Conversion.rawStore)
        }
    }

    private func copyIdentity(_ snapshot: Snapshot, _ transaction: Transaction) throws {
        if let text = try snapshot.connection.strings("SELECT value FROM main.info WHERE key='privateUUID'").first {
            let identity = RawDocument(key: "privateUUID", meta: nil, body: Array(text.utf8))
            try transaction.putRaw(identity, in: Version1Conversion.rawStore)
        }
        guard let publicUUID = snapshot.publicUUID, let privateUUID = snapshot.privateUUID else { return }
        if keepsIdentity {
            try transaction.setIdentity(publicUUID: publicUUID, privateUUID: privateUUID)
        } else {
            try transaction.file.infoTable.set(StoredInfo.Key.previousPrivateUUID, privateUUID)
        }
    }

    /// Files that are missing were not downloaded.
    private func copyBlobs(_ digests: Set<BlobDigest>, to database: Database) throws -> [StoreError] {
        var omitted: [StoreError] = []
        for (index, digest) in digests.sorted(by: { $0.description < $1.description }).enumerated() {
            try progress(index, digests.count)
            do {
                let reader = try UncheckedBlob(source.blobs, digest).check { try progress(index, digests.count) }
                let folder = try target.bundle.folder().makeFolder(DatabaseBundle.attachmentsName)
                try source.files.copyContent(of: reader.file, into: folder, as: digest.fileName) {
                    try progress(index, digests.count)
                }
            } catch let error as StoreError where error.code == .corrupt {
                omitted.append(error)
            } catch let error as StoreError where error.code == .notFound {
                continue
            }
        }
        return omitted
    }
}

/// The documents of a 1.x file on their way into the tables of a new one.
private final class Version1Documents {
    private struct Row {
        var sequence: Int64
        var parent: Int64?
        var revision: Range<Int>
        var isCurrent: Bool
        var flags: RevisionTree.Flags
        var json: Range<Int>?
        var attachments: Range<Int>?
    }

    /// The texts of a document's rows, one behind the other.
    private var texts = ByteBuffer(capacity: 1 << 14)

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
        let inserter = try BulkInserter(transaction, tables, converts: true)
        let pipeline = try BatchPipeline(inserter)
        defer { pipeline.stop() }
        var batch = BulkBatch()
        func settle(_ done: BulkBatch) throws {
            if let failure = done.failure { throw failure }
            done.removeAll()
        }
        func submit() throws {
            pipeline.submit(batch)
            guard pipeline.count >= 3, let done = pipeline.takeDone(isWaiting: true) else { return batch = BulkBatch() }
            try settle(done)
            batch = done
        }
        let rows = try snapshot.connection.prepare(
            """
            SELECT d.doc_id, d.docid, \(schema.expiration("d")), r.sequence, r.parent, r.revid, r.current, coalesce(r.deleted, 0) != 0, \
            \(schema.hasAttachments("r")), r.json, \(schema.attachments(of: "r")) \
            FROM main.docs AS d JOIN main.revs AS r ON r.doc_id = d.doc_id ORDER BY d.doc_id
            """)
        var revisions: [Row] = []
        var isThere = try rows.step()
        var done = 0
        while isThere {
            let number = rows.int64(0)
            texts.removeAll(keepingCapacity: true)
            let id = append(rows.text(1)) ?? 0..<0
            let expiration = rows.isNull(2) ? nil : rows.int64(2).multipliedReportingOverflow(by: 1000)
            revisions.removeAll(keepingCapacity: true)
            while isThere, rows.int64(0) == number {
                revisions.append(row(rows))
                isThere = try rows.step()
            }
            try add(id, revisions, expiration: expiration.flatMap { $0.overflow ? nil : $0.partialValue }, to: batch)
            if batch.isFull { try submit() }
            done += 1
            if done.isMultiple(of: 1000) { try progress(done, total) }
        }
        try submit()
        while let last = pipeline.takeDone(isWaiting: true) { try settle(last) }
        try transaction.setLastSequence(inserter.lastSequence, tables)
    }

    private func append(_ bytes: UnsafeRawBufferPointer?) -> Range<Int>? {
        guard let bytes else { return nil }
        let start = texts.count
        texts.append(bytes)
        return start..<texts.count
    }

    private func text(_ range: Range<Int>) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: texts.bytes[range]) }

    private func row(_ rows: Statement) -> Row {
        var flags: RevisionTree.Flags = []
        if rows.int64(7) != 0 { flags.insert(.deleted) }
        if rows.int64(8) != 0 { flags.insert(.hasAttachments) }
        return Row(
            sequence: rows.int64(3), parent: rows.isNull(4) ? nil : rows.int64(4),
            revision: append(rows.text(5) ?? rows.blob(5)) ?? 0..<0, isCurrent: rows.int64(6) != 0, flags: flags,
            json: append(rows.blob(9) ?? rows.text(9)), attachments: append(rows.text(10)))
    }

    private func add(_ name: Range<Int>, _ rows: [Row], expiration: Int64?, to batch: BulkBatch) throws {
        // The same as that of the view: live before deleted, then by name.
        let current = rows.filter(\.isCurrent)
        let winner = current.max { a, b in
            let (aIsDeleted, bIsDeleted) = (a.flags.contains(.deleted), b.flags.contains(.deleted))
            if aIsDeleted != bIsDeleted { return aIsDeleted }
            return Version1RevisionText.compare(text(a.revision), text(b.revision)) < 0
        }
        guard let winner else { return }
        let id = text(name)
        // Those have gone another way.
        if id.starts(with: DesignDocuments.prefix.utf8) { return }
        if let problem = DocumentRules.problem(withID: id) {
            let name = String(decoding: id, as: UTF8.self)
            return omitted.append(
                StoreError(.invalidDocument, "document \"\(name)\" is left out, for no successor takes its ID: \(problem)"))
        }
        let revision = RevisionID(version1: text(winner.revision))
        var flags = DocumentFlags()
        if winner.flags.contains(.deleted) { flags.insert(.deleted) }
        try withBody(of: winner, body) { body in
            if hasBlobs { flags.insert(.hasAttachments) }
            // What the vendor's upgrade writes for a body without properties.
            let body = body.isEmpty ? FleeceData.emptyDictionary.bytes : body
            // Most have one revision, and those of them that are live are made as new ones are.
            guard rows.count > 1 || flags.contains(.deleted) || expiration != nil else {
                return batch.append(id: id, body: body, revision: revision, flags: flags)
            }
            guard let tree = try tree(rows, winner: winner.sequence, winnerHasBlobs: flags.contains(.hasAttachments)) else { return }
            if tree.isConflicted { flags.insert(.conflicted) }
            if tree.revisions.contains(where: { $0.flags.contains(.hasAttachments) }) { flags.insert(.hasAttachments) }
            tree.encoded(transaction.treeForm).withUnsafeBytes {
                batch.append(id: id, body: body, revision: revision, flags: flags, extra: $0, expiration: expiration)
            }
        }
    }

    private func tree(_ rows: [Row], winner: Int64, winnerHasBlobs: Bool) throws -> RevisionTree? {
        var tree = Version1Tree()
        for row in rows {
            var flags = row.flags
            var body: FleeceData?
            if row.sequence == winner {
                if winnerHasBlobs { flags.insert(.hasAttachments) }
            } else {
                body = try withBody(of: row, otherBody) { $0.isEmpty ? nil : FleeceData(copying: $0) }
                if hasBlobs { flags.insert(.hasAttachments) }
            }
            tree.add(
                Version1Tree.Row(
                    sequence: row.sequence, parent: row.parent, id: RevisionID(version1: text(row.revision)),
                    isCurrent: row.isCurrent, flags: flags, body: body))
        }
        // The sequences of this file say nothing in the new one: all are the document's.
        return tree.tree(winner: winner)?.withoutSequences
    }

    /// Lends the body of a revision with the new file's keys, and notes the blobs that it refers to.
    private func withBody<Result>(of row: Row, _ body: Version1Body, _ take: (UnsafeRawBufferPointer) throws -> Result) throws -> Result {
        hasBlobs = false
        return try body.encode(row.json.map(text), attachments: row.attachments.map(text)) { bytes in
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
