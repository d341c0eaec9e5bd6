import DocumentStore
import Fleece
import Platform

@testable import Replication

enum SHA1Text {
    static func base64(of bytes: UnsafeRawBufferPointer) -> String { SHA1.digest(of: bytes).base64 }
}

/// Several databases, a gateway between them, and a network that is no friend of theirs. Everything that happens is drawn from one seed.
final class Simulation {
    struct Failure: Error, CustomStringConvertible {
        let seed: UInt64
        let step: Int
        let reason: String
        var description: String { "seed \(seed), step \(step): \(reason)" }
    }

    /// Something on its way over a connection.
    enum Packet {
        case request(WireRequest, number: Int?)
        case reply(WireReply, number: Int)
    }

    /// One connection between a replica and the gateway.
    final class Link {
        var session: ActiveSession
        var server: GatewayConnection
        var toServer: [Packet] = []
        var toClient: [Packet] = []
        var store: [(StoreRequest, Ticket)] = []
        var timers: [Ticket] = []
        /// Tickets of the client's requests and blobs, by their number on the wire.
        var tickets: [Int: Ticket] = [:]
        var blobs: [Int: (BlobDigest, Ticket)] = [:]
        /// What a `rev` was about, to see that it is sent once.
        var revisions: [Int: String] = [:]
        var lastNumber = 0
        /// Nothing comes through from the server any more, though nobody was told.
        var isHalfClosed = false
        /// When it was opened.
        let start: Int

        init(_ session: ActiveSession, _ server: GatewayConnection, start: Int) {
            self.session = session
            self.server = server
            self.start = start
        }
    }

    final class Replica {
        let store: ModelStore
        var links: [Link] = []
        /// Revisions that the gateway acknowledged: over which connection, and when.
        var acknowledged: [String: (link: ObjectIdentifier, step: Int)] = [:]
        init(_ store: ModelStore) { self.store = store }
    }

    let seed: UInt64
    var random: TestRandom
    let gateway: GatewayModel
    let replicas: [Replica]
    let collectionCount: Int
    var step = 0
    var editCount = 0
    private var everDeleted: Set<String> = []
    private var created: Set<String> = []
    /// Documents that nobody touches any more.
    private var graveyard: Set<String> = []
    private var usesFaults = true
    private var names: Int

    init(seed: UInt64, replicas count: Int = 3, collections: Int = 2, documents: Int = 12) {
        self.seed = seed
        random = TestRandom(seed)
        gateway = GatewayModel(collections: collections)
        collectionCount = collections
        names = documents
        replicas = (0..<count).map { _ in Replica(ModelStore(collections: collections)) }
    }

    func fail(_ reason: String) -> Failure { Failure(seed: seed, step: step, reason: reason) }

    // Connections

    private func connect(_ replica: Replica, continuous: Bool) throws {
        let mode: ActiveSession.Mode = continuous ? .continuous : .once
        let number = replicas.firstIndex { $0 === replica } ?? 0
        let collections = try (0..<collectionCount).map { index in
            ActiveSession.Collection(
                index == 0 ? .default : try CollectionName(name: "c\(index)"), checkpointID: "cp-\(number)-\(index)", push: mode, pull: mode
            )
        }
        var configuration = ActiveSession.Configuration(collections: collections)
        configuration.limits.insertionBatch = 5
        configuration.limits.changesPerMessage = 8
        configuration.limits.requestedRevisions = 12
        configuration.limits.revisionsPerLoad = 3
        configuration.limits.unansweredBytes = 400
        configuration.limits.marksPerBatch = 6
        let link = Link(ActiveSession(configuration), GatewayConnection(gateway, seed: random.next()), start: step)
        replica.links.append(link)
        try perform(link.session.start(), replica, link)
        try handle(.connected(.v3), replica, link)
    }

    private func cut(_ replica: Replica, _ link: Link) throws {
        replica.links.removeAll { $0 === link }
        _ = link.session.handle(.disconnected(SyncError(.webSocket, 1006)), time: 0)
    }

    // Events and actions

    private func handle(_ event: Event, _ replica: Replica, _ link: Link) throws {
        try perform(link.session.handle(event, time: Int64(step)), replica, link)
    }

