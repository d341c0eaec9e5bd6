import CBLTransport

/// With which of the peers that are found to replicate, and when, as a value: what happens in, what is to be done out. It has no socket and no clock.
///
/// Of two peers in the mesh the one with the smaller number connects, so that there is one connection between them. That is for databases with
/// version vectors. A revision tree has one branch that counts, and whoever meets conflicts with two partners at once can please only one of them:
/// there everybody connects to one that comes before, the first that can be reached, and who has none before to those who connect to nobody. The
/// order is that of the databases' UUIDs, so that it is the same tomorrow. What works is left only when something better does: nobody breaks a
/// connection by announcing that one comes first.
///
/// A peer must have a database of the same name, and speak TLS exactly if this side does: nobody can have a password sent in clear by announcing
/// that there is no TLS.
package struct Mesh {
    /// A database that this side and a peer have.
    package struct Link: Hashable, Sendable {
        /// The number of the peer's run.
        package var peer: String
        package var database: String

        package init(peer: String, database: String) {
            self.peer = peer
            self.database = database
        }
    }

    package enum Event: Sendable {
        case found(FoundPeer)
        case lost(FoundPeer.Service)
        case connected(Link)
        /// The replication is over, for whatever reason.
        case ended(Link)
        /// It is the time that `nextTime` has said.
        case timePassed
    }

    package enum Action: Hashable, Sendable {
        /// To one of its addresses, which take turns.
        case connect(Link, FoundPeer, attempt: Int)
        /// The peer does not offer it any more.
        case leave(Link)
    }

    /// More than these are not kept in mind, whoever fills the network with names.
    package static let mostPeers = 200
    /// Replications that run at the same time.
    package static let mostRunning = 50
    /// In seconds: the first pause after a failure, which doubles, and the longest.
    package static let pauses = (first: 2.0, longest: 300.0)
    /// A connection that has lasted so long was a good one.
    package static let goodTime = 30.0
    /// Who was a partner, with trees, is still the one after so many failures: each change of partners is a risk.
    package static let patience = 3

    private struct Peer {
        /// It may be there under several names while one of them is being given up.
        var services: Set<FoundPeer.Service>
        var latest: FoundPeer
    }

    private struct Progress {
        enum State {
            case waiting(until: Double)
            case running(connectedAt: Double?)
        }

        var state: State
        var failures = 0
        var attempt = 0
        /// To whom it was begun.
        var peer: FoundPeer?
        /// Whether it was ever connected.
        var hasWorked = false
        /// It has been asked to end.
        var isLeaving = false
        /// Another run is known to have taken the place of the peer's.
        var isReplaced = false

        var isRunning: Bool { if case .running = state { true } else { false } }
        var isConnected: Bool { if case .running(_?) = state { !isLeaving } else { false } }
    }

    private let own: PeerAnnouncement
    private let vectorDatabases: Set<String>
    private var peers: [String: Peer] = [:]
    private var links: [Link: Progress] = [:]

    /// `vectorDatabases` are those that have version vectors.
    package init(_ own: PeerAnnouncement, vectorDatabases: Set<String>) {
        self.own = own
        self.vectorDatabases = vectorDatabases
    }

    /// When it wants to be told of the time; nil if nothing waits.
    package var nextTime: Double? {
        guard runningCount < Mesh.mostRunning else { return nil }
        return wanted.compactMap { if case .waiting(let time)? = links[$0]?.state { time } else { nil } }.min()
    }

    /// The replications that were begun and have not ended.
    package var running: Set<Link> { Set(links.filter { $0.value.isRunning }.keys) }
    private var runningCount: Int { links.values.count { $0.isRunning } }

    /// How many seconds a link waits until it is tried again; nil if it does not wait.
    package func pause(of link: Link, at now: Double) -> Double? {
        guard case .waiting(let time)? = links[link]?.state else { return nil }
        return max(0, time - now)
    }

    package mutating func handle(_ event: Event, at now: Double) -> [Action] {
        switch event {
        case .found(let peer): found(peer, now)
        case .lost(let service): lost(service)
        case .connected(let link):
            guard links[link]?.isRunning == true else { break }
            links[link]?.state = .running(connectedAt: now)
            links[link]?.hasWorked = true
        case .ended(let link): ended(link, now)
        case .timePassed: break
        }
        return leave(now) + start(now)
    }

    // Who is there

    private mutating func found(_ peer: FoundPeer, _ now: Double) {
        let id = peer.announcement?.id
        // A service whose number is another one is another run, and so is what listens at the port of one that has gone.
        for (other, known) in peers where other != id && known.services.contains(peer.service) { lost(peer.service) }
        for (link, progress) in links where peers[link.peer] == nil && link.peer != id && progress.peer?.isReplaced(by: peer) == true {
            links[link]?.isReplaced = true
        }
        guard let id, id != own.id else { return }
        let before = peers[id]
        guard before != nil || peers.count < Mesh.mostPeers else { return }
        peers[id] = Peer(services: (before?.services ?? []).union([peer.service]), latest: peer)
        for (link, progress) in links where link.peer == id {
            // Who was away, or has moved, may do better now.
            guard case .waiting(let time) = progress.state, before?.latest != peer else { continue }
            links[link]?.state = .waiting(until: min(time, now + Mesh.pauses.first))
            links[link]?.attempt = 0
        }
    }

    private mutating func lost(_ service: FoundPeer.Service) {
        for (id, var peer) in peers where peer.services.remove(service) != nil { peers[id] = peer.services.isEmpty ? nil : peer }
    }

    /// What there should be, as far as it is known who is there.
    private var wanted: Set<Link> {
        var wanted: Set<Link> = []
        for database in own.databases.map(\.name) {
            let candidates = peers.values.compactMap(\.latest.announcement).filter { announcement in
                announcement.isSecure == own.isSecure && announcement.databases.contains { $0.name == database }
            }
            let chosen =
                vectorDatabases.contains(database)
                ? candidates.filter { !$0.isInMesh || own.id < $0.id }.map(\.id) : partners(of: database, among: candidates)
            wanted.formUnion(chosen.map { Link(peer: $0, database: database) })
        }
        return wanted
    }

    /// Where somebody stands among those who have a database.
    private static func place(of announcement: PeerAnnouncement, _ database: String) -> String {
        (announcement.databases.first { $0.name == database }?.uuid ?? "") + announcement.id
    }

    /// With trees: the first that has not failed, and until that one is there what is there.
    private func partners(of database: String, among candidates: [PeerAnnouncement]) -> [String] {
        let place = Mesh.place(of: own, database)
        let others = candidates.filter(\.isInMesh).map { (place: Mesh.place(of: $0, database), id: $0.id) }
        let before = others.filter { $0.place < place }.sorted { $0.place < $1.place }.map(\.id)
        let alone = candidates.filter { !$0.isInMesh }.map(\.id)
        // Who is not heard of may be there all the same.
        let connected = links.filter { link, progress in
            link.database == database && progress.isConnected && !progress.isReplaced
                && (peers[link.peer] == nil || candidates.contains { $0.id == link.peer })
        }
        let best = before.first { id in
            guard let progress = links[Link(peer: id, database: database)] else { return true }
            return progress.isConnected || !progress.isLeaving && progress.failures <= (progress.hasWorked ? Mesh.patience : 0)
        }
        if let best, connected.keys.contains(where: { $0.peer == best }) { return [best] }
        let kept = connected.filter { $0.value.peer?.announcement?.isInMesh == true }.map(\.key.peer).min()
        if let kept { return [kept] + (best.map { [$0] } ?? []) }
        if let best { return [best] + connected.map(\.key.peer) }
        return before + alone + connected.map(\.key.peer)
    }

    /// Gives up what is not wanted, and takes up what is. With vectors what runs goes on when its peer is not heard of any more: it may be there all the
    /// same, and if it has gone the connection ends.
    private mutating func leave(_ now: Double) -> [Action] {
        let wanted = wanted
        for link in wanted where links[link] == nil { links[link] = Progress(state: .waiting(until: now)) }
        var actions: [Action] = []
        for (link, progress) in links where !wanted.contains(link) {
            let isThere = peers[link.peer] != nil
            guard progress.isRunning else {
                // What has failed is remembered as long as somebody announces it.
                if !isThere || progress.failures == 0 { links[link] = nil }
                continue
            }
            guard isThere || progress.isReplaced || !vectorDatabases.contains(link.database), !progress.isLeaving else { continue }
            links[link]?.isLeaving = true
            actions.append(.leave(link))
        }
        return actions.sorted { "\($0)" < "\($1)" }
    }

    private mutating func ended(_ link: Link, _ now: Double) {
        guard var progress = links[link], case .running(let connectedAt) = progress.state else { return }
        guard !progress.isLeaving, peers[link.peer] != nil else {
            links[link] = nil
            return
        }
        let wasGood = connectedAt.map { now - $0 >= Mesh.goodTime } ?? false
        progress.failures = wasGood ? 1 : progress.failures + 1
        // What could be reached is tried there again.
        if connectedAt == nil { progress.attempt += 1 }
        progress.state = .waiting(until: now + Mesh.pause(failures: progress.failures))
        links[link] = progress
    }

    static func pause(failures: Int) -> Double {
        failures >= 10 ? pauses.longest : min(pauses.first * Double(1 << max(0, failures - 1)), pauses.longest)
    }

    /// Begins what is due, first what has failed least: whoever announces what cannot be reached keeps nobody else waiting.
    private mutating func start(_ now: Double) -> [Action] {
        var room = Mesh.mostRunning - runningCount
        var due: [(failures: Int, link: Link, peer: FoundPeer)] = []
        for link in wanted {
            guard let progress = links[link], case .waiting(let time) = progress.state, time <= now, let peer = peers[link.peer] else {
                continue
            }
            due.append((progress.failures, link, peer.latest))
        }
        due.sort { ($0.failures, $0.link.peer, $0.link.database) < ($1.failures, $1.link.peer, $1.link.database) }
        var actions: [Action] = []
        for (_, link, peer) in due where room > 0 {
            room -= 1
            actions.append(.connect(link, peer, attempt: links[link]?.attempt ?? 0))
            links[link]?.state = .running(connectedAt: nil)
            links[link]?.peer = peer
        }
        return actions
    }
}

extension FoundPeer {
    fileprivate func isReplaced(by other: FoundPeer) -> Bool { service == other.service || (host, port) == (other.host, other.port) }
}
