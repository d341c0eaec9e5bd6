import CBLBase
import Glibc

/// A blob's file, of which nobody knows yet whether its content is what its name says.
///
///     let reader = try UncheckedBlob(blobs, digest).check()
///
/// Sendable without check because one thread after the other has it.
package final class UncheckedBlob: @unchecked Sendable {
    private let digest: BlobDigest
    private let file: BlobFile
    private let bundlePath: String
    private var sha1 = SHA1()
    private var position = 0

    package init(_ blobs: BlobFolder, _ digest: BlobDigest, atMost longest: Int = BlobFolder.longest) throws(StoreError) {
        self.digest = digest
        bundlePath = blobs.bundle.path
        var folder = blobs.knownFolder
        var found = folder.flatMap { blobs.find(digest, in: $0) }
        if found == nil {
            folder = try blobs.folder()
            found = folder.flatMap { blobs.find(digest, in: $0) }
        }
        let status = found?.status
        if let status, status.kind != .file {
            throw StoreError(.corrupt, "blob \(digest) is \(status.kind.rawValue), not a file", path: bundlePath)
        }
        var opened = if let folder, let found { try blobs.files.openBlob(found.name, found.status, in: folder) } else { nil as BlobFile? }
        // One that waited for its name may have got it just now.
        if opened == nil, let folder, found != nil, let found = blobs.find(digest, in: folder) {
            opened = try blobs.files.openBlob(found.name, found.status, in: folder)
        }
        guard let file = opened else { throw StoreError(.notFound, "no blob \(digest)", path: bundlePath) }
        guard file.length <= longest else {
            throw StoreError(.corrupt, "blob \(digest) is damaged: it cannot have \(file.length) bytes", path: bundlePath)
        }
        self.file = file
    }

    package var length: Int { file.length }

    /// Looks at a next piece. Nil as long as there is more; an error at the end if it is not what the digest says.
    package func checkPiece() throws(StoreError) -> BlobReader? {
        var piece = [UInt8](repeating: 0, count: min(BlobFolder.pieceSize, length - position + 1))
        let count = try file.read(at: position, into: &piece)
        piece.withUnsafeBytes { sha1.update(UnsafeRawBufferPointer(rebasing: $0.prefix(count))) }
        position += count
        guard count > 0, position <= length else { return try finish(wholeContent: nil) }
        // What is all here need not be read again, and cannot change any more.
        return position == length ? try finish(wholeContent: position == count ? Array(piece.prefix(count)) : nil) : nil
    }

    private func finish(wholeContent: [UInt8]?) throws(StoreError) -> BlobReader {
        guard position == length, BlobDigest(sha1.finish()) == digest else {
            throw StoreError(.corrupt, "blob \(digest) is damaged: its content has another digest", path: bundlePath)
        }
        return BlobReader(file, content: wholeContent)
    }

    /// As it is, for who takes it as it comes.
    package func unchecked() -> BlobReader { BlobReader(file, content: nil) }

    /// Looks at all of it. `progress` is called for each piece, and may throw to stop the work.
    package func check(_ progress: () throws -> Void = {}) throws -> BlobReader {
        while true {
            try progress()
            if let reader = try checkPiece() { return reader }
        }
    }
}

/// A blob that is open to be read at any position, on any thread. Its content was what its digest says when it was looked at, if it was.
package final class BlobReader: Sendable {
    let file: BlobFile
    /// All of it, if it is short.
    private let content: [UInt8]?

    fileprivate init(_ file: BlobFile, content: [UInt8]?) {
        self.file = file
        self.content = content
    }

    package var length: Int { file.length }

    /// Reads from a position on into the beginning of the buffer, and says how many bytes; 0 at the end.
    package func read(at position: Int, into buffer: UnsafeMutableRawBufferPointer) throws(StoreError) -> Int {
        // What was not there when it was looked at is not handed out.
        let count = min(buffer.count, max(0, length - position))
        guard count > 0 else { return 0 }
        let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
        guard let content else { return try file.read(at: position, into: part) }
        content.withUnsafeBytes { part.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[position..<position + count])) }
        return count
    }

    /// Gives all of it to `receive`, piece by piece.
    package func forEachPiece(_ receive: (UnsafeRawBufferPointer) throws -> Void) throws {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: min(BlobFolder.pieceSize, max(1, length)), alignment: 16)
        defer { buffer.deallocate() }
        var position = 0
        while position < length {
            let count = try read(at: position, into: buffer)
            guard count > 0 else { throw StoreError(.corrupt, "\(file.path) became shorter while it was being read") }
            try receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            position += count
        }
    }
}
