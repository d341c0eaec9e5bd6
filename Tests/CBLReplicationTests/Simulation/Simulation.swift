import CBLFleece
import CBLStore
import CBLTestSupport

@testable import CBLReplication

/// Several databases, perhaps a gateway, and a network that is no friend of theirs. Everything that happens is drawn from one seed.
final class Simulation: @unchecked Sendable {
    // Sendable, for the sake of closures that want it: there is one thread.
    struct Failure: Error, CustomStringConvertible {
        let seed: UInt64
        let step: Int
        let reason: String
        let climate: String
        var description: String { "seed \(seed), step \(step): \(reason) [\(climate)]" }
    }

    /// Who replicates with whom.
    struct Route {
        let client: Int
        /// Nil for the gateway.
        let server: Int?
    }

    let seed: UInt64
    var random: SeededRandom
    let climate: Climate
    let gateway: GatewayModel
    private(set) var replicas: [Replica] = []
    let collections: [CollectionName]
    private let directory: TemporaryDirectory
    private var routes: [Route] = []
    /// How replicas of a mesh find each other.
    private let network: MeshModel?
    private var partners: [Replica.Partner] = []
    private(set) var links: [Link] = []
    private(set) var step = 0
    private var editCount = 0
    var everDeleted: Set<String> = []
    var created: Set<String> = []
    /// What the gateway had, and has not any more since it went back.
    var withdrawn: Set<String> = []
    /// By document, who wrote it: replicas by number, the gateway as -1.
    var writers: [String: Set<Int>] = [:]
    /// Every body that anybody wrote, in canonical JSON without attachments.
    var bodies: Set<String> = ["{}"]
    /// Documents that nobody touches any more.
    var graveyard: Set<String> = []
    private(set) var usesFaults = true
    /// Whether the network was there for a whole round.
    private(set) var isHealed = false
    private var names: [String]

    static let resolverFailure = "no idea what to do"

    init(seed: UInt64, documents: Int = 12) throws {
        self.seed = seed
        random = SeededRandom(seed)
        names = Simulation.names(seed: seed, documents)
        climate = Climate(&random, documents: names, isCrowded: Simulation.isCrowded(seed))
        let clock = SimulatedClock(patience: climate.clockPatience)
        gateway = GatewayModel(climate, clock: clock, seed: random.next())
        collections = try (0..<climate.collectionCount).map { $0 == 0 ? .default : try CollectionName(name: "c\($0)") }
        directory = try TemporaryDirectory(inMemory: true)
        network =
            climate.shape == .mesh
            ? MeshModel((0..<climate.replicaCount).map { _ in .init() }, usesVectors: climate.usesVectors, seed: seed) : nil
        for number in 0..<climate.replicaCount {
            let replica = try Replica(number, path: "\(directory.path)/\(number).cblite2", climate, clock: clock, collections: collections)
            {
                [unowned self] in try self.resolve($0, by: number)
            }
            replicas.append(replica)
        }
        let all = 0..<climate.replicaCount
        if let network { routes = network.possible.sorted().map { Route(client: $0.client, server: $0.server) } }
        if climate.shape == .star { routes = all.map { Route(client: $0, server: nil) } }
        if climate.shape == .ring || climate.shape == .ringWithGateway {
            routes = all.map { Route(client: $0, server: ($0 + 1) % climate.replicaCount) }
        }
        if climate.shape == .ringWithGateway {
            for client in 0...random.below(2) { routes.append(Route(client: client, server: nil)) }
        }
        partners = try routes.map { route in
            try replicas[route.client].partner(route.server.map { "ws://replica\($0)/db" } ?? "ws://gateway/db")
        }
    }

    private static func isCrowded(_ seed: UInt64) -> Bool { seed % 4 == 3 }
    private static func names(seed: UInt64, _ documents: Int) -> [String] {
        (0..<(isCrowded(seed) ? 3 * documents : documents)).map { "doc\($0)" }
    }

    /// What the world of a seed is like, without it.
    static func climate(seed: UInt64, documents: Int = 12) -> Climate {
        var random = SeededRandom(seed)
        return Climate(&random, documents: names(seed: seed, documents), isCrowded: isCrowded(seed))
    }

