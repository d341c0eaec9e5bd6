import CBLBase
import CBLFleece
import CBLStore
import CBLTestSupport

@testable import CBLReplication

/// One end of a connection.
protocol End: AnyObject {
    func receive(_ packet: Packet) throws
    /// Whether it has something to do by itself, and does some of it.
    var hasWork: Bool { get }
    func work() throws
    /// Whether nothing is read for the moment.
    var isCongested: Bool { get }
    /// Whether a revision is here, or something newer.
    func knows(_ message: RevisionMessage, _ collection: Int) throws -> Bool
    /// Whether it was told of a revision after a step, and did not have it then.
    func hasLacked(_ message: RevisionMessage, _ collection: Int, since step: Int) -> Bool
    /// Whether nothing is owed, by either side.
    var isIdle: Bool { get }
    func disconnected(_ error: SyncError?)
}

/// A replica's end: a session, and what it wants of its database, which waits until the simulation lets it happen.
final class SessionEnd: End {
    var session: any SyncSession
    let replica: Replica
    let side: Side
    unowned let link: Link
    unowned let simulation: Simulation
    private let stores: [CollectionName: ReplicatedDatabase]
    private let limits: FlowLimits
    private var queue: [(request: StoreRequest, ticket: Ticket)] = []
    /// With how long they take, compared with the shortest pause: a long one comes to its end one time in so many.
    private var timers: [(ticket: Ticket, length: Int)] = []
    private var awaited: [UInt64: Ticket] = [:]
    private var fetches: [UInt64: (digest: BlobDigest, ticket: Ticket)] = [:]
    /// Requests of the peer that wait for an answer, and those of them that are revisions.
    private var unanswered: Set<UInt64> = []
    /// Revisions that came and are not stored, by document.
    private var held: [String: Set<String>] = [:]
    /// Announcements of the peer that wait for an answer, and what was asked for of those before.
    private var announced: [UInt64: (collection: String, ChangesMessage)] = [:]
    private var wanted: Set<String> = []
    /// Collections whose change is still to be noticed.
    private var changed: Set<Int> = []
    /// What a `rev` was about, and how large.
    private var revisions: [UInt64: (what: String, bytes: Int)] = [:]
    private var replaced: Set<String> = []
    /// The own copies of the checkpoints, what asked the partner for its own, and whether they agree.
    private var own: [Int: Checkpoint] = [:]
    private var questions: [UInt64: (content: SyncRequest.Content, collection: Int)] = [:]
    private var believes: [Int: Bool] = [:]
    private var unansweredBytes = 0
    private var largest = 0
    /// Messages with changes that wait for an answer.
    private var told: Set<UInt64> = []
    private(set) var activity = SyncStatus.Activity.connecting
    private var isStopped = false

    init(
        _ session: any SyncSession, _ replica: Replica, stores: [CollectionName: ReplicatedDatabase], limits: FlowLimits, side: Side,
        link: Link,
        _ simulation: Simulation
    ) {
        self.session = session
        self.replica = replica
        self.stores = stores
        self.limits = limits
        self.side = side
        self.link = link
        self.simulation = simulation
        replica.ends.append(self)
    }

    static func digest(of content: [UInt8]) -> BlobDigest? {
        BlobDigest("sha1-" + content.withUnsafeBytes { SHA1.digest(of: $0).base64 })
    }

    func start() throws {
        try perform(session.start())
        try handle(.connected(simulation.climate.version))
    }

    func handle(_ event: Event) throws {
        guard !link.isClosed else { return }
        if case .stop = event { isStopped = true }
        try perform(session.handle(event, time: 1_700_000_000))
    }

    func noteChange(of collection: CollectionName) { changed.formUnion(session.collectionIndexes(of: collection)) }

    private func fail(_ reason: String) -> Simulation.Failure { simulation.fail("replica \(replica.number), \(side): \(reason)") }

    // What it wants

