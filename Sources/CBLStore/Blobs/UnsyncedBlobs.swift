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
    private struct Waiting {
        /// What the file is called until then.
        let temporary: String
        /// From before it was written.
        let fileSystem: FileSystemSync?
        /// Whether the disk has failed to take it. A kernel says so once, and that all is well from then on.
        var isDoubtful = false
    }

    /// The blobs that wait for a commit, by their names to be.
    private let waiting = Mutex<[String: Waiting]>([:])
    /// Of two at once, the second finds done what the first did.
    private let synchronizing = Mutex<Void>(())
    /// When so many wait, they get their names before the commit.
    private static let mostWaiting = 2048
    /// For those that come next.
    private let fileSystem = Mutex<FileSystemSync?>(nil)

    private var hasSome: Bool { safe.load(ordering: .acquiring) != noted.load(ordering: .acquiring) }

    /// What the disk can be asked with, for a blob that is written from now on and will wait. Nothing is kept open when none does.
    func fileSystem(of folder: Folder) -> FileSystemSync? {
        fileSystem.withLock { known in
            if known == nil { known = FileSystemSync(of: folder) }
            return known
        }
    }

    func close() { fileSystem.withLock { $0 = nil } }

    func note() { noted.add(1, ordering: .acquiringAndReleasing) }

    /// A blob's file waits for its name. False if too many do. Of two that were written at the same time one is enough, and the other is removed.
    func wait(_ name: String, as temporary: String, _ fileSystem: FileSystemSync?, in folder: Folder) -> Bool {
        defer { note() }
        return waiting.withLock { waiting in
            if let other = waiting[name], folder.status(other.temporary) != nil {
                folder.remove(temporary)
            } else {
                waiting[name] = Waiting(temporary: temporary, fileSystem: fileSystem)
            }
            return waiting.count < UnsyncedBlobs.mostWaiting
        }
    }

    /// What the file of a blob is called that waits for its name.
    func temporaryName(of name: String) -> String? { hasSome ? waiting.withLock { $0[name]?.temporary } : nil }

    /// Waits until the disk has all of them, under their names.
    /// `writeAnew` writes a blob that waits once more, under its name.
    func synchronize(
        _ bundle: DatabaseBundle, _ folder: () throws(StoreError) -> Folder?, writeAnew: (String, Folder) throws -> Void
    ) throws(StoreError) {
        guard hasSome else { return }
        try synchronizing.withLock { _ throws(StoreError) in
            let known = noted.load(ordering: .acquiring)
            guard safe.load(ordering: .relaxed) != known else { return }
            if let folder = try folder() {
                try nameWaiting(in: folder, writeAnew)
                try folder.synchronize()
            }
            if !isFolderSafe.load(ordering: .relaxed) {
                try bundle.folder().synchronize()
                isFolderSafe.store(true, ordering: .relaxed)
            }
            safe.store(known, ordering: .releasing)
        }
    }

    private func forget(_ name: String, _ file: Waiting, in folder: Folder) {
        folder.remove(file.temporary)
        waiting.withLock { if $0[name]?.temporary == file.temporary { $0[name] = nil } }
    }

    private func nameWaiting(in folder: Folder, _ writeAnew: (String, Folder) throws -> Void) throws(StoreError) {
        var files = waiting.withLock { $0 }
        fileSystem.withLock { $0 = nil }
        for (name, file) in files where file.isDoubtful {
            do { try writeAnew(name, folder) } catch let error as StoreError where error.code != .corrupt {
                throw error
            } catch {
                // What can be read no more has to come once more from where it came from.
                forget(name, file, in: folder)
                throw StoreError(.inputOutput, "the disk has lost a new blob", path: folder.path(of: name))
            }
            forget(name, file, in: folder)
            files[name] = nil
        }
        // Of one file system, but for those that were being written when others were named.
        for files in Dictionary(grouping: files, by: { $0.value.fileSystem.map(ObjectIdentifier.init) }).values {
            do {
                try folder.synchronizeContent(of: files.map(\.value.temporary), by: files.first?.value.fileSystem)
            } catch {
                waiting.withLock { for (name, _) in files { $0[name]?.isDoubtful = true } }
                throw error
            }
        }
        for (name, file) in files {
            let isNamed = folder.rename(file.temporary, to: name)
            let reason = errno
            waiting.withLock { if isNamed || reason == ENOENT, $0[name]?.temporary == file.temporary { $0[name] = nil } }
            // One that waited for longer than a day may have been cleared away.
            guard isNamed || folder.status(name) != nil else {
                errno = reason
                throw FileCopy.failure("cannot write", folder.path(of: file.temporary))
            }
        }
    }
}
