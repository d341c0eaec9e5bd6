import CBLBase
import Synchronization

/// What all `Database`s of one file have in common in this process: who waits for its changes, and how many they are.
final class SharedFile: Sendable {
    let hub = ChangeHub()
    private let identity: FileIdentity?

    private init(_ identity: FileIdentity?) { self.identity = identity }

    private static let all = Mutex<[FileIdentity: (file: SharedFile, count: Int)]>([:])

    /// The one of a bundle's main file, for one more database. `leave` must follow.
    static func enter(_ bundle: DatabaseBundle) -> SharedFile {
        guard let identity = bundle.status(.main)?.identity else { return SharedFile(nil) }
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

    /// How many databases of this process are open on a bundle.
    static func openCount(of bundle: DatabaseBundle) -> Int {
        guard let identity = bundle.status(.main)?.identity else { return 0 }
        return all.withLock { $0[identity]?.count ?? 0 }
    }
}