    private func perform(_ actions: [Action]) throws {
        for action in actions {
            switch action {
            case .request(let request, let ticket): try send(request, ticket)
            case .reply(let reply, let id):
                try noteWanted(reply, id)
                try answer(id) { try link.send(reply, to: $0, from: side) }
            case .store(let request, let ticket): try enqueue(request, ticket)
            case .fetchBlob(let request, _, let ticket):
                guard case .getAttachment(let message) = request.content else { throw fail("no blob is fetched") }
                fetches[try link.send(request.wire, from: side)] = (message.digest, ticket)
            case .sendBlob(let message, let id):
                let reply = replica.blob(message.digest).map { WireReply(body: $0) } ?? SyncError.http(404).reply
                try answer(id) { try link.send(reply, to: $0, from: side) }
            case .proveBlob(let message, let id):
                var reply = SyncError.http(404).reply
                if let content = replica.blob(message.digest) {
                    var proof = PossessionProof(nonce: message.nonce)
                    content.withUnsafeBytes { proof.update($0) }
                    reply = WireReply(body: Array(proof.finish().utf8))
                }
                try answer(id) { try link.send(reply, to: $0, from: side) }
            case .startTimer(let ticket, let delay):
                let isPause = delay != limits.checkpointDelay
                timers.append((ticket, isPause ? max(1, delay / Restlessness.shortestPause) : 1))
            case .report(.document(let event)): try check(event)
            case .report(.status(let status)): activity = status.activity
            case .close(let error):
                if let error, !simulation.expects(error) { throw fail("the session closes: \(error)") }
                if error == nil, !isStopped, let (request, _) = queue.first {
                    throw fail("the session closes, and there is still to be done: \("\(request)".prefix(40))")
                }
                return link.close(error)
            }
        }
    }

    private func noteWanted(_ reply: WireReply, _ id: IncomingID) throws {
        guard let (collection, message) = announced.removeValue(forKey: id.number), !reply.isError else { return }
        let answer = try ChangesReply(reply)
        for (place, entry) in message.entries.enumerated() {
            if case .wanted = answer[place] { wanted.insert("\(collection) \(entry.documentID) \(entry.revision?.text ?? "")") }
        }
        // What was announced in one message is asked for at once. Others tell of ten changes at least.
        let announced = limits.requestedRevisions + (link.route.server == nil ? simulation.climate.gatewayBatch : 10)
        let most = announced * replica.collections.count
        if wanted.count > most { throw fail("\(wanted.count) revisions are asked for and have not come, \(most) may") }
        let mostInAll = (announced + limits.incomingRevisions) * replica.collections.count
        if wanted.count + heldCount > mostInAll {
            throw fail("\(wanted.count) revisions are asked for, and \(heldCount) are here and not stored; \(mostInAll) may in all")
        }
    }

    /// What comes is counted, as long as it is understood.
    private func noteArrival(_ wire: WireRequest, _ number: UInt64?) throws {
        let collection = wire.properties["collection"] ?? "0"
        if wire.profile == "changes", let number { announced[number] = (collection, try ChangesMessage(wire)) }
        guard wire.profile == "rev" || wire.profile == "norev" else { return }
        let asked = wire.properties["replacedRev"] ?? wire.properties["rev"] ?? ""
        wanted.remove("\(collection) \(wire.properties["id"] ?? "") \(asked)")
        guard wire.profile == "rev", wire.properties["error"] == nil, let revision = wire.properties["rev"] else { return }
        held["\(collection) \(wire.properties["id"] ?? "")", default: []].insert(revision)
        let most = limits.incomingRevisions * replica.collections.count
        // Blobs come over the same connection, so those who wait for them go on reading.
        if heldCount > most, fetches.isEmpty { throw fail("\(heldCount) revisions came and are not stored, \(most) may") }
    }

    private var heldCount: Int { held.values.reduce(0) { $0 + $1.count } }

    private func answer(_ id: IncomingID, _ send: (UInt64) throws -> Void) throws {
        guard unanswered.remove(id.number) != nil else { throw fail("request \(id.number) is answered twice") }
        try send(id.number)
    }

    private func send(_ request: SyncRequest, _ ticket: Ticket?) throws {
        let wire = request.wire
        guard wire.isNoReply == (ticket == nil) else { throw fail("\(wire.profile): an answer is wanted, and not") }
        let number = try link.send(wire, from: side)
        guard let ticket else { return }
        awaited[number] = ticket
        if case .changes = request.content {
            told.insert(number)
            if told.count > 5 * replica.collections.count { throw fail("\(told.count) messages with changes wait for an answer") }
        }
        switch request.content {
        case .getCollections, .getCheckpoint: questions[number] = (request.content, ticket.collection)
        case .proposeChanges(let message): try checkOffer(message, ticket.collection)
        default: break
        }
        guard case .rev(let message) = request.content else { return }
        // A version that has beaten another one since says more than it did.
        let name = simulation.climate.usesVectors ? "\(message.history)" : message.revision?.text ?? ""
        let what = "\(request.collection ?? 0) \(message.documentID) \(name) \(link.partnerName(of: side))"
        // A second connection at the same time may have been told to send it as well.
        // What replaces another may be asked for itself meanwhile.
        let isWasted = message.replaces == nil && !replaced.contains(what)
        if message.replaces != nil { replaced.insert(what) }
        // Where a tree follows two partners in turn, what it knows of one goes with the branch.
        if isWasted, simulation.climate.isToAgree, let known = replica.acknowledged[what],
            known.link == ObjectIdentifier(link) || known.step < link.start,
            let receiver = link.receiver(from: side), try receiver.knows(message, request.collection ?? 0),
            // The branch can also have gone and come back over another connection, after it was asked for over this one.
            !receiver.hasLacked(message, request.collection ?? 0, since: known.step)
        {
            throw fail("\(what) is sent again although it was acknowledged")
        }
        revisions[number] = (what, wire.body.count)
        unansweredBytes += wire.body.count
        largest = max(largest, wire.body.count)
        let most = (limits.unansweredBytes + limits.revisionsPerLoad * largest) * replica.collections.count
        if unansweredBytes > most { throw fail("\(unansweredBytes) bytes of revisions wait for an answer, \(most) may") }
    }

