import CBLBase
import CBLFleece
import CBLTransport

/// `cblite peers`
enum PeersCommand {
    static let declaration = CommandDeclaration(
        "peers", group: .moving,
        summary: "List who can be replicated with on the local network",
        discussion: """
            Asks the local network, by way of the Avahi daemon (mDNS, which others call Bonjour), and lists who answers: databases that \
            "cblite serve --advertise" serves somewhere; listeners of Couchbase Lite 1.x, which do not tell what databases they have; and the vendor's \
            multipeer replicators, with which only apps of their group can replicate.

            "cblite sync DATABASE peer:NAME" replicates with one of them. Anybody on the network can say anything there: who it is that answers \
            under a name, only certificates tell (--cacert, --pin).

            With --json each peer is an object with name, kind (cblite, 1.x or multipeer), host, port, addresses, tls, mesh (whether it connects to others \
            itself), databases and urls.
            """,
        flags: [
            Flag(
                "timeout", value: "SECONDS", .integer(1...PeerSearch.longestPatience),
                "Wait no longer for answers than this (default: \(PeerSearch.usualPatience))")
        ],
        examples: [
            .init("cblite peers", "Who is there."),
            .init("cblite peers --json", "The same as one JSON object per line."),
        ],
        run: run)

    private static let longestShown = 200

    @Sendable private static func run(_ invocation: Invocation) throws -> ExitCode {
        let session = invocation.session
        try invocation.refuseCollection()
        let peers = try PeerSearch.peers(within: invocation.int("timeout") ?? PeerSearch.usualPatience)
        if invocation.wantsJSON {
            for peer in peers { try session.writeFacts { add(peer, to: &$0) } }
            return .success
        }
        guard !peers.isEmpty else {
            session.notice("Nobody was found. \"cblite serve --advertise\" makes a database be found.")
            return .success
        }
        var table = Table([.left("Name"), .left("Kind"), .left("Host"), .right("Port"), .left("Databases")])
        for peer in peers {
            let words = [peer.name, peer.host, peer.databases.joined(separator: ", ")].map { ForeignText.line($0, limit: longestShown) }
            table.add([words[0], peer.kind.rawValue, words[1], "\(peer.port)", words[2]])
        }
        try table.write(to: session)
        return .success
    }

    private static func add(_ peer: FoundPeer, to line: inout JSONObjectWriter) {
        line.add("name", peer.name)
        line.add("kind", peer.kind.rawValue)
        line.add("host", peer.host)
        line.add("port", Int(peer.port))
        line.add("addresses", list: peer.addresses)
        if let announcement = peer.announcement {
            line.add("tls", announcement.isSecure)
            line.add("mesh", announcement.isInMesh)
            line.add("databases", list: peer.databases)
            line.add("urls", list: peer.databases.compactMap { peer.urls(of: $0).first?.description })
        }
    }
}
