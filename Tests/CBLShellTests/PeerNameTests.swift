import CBLTransport
import Testing

@testable import CBLShell

/// What `peer:NAME` means among the peers that are there.
@Suite struct PeerNameTests {
    private static func peer(_ name: String, _ databases: [String]?, type: String = FoundPeer.ownType, isSecure: Bool = false) -> FoundPeer
    {
        let uuid = String(repeating: "0123456789abcdef", count: 2)
        let text = databases.map { names in
            PeerAnnouncement(databases: names.map { .init(name: $0, uuid: uuid) }, isSecure: isSecure).text
        }
        return FoundPeer(
            .init(name: name, type: type), host: "h.local", port: 4984, addresses: ["192.0.2.1"], text: text ?? ServiceText())
    }

    private static let peers = [
        peer("kitchen", ["travel"]), peer("Kitchen", ["notes"]), peer("cellar", ["wine", "beer"], isSecure: true), peer("a/b", ["c"]),
        peer("a", ["b", "d"]),
        peer("LiteServ", nil), peer("phone", nil, type: "_couchbaseP2P._tcp"), peer("empty", []),
    ]

    private func url(_ text: String, beside own: String? = nil) throws(CommandError) -> String {
        guard let name = PeerName(text) else { return "none" }
        return try name.place(among: Self.peers, beside: own).url
    }

    @Test func aPeerAndADatabaseAreMeant() throws {
        #expect(try url("peer:kitchen") == "ws://192.0.2.1:4984/travel" && url("peer:Kitchen") == "ws://192.0.2.1:4984/notes")
        #expect(
            try url("peer:CELLAR", beside: "beer") == "wss://192.0.2.1:4984/beer" && url("peer:cellar/wine") == "wss://192.0.2.1:4984/wine")
        // The only one, whatever the own one is called.
        #expect(try url("peer:kitchen", beside: "notes") == "ws://192.0.2.1:4984/travel")
        // A name with a slash in it comes first.
        #expect(try url("peer:a/b") == "ws://192.0.2.1:4984/c" && url("peer:a/d") == "ws://192.0.2.1:4984/d")
        // Of 1.x it is not known which databases there are, and it speaks another protocol.
        #expect(try url("peer:LiteServ/travel") == "http://192.0.2.1:4984/travel")
        #expect(try url("kitchen") == "none" && url("Peer:kitchen") == "none")
    }

    @Test(
        arguments: [
            ("peer:", "there is no peer \"\""), ("peer:kitschen", "Did you mean \"kitchen\"?"),
            ("peer:KITCHEN", "2 peers are called \"KITCHEN\""),
            ("peer:cellar", "several databases: wine, beer"), ("peer:cellar/water", "has no database \"water\""),
            ("peer:cellar/", "has no database \"\""), ("peer:LiteServ", "does not say which databases"),
            ("peer:LiteServ/", "has no database \"\""), ("peer:phone/travel", "is a multipeer replicator"),
            ("peer:empty", "does not say which databases"), ("peer:x\n\u{1B}[31m", "there is no peer \"x  [31m\""),
        ])
    func mistakesAreExplained(_ text: String, _ message: String) {
        let error = #expect(throws: CommandError.self) { try url(text, beside: "travel") }
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
        #expect(error?.messageLines.count == 1)
    }
}
