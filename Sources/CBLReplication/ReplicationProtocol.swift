/// The versions of the replication protocol, and which of them a client asks for.
package enum ReplicationProtocol: Int, Hashable, Comparable, Sendable, CaseIterable {
    /// The default collection alone; deletions are Booleans.
    case v2 = 2
    /// Collections; deletions, revocations and removals are bits.
    case v3 = 3
    /// Version vectors beside revision trees.
    case v4 = 4

    package static func < (a: ReplicationProtocol, b: ReplicationProtocol) -> Bool { a.rawValue < b.rawValue }

    /// The WebSocket subprotocol.
    package var name: String { "BLIP_3+CBMobile_\(rawValue)" }

    package init?(name: String) {
        guard let match = ReplicationProtocol.allCases.first(where: { $0.name == name }) else { return nil }
        self = match
    }

    package var hasCollections: Bool { self >= .v3 }

    /// What a client offers, the best first: the server takes the first that it speaks.
    ///
    /// A pull brings revisions in the server's form, so it must be the form of the database; a push translates. Protocol 2 knows no named
    /// collection.
    package static func offers(usesVectors: Bool, pushes: Bool, pulls: Bool, onlyDefaultCollection: Bool) -> [ReplicationProtocol] {
        var list: [ReplicationProtocol] = []
        if usesVectors {
            list = [.v4]
            if !pushes { list.append(.v3) }
        } else {
            list = [.v3]
            if !pulls { list.append(.v4) }
            if onlyDefaultCollection { list.append(.v2) }
        }
        return list
    }

    /// What a server takes of a client's list; nil if it speaks none of them.
    package static func choice(from offers: [String], supported: Set<ReplicationProtocol>) -> ReplicationProtocol? {
        offers.lazy.compactMap { ReplicationProtocol(name: $0) }.first { supported.contains($0) }
    }
}
