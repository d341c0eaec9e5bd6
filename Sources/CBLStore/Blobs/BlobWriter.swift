import CBLBase

/// A blob on its way into the folder of blobs, piece by piece. It gets its name at the end, from its content; without an end it leaves nothing.
package final class BlobWriter {
    private let blobs: BlobFolder
    private let folder: Folder
    private let file: UnfinishedBlobFile
    private let temporary: String
    private var sha1 = SHA1()
    package private(set) var length = 0
    private var isDone = false
    /// What is not in the file yet. A peer's frames have odd lengths, and whole pages are written in less time than parts of them.
    private var gathered: [UInt8] = []
    private static let chunk = 1 << 17

    package init(_ blobs: BlobFolder) throws(StoreError) {
        self.blobs = blobs
        guard !blobs.isReadOnly else { throw StoreError(.readOnly, "the database was opened for reading only", path: blobs.bundle.path) }
        folder = try blobs.bundle.folder().makeFolder(DatabaseBundle.attachmentsName)
        temporary = BlobFolder.unfinishedPrefix + String(UInt64.random(in: .min ... .max), radix: 36)
        file = try blobs.files.makeBlob(temporary, in: folder)
    }

    deinit {
        if !isDone { folder.remove(temporary) }
    }

    package func append(_ bytes: UnsafeRawBufferPointer) throws(StoreError) {
        sha1.update(bytes)
        length += bytes.count
        var rest = bytes
        if !gathered.isEmpty || rest.count < BlobWriter.chunk {
            let part = min(rest.count, BlobWriter.chunk - gathered.count)
            gathered.append(contentsOf: UnsafeRawBufferPointer(rebasing: rest[..<part]))
            rest = UnsafeRawBufferPointer(rebasing: rest[part...])
            guard gathered.count == BlobWriter.chunk else { return }
            try flush()
        }
        let whole = rest.count / BlobWriter.chunk * BlobWriter.chunk
        if whole > 0 { try file.append(UnsafeRawBufferPointer(rebasing: rest[..<whole])) }
        gathered.append(contentsOf: UnsafeRawBufferPointer(rebasing: rest[whole...]))
    }

    private func flush() throws(StoreError) {
        let result = gathered.withUnsafeBytes { bytes in
            Result { () throws(StoreError) in try file.append(bytes) }
        }
        try result.get()
        gathered.removeAll(keepingCapacity: true)
    }

    /// Puts the blob into its place. If `expected` is given and the content has another digest, nothing is stored.
    package func finish(expecting expected: BlobDigest? = nil) throws(StoreError) -> BlobFolder.Stored {
        try flush()
        let digest = BlobDigest(sha1.finish())
        if let expected, expected != digest { throw StoreError(.corrupt, "the content of blob \(expected) has another digest: \(digest)") }
        let name = digest.fileName
        if let present = folder.status(name), present.kind == .file, present.size == file.size {
            // Young again, so that no garbage collection takes it before the document that will refer to it is committed.
            folder.touch(name)
            return BlobFolder.Stored(digest: digest, length: length, isNew: false)
        }
        // With full durability the content is on disk before the name says that it is, and before a document that refers to it is committed.
        // What has the name and is no blob of this length, a link for example, gives way.
        guard file.finish(), folder.rename(temporary, to: name) else { throw FileCopy.failure("cannot write", file.path) }
        isDone = true
        return BlobFolder.Stored(digest: digest, length: length, isNew: true)
    }
}
