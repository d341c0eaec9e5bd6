import CBLBase
import CBLFleece
import Glibc
import Synchronization

/// The folder `Attachments`: files named after the digest of their content. Content goes in and out in pieces, so a blob may be larger than
/// memory. The folder is made with the first blob.
package struct BlobFolder: Sendable {
    let files: FileAccess
    private let opened = OpenedFolder()
    let unsynced: UnsyncedBlobs
    /// Whether what is written gets its name with the next commit.
    private(set) var namesWithCommit = false
    var bundle: DatabaseBundle { files.bundle }
    var isReadOnly: Bool { files.isReadOnly }
    var databasePath: String { bundle.path }
    static let pieceSize = 1 << 18

    init(_ files: FileAccess, unsynced: UnsyncedBlobs = UnsyncedBlobs()) {
        self.files = files
        self.unsynced = unsynced
    }

    /// The same folder for who writes blobs of documents that are saved next, in this process: they are there for everybody in it at once, and for others
    /// when the next document is committed. Many take a fraction of the time so.
    package var untilCommit: BlobFolder {
        var folder = self
        folder.namesWithCommit = true
        return folder
    }

    /// Waits until the disk has all blobs and their names: before a commit.
    func synchronize() throws(StoreError) { try unsynced.synchronize(bundle, folder, writeAnew: writeAnew) }

    /// What the names of blobs begin with until they are complete.
    static let unfinishedPrefix = "incoming_"

    /// The folder, open; nil if there is none yet. An error if something else has its place.
    func folder() throws(StoreError) -> Folder? {
        if !bundle.isLoneFile, let folder = try opened.folder(at: bundle.attachmentsPath) { return folder }
        return isReadOnly ? try opened.folder(at: bundle.version1AttachmentsPath) : nil
    }

    /// Finds a blob's file in the folder, under the names that releases give it.
    func find(_ digest: BlobDigest, in folder: Folder) -> (name: String, status: FileStatus)? {
        let name = digest.fileName
        // In this order: it may get its name just now.
        if let temporary = unsynced.temporaryName(of: name), let status = folder.status(temporary) { return (temporary, status) }
        if let status = folder.status(name) { return (name, status) }
        guard isReadOnly else { return nil }
        for name in digest.version1FileNames { if let status = folder.status(name) { return (name, status) } }
        return nil
    }

    /// The digest that a file of the folder has in its name. In 1.x two names can stand for the same: one of them has it.
    private func digest(ofFileNamed name: String, in folder: Folder) -> BlobDigest? {
        if let digest = BlobDigest(fileName: name) { return digest }
        guard isReadOnly, let digest = BlobDigest(version1FileName: name), find(digest, in: folder)?.name == name else { return nil }
        return digest
    }

    /// The folder that was found last, wherever it stands now: what it has under a digest is right in any case.
    var knownFolder: Folder? { opened.last }

    /// Keeps nothing open until it is needed again.
    func close() {
        opened.forget()
        unsynced.close()
    }

    /// What stands in a blob's place.
    func status(of digest: BlobDigest) -> FileStatus? { (try? folder()).flatMap { $0 }.flatMap { find(digest, in: $0)?.status } }

    package func exists(_ digest: BlobDigest) -> Bool { size(of: digest) != nil }

    /// Nil if there is no file; what else has its place is no blob.
    package func size(of digest: BlobDigest) -> Int? {
        guard let folder = (try? folder()).flatMap({ $0 }), let found = find(digest, in: folder) else { return nil }
        return files.blobLength(found.name, found.status, in: folder)
    }

    /// Whether something else than a file has its place, such as a link, which is not followed.
    package func hasForeignFile(for digest: BlobDigest) -> Bool { status(of: digest).map { $0.kind != .file } ?? false }

    /// All blobs, in the order in which they are read most quickly.
    package func list() throws(StoreError) -> [BlobDigest] {
        guard let folder = try readableFolder() else { return [] }
        return try named().filter { find($0, in: folder)?.status.kind == .file }
    }

    /// The same, whatever it is that has a blob's name. `others` gets the other names.
    func named(others: (String) -> Void = { _ in }) throws(StoreError) -> [BlobDigest] {
        guard let folder = try readableFolder() else { return [] }
        return try folder.digests { name in
            let digest = digest(ofFileNamed: name, in: folder)
            if digest == nil { others(name) }
            return digest
        }
    }

    /// How many blobs there are, and how large they are together.
    package struct Totals: Sendable {
        package fileprivate(set) var count = 0
        package fileprivate(set) var bytes = 0
        /// False if there may be more.
        package fileprivate(set) var isComplete = true
    }

    /// Looks at so many at most: there may be a million. `check` is called for each, and may throw to stop the work.
    package func totals(lookingAtMost most: Int = .max, check: () throws -> Void = {}) throws -> Totals {
        var totals = Totals()
        guard let folder = try readableFolder() else { return totals }
        for name in try folder.listing() {
            try check()
            guard totals.count < most else {
                totals.isComplete = false
                break
            }
            guard digest(ofFileNamed: name, in: folder) != nil, let status = folder.status(name), status.kind == .file,
                let length = files.blobLength(name, status, in: folder)
            else { continue }
            totals.count += 1
            totals.bytes = totals.bytes.addingClamped(length)
        }
        return totals
    }

    /// The same for who reads on without blobs where something else has the folder's place.
    func readableFolder() throws(StoreError) -> Folder? {
        do { return try folder() } catch { if error.code == .corrupt { return nil } else { throw error } }
    }

    /// What was written: its digest, its length, and whether it was not there before.
    package struct Stored: Hashable, Sendable {
        package let digest: BlobDigest
        package let length: Int
        package let isNew: Bool
    }

    /// Stores what a file descriptor gives until its end.
    package func write(from descriptor: Int32) throws(StoreError) -> Stored {
        try write { buffer throws(StoreError) in
            let count = SystemCall.retrying { Glibc.read(descriptor, buffer.baseAddress, buffer.count) }
            guard count >= 0 else { throw StoreError(.inputOutput, "cannot read the content of the blob: \(FileStatus.reason())") }
            return count
        }
    }

    /// Stores what `next` puts into the buffer it is given, piece by piece, until it gives 0.
    package func write(next: (UnsafeMutableRawBufferPointer) throws(StoreError) -> Int) throws(StoreError) -> Stored {
        let writer = try BlobWriter(self)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: BlobFolder.pieceSize, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let count = try next(buffer)
            if count == 0 { return try writer.finish() }
            try writer.append(UnsafeRawBufferPointer(rebasing: buffer.prefix(count)))
        }
    }

    /// Gives a blob's content to `receive`, piece by piece, once all of it was seen to be what its digest says. Damaged content is an error
    /// before the first piece. `checking` is called for each piece that is looked at before, and may throw to stop the work.
    package func read(
        _ digest: BlobDigest, atMost longest: Int = BlobFolder.longest, checking: () throws -> Void = {},
        _ receive: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        try UncheckedBlob(self, digest, atMost: longest).check(checking).forEachPiece(receive)
    }

    /// Throws if a blob's content is not what its digest says.
    package func check(_ digest: BlobDigest, checking: () throws -> Void = {}) throws {
        _ = try UncheckedBlob(self, digest).check(checking)
    }

    /// Longer ones are not even looked at: a file with holes may claim to be of any length.
    package static let longest = 1 << 40
}

/// A folder that is opened once, as long as it stands where it stood.
private final class OpenedFolder: Sendable {
    private struct Known {
        let folder: Folder
        let identity: FileIdentity
    }

    private let known = Mutex<Known?>(nil)

    /// The folder at a path; nil if there is nothing.
    func folder(at path: String) throws(StoreError) -> Folder? {
        if let status = FileStatus(path), let known = known.withLock({ $0 }), known.identity == status.identity { return known.folder }
        guard let folder = try Folder(path) else { return nil }
        if let status = folder.status { known.withLock { $0 = Known(folder: folder, identity: status.identity) } }
        return folder
    }

    var last: Folder? { known.withLock { $0?.folder } }

    func forget() { known.withLock { $0 = nil } }
}
