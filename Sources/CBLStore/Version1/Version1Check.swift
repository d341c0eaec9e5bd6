import CBLFleece
import CBLSQLite

/// Looks for what can be wrong with a 1.x file. Nothing is mended: an upgrade leaves out what cannot be right.
struct Version1Check {
    private let checker: Checker
    private let body = Version1Body()
    private var connection: Connection { checker.connection }
    private let schema: Version1Schema

    init(_ checker: Checker, _ schema: Version1Schema) {
        self.checker = checker
        self.schema = schema
    }

    func run() throws -> Checker.Summary {
        checker.summary.collections = 1
        try checker.survivingDamage("the file's structure") { try checker.checkFile() }
        try checker.survivingDamage("revs") { try checkDocuments() }
        try checker.survivingDamage("docs") { try checkEmptyDocuments() }
        try checker.survivingDamage("localdocs") { try checkLocalDocuments() }
        try BlobCheck(checker).run()
        return checker.summary
    }

    /// A row of `revs`, as far as one has to know it to judge the tree.
    private struct Revision {
        let sequence: Int64
        let parent: Int64?
        let id: String
        let generation: UInt32?
        let isCurrent: Bool
        let isDeleted: Bool
    }

    private func checkDocuments() throws {
        let last = try checker.snapshot.lastSequence(of: .default)
        let owner = checker.blobReferences.add(
            BlobReferenceList.Owner(collection: .default) { [connection] number in
                try connection.strings("SELECT docid FROM main.docs WHERE doc_id = \(number)").first
            })
        let statement = try connection.prepare(
            """
            SELECT r.doc_id, d.docid, r.sequence, r.parent, r.revid, r.current, r.deleted, r.json, \(schema.attachments(of: "r")), \
            \(schema.expiration("d")) FROM main.revs AS r LEFT JOIN main.docs AS d ON d.doc_id = r.doc_id ORDER BY r.doc_id
            """)
        var document: (number: Int64, id: String?, expiration: String?)?
        var revisions: [Revision] = []
        func finish() throws {
            if let document { try check(document.id, document.number, revisions, expiration: document.expiration) }
            revisions.removeAll()
        }
        while try statement.step() {
            if document?.number != statement.int64(0) {
                try finish()
                document = (statement.int64(0), statement.string(1), statement.isNull(9) ? nil : statement.string(9))
                try checker.advance(1)
            }
            let id = statement.string(4) ?? ""
            revisions.append(
                Revision(
                    sequence: statement.int64(2), parent: statement.isNull(3) ? nil : statement.int64(3), id: id,
                    generation: (statement.text(4) ?? statement.blob(4)).flatMap { Version1RevisionText.generation(of: $0) },
                    isCurrent: statement.int64(5) != 0, isDeleted: statement.int64(6) != 0))
            if statement.int64(2) > Int64(clamping: last) {
                try found(.error, .sequence, "revision \(id) has sequence \(statement.int64(2)), above the last one, \(last)", document?.id)
            }
            try check(bodyOf: id, statement, document?.id, owner)
        }
        try finish()
    }

    private func check(bodyOf revision: String, _ row: Statement, _ document: String?, _ owner: Int32) throws {
        let isCurrent = row.int64(5) != 0
        guard let json = row.blob(7) ?? row.text(7) else {
            if isCurrent, row.int64(6) == 0 { try found(.warning, .body, "revision \(revision) is a leaf, and has no body", document) }
            return
        }
        guard !body.isDamaged(json) else {
            return try found(isCurrent ? .error : .warning, .body, "the body of revision \(revision) is no JSON object", document)
        }
        guard isCurrent else { return }
        try body.encode(json, attachments: row.text(8)) { bytes in
            guard let root = Value(root: bytes) else { return }
            BlobReferences.forEach(in: root, nil) { digest, blob in
                guard blob.value(forKey: "data", nil) == nil else { return }
                let length = blob.value(forKey: blob.value(forKey: "encoding", nil) == nil ? "length" : "encoded_length", nil)?.integer
                checker.blobReferences.add(digest, length: length, in: owner, row: row.int64(0), document: document ?? "")
            }
        }
    }

    private func check(_ id: String?, _ number: Int64, _ revisions: [Revision], expiration: String?) throws {
        guard let id else {
            return try checker.found(
                Finding(
                    .error, .id, "\(revisions.count) revisions belong to no document", collection: .default, subject: "docs, row \(number)")
            )
        }
        let current = revisions.filter(\.isCurrent)
        if let expiration, Int64(expiration).map({ $0 < 0 }) ?? true {
            try found(.warning, .expiration, "it expires at \"\(expiration)\", which is no time", id)
        }
        if current.isEmpty {
            try found(.error, .revisions, "none of its revisions is marked as a leaf, so that it is not there", id)
        } else if current.contains(where: { !$0.isDeleted }) {
            checker.summary.documents += 1
        } else {
            checker.summary.deleted += 1
        }
        let bySequence = Dictionary(revisions.map { ($0.sequence, $0) }, uniquingKeysWith: { first, _ in first })
        let parents = Set(revisions.compactMap(\.parent))
        for revision in revisions {
            if revision.generation == nil { try found(.error, .revisions, "revision \"\(revision.id)\" has no generation", id) }
            if revision.isCurrent, parents.contains(revision.sequence) {
                try found(.error, .revisions, "revision \(revision.id) is marked as a leaf, but others follow it", id)
            }
            if !revision.isCurrent, !parents.contains(revision.sequence) {
                try found(
                    .error, .revisions, "revision \(revision.id) is not marked as a leaf, but none follows it: it may be the winner", id)
            }
            guard let parent = revision.parent else { continue }
            guard let ancestor = bySequence[parent] else {
                try found(.error, .revisions, "the parent of revision \(revision.id), sequence \(parent), is none of its revisions", id)
                continue
            }
            if let older = ancestor.generation, let younger = revision.generation, older >= younger {
                try found(.error, .revisions, "revision \(revision.id) is not later than its parent, \(ancestor.id)", id)
            }
        }
        for (name, same) in Dictionary(grouping: revisions, by: \.id) where same.count > 1 {
            try found(.error, .revisions, "\(same.count) revisions have the same ID, \(name)", id)
        }
    }

    private func checkEmptyDocuments() throws {
        let statement = try connection.prepare(
            "SELECT doc_id, docid FROM main.docs WHERE doc_id NOT IN (SELECT doc_id FROM main.revs) ORDER BY doc_id")
        while try statement.step() { try found(.warning, .revisions, "it has no revisions, so that it is not there", statement.string(1)) }
    }

    private func checkLocalDocuments() throws {
        for key in try checker.snapshot.rawDocumentKeys(in: LocalDocuments.keyStore) {
            guard let document = try checker.snapshot.rawDocument(key, in: LocalDocuments.keyStore) else { continue }
            if document.body.withUnsafeBytes({ body.isDamaged($0) }) {
                try found(.error, .body, "it is no JSON object", "_local/\(key)")
            }
        }
    }

    private func found(_ severity: Finding.Severity, _ kind: Finding.Kind, _ message: String, _ document: String?) throws {
        try checker.found(Finding(severity, kind, message, collection: .default, document: document))
    }
}
