import CBLTestSupport

@testable import CBLReplication
@testable import CBLTransport

/// A local network on which servers are told of, and find each other, as far as `Mesh` sees it. News takes its time, and servers come and go.
final class MeshModel {
    /// Who connects to whom.
    struct Pair: Hashable, Comparable {
        var client: Int
        var server: Int

        static func < (a: Pair, b: Pair) -> Bool { (a.client, a.server) < (b.client, b.server) }
    }

    /// What a server is.
    struct Server {
        var databases = ["db"]
        var isSecure = false
        var isInMesh = true
    }

    private struct Place {
        var server: Server
        var announcement: PeerAnnouncement
        var service: FoundPeer.Service
        var port: UInt16
        /// Of its databases, which stay the same.
        var uuids: [String]
        var mesh: Mesh
        var isThere = false
        /// What it has not heard yet.
        var news: [Mesh.Event] = []
        var running: [Mesh.Link: Int] = [:]
    }

    private var places: [Place] = []
    private let usesVectors: Bool
    private var ids: SeededRandom
    private(set) var now = 0.0
    /// What should not have been.
    private(set) var complaint: String?

    init(_ servers: [Server], usesVectors: Bool, seed: UInt64) {
        self.usesVectors = usesVectors
        ids = SeededRandom(seed)
        for (number, server) in servers.enumerated() {
            let uuids = server.databases.map { _ in ids.below(8) == 0 ? "" : MeshModel.digits(&ids) }
            let announcement = MeshModel.announcement(server, uuids, &ids)
            places.append(
                Place(
                    server: server, announcement: announcement, service: .init(name: "server \(number)"), port: UInt16(1000 + number),
                    uuids: uuids, mesh: mesh(announcement)))
        }
        for number in places.indices { appear(number) }
    }

    private func mesh(_ announcement: PeerAnnouncement) -> Mesh {
        Mesh(announcement, vectorDatabases: usesVectors ? Set(announcement.databases.map(\.name)) : [])
    }

    private static func digits(_ random: inout SeededRandom) -> String {
        String((0..<32).map { _ in random.element(of: Array("0123456789abcdef")) })
    }

    private static func announcement(_ server: Server, _ uuids: [String], _ ids: inout SeededRandom) -> PeerAnnouncement {
        let id = digits(&ids)
        return PeerAnnouncement(
            id: id, databases: zip(server.databases, uuids).map { .init(name: $0, uuid: $1) }, isSecure: server.isSecure,
            isInMesh: server.isInMesh)
    }

    private func peer(_ number: Int) -> FoundPeer {
        let place = places[number]
        return FoundPeer(
            place.service, host: "host\(number).local", port: place.port, addresses: ["192.0.2.\(number)", "198.51.100.\(number)"],
            text: place.announcement.text)
    }

    private func tell(_ event: Mesh.Event) { for number in places.indices { places[number].news.append(event) } }

    func appear(_ number: Int) {
        guard !places[number].isThere else { return }
        places[number].isThere = true
        tell(.found(peer(number)))
    }

    func disappear(_ number: Int) {
        guard places[number].isThere else { return }
        places[number].isThere = false
        tell(.lost(places[number].service))
    }

    /// Another run of the server, whose connections are gone: its number is another one, and its name may be. Gives what is to be left.
    func restart(_ number: Int, named name: String? = nil) -> [Pair] {
        disappear(number)
        let leaving = running.sorted().filter { $0.server == number }.flatMap { ended($0) }
        places[number].announcement = MeshModel.announcement(places[number].server, places[number].uuids, &ids)
        places[number].mesh = mesh(places[number].announcement)
        places[number].news = places.indices.filter { places[$0].isThere }.map { .found(peer($0)) }
        places[number].running = [:]
        if let name { places[number].service.name = name }
        appear(number)
        return leaving
    }

    var names: [String] { places.map(\.service.name) }

    /// What all have begun.
    var running: Set<Pair> {
        Set(places.enumerated().flatMap { number, place in place.running.values.map { Pair(client: number, server: $0) } })
    }

    /// Whom a server could connect to for a database: with trees one of the first list, or all of the second if that is empty; with vectors all.
    private func partners(_ a: Int, _ database: String) -> (choice: [Int], all: [Int]) {
        let one = places[a]
        guard one.server.isInMesh, one.server.databases.contains(database) else { return ([], []) }
        let others = places.indices.filter { b in
            b != a && places[b].server.isSecure == one.server.isSecure && places[b].server.databases.contains(database)
        }
        let alone = others.filter { !places[$0].server.isInMesh }
        let inMesh = others.filter { places[$0].server.isInMesh }
        if usesVectors { return ([], inMesh.filter { places[$0].announcement.id > one.announcement.id } + alone) }
        let before = inMesh.filter { standing($0, database) < standing(a, database) }
        return before.isEmpty ? ([], alone) : (before.sorted { standing($0, database) < standing($1, database) }, [])
    }

