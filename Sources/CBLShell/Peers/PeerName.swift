import CBLBase
import CBLTransport

/// A peer by its name: `peer:NAME`, or `peer:NAME/DATABASE`.
struct PeerName {
    static let prefix = "peer:"

    /// What stands behind the colon. A name may have a slash in it, so it takes the peers that are there to tell what is what.
    let text: String

    /// Nil for what is no such name.
    init?(_ text: String) {
        guard text.hasPrefix(PeerName.prefix) else { return nil }
        self.text = String(text.dropFirst(PeerName.prefix.count))
    }

    /// Where a replicator finds it, and by what its database is known, if it says that.
    struct Place {
        let url: String
        let id: String?
    }

    /// Which of these peers is meant, and which of its databases: the only one, or the one that is called as the own one is.
    func place(among peers: [FoundPeer], beside own: String?) throws(CommandError) -> Place {
        var (name, database) = (text, String?.none)
        var matches = PeerName.matches(name, peers)
        if matches.isEmpty, let slash = text.lastIndex(of: "/") {
            (name, database) = (String(text[..<slash]), String(text[text.index(after: slash)...]))
            matches = PeerName.matches(name, peers)
        }
        guard let peer = matches.first else {
            let names = peers.map(\.name)
            throw CommandError(
                .failure,
                lines: ["there is no peer \"\(ForeignText.line(text))\".\(Suggestion.sentence(for: name, in: names, quoted: true))"],
                hints: [peers.isEmpty ? "No peer was found at all." : "There are: \(PeerName.list(names))."])
        }
        guard matches.count == 1 else {
            let hosts = matches.map { "\($0.host) (port \($0.port))" }
            throw .failed(
                "\(matches.count) peers are called \"\(ForeignText.line(name))\": \(PeerName.list(hosts))", hint: "Name a URL instead.")
        }
        if peer.kind == .multipeer {
            throw .failed(
                "\"\(ForeignText.line(name))\" is a multipeer replicator of the vendor's, which lets nobody in but its like")
        }
        let chosen = try PeerName.database(database, of: peer, beside: own)
        guard let url = peer.urls(of: chosen).first else {
            throw .failed("\"\(ForeignText.line(name))\" has no address that can be reached")
        }
        // Listeners of 1.x speak what CouchDB speaks.
        return Place(
            url: peer.kind == .listener ? url.webDescription : url.description,
            id: peer.announcement?.databases.first { $0.name == chosen }.flatMap { $0.uuid.isEmpty ? nil : $0.uuid })
    }

    private static func database(_ named: String?, of peer: FoundPeer, beside own: String?) throws(CommandError) -> String {
        let names = peer.databases
        if let named {
            guard !named.isEmpty, names.isEmpty || names.contains(named) else {
                throw .failed(
                    "\"\(ForeignText.line(peer.name))\" has no database \"\(ForeignText.line(named))\"", hint: "It has \(list(names)).")
            }
            return named
        }
        if names.count == 1 { return names[0] }
        if let own, names.contains(own) { return own }
        guard names.isEmpty else {
            throw .failed("\"\(ForeignText.line(peer.name))\" has several databases: \(list(names))", hint: "peer:NAME/DATABASE names one.")
        }
        throw .failed(
            "\"\(ForeignText.line(peer.name))\" does not say which databases it has", hint: "peer:NAME/DATABASE names one.")
    }

    /// Case does not count in such names; but if one is written just so, that is meant.
    private static func matches(_ name: String, _ peers: [FoundPeer]) -> [FoundPeer] {
        let exact = peers.filter { $0.name == name }
        return exact.isEmpty ? peers.filter { $0.name.lowercased() == name.lowercased() } : exact
    }

    private static let mostListed = 20

    private static func list(_ names: [String]) -> String {
        let shown = names.prefix(mostListed).map { ForeignText.line($0, limit: 100) }.joined(separator: ", ")
        return names.count > mostListed ? shown + ", …" : shown
    }
}