    /// What came from a partner is not offered to it, if what is noted of it can be believed.
    private func checkOffer(_ message: ProposalMessage, _ collection: Int) throws {
        guard believes[collection] ?? true, link.route.server == nil, simulation.climate.isToAgree else { return }
        for entry in message.entries {
            guard let revision = entry.revision?.text, replica.pulled["\(collection) \(entry.documentID)"] == revision else { continue }
            throw fail("\(entry.documentID) \(entry.revision?.text ?? "") is offered to whom it came from")
        }
    }

    private func noteAgreement(_ reply: WireReply, _ question: (content: SyncRequest.Content, collection: Int)) throws {
        var peers: [Int: Checkpoint] = [:]
        if case .getCollections = question.content, !reply.isError {
            for (place, item) in try CollectionsReply(reply).items.enumerated() {
                if case .checkpoint(_, let body) = item { peers[place] = Checkpoint(json: body) }
            }
        } else if !reply.isError {
            peers[question.collection] = Checkpoint(json: CheckpointReply(reply).body)
        }
        for (place, checkpoint) in own where believes[place] == nil {
            believes[place] = checkpoint.validated(against: peers[place] ?? Checkpoint()).isValid
        }
    }

    private func enqueue(_ request: StoreRequest, _ ticket: Ticket) throws {
        switch request {
        case .insert(let revisions) where revisions.count > limits.insertionBatch: throw fail("\(revisions.count) are inserted at once")
        case .loadRevisions(let orders, _) where orders.count > limits.revisionsPerLoad: throw fail("\(orders.count) are loaded at once")
        case .readChanges(_, let limit) where limit > max(10, limits.changesPerMessage): throw fail("\(limit) changes are read at once")
        default: queue.append((request, ticket))
        }
    }

    private func check(_ event: DocumentEvent) throws {
        // It was stored, or will not be.
        if event.direction == .pull { held["\(event.collection) \(event.documentID)"] = nil }
        guard let error = event.error, !event.isTransient else { return }
        if error.isConflict {
            let way = replica.ways[event.collection]
            let climate = simulation.climate
            // What is in the way cannot be pulled if it is out of sight, or not taken.
            let canPull = way.pulls && !way.takesNoSecrets && !climate.hasChannels
            if side == .client, event.direction == .push, canPull, simulation.isHealed, climate.isToAgree {
                throw fail("\(event.documentID) failed: \(error)")
            }
            return
        }
        if error.isForbidden, simulation.climate.refuses { return }
        if error == .filteredOut, replica.ways.contains(where: \.takesNoSecrets) { return }
        if simulation.climate.resolverFails, error.message.contains(Simulation.resolverFailure) { return }
        throw fail("\(event.documentID) failed: \(error)")
    }

    // What happens to it

    func receive(_ packet: Packet) throws {
        switch packet {
        case .request(let wire, let number):
            if let number { unanswered.insert(number) }
            try noteArrival(wire, number)
            try handle(.received(wire, number.map { IncomingID($0) }))
        case .reply(let reply, let number):
            if let (digest, ticket) = fetches.removeValue(forKey: number) { return try handle(.fetched(keep(reply, digest), ticket)) }
            guard let ticket = awaited.removeValue(forKey: number) else { throw fail("an answer to nothing") }
            if let (what, bytes) = revisions.removeValue(forKey: number) {
                unansweredBytes -= bytes
                if !reply.isError {
                    replica.acknowledged[what] = (ObjectIdentifier(link), simulation.step)
                    if link.route.server == nil { replica.pulled[what.split(separator: " ").prefix(2).joined(separator: " ")] = nil }
                }
            }
            told.remove(number)
            if let question = questions.removeValue(forKey: number) { try noteAgreement(reply, question) }
            try handle(.replied(reply, ticket))
        }
    }