    func fail(_ reason: String) -> Failure { Failure(seed: seed, step: step, reason: reason, climate: "\(climate)") }

    /// The routes by number that are used when all is well.
    private var usualRoutes: [Int] {
        guard let network else { return Array(routes.indices) }
        let expected = network.expected
        return routes.indices.filter { expected.contains(MeshModel.Pair(client: routes[$0].client, server: routes[$0].server ?? -1)) }
    }

    // Connections

    private func open(_ number: Int, isContinuous: Bool) throws {
        let route = routes[number]
        let replica = replicas[route.client]
        let partner = partners[number]
        let link = Link(route, Line(asBytes: climate.usesBytes), start: step)
        var stores: [CollectionName: ReplicatedDatabase] = [:]
        var list: [ActiveSession.Collection] = []
        for (index, name) in collections.enumerated() {
            let way = replica.ways[index]
            let store = replica.store(index, for: partner)
            stores[name] = store
            // The gateway gives lists of documents only once.
            let mode: ActiveSession.Mode = isContinuous && way.documentIDs == nil ? .continuous : .once
            var collection = ActiveSession.Collection(
                name, checkpointID: store.checkpointID, push: way.pushes ? mode : .off, pull: way.pulls ? mode : .off)
            collection.documentIDs = way.documentIDs?.sorted()
            collection.purgesLost = way.purgesLost
            collection.isEmpty = try replica.database.read { try $0.lastSequence(of: name) } == 0
            list.append(collection)
        }
        var configuration = ActiveSession.Configuration(collections: list)
        configuration.usesVectors = climate.usesVectors
        configuration.allowsDeltas = climate.usesDeltas
        configuration.limits = climate.limits
        let client = SessionEnd(
            ActiveSession(configuration), replica, stores: stores, limits: configuration.limits, side: .client, link: link, self)
        link.client = client
        if let other = route.server {
            link.server = passiveEnd(replicas[other], link)
        } else {
            link.server = GatewayEnd(gateway, user: route.client, link: link, seed: random.next())
        }
        links.append(link)
        replica.links.append(link)
        try client.start()
        if let server = link.server as? SessionEnd { try server.start() }
    }

    private func passiveEnd(_ replica: Replica, _ link: Link) -> SessionEnd {
        var configuration = PassiveSession.Configuration(collections: collections)
        configuration.usesVectors = climate.usesVectors
        configuration.allowsDeltas = climate.usesDeltas
        configuration.limits = climate.limits
        let stores = Dictionary(uniqueKeysWithValues: collections.enumerated().map { ($1, replica.store($0, for: nil)) })
        return SessionEnd(
            PassiveSession(configuration), replica, stores: stores, limits: configuration.limits, side: .server, link: link, self)
    }

    private func cut(_ link: Link, _ error: SyncError? = SyncError(.webSocket, 1006)) { link.close(error) }

    private func sweep() {
        links.removeAll { $0.isClosed }
        for replica in replicas { replica.links.removeAll { $0.isClosed } }
    }

    /// Whether a session may end so.
    func expects(_ error: SyncError) -> Bool { usesFaults && error.severity == .transient }

    private func resolve(_ conflict: SyncConflict, by number: Int) throws -> SyncResolution {
        if climate.resolverFails, usesFaults, random.below(3) == 0 { throw SyncError(.other, 0, Simulation.resolverFailure) }
        switch climate.resolving[number] {
        case .standard: return .standard(conflict)
        case .local: return .local
        case .remote: return .remote
        case .merging:
            guard let local = conflict.local, let remote = conflict.remote else { return .standard(conflict) }
            // Both ways round it is the same.
            let edits = try [local, remote].map { try Simulation.edits(in: $0.json()) }.joined().sorted()
            let merged = #"{"channels":"a","merged":[\#(edits.map(String.init).joined(separator: ","))]}"#
            bodies.insert(try ReceivedText.canonical(merged))
            return .merged(try DocumentProperties(json: merged))
        }
    }