    private func perform(_ actions: [Action], _ replica: Replica, _ link: Link) throws {
        for action in actions {
            switch action {
            case .request(let request, let ticket):
                var wire = request.wire
                if ticket == nil { wire.isNoReply = true }
                link.lastNumber += 1
                if let ticket { link.tickets[link.lastNumber] = ticket }
                if case .rev(let message) = request.content {
                    let what = "\(request.collection ?? 0) \(message.documentID) \(message.revision?.text ?? "")"
                    // A second connection at the same time may have been told to send it as well.
                    if let known = replica.acknowledged[what], known.link == ObjectIdentifier(link) || known.step < link.start {
                        throw fail("\(what) is sent again although it was acknowledged")
                    }
                    link.revisions[link.lastNumber] = what
                }
                link.toServer.append(.request(wire, number: ticket == nil ? nil : link.lastNumber))
            case .reply(let reply, let id): link.toServer.append(.reply(reply, number: Int(id.number)))
            case .store(let request, let ticket): link.store.append((request, ticket))
            case .fetchBlob(let request, _, let ticket):
                guard case .getAttachment(let message) = request.content else { throw fail("no blob is fetched") }
                link.lastNumber += 1
                link.blobs[link.lastNumber] = (message.digest, ticket)
                link.toServer.append(.request(request.wire, number: link.lastNumber))
            case .sendBlob(let message, let id):
                let content = replica.store.blobs[message.digest]
                link.toServer.append(.reply(content.map { WireReply(body: $0) } ?? SyncError.http(404).reply, number: Int(id.number)))
            case .proveBlob(let message, let id):
                var proof = PossessionProof(nonce: message.nonce)
                guard let content = replica.store.blobs[message.digest] else {
                    link.toServer.append(.reply(SyncError.http(404).reply, number: Int(id.number)))
                    continue
                }
                content.withUnsafeBytes { proof.update($0) }
                link.toServer.append(.reply(WireReply(body: Array(proof.finish().utf8)), number: Int(id.number)))
            case .startTimer(let ticket, _): link.timers.append(ticket)
            case .report(let report):
                if case .document(let event) = report, let error = event.error, !event.isTransient, !error.isConflict {
                    throw fail("\(event.documentID) failed: \(error)")
                }
            case .close(let error):
                if let error { throw fail("the session closed with \(error)") }
                replica.links.removeAll { $0 === link }
            }
        }
    }

    private func output(_ outputs: [GatewayConnection.Output], _ link: Link) {
        for output in outputs {
            switch output {
            case .request(let wire, let number): link.toClient.append(.request(wire, number: number))
            case .reply(let reply, let id): link.toClient.append(.reply(reply, number: Int(id.number)))
            }
        }
    }

    /// Takes a packet off a queue: the first, or an answer that overtakes others.
    private func take(_ queue: inout [Packet]) -> Packet {
        let place = random.below(min(3, queue.count))
        if case .reply = queue[place] { return queue.remove(at: place) }
        return queue.removeFirst()
    }

    private func deliverToServer(_ link: Link) throws {
        switch take(&link.toServer) {
        case .request(let wire, let number): output(try link.server.receive(wire, number.map { IncomingID(UInt64($0)) }), link)
        case .reply(let reply, let number): output(try link.server.replied(reply, number), link)
        }
    }

    private func deliverToClient(_ replica: Replica, _ link: Link) throws {
        switch take(&link.toClient) {
        case .request(let wire, let number): try handle(.received(wire, number.map { IncomingID(UInt64($0)) }), replica, link)
        case .reply(let reply, let number):
            if let (digest, ticket) = link.blobs.removeValue(forKey: number) {
                if !reply.isError { replica.store.blobs[digest] = reply.body }
                return try handle(.fetched(reply.isError ? SyncError(reply) : nil, ticket), replica, link)
            }
            guard let ticket = link.tickets.removeValue(forKey: number) else { throw fail("a reply to nothing") }
            if let what = link.revisions.removeValue(forKey: number), !reply.isError {
                replica.acknowledged[what] = (ObjectIdentifier(link), step)
            }
            try handle(.replied(reply, ticket), replica, link)
        }
    }

