import CBLBase
import CBLReplication
import CBLStore
import CBLTransport

/// A copy of a server's database for as long as somebody looks at it, in a folder of its own.
final class RemoteCopy {
    let url: String
    /// The bundle; its name tells the database and the server, as the prompt shows them.
    let path: String
    private let folder: PrivateFolder

    private static let purpose = "remote"

    /// Makes the folder. There is no bundle in it yet.
    init(of url: String, isWriteable: Bool) throws {
        let peer = try PeerURL(url)
        self.url = SyncPeers.shown(url)
        let database = peer.path.split(separator: "/").last.flatMap { PercentEncoding.decode($0) } ?? "remote"
        folder = try PrivateFolder.make(for: RemoteCopy.purpose, isPrecious: isWriteable)
        path = "\(folder.path)/\(PrivateFolder.safeName("\(database)@\(peer.host)")).cblite2"
    }

    func remove() { folder.remove() }

    /// Leaves the copy to the person: no session removes it.
    func keep() { folder.keep() }

    /// Removes what sessions left behind that were killed. Gives the bundles that may hold changes, which stay.
    static func removeStale() -> [String] { PrivateFolder.removeStale(of: purpose).filter { $0.hasSuffix(".cblite2") } }
}

extension RemoteCopy {
    /// How many documents were changed since they came, or were last pushed.
    func changedCount() throws -> Int {
        let database = try Database(path: path)
        defer { database.close() }
        return try database.read { try $0.changedCount(sincePushedTo: url) }
    }
}
