import Synchronization

/// The blobs of a file that have their names, and of which the disk may not have everything yet: it has to before a document that refers to them is
/// committed, however durable commits are. A commit that the disk got by itself would otherwise be there without its blobs.
///
/// One for all databases of a file: whoever commits need not be who wrote the blobs.
final class UnsyncedBlobs: Sendable {
    private struct State {
        var names: [String] = []
        /// Those that the disk has failed to take.
        var doubtful: [String] = []
        /// Whether the disk has the folder that they are in.
        var isFolderSafe = false
    }

    private let state = Mutex(State())
    private let hasSome = Atomic<Bool>(false)

    func note(_ name: String) {
        state.withLock { $0.names.append(name) }
        hasSome.store(true, ordering: .releasing)
    }

    func contains(_ name: String) -> Bool { state.withLock { $0.names.contains(name) } }

    /// Waits until the disk has all of them. One commit at a time does so.
    func synchronize(_ files: FileAccess, _ folder: () throws -> Folder?) throws {
        guard hasSome.exchange(false, ordering: .acquiringAndReleasing) else { return }
        let state = state.withLock { state in
            let taken = state
            state.names = []
            return taken
        }
        do {
            guard let folder = try folder() else { return }
            for name in state.doubtful { try files.rewriteBlob(name, in: folder) }
            try folder.synchronize(state.names)
            if !state.isFolderSafe { try files.bundle.folder().synchronize() }
        } catch {
            self.state.withLock {
                $0.names += state.names
                $0.doubtful = state.names
            }
            hasSome.store(true, ordering: .releasing)
            throw error
        }
        self.state.withLock { ($0.doubtful, $0.isFolderSafe) = ([], true) }
    }
}
