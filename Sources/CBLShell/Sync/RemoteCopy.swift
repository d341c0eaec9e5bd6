import CBLBase
import CBLLanguage
import CBLReplication
import CBLStore
import CBLTransport
import FoundationEssentials
import Glibc

/// A copy of a server's database for as long as somebody looks at it, in a folder of its own.
///
/// The folder has a file that is locked while the copy is in use. What a session that was killed left behind is known by its file that nobody locks,
/// and removed by the next one; unless it was open for changes, which somebody may miss.
final class RemoteCopy {
    let url: String
    /// The bundle; its name tells the database and the server, as the prompt shows them.
    let path: String
    private let folder: String
    private let lock: Int32

    private static let prefix = "cblite-remote-"
    private static let lockName = "lock"

    /// Makes the folder. There is no bundle in it yet.
    init(of url: String, isWriteable: Bool) throws {
        let peer = try PeerURL(url)
        self.url = SyncPeers.shown(url)
        let database = peer.path.split(separator: "/").last.flatMap { PercentEncoding.decode($0) } ?? "remote"
        let name = "\(database)@\(peer.host)".map { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.@".contains($0)) ? $0 : "_" }
        var template = Array("\(RemoteCopy.parent)/\(RemoteCopy.prefix)XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw CommandError.system(RemoteCopy.parent, errno: errno) }
        folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        path = "\(folder)/\(String(name).prefix(100)).cblite2"
        // Locked before it has its name, by which others look for it.
        let unnamed = folder + "/" + RemoteCopy.lockName + ".new"
        lock = open(unnamed, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw CommandError.system(unnamed, errno: errno) }
        flock(lock, LOCK_EX)
        if isWriteable { _ = "w".withCString { write(lock, $0, 1) } }
        rename(unnamed, folder + "/" + RemoteCopy.lockName)
    }

    private static var parent: String {
        let named = Terminal.environment("TMPDIR") ?? ""
        return named.hasPrefix("/") ? named : "/tmp"
    }

    func remove() { try? FileManager.default.removeItem(atPath: folder) }

    /// Leaves the copy to the person: no session removes it.
    func keep() { unlink(folder + "/" + RemoteCopy.lockName) }

    deinit { close(lock) }

    /// Removes what sessions left behind that were killed. Gives the bundles that may hold changes, which stay.
    static func removeStale() -> [String] {
        let parent = parent
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
        var kept: [String] = []
        for name in names where name.hasPrefix(prefix) {
            let folder = parent + "/" + name
            var facts = stat()
            guard lstat(folder, &facts) == 0, facts.st_mode & S_IFMT == S_IFDIR, facts.st_uid == getuid() else { continue }
            let lock = open(folder + "/" + lockName, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
            guard lock >= 0 else { continue }
            defer { close(lock) }
            guard flock(lock, LOCK_EX | LOCK_NB) == 0, fstat(lock, &facts) == 0 else { continue }
            if facts.st_size == 0 {
                try? FileManager.default.removeItem(atPath: folder)
            } else {
                let bundles = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
                kept += bundles.filter { $0.hasSuffix(".cblite2") }.map { folder + "/" + $0 }
            }
        }
        return kept
    }
}

extension RemoteCopy {
    /// How many documents were changed since they came, or were last pushed.
    func changedCount() throws -> Int {
        let database = try Database(path: path)
        defer { database.close() }
        return try database.read { try $0.changedCount(sincePushedTo: url) }
    }
}
