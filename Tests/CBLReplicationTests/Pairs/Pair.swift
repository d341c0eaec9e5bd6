import CBLFleece
import CBLStore
import CBLTestSupport

@testable import CBLReplication

/// A replicator and the peer it connects to, with real databases on both sides and nothing but queues between them.
final class Pair {
    enum Packet {
        case request(WireRequest, number: UInt64?)
        case reply(WireReply, number: UInt64)
    }

    struct Stuck: Error {}

    private(set) var active: ActiveSession
    private(set) var passive: PassiveSession
    let stores: [ReplicatedDatabase]
    let peers: [CollectionName: ReplicatedDatabase]
    private var toPassive: [Packet] = []
    private var toActive: [Packet] = []
    private var events: [(isActive: Bool, event: Event)] = []
    private var lastNumber: (active: UInt64, passive: UInt64) = (0, 0)
    private var tickets: [Bool: [UInt64: Ticket]] = [true: [:], false: [:]]
    private var blobs: [Bool: [UInt64: (BlobDigest, Ticket)]] = [true: [:], false: [:]]
    /// What the replicator reported.
    private(set) var documents: [DocumentEvent] = []
    private(set) var peerDocuments: [DocumentEvent] = []
    private(set) var failure: SyncError?
    private(set) var isClosed = false
    /// How often each kind of request was made, and how many revisions came as deltas.
    private(set) var requests: [String: Int] = [:]
    private(set) var deltaCount = 0

    init(
        _ database: Database, _ peer: Database, push: ActiveSession.Mode, pull: ActiveSession.Mode,
        collections: [CollectionName] = [.default], version: ReplicationProtocol = .v3, remote: String = "ws://peer/db",
        exposed: [CollectionName]? = nil, configure: (inout ActiveSession.Configuration) -> Void = { _ in }, resolver: SyncResolver? = nil
    ) throws {
        let number = try database.write { try $0.remoteID(of: remote) }
        let (usesVectors, uuid) = try database.read { ($0.versioning == .vectors, $0.privateUUID!) }
        var list: [ActiveSession.Collection] = []
        var stores: [ReplicatedDatabase] = []
        for name in collections {
            let scope = CheckpointScope(collection: name, pushes: push != .off, pulls: pull != .off, remote: remote)
            let id = try scope.checkpointID(privateUUID: uuid)
            list.append(ActiveSession.Collection(name, checkpointID: id, push: push, pull: pull))
            var store = ReplicatedDatabase(database, collection: name, remote: number)
            store.checkpointID = id
            if let resolver { store.resolver = resolver }
            stores.append(store)
        }
        self.stores = stores
        var configuration = ActiveSession.Configuration(collections: list)
        configuration.usesVectors = usesVectors
        configure(&configuration)
        active = ActiveSession(configuration)
        var passiveConfiguration = PassiveSession.Configuration(collections: exposed ?? collections)
        passiveConfiguration.usesVectors = usesVectors
        passive = PassiveSession(passiveConfiguration)
        peers = Dictionary(uniqueKeysWithValues: collections.map { ($0, ReplicatedDatabase(peer, collection: $0, remote: 0)) })
        perform(active.start(), isActive: true)
        handle(.connected(version), isActive: true)
        handle(.connected(version), isActive: false)
    }

    /// Goes on until nothing is left to do, or for so many steps: then the connection is gone.
    func run(steps limit: Int = .max) throws {
        var steps = 0
        while steps < limit, step() {
            steps += 1
            guard steps < 1_000_000 else { throw Stuck() }
        }
    }

    private func step() -> Bool {
        if !events.isEmpty {
            let next = events.removeFirst()
            handle(next.event, isActive: next.isActive)
        } else if !toPassive.isEmpty {
            receive(toPassive.removeFirst(), isActive: false)
        } else if !toActive.isEmpty {
            receive(toActive.removeFirst(), isActive: true)
        } else {
            return false
        }
        return true
    }

