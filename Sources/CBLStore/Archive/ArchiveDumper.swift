import CBLBase
import CBLFleece
import CBLSQLite

/// Writes one state of a database as an archive, line by line.
final class ArchiveDumper {
    private let snapshot: Snapshot
    private let options: Archive.DumpOptions
    private let emit: (UnsafeRawBufferPointer) throws -> Void
    private let warn: (Archive.Omission) -> Void
    /// Called while something is looked at that gives no line yet.
    private let check: () throws -> Void
    private let local: SourceID

    private var line = JSONObjectWriter(capacity: 1 << 16)
    private var counts = Archive.Counts()
    private var lineCount = 0
    private var digest = SHA1()
    private var blobs: Set<BlobDigest> = []

    init(
        _ snapshot: Snapshot, _ options: Archive.DumpOptions, check: @escaping () throws -> Void,
        warn: @escaping (Archive.Omission) -> Void, emit: @escaping (UnsafeRawBufferPointer) throws -> Void
    ) {
        self.snapshot = snapshot
        self.options = options
        self.warn = warn
        self.check = check
        self.emit = emit
        local = snapshot.sourceID
    }

    func run() throws -> Archive.Counts {
        let collections = options.collections ?? snapshot.collections()
        for name in collections { _ = try snapshot.tables(name) }
        try writeHeader(collections)
        for (remote, url) in try snapshot.remotes().sorted(by: { $0.key < $1.key }) {
            line.beginLine()
            line.add("remote", Int(remote))
            line.add("url", url)
            try finishLine()
        }
        for name in collections { try write(name) }
        if options.includesRawDocuments { for store in snapshot.rawStores() { try writeRaw(store) } }
        if options.includesIndexes { try writeIndexes(of: collections) }
        if options.includesBlobs { for blob in blobs.sorted() { try write(blob) } }
        try writeTrailer()
        return counts
    }

    private func finishLine() throws {
        line.endLine()
        try finishLine(line.buffer.bytes)
    }

    private func finishLine(_ bytes: UnsafeRawBufferPointer) throws {
        lineCount += 1
        // Without the line's end, so that an archive survives another convention of those.
        digest.update(UnsafeRawBufferPointer(rebasing: bytes.dropLast()))
        try emit(bytes)
    }

    private func writeHeader(_ collections: [CollectionName]) throws {
        line.beginLine()
        line.add("archive", Archive.format)
        line.add("version", Int(Archive.version))
        line.add("versioning", snapshot.versioning == .vectors ? "vectors" : "trees")
        line.add("format", snapshot.generation.rawValue)
        line.add("collections", list: collections.map(\.description))
        if let depth = try snapshot.storedPruneDepth() { line.add("maxRevTreeDepth", depth) }
        if options.includesIdentity {
            if let uuid = snapshot.publicUUID { line.add("publicUUID", uuid.hexadecimal) }
            if let uuid = snapshot.privateUUID { line.add("privateUUID", uuid.hexadecimal) }
        }
        try finishLine()
    }

    private func write(_ collection: CollectionName) throws {
        line.beginLine()
        line.add("collection", collection.description)
        line.add("lastSequence", try snapshot.lastSequence(of: collection))
        try finishLine()
        counts.collections += 1
        var scan = ScanOptions(order: .sequence, content: .everything)
        scan.includesDeleted = true
        let cursor = try snapshot.scan(collection, scan)
        cursor.onDamage = { [warn] in warn(.document($0.id ?? "?", collection: collection, reason: $0.description)) }
        while try cursor.next() {
            if let problem = write(cursor) {
                warn(.document(cursor.id, collection: collection, reason: problem.message))
                continue
            }
            try finishLine(line.buffer.bytes)
            counts.documents += 1
        }
    }

    /// Makes the line of the document at hand. Gives what is wrong with it if that cannot be done.
    private func write(_ cursor: DocumentCursor) -> StoreError? {
        do {
            let document = try cursor.archived(versioning: snapshot.versioning)
            try line.write(document, local: local, snapshot.sharedKeys)
            if options.includesBlobs, document.flags.contains(.hasAttachments) { collectBlobs(of: document) }
            return nil
        } catch {
            return error
        }
    }

    private func collectBlobs(of document: ArchivedDocument) {
        for body in document.revisions.bodies {
            body.withRoot { root in
                BlobReferences.forEach(in: root, snapshot.sharedKeys) { digest, _ in
                    if let digest = BlobDigest(digest) { blobs.insert(digest) }
                }
            }
        }
    }

