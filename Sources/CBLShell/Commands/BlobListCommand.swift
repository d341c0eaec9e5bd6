import CBLFleece
import CBLStore
import CBLWorkbench

/// `cblite blob ls DATABASE [DOCID]`
enum BlobListCommand {
    static let declaration = CommandDeclaration(
        "ls", group: .looking,
        summary: "List blobs with the documents that refer to them",
        discussion: """
            Lists the blobs that stored revisions of documents refer to, of all collections or the one of --collection, and those that \
            nothing refers to. A blob can be missing, or its file can be foreign, which is a link or something else that is no \
            file: the document is readable all the same.

            --verify reads every blob and compares it with its digest. It ends with exit code 1 if one is missing, foreign or damaged.
            """,
        database: .reads,
        flags: [Flag("verify", "Read every blob, and mark those that are damaged")],
        arguments: [Argument("DOCID", .document, .optional, "Only the blobs of this document")],
        examples: [
            .init("cblite blob ls travel.cblite2", "Every blob."),
            .init("cblite blob ls --verify --json travel.cblite2", "The same for programs, after reading them all."),
        ],
        run: run)

    @Sendable private static func run(_ invocation: Invocation) throws -> ExitCode {
        let database = try invocation.database()
        var entries = try database.read { snapshot in try BlobList(snapshot, invocation).entries }
        if invocation.argumentIfGiven("DOCID") == nil, invocation.session.options.collection == nil {
            for digest in try database.blobs.list() where entries[digest.description] == nil {
                entries[digest.description] = BlobList.Entry()
            }
        }
        var isSound = true
        var table = Table([.left("Digest"), .right("Size"), .left("Type"), .left("State"), .left("Documents")])
        for (digest, entry) in entries.sorted(by: { $0.key < $1.key }) {
            try Interruption.check()
            let state = try state(of: digest, entry, database.blobs, verifies: invocation.flag("verify"))
            if state == .missing || state == .damaged || state == .foreign { isSound = false }
            let size = BlobDigest(digest).flatMap { database.blobs.size(of: $0) } ?? entry.length
            if invocation.wantsJSON {
                try writeFacts(digest, entry, state, size, invocation.session)
            } else {
                let documents = entry.documents.prefix(3).map(\.description) + (entry.documents.count > 3 ? ["…"] : [])
                table.add([
                    digest, size.map { "\($0)" } ?? "", entry.contentType ?? "", state == .present ? "" : state.rawValue,
                    documents.joined(separator: ", "),
                ])
            }
        }
        if entries.isEmpty {
            invocation.session.notice("(No blobs)")
        } else if !invocation.wantsJSON {
            try table.write(to: invocation.session)
        }
        return isSound || !invocation.flag("verify") ? .success : .failure
    }

    private enum State: String {
        case present, missing, damaged
        /// A link or something else stands where its file belongs.
        case foreign
        /// No document refers to it.
        case unused
        /// The content stands in the document itself.
        case inline
    }

    private static func state(of digest: String, _ entry: BlobList.Entry, _ store: BlobFolder, verifies: Bool) throws -> State {
        guard let digest = BlobDigest(digest), store.exists(digest) else {
            if let digest = BlobDigest(digest), store.hasForeignFile(for: digest) { return .foreign }
            return entry.isInline ? .inline : .missing
        }
        if verifies {
            do {
                try store.check(digest) { try Interruption.check() }
            } catch let error as StoreError where error.code == .corrupt {
                return .damaged
            }
        }
        return entry.documents.isEmpty ? .unused : .present
    }

    private static func writeFacts(_ digest: String, _ entry: BlobList.Entry, _ state: State, _ size: Int?, _ session: Session) throws {
        try session.writeFacts { line in
            line.add("digest", digest)
            if let size { line.add("size", size) }
            if let type = entry.contentType { line.add("type", type) }
            line.add("state", state.rawValue)
            line.add("documents", objects: entry.documents) { document, line in
                line.add("collection", document.collection.description)
                line.add("id", document.id)
            }
        }
    }
}

/// What documents say of blobs, by digest.
private struct BlobList {
    struct Reference: Hashable, CustomStringConvertible {
        let collection: CollectionName
        let id: String

        var description: String { collection.isDefault ? id : "\(collection)/\(id)" }
    }

    struct Entry {
        var contentType: String?
        var length: Int?
        var isInline = false
        var documents: [Reference] = []
    }

    private(set) var entries: [String: Entry] = [:]

    init(_ snapshot: Snapshot, _ invocation: Invocation) throws {
        if let id = invocation.argumentIfGiven("DOCID") {
            let collection = try invocation.collection(in: snapshot)
            let (document, revisions) = try StoredRevision.all(of: invocation.document(id, in: collection, snapshot))
            add(document, revisions, snapshot.sharedKeys)
            return
        }
        let isChosen = invocation.session.options.collection != nil
        let collections = isChosen ? [try invocation.collection(in: snapshot)] : snapshot.collections()
        for collection in collections {
            var options = ScanOptions(order: .stored, content: .everything)
            options.includesDeleted = true
            options.onlyWithAttachments = true
            let cursor = try snapshot.scan(collection, options)
            invocation.session.reportDamage(met: cursor)
            while let (document, revisions) = try cursor.next(reading: StoredRevision.all(of:)) {
                try Interruption.check()
                add(document, revisions, snapshot.sharedKeys)
            }
        }
    }

    private mutating func add(_ document: Document, _ revisions: [StoredRevision], _ keys: SharedKeys) {
        let reference = Reference(collection: document.collection, id: document.id)
        for revision in revisions {
            revision.body?.withRoot { root in
                BlobReferences.forEach(in: root, keys) { digest, blob in
                    var entry = entries[digest] ?? Entry()
                    if entry.documents.last != reference { entry.documents.append(reference) }
                    entry.contentType = entry.contentType ?? blob.value(forKey: "content_type", keys)?.string
                    entry.length = entry.length ?? blob.value(forKey: "length", keys)?.integer.flatMap { Int(exactly: $0) }
                    entry.isInline = entry.isInline || blob.value(forKey: "data", keys) != nil
                    entries[digest] = entry
                }
            }
        }
    }
}
