import CBLFleece
import CBLSQLite

/// Documents of a 1.x file with all their revisions, as its tables have them. One thread reads them, another converts them.
///
/// Sendable without check because one thread at a time has it: see `BatchPipeline`.
final class Version1Rows: @unchecked Sendable {
    struct Document {
        var id: Range<Int>
        /// In milliseconds.
        var expiration: Int64?
        var revisions: Range<Int>
    }

    struct Revision {
        var sequence: Int64
        var parent: Int64?
        var id: Range<Int>
        var isCurrent: Bool
        var flags: RevisionTree.Flags
        var json: Range<Int>?
        var attachments: Range<Int>?
    }

    private static let mostBytes = 1 << 19
    private static let mostDocuments = 2000
    /// One behind the other.
    @exclusivity(unchecked) private var texts = ByteBuffer(capacity: mostBytes + 4096)
    @exclusivity(unchecked) private(set) var documents: [Document] = []
    @exclusivity(unchecked) private var revisions: [Revision] = []
    /// What kept the next ones from being read.
    @exclusivity(unchecked) fileprivate(set) var failure: (any Error)?

    func text(_ range: Range<Int>) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: texts.bytes[range]) }
    func revisions(of document: Document) -> ArraySlice<Revision> { revisions[document.revisions] }

    fileprivate var isFull: Bool { documents.count >= Version1Rows.mostDocuments || texts.count >= Version1Rows.mostBytes }

    fileprivate func removeAll() {
        texts.removeAll(keepingCapacity: true)
        documents.removeAll(keepingCapacity: true)
        revisions.removeAll(keepingCapacity: true)
        failure = nil
    }

    fileprivate func append(id: UnsafeRawBufferPointer?, expiration: Int64?) {
        let id = append(id) ?? texts.count..<texts.count
        documents.append(Document(id: id, expiration: expiration, revisions: revisions.count..<revisions.count))
    }

    fileprivate func appendRevision(_ row: Statement) {
        var flags: RevisionTree.Flags = []
        if row.int64(7) != 0 { flags.insert(.deleted) }
        if row.int64(8) != 0 { flags.insert(.hasAttachments) }
        revisions.append(
            Revision(
                sequence: row.int64(3), parent: row.isNull(4) ? nil : row.int64(4),
                id: append(row.text(5) ?? row.blob(5)) ?? texts.count..<texts.count, isCurrent: row.int64(6) != 0, flags: flags,
                json: append(row.blob(9) ?? row.text(9)), attachments: append(row.text(10))))
        documents[documents.count - 1].revisions = documents[documents.count - 1].revisions.lowerBound..<revisions.count
    }

    private func append(_ bytes: UnsafeRawBufferPointer?) -> Range<Int>? {
        guard let bytes else { return nil }
        let start = texts.count
        texts.append(bytes)
        return start..<texts.count
    }
}

/// Reads the documents of a 1.x file in the order of their rows.
struct Version1Reader {
    private let row: Statement
    private var isThere: Bool

    init(_ schema: Version1Schema, _ connection: Connection) throws {
        // In the order of an index of `revs`: nothing is searched for, each row stands behind the one before.
        row = try connection.prepare(
            """
            SELECT d.doc_id, d.docid, \(schema.expiration("d")), r.sequence, r.parent, r.revid, r.current, coalesce(r.deleted, 0) != 0, \
            \(schema.hasAttachments("r")), r.json, \(schema.attachments(of: "r")) \
            FROM main.revs AS r CROSS JOIN main.docs AS d ON d.doc_id = r.doc_id ORDER BY r.doc_id
            """)
        isThere = try row.step()
    }

    /// Puts the next documents in the place of what is there; none if there are no more.
    mutating func read(_ rows: Version1Rows) {
        rows.removeAll()
        do throws(SQLiteError) {
            while isThere, !rows.isFull {
                let number = row.int64(0)
                let expiration = row.isNull(2) ? nil : row.int64(2).multipliedReportingOverflow(by: 1000)
                rows.append(id: row.text(1), expiration: expiration.flatMap { $0.overflow ? nil : $0.partialValue })
                while isThere, row.int64(0) == number {
                    rows.appendRevision(row)
                    isThere = try row.step()
                }
            }
        } catch {
            isThere = false
            rows.failure = error
        }
    }
}