    private func writeRaw(_ store: String) throws {
        for key in try snapshot.rawDocumentKeys(in: store) {
            guard let document = try snapshot.rawDocument(key, in: store) else { continue }
            // What is left of a deleted one is of no use elsewhere.
            if store == DesignDocuments.keyStore, try snapshot.design(key)?.isDeleted ?? false { continue }
            line.beginLine()
            line.add("raw", store)
            line.add("key", key)
            if let meta = document.meta { line.add("meta", bytes: meta) }
            line.add("body", bytes: document.body)
            try finishLine()
            counts.rawDocuments += 1
        }
    }

    private func writeIndexes(of collections: [CollectionName]) throws {
        for index in try snapshot.indexes() {
            guard let name = index.collection, collections.contains(name) else { continue }
            line.beginLine()
            line.add("index", index.name)
            line.add("type", index.type)
            line.add("collection", name.description)
            if let expression = index.expression { line.add("expression", expression) }
            if let condition = index.condition { line.add("where", condition) }
            if let table = index.tableName { line.add("table", table) }
            line.add("sql", list: try snapshot.indexDefinitionSQL(index))
            try finishLine()
            counts.indexes += 1
        }
    }

    private func write(_ blob: BlobDigest) throws {
        let blobs = snapshot.database.blobs
        let reader: BlobReader
        do {
            // What has been written cannot be taken back: it must be as it should be before the first piece.
            reader = try UncheckedBlob(blobs, blob).check(check)
        } catch let error as StoreError where error.code == .notFound || error.code == .corrupt {
            warn(.blob(reason: error.message))
            return
        }
        line.beginLine()
        line.add("blob", blob.description)
        line.add("length", reader.length)
        try finishLine()
        try reader.forEachPiece(writePiece)
        counts.blobs += 1
    }

    private func writePiece(_ piece: UnsafeRawBufferPointer) throws {
        line.beginLine()
        line.add("piece", base64: piece)
        try finishLine()
    }

    private func writeTrailer() throws {
        line.beginLine()
        line.add("end", true)
        line.add("lines", lineCount)
        line.add("collections", counts.collections)
        line.add("documents", counts.documents)
        line.add("rawDocuments", counts.rawDocuments)
        line.add("indexes", counts.indexes)
        line.add("blobs", counts.blobs)
        line.add("sha1", digest.finish().hex)
        line.endLine()
        try emit(line.buffer.bytes)
    }
}

extension DocumentCursor {
    /// The document at hand with everything that its record says, and nothing that is only concluded from it. Its bodies lie where they are stored:
    /// it is to be written before the next one is gone to.
    fileprivate func archived(versioning: Versioning) throws(StoreError) -> ArchivedDocument {
        let (body, extra) = (bodyColumn, extraBytes)
        let revisions: DocumentRevisions
        var flags = self.flags
        do {
            let holdsVectors =
                versionBytes.first == 0 || extra?.starts(with: VectorRevisions.extraPrefix) == true
                || (versioning == .vectors && extra == nil && !(body.map { RevisionTree.isLegacyBody($0) } ?? false))
            if holdsVectors {
                // The flag "synced" says that remote 1 has the current revision: it goes as a flag.
                revisions = .vectors(
                    try VectorRevisions(
                        version: versionBytes, body: body, extra: extra, sequence: sequence, flags: flags.subtracting(.synced),
                        bodies: .lent))
            } else {
                var tree = try RevisionTree(
                    body: body, extra: extra, sequence: sequence, flags: flags.subtracting(.synced), bodies: .lent)
                // Where 2.x stores no body, later releases store an empty one.
                if tree.current?.body == nil { tree.revisions[0].body = .emptyDictionary }
                revisions = .tree(tree)
                // Where record and tree do not agree, which is a damage, the revision is believed.
                if let current = tree.current, current.isDeleted != flags.contains(.deleted) { flags.formSymmetricDifference(.deleted) }
            }
        } catch {
            throw StoreError(.corrupt, "\(error)")
        }
        return ArchivedDocument(
            id: id, sequence: sequence, subsequence: subsequence, flags: flags, expiration: expiration, revisions: revisions)
    }
}

extension Database {
    /// Gives one state of the database as the lines of an archive, each with its end. What is damaged is left out, with a warning.
    ///
    /// - Parameter emit: takes a line; it may throw to stop.
    @discardableResult
    package func dump(
        _ options: Archive.DumpOptions = Archive.DumpOptions(), check: @escaping () throws -> Void = {},
        warn: @escaping (Archive.Omission) -> Void = { _ in },
        emit: @escaping (UnsafeRawBufferPointer) throws -> Void
    ) throws -> Archive.Counts {
        try read { try ArchiveDumper($0, options, check: check, warn: warn, emit: emit).run() }
    }
}
