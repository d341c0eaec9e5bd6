import CBLBase
import CBLFleece
import CBLLanguage
import CBLStore
import Glibc

/// `cblite blob get DATABASE DIGEST` and `cblite blob get DATABASE DOCID [PROPERTY]`
enum BlobGetCommand {
    static let declaration = CommandDeclaration(
        "get", group: .looking,
        summary: "Copy a blob out, to a file or to standard output",
        discussion: """
            Names the blob by its digest (sha1-…), or by a document and the path of a property. The path may be left out if the \
            document has one blob. The content is compared with its digest before any of it is written. Attachments that 1.x has compressed come \
            out as they were before; by their digest, as they are stored.
            """,
        database: .reads,
        flags: [Flag("output", short: "o", value: "FILE", .file, "Write to this file instead of standard output")],
        arguments: [
            Argument("BLOB", .document, .required, "The digest of a blob, or the ID of a document"),
            Argument("PROPERTY", .property, .optional, "The path of the property, as address.photo or photos[2], or an attachment's name"),
        ],
        examples: [
            .init("cblite blob get travel.cblite2 hotel_1 photo -o photo.jpg", "The blob of a property."),
            .init("cblite blob get travel.cblite2 sha1-c2XTGPrFT86b4bdd8Xo4E/Zpuww=", "A blob by its digest, to standard output."),
        ],
        run: run)

    /// A blob that was named: its digest, and its content if that stands in the document itself.
    private struct Source {
        var digest: BlobDigest?
        var inlineContent: [UInt8]?
        var contentType: String?
        /// How long it is when it is not compressed, if it is: attachments of 1.x may be.
        var decodedLength: Int?
    }

    @Sendable private static func run(_ invocation: Invocation) throws -> ExitCode {
        let database = try invocation.database()
        let source = try find(database, invocation)
        if let path = invocation.string("output"), path != "-" {
            try TargetFile.write(path, invocation.session) { output in
                try write(source, from: database.blobs) { try output.write(lines: $0) }
            }
            return .success
        }
        let isText = source.contentType.map { $0.hasPrefix("text/") || $0 == "application/json" } ?? false
        if invocation.output.isTerminal, !isText {
            throw CommandError.failed("the blob may not be text, and standard output is a terminal", hint: "Name a file with --output.")
        }
        try write(source, from: database.blobs) { try invocation.output.write(lines: $0) }
        return .success
    }

    private static func find(_ database: Database, _ invocation: Invocation) throws -> Source {
        let name = invocation.argument("BLOB")
        if name.hasPrefix("sha1-"), invocation.argumentIfGiven("PROPERTY") == nil {
            guard let digest = BlobDigest(name) else { throw invocation.usageError("\"\(name)\" is not the digest of a blob") }
            return Source(digest: digest)
        }
        return try invocation.read { snapshot, collection in
            let document = try invocation.document(name, in: collection, snapshot)
            return try document.body.withRoot { root in
                guard let path = invocation.argumentIfGiven("PROPERTY") else {
                    return try only(in: root, snapshot.sharedKeys, of: document)
                }
                return try source(at: path, in: root, snapshot.sharedKeys, of: document)
            }
        }
    }

    private static func only(in root: Value, _ keys: SharedKeys, of document: Document) throws -> Source {
        var sources: [Source] = []
        BlobReferences.forEach(in: root, keys) { _, blob in sources.append(source(blob, keys)) }
        guard let first = sources.first else { throw CommandError.failed("document \"\(document.id)\" has no blob") }
        guard Set(sources.map(\.digest)).count == 1 else {
            throw CommandError.failed(
                "document \"\(document.id)\" has \(sources.count) blobs",
                hint: "Name a property, or the digest: 'cblite blob ls' lists them.")
        }
        return first
    }

    private static func source(at path: String, in root: Value, _ keys: SharedKeys, of document: Document) throws -> Source {
        let value: Value?
        do throws(KeyPathError) {
            value = try KeyPath(path).evaluate(in: root, keys: keys)
        } catch {
            throw CommandError.failed("\(error)")
        }
        let attachments = root.dictionary?.value(forKey: "_attachments", keys)?.dictionary
        guard let value = value ?? attachments?.value(forKey: path, keys) else {
            let names = root.dictionary.map { $0.compactMap { $0.key.keyString(keys) } } ?? []
            let suggestion = Suggestion.sentence(for: path, in: names, quoted: true)
            throw CommandError.failed("document \"\(document.id)\" has no property \"\(path)\".\(suggestion)")
        }
        guard let blob = value.dictionary, blob.value(forKey: "digest", keys)?.string != nil || blob.value(forKey: "data", keys) != nil
        else {
            throw CommandError.failed("the property \"\(path)\" of document \"\(document.id)\" is not a blob")
        }
        return source(blob, keys)
    }

    private static func source(_ blob: DictionaryView, _ keys: SharedKeys) -> Source {
        var source = Source()
        source.digest = blob.value(forKey: "digest", keys)?.string.flatMap { BlobDigest($0) }
        source.contentType = blob.value(forKey: "content_type", keys)?.string
        if blob.value(forKey: "encoding", keys)?.string == "gzip" {
            source.decodedLength = Int(clamping: blob.value(forKey: "length", keys)?.integer ?? .max)
        }
        if let data = blob.value(forKey: "data", keys) {
            source.inlineContent = data.dataBytes.map(Array.init) ?? data.string.flatMap { Base64.bytes(of: Array($0.utf8)) }
        }
        return source
    }

    /// As it was before it was stored.
    private static func write(_ source: Source, from store: BlobFolder, _ receive: (UnsafeRawBufferPointer) throws -> Void) throws {
        guard let length = source.decodedLength, source.digest != nil else { return try writeStored(source, from: store, receive) }
        do {
            let decoder = try Decompressor(.gzip, mostBytes: length)
            try writeStored(source, from: store) { try decoder.decode($0, receive) }
            try decoder.finish()
        } catch let failure as Decompressor.Failure {
            throw CommandError.failed(
                "the attachment is compressed, and its content is damaged (\(failure))", hint: "Its digest names it as it is stored.")
        }
    }

    private static func writeStored(_ source: Source, from store: BlobFolder, _ receive: (UnsafeRawBufferPointer) throws -> Void) throws {
        if let digest = source.digest, store.exists(digest) || source.inlineContent == nil {
            // Nothing of a blob that is not what it should be is written, not even where nothing can be taken back.
            try store.read(digest, checking: Interruption.check) { piece in
                try Interruption.check()
                try receive(piece)
            }
        } else if let content = source.inlineContent {
            try content.withUnsafeBytes(receive)
        } else {
            throw CommandError.failed("the document names the blob by something that is no digest")
        }
    }
}
