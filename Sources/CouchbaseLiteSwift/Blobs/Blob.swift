internal import CBLFleece
internal import CBLStore
import Foundation
import Synchronization

/// Content of any kind and length that a document refers to and the database keeps beside it, such as a picture.
///
///     document.setBlob(Blob(contentType: "image/jpeg", data: picture), forKey: "photo")
///     try collection.save(document: document)
public final class Blob: Equatable, Hashable, @unchecked Sendable {
    // Sendable: what changes is guarded by the lock.

    /// The type of dictionaries that stand for blobs, and the names of what they hold.
    public static let blobType = "blob"
    /// The key under which such a dictionary has `blobType`: `@type`.
    public static let typeProperty = "@type"
    /// The key of the digest, a string that begins with `sha1-`.
    public static let blobDigestProperty = "digest"
    /// The key of the length, in bytes. It may be missing.
    public static let blobLengthProperty = "length"
    /// The key of the content's type, such as `image/jpeg`. It may be missing.
    public static let blobContentType = "content_type"

    private enum Content {
        case data(Data)
        case stream(InputStream)
        case file(URL)
        /// In a database, or known by its digest alone.
        case stored(Database?)
    }

    private struct State: @unchecked Sendable {
        var content: Content
        var digest: String?
        var length: UInt64
    }

    private let state: Mutex<State>
    /// What kind of content it is, such as `image/jpeg`.
    public let contentType: String?

    private init(_ content: Content, contentType: String?, digest: String? = nil, length: UInt64 = 0) {
        state = Mutex(State(content: content, digest: digest, length: length))
        self.contentType = contentType
    }

    /// Its content is the data, which is stored when the document that refers to it is saved.
    public convenience init(contentType: String, data: Data) {
        self.init(.data(data), contentType: contentType, length: UInt64(data.count))
    }

    /// Its content is read from the stream, once, when the blob is saved or its content asked for.
    public convenience init(contentType: String, contentStream: InputStream) {
        self.init(.stream(contentStream), contentType: contentType)
    }

    /// Its content is read from the file when the blob is saved or its content asked for.
    public convenience init(contentType: String, fileURL: URL) throws {
        programmerErrorUnless(fileURL.isFileURL, .invalidArgument, "\(fileURL) is not the URL of a file.")
        guard FileManager.default.isReadableFile(atPath: fileURL.path) else {
            throw NSError(
                domain: NSURLErrorDomain, code: NSURLErrorFileDoesNotExist,
                userInfo: [NSLocalizedDescriptionKey: "The file \(fileURL.path) cannot be read."])
        }
        self.init(.file(fileURL), contentType: contentType)
    }

    /// What a dictionary says that satisfies `isBlob(properties:)`.
    convenience init(properties: [String: Any]) {
        let length = (properties[Blob.blobLengthProperty] as? NSNumber)?.uint64Value
        self.init(
            .stored(nil), contentType: properties[Blob.blobContentType] as? String, digest: properties[Blob.blobDigestProperty] as? String,
            length: length ?? (properties[Blob.blobLengthProperty] as? Int).flatMap { UInt64(exactly: $0) } ?? 0)
    }

    /// What a stored dictionary says, or stored bytes are.
    convenience init(stored value: Value, in source: StoredValues) {
        if let bytes = value.dataBytes {
            self.init(contentType: Blob.binaryType, data: Data(bytes))
            return
        }
        let dictionary = value.dictionary
        // A parameter of a query has its content with it.
        if let content = dictionary?.value(forKey: Blob.contentProperty, source.keys)?.dataBytes {
            let type = dictionary?.value(forKey: Blob.blobContentType, source.keys)?.string
            self.init(.data(Data(content)), contentType: type, length: UInt64(content.count))
            return
        }
        let length = dictionary?.value(forKey: Blob.blobLengthProperty, source.keys)?.unsigned
        self.init(
            .stored(source.database), contentType: dictionary?.value(forKey: Blob.blobContentType, source.keys)?.string,
            digest: dictionary?.value(forKey: Blob.blobDigestProperty, source.keys)?.string, length: length ?? 0)
    }

    /// One that a database has.
    convenience init(_ digest: String, length: UInt64, contentType: String?, in database: Database) {
        self.init(.stored(database), contentType: contentType, digest: digest, length: length)
    }

    /// Of blobs that no database has.
    static let contentProperty = "data"
    static let binaryType = "application/octet-stream"

    // MARK: What is known of it

    /// How many bytes it has; 0 as long as nobody has counted them.
    public var length: UInt64 { state.withLock { $0.length } }

    /// What its content is recognised by, once it is stored: `sha1-…`.
    public var digest: String? { state.withLock { $0.digest } }

    /// Digest, length and type, as far as they are known.
    public var properties: [String: Any] {
        let (digest, length) = state.withLock { ($0.digest, $0.length) }
        var properties: [String: Any] = [:]
        if let digest { properties[Blob.blobDigestProperty] = digest }
        if length > 0 { properties[Blob.blobLengthProperty] = NSNumber(value: length) }
        if let contentType { properties[Blob.blobContentType] = contentType }
        return properties
    }

