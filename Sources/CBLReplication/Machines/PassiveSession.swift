import CBLStore

/// One connection that somebody else opened to this database: answers and sends what it is asked for, and keeps the peer's checkpoints.
package struct PassiveSession: Sendable {
    package struct Configuration: Hashable, Sendable {
        /// The collections that others may replicate with.
        package var collections: [CollectionName]
        package var allowsPush = true
        package var allowsPull = true
        /// Those among them that cannot be pulled from, and pushed to.
        package var unreadable: Set<CollectionName> = []
        package var unwritable: Set<CollectionName> = []
        package var usesVectors = false
        package var allowsDeltas = true
        package var limits = FlowLimits()

        package init(collections: [CollectionName] = [.default]) { self.collections = collections }
    }

    private enum Pending {
        case collection(IncomingID?, place: Int)
        case getCheckpoint(IncomingID?)
        case setCheckpoint(IncomingID?)
    }

    private struct Worker {
        let name: CollectionName
        /// Whether others may replicate with it: some ask for what is not there.
        let isOpen: Bool
        var puller: PassivePuller
        var pusher: PassivePusher?
        /// Where a second subscription goes on with its numbers: what was asked for by the first may still be answered.
        var pusherPort: SessionPort
    }

    /// The reply to `getCollections` in the making.
    private struct Opening {
        var items: [CollectionsReply.Item]
        var missing: Int
        let id: IncomingID?
    }

    package let configuration: Configuration
    package private(set) var status = SyncStatus()
    package private(set) var isClosed = false
    private var port = SessionPort(collection: 0, wire: nil, machine: .session)
    private var workers: [Worker] = []
    /// Whether the peer named collections; nil as long as it has said nothing.
    private var usesCollections: Bool?
    private var opening: Opening?
    private var pending: [Int: Pending] = [:]
    /// Others need the memory: what is sent is loaded in smaller pieces.
    package var isMemoryScarce = false {
        didSet {
            guard isMemoryScarce != oldValue else { return }
            for index in workers.indices { workers[index].pusher?.isMemoryScarce = isMemoryScarce }
        }
    }

    package init(_ configuration: Configuration) { self.configuration = configuration }

    /// The collections of this connection: what the number in a ticket means.
    package var collections: [CollectionName] { workers.map(\.name) }
    package var isCongested: Bool {
        pending.count >= configuration.limits.openCheckpoints || workers.contains { $0.puller.isCongested }
    }

    package var held: HeldMemory {
        var held = HeldMemory()
        for worker in workers {
            held += worker.puller.held
            if let pusher = worker.pusher { held += pusher.held }
        }
        return held
    }

    package mutating func handle(_ event: Event, time: Int64) -> [Action] {
        var outbox = Outbox()
        if isClosed {
            if case .received(_, let id?) = event { outbox.reply(SyncError.http(503, "the connection is being closed"), to: id) }
            return outbox.actions
        }
        switch event {
        case .connected: break
        case .received(let wire, let id): receive(wire, id, &outbox)
        case .replied(let reply, let ticket):
            let index = ticket.collection
            if ticket.machine == .pusher { workers[index].pusher?.replied(reply, ticket.number, &outbox) }
        case .stored(let answer, let ticket): stored(answer, ticket, &outbox)
        case .fetched(let error, let ticket): workers[ticket.collection].puller.fetched(error, ticket.number, &outbox)
        case .timer(let ticket):
            let index = ticket.collection
            switch ticket.machine {
            case .pusher: workers[index].pusher?.timerFired(ticket.number, &outbox)
            default: workers[index].puller.timerFired(ticket.number, &outbox)
            }
        case .databaseChanged(let index):
            guard workers.indices.contains(index) else { break }
            workers[index].pusher?.databaseChanged(&outbox)
        case .disconnected: isClosed = true
        case .stop: outbox.actions.append(.close(SyncError(.webSocket, 1001, "the server is going away")))
        }
        outbox.notes = []
        if workers.contains(where: { $0.puller.isOverfull }) {
            outbox.actions.append(.close(SyncError(.webSocket, 1009, "more revisions wait for their blobs than can be kept")))
        }
        if outbox.actions.contains(where: { if case .close = $0 { true } else { false } }) { isClosed = true }
        let before = status
        status.activity = isClosed ? .stopped : isIdle ? .idle : .busy
        if status != before { outbox.actions.append(.report(.status(status))) }
        return outbox.actions
    }

    private var isIdle: Bool { pending.isEmpty && workers.allSatisfy { $0.puller.isIdle && ($0.pusher?.isIdle ?? true) } }

    private mutating func stored(_ answer: StoreAnswer, _ ticket: Ticket, _ outbox: inout Outbox) {
        let index = ticket.collection
        switch ticket.machine {
        case .puller: note(workers[index].puller.stored(answer, ticket.number, &outbox), index)
        case .pusher: workers[index].pusher?.stored(answer, ticket.number, &outbox)
        case .session: settle(pending.removeValue(forKey: ticket.number), answer, &outbox)
        case .checkpointer: break
        }
    }

    private mutating func note(_ settled: [RevisionReceiver.Settled], _ index: Int) {
        guard workers[index].pusher != nil else { return }
        for (incoming, outcome) in settled {
            guard let revision = incoming.revision.message.revision else { continue }
            if case .stored = outcome {
                workers[index].pusher?.noteStored(incoming.documentID, revision)
            } else {
                workers[index].pusher?.forgetReceived(incoming.documentID, revision)
            }
        }
    }

    private mutating func settle(_ request: Pending?, _ answer: StoreAnswer, _ outbox: inout Outbox) {
        switch (request, answer) {
        case (.getCheckpoint(let id)?, .peerCheckpoint(let revision, let body?)):
            outbox.reply(CheckpointReply(revision: revision, body: body).wire, to: id)
        case (.getCheckpoint(let id)?, .peerCheckpoint): outbox.reply(SyncError.http(404, "no checkpoint of that name"), to: id)
        case (.setCheckpoint(let id)?, .peerCheckpoint(let revision, _)):
            outbox.reply(WireReply(properties: ["rev": revision]), to: id)
        case (.getCheckpoint(let id)?, .failed(let error)), (.setCheckpoint(let id)?, .failed(let error)): outbox.reply(error, to: id)
        case (.collection(_, let place)?, .peerCheckpoint(let revision, let body)):
            if let body { opening?.items[place] = .checkpoint(revision: revision, body: body) }
            answerOpening(&outbox)
        case (.collection(let id, _)?, .failed(let error)):
            opening = nil
            outbox.reply(error, to: id)
        default: break
        }
    }

    private mutating func answerOpening(_ outbox: inout Outbox) {
        opening?.missing -= 1
        guard let done = opening, done.missing == 0 else { return }
        opening = nil
        outbox.reply(CollectionsReply(items: done.items).wire, to: done.id)
    }
}