    private static func edits(in json: String) throws -> Set<Int> {
        try fleece(json).withRoot { root in
            let list = root.dictionary?.value(forKey: "merged", nil)?.array?.compactMap { $0.integer } ?? []
            return Set((list + [root.dictionary?.value(forKey: "edit", nil)?.integer].compactMap { $0 }).map { Int($0) })
        }
    }

    // Edits

    private func edit() throws {
        let collection = random.below(collections.count)
        let id = random.element(of: names)
        let key = "\(collection) \(id)"
        guard !graveyard.contains(key) else { return }
        editCount += 1
        let deletes = random.below(8) == 0
        if climate.usesGateway, climate.gatewayEdits, random.below(4) == 0 {
            let json = deletes ? nil : try gatewayBody()
            if gateway.edit(collection, id, json) { note(key, by: -1, deletes) }
            return
        }
        let replica = random.element(of: replicas)
        let json = deletes ? nil : try body(replica)
        if try replica.edit(collection, id, json) {
            note(key, by: replica.number, deletes)
            try Trace.note(replica, collections[collection], after: "step \(step), edit of \(id)")
            replica.changed(collections[collection])
        }
    }

    private func note(_ key: String, by writer: Int, _ isDeletion: Bool) {
        writers[key, default: []].insert(writer)
        if isDeletion { everDeleted.insert(key) } else { created.insert(key) }
    }