    /// What stands for it in a document's JSON. Only for blobs that are stored.
    public func toJSON() -> String {
        guard digest != nil else {
            programmerError(.internalInconsistency, "A blob has JSON once it is stored: save its document, or use saveBlob(blob:).")
        }
        let encoder = FleeceEncoder()
        do {
            try PropertyWriter(encoder: encoder, database: nil).write(.blob(self))
            return try encoder.finish().withRoot { $0.json(style: .compact) }
        } catch {
            programmerError(.internalInconsistency, "A blob cannot be written as JSON: \(error)")
        }
    }

    /// Whether a dictionary stands for a blob: it must have `@type` and a digest, whether a database has the content or not.
    public static func isBlob(properties: [String: Any]) -> Bool {
        guard properties[typeProperty] as? String == blobType, properties[blobDigestProperty] is String else { return false }
        if let type = properties[blobContentType], !(type is String) { return false }
        if let length = properties[blobLengthProperty], !(length is NSNumber || length is any FixedWidthInteger) { return false }
        return true
    }

    // MARK: Its content

    /// All of it, as the file has it, without a look at the digest; nil if it cannot be read. Of a long blob, `contentStream` takes less memory.
    public var content: Data? {
        let content = state.withLock { $0.content }
        switch content {
        case .data(let data): return data
        case .file(let url): return try? Data(contentsOf: url)
        case .stream: return readStream()
        case .stored(let database): return stored(in: database) { try $0.data() }
        }
    }

    /// The content, to be read piece by piece; nil if it cannot be read, or comes from a stream itself.
    public var contentStream: InputStream? {
        let content = state.withLock { $0.content }
        switch content {
        case .data(let data): return InputStream(data: data)
        case .file(let url): return InputStream(url: url)
        case .stream: return nil
        case .stored(let database): return stored(in: database) { BlobStream($0) }
        }
    }

    private func stored<Result>(in database: Database?, _ read: (StoredBlob) throws -> Result) -> Result? {
        guard let database else {
            programmerError(.internalInconsistency, "A blob that is known by its digest alone has content once its document was saved.")
        }
        do {
            guard let digest = digest.flatMap({ BlobDigest($0) }) else { return nil }
            return try read(try StoredBlob(digest, in: try database.openCore()))
        } catch {
            log(.database, .warning, "The content of blob \(digest ?? "") cannot be read: \(error)")
            return nil
        }
    }

    /// A stream gives its content once: it is kept.
    private func readStream() -> Data? {
        state.withLock { state in
            guard case .stream(let stream) = state.content else {
                if case .data(let data) = state.content { return data }
                return nil
            }
            var data = Data()
            do { try stream.forEachPiece { data.append(contentsOf: $0) } } catch { return nil }
            state.content = .data(data)
            state.length = UInt64(data.count)
            return data
        }
    }

    // MARK: Storing

    /// Sees to it that the database has the content, and learns its digest and length.
    func store(in database: Database, _ transaction: Transaction?) throws {
        try state.withLock { state in
            switch state.content {
            case .stored(let owner?) where !owner.hasSameFile(as: database): throw PropertyWriter.foreignBlob
            case .stored(.some): return
            case .stored(nil):
                state.content = .stored(database)
                return
            case .data, .file, .stream: break
            }
            var blobs = try database.openCore().blobs
            if transaction != nil { blobs = blobs.untilCommit }
            let stored: BlobFolder.Stored
            switch state.content {
            case .data(let data): stored = try data.withUnsafeBytes { try blobs.write($0) }
            case .file(let url):
                guard let stream = InputStream(url: url) else { throw CocoaError(.fileReadNoSuchFile) }
                stored = try Blob.write(stream, to: blobs)
            case .stream(let stream): stored = try Blob.write(stream, to: blobs)
            case .stored: return
            }
            transaction?.noteBlob(stored.digest)
            state.digest = stored.digest.description
            state.length = UInt64(stored.length)
            state.content = .stored(database)
        }
    }

    private static func write(_ stream: InputStream, to blobs: BlobFolder) throws -> BlobFolder.Stored {
        let writer = try BlobWriter(blobs)
        try stream.forEachPiece { try writer.append($0) }
        return try writer.finish()
    }

    // MARK: Comparing

    /// Whether their contents are equal.
    public static func == (blob1: Blob, blob2: Blob) -> Bool {
        if blob1 === blob2 { return true }
        if let one = blob1.digest, let two = blob2.digest { return one == two }
        return blob1.content == blob2.content
    }

    public func hash(into hasher: inout Hasher) {
        // Of equal ones, one may have a digest and another not yet.
        hasher.combine(Blob.blobType)
    }
}

extension InputStream {
    /// Reads all that is left of it.
    func forEachPiece(_ receive: (UnsafeRawBufferPointer) throws -> Void) throws {
        if streamStatus == .notOpen { open() }
        defer { close() }
        let buffer = UnsafeMutablePointer<UInt8>.allocate(capacity: 1 << 17)
        defer { buffer.deallocate() }
        while true {
            let count = read(buffer, maxLength: 1 << 17)
            if count == 0 { return }
            guard count > 0 else {
                throw streamError ?? libraryError(CBLError.ioError, "The stream with the content of a blob cannot be read.")
            }
            try receive(UnsafeRawBufferPointer(start: buffer, count: count))
        }
    }
}