// What the peer asks for.
extension PassiveSession {
    private mutating func receive(_ wire: WireRequest, _ id: IncomingID?, _ outbox: inout Outbox) {
        let request: SyncRequest
        do { request = try SyncRequest(wire) } catch { return outbox.reply(SyncError(error), to: id) }
        switch request.content {
        case .getCollections(let message): return open(message, id, &outbox)
        // Blobs and unknown requests are answered whatever was said before.
        case .unknown, .getRev: return outbox.reply(SyncError(.blip, 404, "no handler for message \"\(request.profile)\""), to: id)
        default: break
        }
        guard let index = index(request, id, &outbox) else { return }
        switch request.content {
        case .getCheckpoint(let message):
            pending[store(.loadPeerCheckpoint(id: message.client), index, &outbox)] = .getCheckpoint(id)
        case .setCheckpoint(let message):
            guard message.body.count <= configuration.limits.checkpointBytes else {
                return outbox.reply(SyncError.http(413, "the checkpoint is too large"), to: id)
            }
            guard message.client.utf8.count <= configuration.limits.checkpointNameBytes else {
                return outbox.reply(SyncError(.blip, 400, "the checkpoint's name is too long"), to: id)
            }
            let save = StoreRequest.savePeerCheckpoint(id: message.client, revision: message.revision, body: message.body)
            pending[store(save, index, &outbox)] = .setCheckpoint(id)
        case .subChanges(let message): subscribe(message, id, index, &outbox)
        case .unsubChanges:
            if let pusher = workers[index].pusher { workers[index].pusherPort = pusher.port }
            workers[index].pusher = nil
            outbox.reply(WireReply.empty, to: id)
        case .changes(let message):
            if message.entries.isEmpty { return outbox.reply(WireReply.empty, to: id) }
            outbox.reply(SyncError(.blip, 409, "Use 'proposeChanges' instead"), to: id)
        case .proposeChanges(let message):
            guard mayPush(id, index, &outbox) else { return }
            workers[index].puller.proposed(message, id, &outbox)
        case .rev(let message):
            guard mayPush(id, index, &outbox) else { return }
            if let revision = message.revision { workers[index].pusher?.noteReceived(message.documentID, revision) }
            note(workers[index].puller.revision(message, id, &outbox), index)
        case .norev: outbox.reply(WireReply.empty, to: id)
        case .getAttachment(let message):
            if let id, mayHave(message.digest, id, &outbox) { outbox.actions.append(.sendBlob(message, to: id)) }
        case .proveAttachment(let message):
            if let id, mayHave(message.digest, id, &outbox) { outbox.actions.append(.proveBlob(message, to: id)) }
        case .getCollections, .getRev, .unknown: break
        }
    }

    private func mayPush(_ id: IncomingID?, _ index: Int, _ outbox: inout Outbox) -> Bool {
        if configuration.allowsPush, !configuration.unwritable.contains(workers[index].name) { return true }
        outbox.reply(SyncError.http(403, "Attempting to push to a pull-only replicator"), to: id)
        return false
    }

