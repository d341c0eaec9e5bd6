import CBLBase
import Glibc
import Synchronization

/// Looks every other second whether files have changed that tokens are in.
final class TokenWatch: Sendable {
    private struct Facts: Equatable {
        var modified = timespec()
        var size: Int64 = -1
        var inode: UInt64 = 0

        init(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return }
            (modified, size, inode) = (status.st_mtim, Int64(status.st_size), UInt64(status.st_ino))
        }

        static func == (one: Facts, other: Facts) -> Bool {
            one.modified.tv_sec == other.modified.tv_sec && one.modified.tv_nsec == other.modified.tv_nsec && one.size == other.size
                && one.inode == other.inode
        }
    }

    private let isStopped = Mutex(false)
    private let bell = WaitCondition()

    /// `changed` is called on a thread of its own, with the path.
    init(_ paths: [String], pause: Duration = .seconds(2), _ changed: @escaping @Sendable (String) -> Void) {
        _ = WorkerThread(name: "cblite-tokens") { [self] in
            var known = Dictionary(paths.map { ($0, Facts($0)) }, uniquingKeysWith: { one, _ in one })
            while wait(pause) {
                for path in paths {
                    let facts = Facts(path)
                    guard facts != known[path] else { continue }
                    known[path] = facts
                    changed(path)
                }
            }
        }
    }

    /// False if it is stopped.
    private func wait(_ pause: Duration) -> Bool {
        let end = Deadline(after: pause)
        bell.locked { while !isStopped.withLock({ $0 }), bell.wait(until: end) {} }
        return !isStopped.withLock { $0 }
    }

    func stop() {
        isStopped.withLock { $0 = true }
        bell.locked { bell.signal() }
    }
}
