import CBLTestSupport
import Testing

@testable import CBLTransport

/// What others on the network say of themselves, whatever that is.
@Suite struct DiscoveryTests {
    private static let id = String(repeating: "0123456789abcdef", count: 2)
    private static let uuid = String(repeating: "fedcba9876543210", count: 2)

    private static func text(_ entries: [String]) -> ServiceText { ServiceText(entries.map { Array($0.utf8) }) }

    @Test func whatIsAnnouncedIsReadAgain() {
        for (isSecure, isInMesh) in [(false, false), (true, false), (false, true), (true, true)] {
            for count in 0...12 {
                let databases = (0..<count).map {
                    PeerAnnouncement.Database(name: "db-\($0) ä/".replacing("/", with: ""), uuid: $0 % 2 == 0 ? Self.uuid : "")
                }
                let announcement = PeerAnnouncement(databases: databases, isSecure: isSecure, isInMesh: isInMesh)
                #expect(PeerAnnouncement(announcement.text) == announcement)
            }
        }
        #expect(PeerAnnouncement.newID() != PeerAnnouncement.newID())
    }

    @Test func whatHasNoRoomIsLeftOut() throws {
        let databases = (0..<200).map { PeerAnnouncement.Database(name: "\($0)" + String(repeating: "x", count: 100), uuid: Self.uuid) }
        let text = PeerAnnouncement(databases: databases).text
        #expect(text.entries.reduce(0) { $0 + $1.count + 1 } <= ServiceText.mostBytes)
        let read = try #require(PeerAnnouncement(text)).databases
        #expect(read.count > 5 && read.map(\.name) == databases.prefix(read.count).map(\.name))
        // A name that is too long for an entry.
        let long = PeerAnnouncement(databases: [.init(name: String(repeating: "x", count: 300), uuid: "")])
        #expect(PeerAnnouncement(long.text)?.databases == [])
    }

    @Test func entriesAreReadAsTheStandardHasIt() {
        let text = Self.text(["Path=/a=b", "flag", "=nothing", "path=second", "empty=", "bad=\u{0}"])
        #expect(text["path"] == "/a=b" && text["PATH"] == "/a=b" && text["flag"] == "" && text["empty"] == "" && text["other"] == nil)
        #expect(ServiceText([[0x61, 0x3D, 0xFF]])["a"] == nil)
        #expect(text["bad"] == "\u{0}")
    }

    @Test(
        arguments: [
            ["db=travel"], ["id="], ["id=5"], ["id=\(id)0"], ["id=\(id.uppercased())"], ["id=\(id.dropLast())g"], ["id"], [],
            ["uuid=\(id)"],
        ])
    func whatIsNotOursIsNot(_ entries: [String]) { #expect(PeerAnnouncement(Self.text(entries)) == nil) }

    @Test(arguments: ["", ".", "..", "_users", "a/b", "a\nb", "a\u{7F}", String(repeating: "x", count: 201)])
    func whatCannotNameADatabaseIsLeftOut(_ name: String) {
        let text = Self.text(["id=\(Self.id)", "db=\(name)", "db2=good", "db3=good", "uuid2=bad"])
        #expect(PeerAnnouncement(text)?.databases == [.init(name: "good", uuid: "")])
    }

    @Test func garbageIsNothingOrSomethingInBounds() throws {
        let entries = PeerAnnouncement(
            databases: [.init(name: "travel", uuid: Self.uuid), .init(name: "häuser", uuid: Self.uuid)], isSecure: true, isInMesh: true
        ).text.entries
        func check(_ entries: [[UInt8]]) {
            let text = ServiceText(entries)
            #expect(text.entries.reduce(0) { $0 + $1.count + 1 } <= ServiceText.mostBytes)
            guard let read = PeerAnnouncement(text) else { return }
            #expect(read.id.utf8.count == 32 && read.databases.count <= PeerAnnouncement.mostDatabases)
            for database in read.databases {
                #expect(
                    !database.name.isEmpty && !database.name.contains("/") && !database.name.unicodeScalars.contains { $0.value < 0x20 })
                #expect(database.uuid.isEmpty || database.uuid.utf8.count == 32)
                // Whatever it is, it makes a URL.
                let peer = FoundPeer(.init(name: "x"), host: "h", port: 1, addresses: ["192.0.2.1"], text: text)
                #expect(peer.urls(of: database.name).count == 1)
            }
        }
        for (place, entry) in entries.enumerated() {
            Mutation.forEachSmall(of: entry) { changed in
                var all = entries
                all[place] = changed
                check(all)
            }
        }
        var random = SeededRandom(2)
        repeatWithin(seconds: 0.5) {
            check(entries.map { Mutation.mutated($0, &random) } + (0..<random.below(400)).map { _ in Mutation.mutated([], &random) })
        }
    }

    @Test func kindsAreToldApart() {
        func kind(_ name: String, _ type: String, _ entries: [String] = []) -> FoundPeer.Kind {
            FoundPeer(.init(name: name, type: type), host: "h.local", port: 1, addresses: [], text: Self.text(entries)).kind
        }
        #expect(kind("a", "_cbl._tcp", ["id=\(Self.id)"]) == .cblite)
        #expect(kind("LiteServ", "_cbl._tcp", ["Key=value"]) == .listener)
        #expect(kind("CouchbaseLite_pc", "_http._tcp") == .listener)
        // What is said under another type is not ours.
        #expect(kind("a", "_couchbaseP2P._tcp", ["id=\(Self.id)"]) == .multipeer)
        #expect(FoundPeer.isOne(.init(name: "CouchbaseLite_pc", type: "_http._tcp")))
        #expect(!FoundPeer.isOne(.init(name: "printer", type: "_http._tcp")))
    }

    @Test func addressesThatCanBeConnectedToComeFirst() {
        let addresses = ["::1", "fe80::1", "2001:db8::1", "127.0.0.1", "192.0.2.7", "192.0.2.7", "nonsense", "1.2.3.4.5", "::ffff:1"]
        let peer = FoundPeer(.init(name: "a"), host: "h.local", port: 4984, addresses: addresses)
        #expect(peer.addresses == ["192.0.2.7", "2001:db8::1", "::ffff:1", "127.0.0.1", "::1"])
        let urls = peer.urls(of: "a b/ü").map(\.description)
        #expect(urls.prefix(2) == ["ws://192.0.2.7:4984/a%20b%2F%C3%BC", "ws://[2001:db8::1]:4984/a%20b%2F%C3%BC"])
        // Without an address there is the name.
        #expect(
            FoundPeer(.init(name: "a"), host: "h.local.", port: 1, addresses: []).urls(of: "d").map(\.description) == ["ws://h.local:1/d"])
        #expect(FoundPeer(.init(name: "a"), host: "h@evil/\n", port: 1, addresses: []).urls(of: "d").isEmpty)
    }

    @Test func namesAreShortenedBetweenLetters() {
        #expect(AvahiDirectory.shortened("kitchen") == "kitchen")
        let name = AvahiDirectory.shortened(String(repeating: "ü", count: 40))
        #expect(name == String(repeating: "ü", count: 31))
    }
}
