import CBLBase
import Synchronization

/// What all `Database`s of one file have in common in this process: who waits for its changes, and how many they are.
final class SharedFile: Sendable {
    private struct Identity: Hashable, Sendable {
        let device: UInt64
        let inode: UInt64
    }

    let watchers = WatcherList()
    /// How many documents of each collection were purged because their time had come: what observers can tell it by.
    var expired: [CollectionName: Int] { expirations.withLock { $0 } }
    private let expirations = Mutex<[CollectionName: Int]>([:])
    private let identity: Identity?

    private init(_ identity: Identity?) { self.identity = identity }

    private static let all = Mutex<[Identity: (file: SharedFile, count: Int)]>([:])

    /// The one of a bundle's main file, for one more database. `leave` must follow.
    static func enter(_ bundle: DatabaseBundle) -> SharedFile {
        guard let identity = identity(of: bundle) else { return SharedFile(nil) }
        return all.withLock { all in
            let file = all[identity]?.file ?? SharedFile(identity)
            all[identity, default: (file, 0)].count += 1
            return file
        }
    }

    func leave() {
        guard let identity else { return }
        SharedFile.all.withLock { all in
            all[identity]?.count -= 1
            if all[identity]?.count == 0 { all[identity] = nil }
        }
    }

    func noteExpired(_ counts: [CollectionName: Int]) {
        guard !counts.isEmpty else { return }
        expirations.withLock { $0.merge(counts) { $0.addingClamped($1) } }
    }

    /// How many databases of this process are open on a bundle.
    static func openCount(of bundle: DatabaseBundle) -> Int {
        guard let identity = identity(of: bundle) else { return 0 }
        return all.withLock { $0[identity]?.count ?? 0 }
    }

    private static func identity(of bundle: DatabaseBundle) -> Identity? {
        bundle.status(.main).map { Identity(device: $0.device, inode: $0.inode) }
    }
}
