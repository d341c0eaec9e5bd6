import CBLBase
import Synchronization

/// What all `Database`s of one file have in common in this process: who waits for its changes, and how many they are.
final class SharedFile: Sendable {
    private let identity: Mutex<FileIdentity?>
    private let madeHub = Mutex<ChangeHub?>(nil)
    private let hasHub = Atomic<Bool>(false)
    /// Blobs that were written inside transactions of this process: once it is another's turn, what refers to them is committed, or was given up.
    let settledBlobs = Mutex<SettledBlobs?>(nil)
    let unsyncedBlobs = UnsyncedBlobs()
    /// Collections that were deleted, each as often as that was done. A list, like that of all files below.
    let deletions = Mutex<[CollectionName]>([])
    /// Who wants to hear of each revision that is stored.
    let witnesses = RevisionWitnesses()

    /// Made with the first one: see below what a set of a type of our own costs before.
    final class SettledBlobs {
        var digests: Set<BlobDigest> = []
    }

    private init(_ identity: FileIdentity?) { self.identity = Mutex(identity) }

    /// For who wants to know what changes. Most programs never do.
    var hub: ChangeHub {
        madeHub.withLock { hub in
            if let hub { return hub }
            let new = ChangeHub()
            hub = new
            hasHub.store(true, ordering: .releasing)
            return new
        }
    }

    /// The same, if anybody ever wanted to. Asked for with each document that is purged.
    var presentHub: ChangeHub? { hasHub.load(ordering: .acquiring) ? madeHub.withLock { $0 } : nil }

    /// A list: they are few, and a dictionary of keys of our own takes as long as opening the file when it is first used.
    private static let all = Mutex<[(file: SharedFile, count: Int)]>([])

    /// The one of a bundle's main file, for one more database. `leave` must follow.
    static func enter(_ bundle: DatabaseBundle) -> SharedFile {
        guard let identity = bundle.status(.main)?.identity else { return SharedFile(nil) }
        return all.withLock { all in
            if let place = all.firstIndex(where: { $0.file.isOf(identity) }) {
                all[place].count += 1
                return all[place].file
            }
            let file = SharedFile(identity)
            all.append((file, 1))
            return file
        }
    }

    private func isOf(_ identity: FileIdentity) -> Bool { self.identity.withLock { $0 == identity } }

    /// After another file was put in its place.
    func moved(to bundle: DatabaseBundle) {
        let identity = bundle.status(.main)?.identity
        SharedFile.all.withLock { _ in self.identity.withLock { $0 = identity } }
    }

    func leave() {
        SharedFile.all.withLock { all in
            guard let place = all.firstIndex(where: { $0.file === self }) else { return }
            all[place].count -= 1
            if all[place].count == 0 { all.remove(at: place) }
        }
    }

    /// How many databases of this process are open on a bundle.
    static func openCount(of bundle: DatabaseBundle) -> Int {
        guard let identity = bundle.status(.main)?.identity else { return 0 }
        return all.withLock { all in all.first { $0.file.isOf(identity) }?.count ?? 0 }
    }
}
