import CBLFleece
import CBLStore
import CBLWorkbench

/// `cblite blob put DATABASE DOCID PROPERTY FILE`
enum BlobPutCommand {
    static let declaration = CommandDeclaration(
        "put", group: .changing,
        summary: "Put the content of a file into a document, as a blob",
        discussion: """
            Stores the content of a file in the database, and makes a property of a document refer to it. The rest of the document stays \
            as it is. Objects on the way to the property are made; [n] just behind the end of an array appends to it.
            """,
        database: .writes,
        flags: [
            Flag("type", value: "MIME", .text, "The type of the content; otherwise the name of the file tells"),
            .ifRevision,
        ],
        arguments: [
            Argument("DOCID", .document, .required, "The document ID"),
            Argument("PROPERTY", .property, .required, "Where the blob goes: picture, profile.picture, photos[0]"),
            Argument("FILE", .file, .required, "The file, or - to read standard input"),
        ],
        examples: [
            .init("cblite blob put travel.cblite2 hotel_1 photos[0] front.jpg", "The first of the hotel's photos."),
            .init(
                "curl -s https://example.com/a.pdf | cblite blob put travel.cblite2 hotel_1 menu - --type application/pdf", "From a pipe."),
        ],
        run: run)

    @Sendable private static func run(_ invocation: Invocation) throws -> ExitCode {
        let id = invocation.argument("DOCID")
        let path = try propertyPath(invocation)
        let source = try InputSource(invocation.argument("FILE"))
        let type = invocation.string("type") ?? ContentType.of(path: invocation.argument("FILE"))
        let database = try invocation.database()
        // A mistake in the arguments must show before a large file has been copied.
        try database.read { snapshot in
            let collection = try invocation.collection(in: snapshot)
            let document = try live(id, collection, snapshot, invocation)
            _ = try document.body(with: nil, type: type, at: path, snapshot.sharedKeys, into: FleeceEncoder())
        }
        let blob = try store(source, in: database, invocation.session)
        let change = try invocation.change { transaction, collection in
            let document = try live(id, collection, transaction, invocation)
            let body = try document.body(with: blob, type: type, at: path, transaction.sharedKeys, into: transaction.encoder)
            let saved = try transaction.save(document, body: body)
            return DocumentChange(.updated, id, in: collection, saved)
        }
        try invocation.tell {
            if !invocation.wantsJSON { return try change.write(to: invocation.session) }
            try invocation.session.writeFacts { line in
                line.add("action", change.action.rawValue)
                line.add("collection", change.collection.description)
                line.add("id", id)
                if let revision = change.revision { line.add("revision", revision.text) }
                if let sequence = change.sequence { line.add("sequence", sequence) }
                line.add("digest", blob.digest.description)
                line.add("length", blob.length)
                line.add("contentType", type)
            }
        }
        return .success
    }

    private static func propertyPath(_ invocation: Invocation) throws -> KeyPath {
        do {
            let path = try KeyPath(invocation.argument("PROPERTY"))
            guard path.count > 0 else { throw invocation.usageError("PROPERTY names no property") }
            return path
        } catch let error as KeyPathError {
            throw invocation.usageError("\(error)")
        }
    }

    private static func live(_ id: String, _ collection: CollectionName, _ snapshot: Snapshot, _ invocation: Invocation) throws -> Document
    {
        let document = try invocation.document(id, in: collection, snapshot)
        _ = try invocation.parent(of: document, id)
        guard !document.isDeleted else { throw CommandError.failed("document \"\(id)\" is deleted") }
        return document
    }

    private static func store(_ source: InputSource, in database: Database, _ session: Session) throws -> BlobFolder.Stored {
        let progress = session.progress("Storing", total: source.size, unit: "bytes")
        defer { progress.finish() }
        var pending = UnsafeRawBufferPointer(start: nil, count: 0)
        return try database.blobs.write { buffer throws(StoreError) in
            if pending.isEmpty {
                do {
                    pending = try source.nextChunk() ?? pending
                } catch let error as CommandError {
                    throw StoreError(error.exitCode == .interrupted ? .interrupted : .inputOutput, error.message)
                } catch {
                    throw StoreError(.inputOutput, "\(error)")
                }
            }
            let count = min(pending.count, buffer.count)
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: pending[..<count]))
            pending = UnsafeRawBufferPointer(rebasing: pending[count...])
            progress.advance(by: count, position: source.offset)
            return count
        }
    }
}
