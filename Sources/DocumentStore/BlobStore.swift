import Fleece
import Glibc
import Platform

/// The SHA-1 of a blob's content, by which documents refer to it: `sha1-c2XTGPrFT86b4bdd8Xo4E/Zpuww=`.
public struct BlobDigest: Hashable, Sendable, CustomStringConvertible {
    public let description: String
    static let prefix = "sha1-"
    static let suffix = ".blob"

    init(_ sha1: SHA1.Digest) { description = BlobDigest.prefix + sha1.withBytes { Base64.text(of: $0, isPadded: true) } }

    /// Reads the text form; nil if it cannot be one, so that it never names a file elsewhere.
    public init?(_ text: String) {
        guard text.hasPrefix(BlobDigest.prefix), text.utf8.count == BlobDigest.prefix.utf8.count + 28, text.hasSuffix("=") else {
            return nil
        }
        let isBase64 = text.utf8.dropFirst(BlobDigest.prefix.utf8.count).dropLast().allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "+"), UInt8(ascii: "/"):
                true
            default: false
            }
        }
        guard isBase64 else { return nil }
        description = text
    }

    /// The digest that a file's name stands for; nil for other files.
    init?(fileName: String) {
        guard fileName.hasSuffix(BlobDigest.suffix) else { return nil }
        let name = fileName.dropLast(BlobDigest.suffix.utf8.count)
        self.init(BlobDigest.prefix + String(name.map { $0 == "_" ? "/" : $0 }))
    }

    var fileName: String {
        String(description.dropFirst(BlobDigest.prefix.utf8.count).map { $0 == "/" ? "_" : $0 }) + BlobDigest.suffix
    }
}

/// The folder `Attachments`: files named after the digest of their content. Content goes in and out in pieces, so a blob may be larger than
/// memory. The folder is made with the first blob.
public struct BlobStore: Sendable {
    let bundle: Bundle
    let isReadOnly: Bool
    private static let pieceSize = 1 << 18

    init(_ bundle: Bundle, isReadOnly: Bool) {
        self.bundle = bundle
        self.isReadOnly = isReadOnly
    }

    /// What the names of blobs begin with until they are complete.
    static let unfinishedPrefix = "incoming_"

    func path(_ digest: BlobDigest) -> String { path(ofFile: digest.fileName) }
    func path(ofFile name: String) -> String { bundle.attachments + "/" + name }

    public func exists(_ digest: BlobDigest) -> Bool { FileStatus(path(digest)) != nil }
    public func size(of digest: BlobDigest) -> Int? { FileStatus(path(digest))?.size }

    /// All blobs, in no particular order.
    public func list() throws(StoreError) -> [BlobDigest] { try fileNames().compactMap { BlobDigest(fileName: $0) } }

    func fileNames() throws(StoreError) -> [String] {
        guard let directory = opendir(bundle.attachments) else {
            if errno == ENOENT { return [] }
            throw FileCopy.failure("cannot list", bundle.attachments)
        }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            names.append(withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
        }
        return names
    }

    /// What was written: its digest, its length, and whether it was not there before.
    public struct Stored: Hashable, Sendable {
        public let digest: BlobDigest
        public let length: Int
        public let isNew: Bool
    }

    /// Stores what a file descriptor gives until its end.
    public func write(from descriptor: Int32) throws(StoreError) -> Stored {
        try write { buffer throws(StoreError) in
            while true {
                let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                if count < 0 && errno == EINTR { continue }
                guard count >= 0 else { throw StoreError(.inputOutput, "cannot read the content of the blob: \(FileStatus.reason())") }
                return count
            }
        }
    }

    /// Stores bytes.
    public func write(_ bytes: UnsafeRawBufferPointer) throws(StoreError) -> Stored {
        var rest = bytes[...]
        return try write { buffer in
            let piece = rest.prefix(buffer.count)
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: piece))
            rest = rest.dropFirst(piece.count)
            return piece.count
        }
    }

    /// Stores what `next` puts into the buffer it is given, piece by piece, until it gives 0.
    public func write(next: (UnsafeMutableRawBufferPointer) throws(StoreError) -> Int) throws(StoreError) -> Stored {
        let writer = try BlobWriter(self)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: BlobStore.pieceSize, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let count = try next(buffer)
            if count == 0 { return try writer.finish() }
            try writer.append(UnsafeRawBufferPointer(rebasing: buffer.prefix(count)))
        }
    }

    /// Gives a blob's content to `receive`, piece by piece, and checks it: damaged content is an error after the last piece.
    public func read(_ digest: BlobDigest, _ receive: (UnsafeRawBufferPointer) throws -> Void) throws {
        let descriptor = open(path(digest), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw errno == ENOENT
                ? StoreError(.notFound, "no blob \(digest)", path: bundle.path) : FileCopy.failure("cannot open", path(digest))
        }
        defer { close(descriptor) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: BlobStore.pieceSize, alignment: 16)
        defer { buffer.deallocate() }
        var sha1 = SHA1()
        while true {
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw FileCopy.failure("cannot read", path(digest)) }
            if count == 0 { break }
            let piece = UnsafeRawBufferPointer(rebasing: buffer.prefix(count))
            sha1.update(piece)
            try receive(piece)
        }
        guard BlobDigest(sha1.finish()) == digest else {
            throw StoreError(.corrupt, "blob \(digest) is damaged: its content has another digest", path: bundle.path)
        }
    }

    /// Writes a blob's content to a file descriptor, and checks it.
    public func read(_ digest: BlobDigest, to descriptor: Int32) throws {
        try read(digest) { try BlobStore.write($0, to: descriptor, "the blob's content") }
    }

    static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, _ path: String) throws(StoreError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = UnsafeRawBufferPointer(rebasing: rest)
            let count = Glibc.write(descriptor, piece.baseAddress, piece.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw FileCopy.failure("cannot write", path) }
            rest = rest.dropFirst(count)
        }
    }
}