    private func keep(_ reply: WireReply, _ digest: BlobDigest) -> SyncError? {
        if reply.isError { return SyncError(reply) }
        do {
            guard try replica.save(blob: reply.body) == digest else { return .http(400, "the blob has another digest") }
            return nil
        } catch {
            return ReplicatedDatabase.translate(error)
        }
    }

    var hasWork: Bool { !queue.isEmpty || !timers.isEmpty || !changed.isEmpty }

    func work() throws {
        let choice = simulation.random.below(4)
        if !changed.isEmpty, choice == 0 || queue.isEmpty {
            let collection = changed.sorted()[simulation.random.below(changed.count)]
            changed.remove(collection)
            try handle(.databaseChanged(collection: collection))
        } else if !timers.isEmpty, choice == 1 || queue.isEmpty {
            let place = simulation.random.below(timers.count)
            guard timers[place].length == 1 || simulation.random.below(timers[place].length) == 0 else { return }
            try handle(.timer(timers.remove(at: place).ticket))
        } else if !queue.isEmpty {
            // Those of one collection in their order; collections go their own ways.
            let wanted = queue[simulation.random.below(queue.count)].ticket.collection
            guard let place = queue.firstIndex(where: { $0.ticket.collection == wanted }) else { return }
            let (request, ticket) = queue.remove(at: place)
            try perform(request, ticket)
        }
    }

    private func perform(_ request: StoreRequest, _ ticket: Ticket) throws {
        let name = session.collectionName(ticket.collection)
        guard let store = stores[name] else { throw fail("there is no collection \(name)") }
        if case .saveCheckpoint(let body) = request { try simulation.checkCheckpoint(body, replica, name, link) }
        let answer = store.perform(request)
        try noteStored(request, answer, ticket.collection)
        switch request {
        case .insert, .resolveConflict, .purge, .mark, .lookUp:
            replica.changed(name)
            try Trace.note(replica, name, after: "step \(simulation.step), \(link.name): \("\(request)".prefix(12))")
        default: break
        }
        try handle(.stored(answer, ticket))
    }

    private func noteStored(_ request: StoreRequest, _ answer: StoreAnswer, _ collection: Int) throws {
        switch (request, answer) {
        case (.lookUp(let entries), _): for entry in entries { try noteLack(of: entry.documentID, entry.revision, collection) }
        case (.review(let entries), _): for entry in entries { try noteLack(of: entry.documentID, entry.revision, collection) }
        case (.loadCheckpoint, .checkpoint(_, let body)): own[collection] = body.map { Checkpoint(json: $0) }
        case (.insert(let list), .inserted(let outcomes)):
            for (received, outcome) in zip(list, outcomes) {
                let key = "\(collection) \(received.message.documentID)"
                // It waits for blobs.
                if case .incomplete = outcome { continue }
                held[key] = nil
                guard case .inserted(isConflict: false, _) = outcome, side == .client, link.route.server == nil,
                    let revision = received.message.revision
                else {
                    continue
                }
                replica.pulled[key] = revision.text
            }
        default: break
        }
    }

    /// While it cannot take more, only what it waits for is read.
    var isCongested: Bool { fetches.isEmpty && session.isCongested }

    var isIdle: Bool {
        unanswered.isEmpty && awaited.isEmpty && fetches.isEmpty && (activity == .idle || activity == .stopped)
    }

    func knows(_ message: RevisionMessage, _ collection: Int) throws -> Bool {
        let remote: UInt16 = side == .client ? 1 : 0
        return try message.revision.map { try replica.knows(message.documentID, $0, collection, asRemote: remote) } ?? false
    }

    func hasLacked(_ message: RevisionMessage, _ collection: Int, since step: Int) -> Bool {
        replica.lacked["\(collection) \(message.documentID) \(message.revision?.text ?? "")"].map { $0 > step } ?? false
    }

    /// What is looked up, or offered, and is not here.
    private func noteLack(of documentID: String, _ revision: RevisionID?, _ collection: Int) throws {
        guard let revision, try !replica.knows(documentID, revision, collection) else { return }
        replica.lacked["\(collection) \(documentID) \(revision.text)"] = simulation.step
    }

    var situation: String { "\(activity), \(awaited.count) awaited, \(unanswered.count) to be answered, \(fetches.count) blobs" }

    func disconnected(_ error: SyncError?) {
        _ = session.handle(.disconnected(error), time: 1_700_000_000)
        replica.ends.removeAll { $0 === self }
    }
}

extension Replica {
    /// Everybody who looks after the collection hears of it, at some time.
    func changed(_ name: CollectionName) { for end in ends { end.noteChange(of: name) } }
}
