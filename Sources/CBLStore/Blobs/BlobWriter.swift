import CBLBase

/// A blob on its way into the folder of blobs, piece by piece. It gets its name at the end, from its content; without an end it leaves nothing.
package final class BlobWriter {
    private let blobs: BlobFolder
    private let folder: Folder
    private let fileSystem: FileSystemSync?
    private let file: UnfinishedBlobFile
    private var sha1 = SHA1()
    package private(set) var length = 0
    /// What is not in the file yet. A peer's frames have odd lengths, and whole pages are written in less time than parts of them.
    private var gathered: [UInt8] = []
    private static let chunk = 1 << 17

    package init(_ blobs: BlobFolder) throws(StoreError) {
        self.blobs = blobs
        (folder, fileSystem) = try blobs.folderToWrite()
        file = try blobs.files.makeBlob(in: folder)
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
        if let stored = try blobs.present(digest, length, in: folder) { return stored }
        try blobs.finish(file, name, fileSystem, in: folder)
        return BlobFolder.Stored(digest: digest, length: length, isNew: true)
    }
}

extension BlobFolder {
    /// The folder, made if it is not there, and what the disk can be asked with for blobs that wait.
    fileprivate func folderToWrite() throws(StoreError) -> (Folder, FileSystemSync?) {
        guard !isReadOnly else { throw StoreError(.readOnly, "the database was opened for reading only", path: bundle.path) }
        let folder = if let folder = try folder() { folder } else { try bundle.folder().makeFolder(DatabaseBundle.attachmentsName) }
        return (folder, namesWithCommit ? unsynced.fileSystem(of: folder) : nil)
    }

    /// A blob that is there already. What has its name and is no file of such a length, a link for example, is not it.
    fileprivate func present(_ digest: BlobDigest, _ length: Int, in folder: Folder) throws(StoreError) -> Stored? {
        guard let present = find(digest, in: folder), present.status.kind == .file, present.status.size == files.blobFileSize(length)
        else { return nil }
        unsynced.note()
        // Young again, so that no garbage collection takes it before the document that will refer to it is committed.
        folder.touch(present.name)
        // It waits for a commit that need not follow this time.
        if !namesWithCommit, present.name.hasPrefix(BlobFolder.unfinishedPrefix) { try synchronize() }
        return Stored(digest: digest, length: length, isNew: false)
    }

    /// Gives a complete file its name, now or with the next commit.
    fileprivate func finish(
        _ file: UnfinishedBlobFile, _ name: String, _ fileSystem: FileSystemSync?, in folder: Folder
    ) throws(StoreError) {
        guard namesWithCommit, let temporary = try file.finishForLater() else {
            try file.finish(name)
            return unsynced.note()
        }
        if !unsynced.wait(name, as: temporary, fileSystem, in: folder) { try synchronize() }
    }

    /// Writes the file of a blob that waits for its name once more, which it gets then.
    func writeAnew(_ name: String, in folder: Folder) throws {
        guard let digest = BlobDigest(fileName: name) else { return }
        try files.writeContent(of: UncheckedBlob(self, digest).check().file, folder, as: name)
    }

    /// Stores bytes.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(StoreError) -> Stored {
        let (folder, fileSystem) = try folderToWrite()
        var sha1 = SHA1()
        sha1.update(bytes)
        let digest = BlobDigest(sha1.finish())
        let name = digest.fileName
        if let stored = try present(digest, bytes.count, in: folder) { return stored }
        let file = try files.makeBlob(in: folder)
        try file.append(bytes)
        try finish(file, name, fileSystem, in: folder)
        return Stored(digest: digest, length: bytes.count, isNew: true)
    }
}
