import Glibc
import Synchronization

/// What the disk may not have of the blobs yet. It has to before a document that refers to them is committed, however durable commits are: a commit that
/// the disk got by itself would be there without its blobs.
///
/// Blobs that wait for a commit anyway have names of their own until then (`BlobFolder.untilCommit`): a disk takes many files at once in a fraction of the
/// time that it needs for one after the other, and who finds a file under a blob's name, even after a loss of power, may take it for the blob.
///
/// One for all databases of a file: whoever commits need not be who wrote the blobs.
final class UnsyncedBlobs: Sendable {
    /// How often there was something new, and how much of that the disk has.
    private let noted = Atomic<Int>(0)
    private let safe = Atomic<Int>(0)
    /// Whether the disk has the folder that they are in.
    private let isFolderSafe = Atomic<Bool>(false)
    /// What the files of blobs that wait for a commit are called, by their names to be.
    private let waiting = Mutex<[String: String]>([:])
    /// Of two at once, the second finds done what the first did.
    private let synchronizing = Mutex<Void>(())
    /// When so many wait, they get their names before the commit.
    private static let mostWaiting = 512
    /// So many are quicker when the disk takes everything at once, although that may be more than them.
    private static let many = 8

    private var hasSome: Bool { safe.load(ordering: .acquiring) != noted.load(ordering: .acquiring) }

    func note() { noted.add(1, ordering: .acquiringAndReleasing) }

    /// A blob's file waits for its name. False if too many do.
    func wait(_ name: String, as temporary: String) -> Bool {
        defer { note() }
        return waiting.withLock { waiting in
            waiting[name] = temporary
            return waiting.count < UnsyncedBlobs.mostWaiting
        }
    }

    /// What the file of a blob is called that waits for its name.
    func temporaryName(of name: String) -> String? { hasSome ? waiting.withLock { $0[name] } : nil }

    /// Waits until the disk has all of them, under their names.
    func synchronize(_ bundle: DatabaseBundle, _ folder: () throws(StoreError) -> Folder?) throws(StoreError) {
        guard hasSome else { return }
        try synchronizing.withLock { _ throws(StoreError) in
            let known = noted.load(ordering: .acquiring)
            guard safe.load(ordering: .relaxed) != known else { return }
            if let folder = try folder() {
                try nameWaiting(in: folder)
                try folder.synchronize()
            }
            if !isFolderSafe.load(ordering: .relaxed) {
                try bundle.folder().synchronize()
                isFolderSafe.store(true, ordering: .relaxed)
            }
            safe.store(known, ordering: .releasing)
        }
    }

    private func nameWaiting(in folder: Folder) throws(StoreError) {
        let files = waiting.withLock { $0 }
        if files.count >= UnsyncedBlobs.many, let first = files.values.first { folder.synchronizeFileSystem(of: first) }
        for temporary in files.values { try folder.synchronizeContent(of: temporary) }
        for (name, temporary) in files {
            let isNamed = folder.rename(temporary, to: name)
            let reason = errno
            waiting.withLock { if isNamed || reason == ENOENT, $0[name] == temporary { $0[name] = nil } }
            // One that waited for longer than a day may have been cleared away.
            guard isNamed || folder.status(name) != nil else {
                errno = reason
                throw FileCopy.failure("cannot write", folder.path(of: temporary))
            }
        }
    }
}
