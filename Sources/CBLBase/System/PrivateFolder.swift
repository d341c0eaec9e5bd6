import Glibc

/// A folder for what lasts as long as the program runs, that others cannot look into.
///
/// It has a file that is locked while the folder is in use. What a session that was killed left behind is known by its file that nobody locks, and
/// removed by the next one; unless it is precious, and somebody may miss it.
package final class PrivateFolder: Sendable {
    package let path: String
    private let lock: Int32

    private static let lockName = "lock"

    /// `purpose` is a part of its name.
    package init(for purpose: String, isPrecious: Bool = false) throws(FolderTree.Failure) {
        var template = Array("\(PrivateFolder.parent)/\(PrivateFolder.prefix(purpose))XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw FolderTree.Failure(path: PrivateFolder.parent, errno: errno) }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        // Locked before it has its name, by which others look for it.
        let unnamed = path + "/" + PrivateFolder.lockName + ".new"
        lock = open(unnamed, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw FolderTree.Failure(path: unnamed, errno: errno) }
        flock(lock, LOCK_EX)
        if isPrecious { _ = "w".withCString { write(lock, $0, 1) } }
        rename(unnamed, path + "/" + PrivateFolder.lockName)
    }

    deinit { close(lock) }

    /// A terminal that is closed may send its signal more than once: all of it goes first.
    package func remove() {
        var (signals, former) = (sigset_t(), sigset_t())
        sigemptyset(&signals)
        for signal in [SIGHUP, SIGTERM, SIGINT] { sigaddset(&signals, signal) }
        pthread_sigmask(SIG_BLOCK, &signals, &former)
        PrivateFolder.remove(path)
        pthread_sigmask(SIG_SETMASK, &former, nil)
    }

    /// The lock last: what it lies in can be found by it.
    private static func remove(_ folder: String) {
        for name in (try? FolderTree.names(in: folder)) ?? [] where name != lockName { FolderTree.remove(folder + "/" + name) }
        FolderTree.remove(folder)
    }

    /// Leaves it to the person: no session removes it.
    package func keep() { unlink(path + "/" + PrivateFolder.lockName) }

    private static func prefix(_ purpose: String) -> String { "cblite-\(purpose)-" }

    private static var parent: String {
        let named = getenv("TMPDIR").map { String(cString: $0) } ?? ""
        return named.hasPrefix("/") ? named : "/tmp"
    }

    /// Removes what sessions left behind that were killed. Gives what is in the precious ones, which stay.
    @discardableResult
    package static func removeStale(of purpose: String) -> [String] {
        let names = (try? FolderTree.names(in: parent)) ?? []
        var kept: [String] = []
        for name in names where name.hasPrefix(prefix(purpose)) {
            let folder = parent + "/" + name
            var facts = stat()
            guard lstat(folder, &facts) == 0, facts.st_mode & S_IFMT == S_IFDIR, facts.st_uid == getuid() else { continue }
            let lock = open(folder + "/" + lockName, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
            guard lock >= 0 else { continue }
            defer { close(lock) }
            guard flock(lock, LOCK_EX | LOCK_NB) == 0, fstat(lock, &facts) == 0 else { continue }
            if facts.st_size == 0 {
                remove(folder)
            } else {
                kept += ((try? FolderTree.names(in: folder)) ?? []).map { folder + "/" + $0 }
            }
        }
        return kept
    }
}