    private func standing(_ number: Int, _ database: String) -> String {
        (places[number].announcement.databases.first { $0.name == database }?.uuid ?? "") + places[number].announcement.id
    }

    /// What there is when nothing ever fails.
    var expected: Set<Pair> {
        var pairs: Set<Pair> = []
        for a in places.indices {
            for database in places[a].server.databases {
                let (choice, all) = partners(a, database)
                pairs.formUnion((choice.prefix(1) + all).map { Pair(client: a, server: $0) })
            }
        }
        return pairs
    }

    /// What is not as it should be when all are there and have heard everything; nil if nothing is.
    var imperfection: String? {
        for a in places.indices {
            for database in places[a].server.databases {
                let (choice, all) = partners(a, database)
                let found = places[a].running.filter { $0.key.database == database }.map(\.value).sorted()
                let isRight = choice.isEmpty ? found == all.sorted() : found.count == 1 && choice.contains(found[0])
                if !isRight { return "\(a) has \(found) for \(database), of \(choice) or \(all)" }
            }
        }
        return nil
    }

    /// All that there may be at some time.
    var possible: Set<Pair> {
        var pairs: Set<Pair> = []
        for a in places.indices {
            for b in places.indices where a != b {
                let isBefore = usesVectors ? places[a].announcement.id < places[b].announcement.id : standing(b, "db") < standing(a, "db")
                if isBefore { pairs.insert(Pair(client: a, server: b)) }
            }
        }
        return pairs
    }

    /// Lets one thing happen; if not `isStable`, somebody may also come or go. Gives what is to be left.
    func step(_ random: inout SeededRandom, isStable: Bool = false) -> [Pair] {
        let number = random.below(places.count)
        switch random.below(10) {
        case 0 where !isStable: if places[number].isThere { disappear(number) } else { appear(number) }
        case 1, 2:
            now += Double(1 + random.below(100))
            return places.indices.flatMap { act($0, .timePassed) }
        default:
            guard !places[number].news.isEmpty else { return [] }
            return act(number, places[number].news.removeFirst())
        }
        return []
    }

    func connected(_ pair: Pair) -> [Pair] {
        places[pair.client].running.filter { $0.value == pair.server }.flatMap { act(pair.client, .connected($0.key)) }
    }

    func ended(_ pair: Pair) -> [Pair] {
        var leaving: [Pair] = []
        for (link, server) in places[pair.client].running where server == pair.server {
            places[pair.client].running[link] = nil
            leaving += act(pair.client, .ended(link))
        }
        return leaving
    }

    private func act(_ number: Int, _ event: Mesh.Event) -> [Pair] {
        guard places[number].server.isInMesh else { return [] }
        var leaving: [Pair] = []
        for action in places[number].mesh.handle(event, at: now) {
            switch action {
            case .connect(let link, let peer, _):
                let server = Int(peer.port) - 1000
                if server == number { complaint = "\(number) connects to itself" }
                if places[number].running[link] != nil { complaint = "\(number) connects to \(server) once more" }
                if peer.isSecure != places[number].server.isSecure {
                    complaint = "\(number) connects to \(server), which has another kind of TLS"
                }
                if !places[number].server.databases.contains(link.database) { complaint = "\(number) has no \(link.database)" }
                places[number].running[link] = server
            case .leave(let link): if let server = places[number].running[link] { leaving.append(Pair(client: number, server: server)) }
            }
        }
        return leaving
    }

    /// Ends what is to be left, and what is to be left because of that.
    func finish(_ leaving: [Pair]) { for pair in leaving { finish(ended(pair)) } }

    /// All are there, have heard everything, and connect.
    func settle() {
        for number in places.indices { appear(number) }
        for number in places.indices {
            for event in places[number].news { finish(act(number, event)) }
            places[number].news = []
        }
        for _ in 0..<5 {
            for pair in running.sorted() { finish(connected(pair)) }
            now += Mesh.pauses.longest + 1
            for number in places.indices { finish(act(number, .timePassed)) }
        }
        for pair in running.sorted() { finish(connected(pair)) }
    }
}