    // Edits

    private func edit(_ replica: Replica) throws {
        let collection = random.below(collectionCount)
        let id = "doc\(random.below(names))"
        let key = "\(collection) \(id)"
        guard !graveyard.contains(key) else { return }
        let document = replica.store.collections[collection].documents[id]
        editCount += 1
        if let document, !document.isDeleted, random.below(8) == 0 {
            try replica.store.edit(collection, id, body: nil)
            everDeleted.insert(key)
        } else {
            try replica.store.edit(collection, id, body: body(replica))
            created.insert(key)
        }
        for link in replica.links where random.below(4) > 0 { try handle(.databaseChanged(collection: collection), replica, link) }
    }

    private func body(_ replica: Replica) -> String {
        var members = [#""edit":\#(editCount)"#, #""text":"\#(String(repeating: "x", count: random.below(30)))""#]
        if random.below(4) == 0 {
            let content = Array("blob \(random.below(20))".utf8)
            let digest = ModelStore.digest(content)
            replica.store.blobs[digest] = content
            members.append(#""photo":{"@type":"blob","digest":"\#(digest)","length":\#(content.count),"content_type":"text/plain"}"#)
        }
        return "{" + members.joined(separator: ",") + "}"
    }

    // Steps

    func run(steps: Int) throws {
        for _ in 0..<steps {
            step += 1
            let replica = replicas[random.below(replicas.count)]
            do { try takeStep(replica) } catch let error as Failure { throw error } catch { throw fail("\(error)") }
        }
    }

    private func takeStep(_ replica: Replica) throws {
        if usesFaults, random.below(40) == 0 { return try edit(replica) }
        guard !replica.links.isEmpty else {
            if random.below(10) == 0 { try connect(replica, continuous: random.below(3) > 0) }
            return
        }
        let link = random.element(of: replica.links)
        if usesFaults {
            switch random.below(1500) {
            case 0: return try cut(replica, link)
            case 1: if replica.links.count < 2 { return try connect(replica, continuous: random.below(3) > 0) }
            case 2: link.isHalfClosed = true
            case 3:
                // The frame's checksum is wrong: what came before was good, and there is no more.
                return try cut(replica, link)
            case 4:
                // A crash: what was still to be written is not.
                for link in replica.links { try cut(replica, link) }
                return
            case 5: try handle(.stop, replica, link)
            default: break
            }
        }
        try move(replica, link, choice: random.below(12))
    }

    /// Lets something happen on a connection, if it can.
    private func move(_ replica: Replica, _ link: Link, choice: Int) throws {
        switch choice {
        case 0...2: if !link.toServer.isEmpty { try deliverToServer(link) }
        case 3...5:
            if link.isHalfClosed {
                if random.below(20) == 0 { try cut(replica, link) }
            } else if !link.toClient.isEmpty {
                try deliverToClient(replica, link)
            }
        case 6...8: if !link.store.isEmpty { try performStore(replica, link) }
        case 9:
            if !link.timers.isEmpty {
                let ticket = link.timers.remove(at: random.below(link.timers.count))
                try handle(.timer(ticket), replica, link)
            }
        default: output(link.server.tell(), link)
        }
    }

    private func performStore(_ replica: Replica, _ link: Link) throws {
        // Those of one collection in their order; collections go their own ways.
        let wanted = random.below(collectionCount)
        let place = link.store.firstIndex { $0.1.collection == wanted } ?? 0
        let (request, ticket) = link.store.remove(at: place)
        let answer = replica.store.perform(request, collection: ticket.collection)
        if case .loadCheckpoint = request, case .checkpoint(_, let body) = answer {
            let id = link.session.configuration.collections[ticket.collection].checkpointID
            return try handle(.stored(.checkpoint(id: id, body: body), ticket), replica, link)
        }
        try handle(.stored(answer, ticket), replica, link)
    }

    /// The network is healed and nobody edits: everything comes to rest.
    func heal() throws {
        usesFaults = false
        for replica in replicas { for link in replica.links { try cut(replica, link) } }
        // What one round brings to the gateway, the next brings to the others.
        for round in 0..<6 {
            for replica in replicas {
                try connect(replica, continuous: round % 2 == 0)
                let link = replica.links[0]
                var quiet = 0
                var count = 0
                while !replica.links.isEmpty, quiet < 200 {
                    step += 1
                    count += 1
                    if count > 300_000 { throw fail("it does not come to rest: \(link.session.status)") }
                    let isQuiet =
                        link.toServer.isEmpty && link.toClient.isEmpty && link.store.isEmpty && link.timers.isEmpty
                        && link.session.status.activity == .idle
                    quiet = isQuiet ? quiet + 1 : 0
                    do { try move(replica, link, choice: random.below(12)) } catch let error as Failure { throw error } catch {
                        throw fail("\(error)")
                    }
                }
                if round % 2 == 0, !replica.links.isEmpty { try cut(replica, link) }
            }
        }
    }

    /// Everybody has the same, nothing is lost, and what was deleted for good is still.
    func check() throws {
        for collection in 0..<collectionCount {
            let target = gateway.collections[collection]
            for (number, replica) in replicas.enumerated() {
                let documents = replica.store.collections[collection].documents
                guard Set(documents.keys) == Set(target.documents.keys) else {
                    throw fail(
                        "replica \(number) has other documents: \(Set(documents.keys).symmetricDifference(target.documents.keys).sorted())")
                }
                for (id, document) in documents {
                    let theirs = target.documents[id]!
                    let name = "replica \(number), collection \(collection), \(id)"
                    guard !document.tree.isConflicted else { throw fail("\(name) is in conflict") }
                    guard document.tree.current?.id == theirs.revision else {
                        throw fail("\(name) is \(document.tree.current?.id.text ?? "-") and not \(theirs.revision)")
                    }
                    guard document.isDeleted == theirs.isDeleted else { throw fail("\(name): deleted here or there") }
                    let body = try ReceivedText.canonical(theirs.body)
                    guard try ReceivedText.canonical(Array(document.body.utf8)) == body else {
                        throw fail("\(name): \(document.body) is not \(body)")
                    }
                    for digest in try ReceivedText.blobs(document.body) where replica.store.blobs[digest] == nil {
                        throw fail("\(name) lacks a blob")
                    }
                }
            }
            for (id, document) in target.documents {
                let key = "\(collection) \(id)"
                if graveyard.contains(key), !document.isDeleted { throw fail("\(key) was resurrected") }
                if !everDeleted.contains(key), document.isDeleted { throw fail("\(key) is deleted, though nobody did that") }
            }
        }
        for key in created {
            let parts = key.split(separator: " ")
            guard gateway.collections[Int(parts[0])!].documents[String(parts[1])] != nil else { throw fail("\(key) is lost") }
        }
    }

    /// What is deleted now stays so: other documents go on.
    func bury() {
        for collection in 0..<collectionCount {
            for (id, document) in gateway.collections[collection].documents where document.isDeleted {
                graveyard.insert("\(collection) \(id)")
            }
        }
        names += 6
        usesFaults = true
    }

    static func run(seed: UInt64, steps: Int) throws -> Int {
        let simulation = Simulation(seed: seed, replicas: 2 + Int(seed % 3), collections: 1 + Int(seed % 2))
        try simulation.run(steps: steps)
        try simulation.heal()
        try simulation.check()
        simulation.bury()
        try simulation.run(steps: steps)
        try simulation.heal()
        try simulation.check()
        return simulation.step
    }
}

enum ReceivedText {
    /// A body as a client would store it.
    static func canonical(_ json: [UInt8]) throws -> String {
        let encoder = Encoder()
        _ = try fleece(String(decoding: json, as: UTF8.self)).withRoot { try ReceivedBody($0, into: encoder) }
        return try encoder.finish().withRoot { $0.json(style: .canonical) }
    }

    static func blobs(_ json: String) throws -> [BlobDigest] {
        let encoder = Encoder()
        return try fleece(json).withRoot { try ReceivedBody($0, into: encoder) }.blobs.map(\.digest)
    }
}