    /// Blobs are for those who are being sent a document with them: to know a digest is not enough.
    private func mayHave(_ digest: BlobDigest, _ id: IncomingID, _ outbox: inout Outbox) -> Bool {
        if workers.contains(where: { $0.pusher?.offers(digest) ?? false }) { return true }
        outbox.reply(SyncError.http(403, "the blob belongs to no document that is being sent"), to: id)
        return false
    }

    private mutating func store(_ request: StoreRequest, _ index: Int, _ outbox: inout Outbox) -> Int {
        // One series of numbers for all collections.
        let number = port.ticket().number
        outbox.actions.append(.store(request, Ticket(collection: index, machine: .session, number: number)))
        return number
    }

    private mutating func add(_ name: CollectionName, isOpen: Bool, wire: Int?) {
        let puller = PassivePuller(
            SessionPort(collection: workers.count, wire: wire, machine: .puller), allowsDeltas: configuration.allowsDeltas,
            limits: configuration.limits)
        let port = SessionPort(collection: workers.count, wire: wire, machine: .pusher)
        workers.append(Worker(name: name, isOpen: isOpen, puller: puller, pusherPort: port))
    }

    private mutating func open(_ message: GetCollections, _ id: IncomingID?, _ outbox: inout Outbox) {
        guard usesCollections == nil else {
            return outbox.reply(
                SyncError(.blip, 400, "Invalid getCollections message: it must be the first message of a connection"), to: id)
        }
        guard message.items.count <= configuration.limits.collectionsPerMessage else {
            return outbox.reply(SyncError(.blip, 400, "Invalid getCollections message: too many collections"), to: id)
        }
        usesCollections = true
        var items: [CollectionsReply.Item] = []
        var known: [(Int, String)] = []
        for (place, item) in message.items.enumerated() {
            let name = try? CollectionName(parsing: item.path)
            let isKnown = name.map { configuration.collections.contains($0) } ?? false
            items.append(isKnown ? .new : .unknown)
            add(name ?? .default, isOpen: isKnown, wire: place)
            if isKnown { known.append((place, item.checkpointID)) }
        }
        guard !known.isEmpty else { return outbox.reply(CollectionsReply(items: items).wire, to: id) }
        opening = Opening(items: items, missing: known.count, id: id)
        for (place, checkpointID) in known {
            pending[store(.loadPeerCheckpoint(id: checkpointID), place, &outbox)] = .collection(id, place: place)
        }
    }

    /// The collection that a request is about; nil if it was answered by an error.
    private mutating func index(_ request: SyncRequest, _ id: IncomingID?, _ outbox: inout Outbox) -> Int? {
        if usesCollections == nil, request.collection == nil {
            guard configuration.collections.contains(.default) else {
                outbox.reply(SyncError(.blip, 400, "the default collection is not open for replication"), to: id)
                return nil
            }
            usesCollections = false
            add(.default, isOpen: true, wire: nil)
        }
        guard (request.collection != nil) == usesCollections else {
            outbox.reply(SyncError.http(400, "the message does not fit the first message of this connection"), to: id)
            return nil
        }
        let index = request.collection ?? 0
        guard workers.indices.contains(index), workers[index].isOpen else {
            outbox.reply(SyncError.http(400, "no collection number \(index)"), to: id)
            return nil
        }
        return index
    }

    private mutating func subscribe(_ message: SubChanges, _ id: IncomingID?, _ index: Int, _ outbox: inout Outbox) {
        func refuse(_ error: SyncError) { outbox.reply(error, to: id) }
        guard configuration.allowsPull, !configuration.unreadable.contains(workers[index].name) else {
            return refuse(SyncError.http(403, "Attempting to pull from a push-only replicator"))
        }
        guard workers[index].pusher == nil else {
            return refuse(SyncError.liteCore(501, "changes are being sent already"))
        }
        guard message.filter == nil, message.channels.isEmpty else {
            return refuse(SyncError.liteCore(SyncError.LiteCoreCode.unsupported, "there are no filters here"))
        }
        if message.usesVectors ?? false != configuration.usesVectors, message.usesVectors != nil || configuration.usesVectors {
            let kind = configuration.usesVectors ? "version vectors" : "revision trees"
            return refuse(SyncError.liteCore(501, "the database has \(kind)"))
        }
        let names = message.documentIDs ?? []
        guard names.count <= configuration.limits.documentIDs,
            names.reduce(0, { $0 + $1.utf8.count }) <= configuration.limits.documentIDBytes
        else { return refuse(SyncError(.blip, 400, "more document IDs than can be kept")) }
        var since: UInt64 = 0
        if let sequence = message.since {
            guard case .plain(let number)? = RemoteSequence.Form(sequence.json) else {
                return refuse(SyncError(.blip, 400, "\"\(sequence)\" is not one of our sequences"))
            }
            since = number
        }
        outbox.reply(WireReply.empty, to: id)
        var pusher = PassivePusher(
            workers[index].pusherPort, message, since: since, allowsDeltas: configuration.allowsDeltas, limits: configuration.limits)
        pusher.isMemoryScarce = isMemoryScarce
        pusher.start(&outbox)
        workers[index].pusher = pusher
    }
}
