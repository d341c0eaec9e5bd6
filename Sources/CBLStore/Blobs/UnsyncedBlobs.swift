import Synchronization

/// Whether the disk may not have the names of all blobs yet. It has to before a document that refers to them is committed, however durable commits are:
/// a commit that the disk got by itself would be there without its blobs.
///
/// One for all databases of a file: whoever commits need not be who wrote the blobs.
final class UnsyncedBlobs: Sendable {
    private let hasSome = Atomic<Bool>(false)
    /// Whether the disk has the folder that they are in.
    private let isFolderSafe = Atomic<Bool>(false)

    func note() { hasSome.store(true, ordering: .releasing) }

    /// Waits until the disk has all of them.
    func synchronize(_ bundle: DatabaseBundle, _ folder: () throws -> Folder?) throws {
        guard hasSome.load(ordering: .relaxed), hasSome.exchange(false, ordering: .acquiringAndReleasing) else { return }
        do {
            try folder()?.synchronize()
            guard !isFolderSafe.load(ordering: .relaxed) else { return }
            try bundle.folder().synchronize()
            isFolderSafe.store(true, ordering: .relaxed)
        } catch {
            note()
            throw error
        }
    }
}