    func databaseChanged() throws {
        handle(.databaseChanged(collection: 0), isActive: true)
        try run()
    }

    func peerChanged() throws {
        handle(.databaseChanged(collection: 0), isActive: false)
        try run()
    }

    func stop() throws {
        handle(.stop, isActive: true)
        try run()
    }

    private func handle(_ event: Event, isActive: Bool) {
        perform(isActive ? active.handle(event, time: 1_700_000_000) : passive.handle(event, time: 1_700_000_000), isActive: isActive)
    }

    private func receive(_ packet: Packet, isActive: Bool) {
        switch packet {
        case .request(let wire, let number):
            requests[wire.profile, default: 0] += 1
            if wire.profile == "rev", wire.properties["deltaSrc"] != nil { deltaCount += 1 }
            handle(.received(wire, number.map { IncomingID($0) }), isActive: isActive)
        case .reply(let reply, let number):
            if let (digest, ticket) = blobs[isActive]?.removeValue(forKey: number) {
                handle(.fetched(store(reply, digest, isActive), ticket), isActive: isActive)
            } else if let ticket = tickets[isActive]?.removeValue(forKey: number) {
                handle(.replied(reply, ticket), isActive: isActive)
            }
        }
    }

    private func database(_ isActive: Bool) -> Database { isActive ? stores[0].database : peers.values.first!.database }

    private func store(_ reply: WireReply, _ digest: BlobDigest, _ isActive: Bool) -> SyncError? {
        if reply.isError { return SyncError(reply) }
        do {
            let stored = try reply.body.withUnsafeBytes { try database(isActive).blobs.write($0) }
            return stored.digest == digest ? nil : SyncError.http(400, "the blob has another digest")
        } catch {
            return ReplicatedDatabase.translate(error)
        }
    }

    private func send(_ packet: Packet, isActive: Bool) {
        if isActive { toPassive.append(packet) } else { toActive.append(packet) }
    }

    private func nextNumber(_ isActive: Bool) -> UInt64 {
        if isActive {
            lastNumber.active += 1
            return lastNumber.active
        }
        lastNumber.passive += 1
        return lastNumber.passive
    }

    private func perform(_ actions: [Action], isActive: Bool) {
        for action in actions {
            switch action {
            case .request(let request, let ticket):
                let number = nextNumber(isActive)
                if let ticket { tickets[isActive]?[number] = ticket }
                send(.request(request.wire, number: ticket == nil ? nil : number), isActive: isActive)
            case .reply(let reply, let id): send(.reply(reply, number: id.number), isActive: isActive)
            case .store(let request, let ticket):
                let store = isActive ? stores[ticket.collection] : peers[passive.collections[ticket.collection]]!
                events.append((isActive, .stored(store.perform(request), ticket)))
            case .fetchBlob(let request, _, let ticket):
                guard case .getAttachment(let message) = request.content else { continue }
                let number = nextNumber(isActive)
                blobs[isActive]?[number] = (message.digest, ticket)
                send(.request(request.wire, number: number), isActive: isActive)
            case .sendBlob(let message, let id):
                var content: [UInt8] = []
                do {
                    try database(isActive).blobs.read(message.digest) { content += $0 }
                    send(.reply(WireReply(body: content), number: id.number), isActive: isActive)
                } catch {
                    send(.reply(ReplicatedDatabase.translate(error).reply, number: id.number), isActive: isActive)
                }
            case .proveBlob(_, let id): send(.reply(SyncError.http(404).reply, number: id.number), isActive: isActive)
            case .startTimer(let ticket, let delay):
                // The checkpoint's timer does not matter here: it is saved at the end.
                if delay < 1000 { events.append((isActive, .timer(ticket))) }
            case .report(.document(let event)): if isActive { documents.append(event) } else { peerDocuments.append(event) }
            case .report(.status): break
            case .close(let error):
                if isActive {
                    failure = error
                    isClosed = true
                }
            }
        }
    }
}