    private func body(_ replica: Replica) throws -> String {
        var members = commonMembers()
        switch random.below(12) {
        case 0 where climate.refuses: members.append(#""forbidden":true"#)
        case 1 where climate.refuses: members.append(#""needs":"doc\#(random.below(12))""#)
        case 2: members.append(#""level":"classified""#)
        default: break
        }
        for name in ["photo", "sound"] where random.below(6) == 0 {
            let content = Array("blob \(random.below(20))".utf8)
            let digest = try replica.save(blob: content)
            members.append(#""\#(name)":{"@type":"blob","digest":"\#(digest)","length":\#(content.count),"content_type":"text/plain"}"#)
        }
        return try written("{" + members.joined(separator: ",") + "}")
    }

    private func gatewayBody() throws -> String {
        var members = commonMembers()
        if random.below(4) == 0 {
            let content = Array("gateway's \(random.below(20))".utf8)
            if let digest = SessionEnd.digest(of: content) {
                gateway.blobs[digest] = content
                let blob = #""digest":"\#(digest)","length":\#(content.count),"content_type":"text/plain""#
                members.append(#""photo":{"@type":"blob",\#(blob)},"_attachments":{"blob_/photo":{\#(blob),"stub":true,"revpos":1}}"#)
            }
        }
        return try written("{" + members.joined(separator: ",") + "}")
    }

    private func commonMembers() -> [String] {
        var members = [#""edit":\#(editCount)"#, #""text":"\#(String(repeating: "text ", count: random.below(70)))""#]
        if climate.hasChannels {
            members.append(#""channels":"\#(GatewayModel.channels.filter { _ in random.below(2) == 0 }.joined())""#)
        }
        return members
    }

    private func written(_ json: String) throws -> String {
        bodies.insert(try ReceivedText.canonical(json))
        return json
    }

    // Steps

    func run(steps: Int) throws {
        (usesFaults, isHealed) = (true, false)
        gateway.isFair = false
        let end = step + steps
        while step < end {
            step += 1
            do { try takeStep() } catch let error as Failure { throw error } catch { throw fail("\(error)") }
        }
    }

    private func takeStep() throws {
        switch random.below(60) {
        case 0:
            try edit()
            if climate.isCrowded, random.below(10) == 0 { for _ in 0..<20 { try edit() } }
            return
        case 1 where network == nil: return try open(random.below(routes.count), ifFewerThan: 1)
        case 1...4 where network != nil: return try meet()
        case 2 where random.below(20) == 0: return try strike()
        default: break
        }
        guard !links.isEmpty else { return }
        try move(random.element(of: links))
    }

    private func open(_ number: Int, ifFewerThan most: Int) throws {
        let count = links.filter { $0.route.client == routes[number].client && $0.route.server == routes[number].server }.count
        guard count < most else { return }
        try open(number, isContinuous: random.below(3) > 0)
    }

    /// Something happens on the network on which replicas find each other, and they do what comes of it.
    private func meet() throws {
        guard let network else { return }
        let lively = Set(links.filter { !$0.isClosed }.map { MeshModel.Pair(client: $0.route.client, server: $0.route.server ?? -1) })
        for pair in network.running.subtracting(lively).sorted() { follow(network.ended(pair)) }
        follow(network.step(&random, isStable: !climate.usesVectors))
        for pair in network.running.subtracting(lively).sorted() {
            guard let number = routes.firstIndex(where: { $0.client == pair.client && $0.server == pair.server }) else {
                throw fail("replica \(pair.client) connects to \(pair.server)")
            }
            try open(number, isContinuous: true)
        }
        for pair in network.running.intersection(lively).sorted() where random.below(2) == 0 || !climate.usesVectors {
            follow(network.connected(pair))
        }
    }

    private func follow(_ leaving: [MeshModel.Pair]) {
        for pair in leaving {
            for link in links where link.route.client == pair.client && link.route.server == pair.server { cut(link, nil) }
        }
        sweep()
    }

    /// Something bad happens.
    private func strike() throws {
        if climate.usesGateway, random.below(3) == 0 { changeGateway() }
        guard !links.isEmpty else { return }
        let link = random.element(of: links)
        switch random.below(7) {
        case 0: cut(link)
        case 1:
            // Another connection, while the first one lives on.
            if let number = routes.firstIndex(where: { $0.client == link.route.client && $0.server == link.route.server }) {
                try open(number, ifFewerThan: 2)
            }
        case 2: link.isHalfClosed = true
        case 3: if link.line.corrupt(&random) { link.isDamaged = true } else { cut(link) }
        case 4:
            // A crash: what was still to be written is not.
            let replica = random.element(of: replicas)
            for end in replica.ends { cut(end.link) }
        case 5: try link.client?.handle(.stop)
        default: cut(link, SyncError(.http, 503, "the database went away"))
        }
        sweep()
    }

    private func changeGateway() {
        let user = random.below(replicas.count)
        if climate.hasChannels {
            let channel = random.element(of: GatewayModel.channels)
            if random.below(2) == 0 { gateway.grant(channel, to: user) } else { gateway.revoke(channel, from: user) }
        }
        if climate.gatewayPurges, random.below(3) == 0 {
            gateway.purge(random.below(collections.count), random.element(of: names))
            for replica in replicas { replica.forgetPartners() }
        }
    }

    /// Lets something happen on a connection, if it can.
    private func move(_ link: Link) throws {
        let possible = moves(of: link)
        guard !possible.isEmpty else { return }
        let move = possible.choose(&random)
        do {
            try self.move(link, move)
        } catch let error as Failure {
            throw error
        } catch  where link.isDamaged {
            // A frame that is no good ends the connection.
            cut(link)
        }
        // What the damage did to a frame's head may go unnoticed, until somebody loses patience.
        if link.isDamaged || link.isHalfClosed, random.below(300) == 0 { cut(link) }
        if link.isClosed { sweep() }
    }

    /// What can happen on a connection. It is looked at before each step, on all of them while they come to rest.
    private struct Moves: OptionSet {
        let rawValue: Int
        static let toClient = Moves(rawValue: 1)
        static let toServer = Moves(rawValue: 2)
        static let client = Moves(rawValue: 4)
        static let server = Moves(rawValue: 8)

        /// One of them.
        func choose(_ random: inout SeededRandom) -> Moves {
            var rest = rawValue
            for _ in 0..<random.below(rawValue.nonzeroBitCount) { rest &= rest - 1 }
            return Moves(rawValue: rest & -rest)
        }
    }

    private func moves(of link: Link) -> Moves {
        guard let client = link.client, let server = link.server else { return [] }
        var moves: Moves = []
        if link.line.canMove(to: .client), !link.isHalfClosed, !client.isCongested { moves.insert(.toClient) }
        if link.line.canMove(to: .server), !server.isCongested { moves.insert(.toServer) }
        if client.hasWork { moves.insert(.client) }
        if server.hasWork { moves.insert(.server) }
        return moves
    }

    private func move(_ link: Link, _ move: Moves) throws {
        switch move {
        case .toClient: if let packet = try link.line.move(to: .client, &random) { try link.client?.receive(packet) }
        case .toServer: if let packet = try link.line.move(to: .server, &random) { try link.server?.receive(packet) }
        case .client: try link.client?.work()
        default: try link.server?.work()
        }
    }

    // Healing

    /// The network is healed and nobody edits: everything comes to rest.
    func heal() throws {
        usesFaults = false
        gateway.isFair = true
        for link in links { cut(link, nil) }
        sweep()
        try lift()
        if let network {
            for pair in network.running.sorted() { _ = network.ended(pair) }
            network.settle()
            if let imperfection = network.imperfection { throw fail("the replicas of the mesh do not find each other: \(imperfection)") }
        }
        do {
            // What one round brings to one, the next brings to the others.
            for round in 0..<2 + 2 * usualRoutes.count {
                if round % 3 == 0 {
                    for number in usualRoutes { try open(number, isContinuous: true) }
                    try rest()
                    isHealed = true
                    if climate.isToAgree { try checkThatNothingIsPending() }
                    for link in links { cut(link, nil) }
                    sweep()
                } else {
                    for number in usualRoutes {
                        try open(number, isContinuous: false)
                        try rest()
                        let isOver = links.allSatisfy { $0.isClosed }
                        if !isOver { throw fail("a replication does not end: \(links[0].client?.situation ?? "")") }
                    }
                }
            }
            if climate.isToAgree { try checkThatAllIsSaid() }
        } catch let error as Failure { throw error } catch { throw fail("\(error)") }
    }

    /// Who pushes all the time and is idle has nothing left to push, unless it meets what it does not see or take.
    private func checkThatNothingIsPending() throws {
        guard !climate.hasChannels else { return }
        for number in usualRoutes {
            let (route, partner) = (routes[number], partners[number])
            let replica = replicas[route.client]
            for (index, way) in replica.ways.enumerated() where way.pushes && way.documentIDs == nil && !way.takesNoSecrets {
                if let id = try replica.store(index, for: partner).pendingDocuments().first {
                    throw fail("replica \(route.client), collection \(index): \(id) is still to be pushed to \(partner.name)")
                }
            }
        }
    }

    /// Where everything is settled, one more session has nothing to tell and nothing to ask for.
    private func checkThatAllIsSaid() throws {
        // The world goes on as if nobody had looked.
        let (before, gatewayBefore) = (random, gateway.random)
        defer { (random, gateway.random) = (before, gatewayBefore) }
        for number in usualRoutes {
            try open(number, isContinuous: false)
            let link = links[links.count - 1]
            try rest()
            if let word = link.spoken.first { throw fail("all is settled, and yet \(link.name) there is \(word)") }
        }
    }

    /// Until nothing moves. Nobody waits for anything then.
    private func rest() throws {
        var count = 0
        while true {
            let lively = links.filter { !moves(of: $0).isEmpty }
            guard !lively.isEmpty else { break }
            step += 1
            count += 1
            if count > 300_000 { throw fail("it does not come to rest: \(links.map { $0.client?.situation ?? "" })") }
            try move(random.element(of: lively))
        }
        for link in links {
            for end in [link.client, link.server] as [(any End)?] where end?.isIdle == false {
                let situation = (end as? SessionEnd)?.situation ?? "the gateway waits"
                throw fail("nothing happens any more, but \(link.name) is not idle: \(situation)")
            }
        }
        sweep()
    }

    /// What the gateway refuses becomes acceptable.
    private func lift() throws {
        gateway.closeHole()
        guard climate.refuses else { return }
        for replica in replicas {
            for index in collections.indices {
                let contents = try replica.contents(index)
                for (id, state) in contents.sorted(by: { $0.key < $1.key }) {
                    guard state.body.contains("\"forbidden\"") || state.body.contains("\"needs\""), !state.isDeleted else { continue }
                    editCount += 1
                    _ = try replica.edit(index, id, try written("{" + commonMembers().joined(separator: ",") + "}"))
                    note("\(index) \(id)", by: replica.number, false)
                }
            }
        }
    }

    /// What is deleted now stays so: other documents go on.
    func bury() throws {
        for collection in collections.indices {
            for replica in replicas {
                for (id, state) in try replica.contents(collection) where state.isDeleted { graveyard.insert("\(collection) \(id)") }
            }
            for (id, document) in gateway.state.collections[collection].documents {
                let key = "\(collection) \(id)"
                if climate.usesGateway, document.isDeleted { graveyard.insert(key) }
                if climate.usesGateway, !document.isDeleted { graveyard.remove(key) }
            }
        }
        names += (0..<6).map { "doc\(names.count + $0)" }
    }

    func restoreGateway(_ state: GatewayModel.State) throws {
        // What was made there since, and came to nobody, is gone.
        for key in created where writers[key] == [-1] {
            let parts = key.split(separator: " ")
            guard let collection = Int(parts[0]), state.collections[collection].documents[String(parts[1])] == nil,
                try !replicas.contains(where: { try $0.contents(collection)[String(parts[1])] != nil })
            else { continue }
            created.remove(key)
        }
        for (collection, now) in gateway.state.collections.enumerated() {
            for (id, document) in now.documents where state.collections[collection].documents[id]?.revision != document.revision {
                withdrawn.insert("\(collection) \(id)")
            }
        }
        // Sequences are used again, and so are the clients' checkpoints of then.
        gateway.state = state
        for replica in replicas { replica.forgetPartners() }
    }

    /// Gives the number of steps.
    static func run(seed: UInt64, steps: Int) throws -> Int {
        let simulation = try Simulation(seed: seed)
        try simulation.run(steps: steps)
        try simulation.heal()
        try simulation.check()
        try simulation.bury()
        let earlier = simulation.gateway.state
        try simulation.run(steps: steps)
        try simulation.heal()
        try simulation.check()
        if simulation.climate.restores {
            try simulation.restoreGateway(earlier)
            try simulation.run(steps: steps / 4)
            try simulation.heal()
            try simulation.check()
        }
        return simulation.step
    }
}

/// One connection of the simulation.
final class Link {
    let route: Simulation.Route
    let line: Line
    /// When it was opened.
    let start: Int
    var client: SessionEnd?
    var server: (any End)?
    /// Nothing comes through from the server any more, though nobody was told.
    var isHalfClosed = false
    /// Bytes were changed on their way.
    var isDamaged = false
    private(set) var isClosed = false
    /// What was said over it of documents.
    private(set) var spoken: [String] = []

    init(_ route: Simulation.Route, _ line: Line, start: Int) {
        self.route = route
        self.line = line
        self.start = start
    }

    var name: String { "\(route.client) → \(route.server.map(String.init) ?? "gateway")" }
    func receiver(from side: Side) -> (any End)? { side == .client ? server : client }
    func partnerName(of side: Side) -> String { side == .client ? "to \(route.server ?? -1)" : "back to \(route.client)" }

    func send(_ request: WireRequest, from side: Side) throws -> UInt64 {
        if ["proposeChanges", "rev"].contains(request.profile) || request.profile == "changes" && request.body.count > 4 {
            spoken.append("\(request.profile) \(request.properties["id"] ?? String(decoding: request.body.prefix(100), as: UTF8.self))")
        }
        let number = try line.send(request, from: side)
        Trace.note(request, number: number, from: "\(name) \(side)")
        return number
    }

    func send(_ reply: WireReply, to number: UInt64, from side: Side) throws {
        Trace.note(reply, to: number, from: "\(name) \(side)")
        try line.send(reply, to: number, from: side)
    }

    /// Nobody gets what was on its way.
    func close(_ error: SyncError?) {
        guard !isClosed else { return }
        isClosed = true
        client?.disconnected(error)
        server?.disconnected(error)
    }
}
