import CBLStore

/// One connection of a replicator, as a value: events in, actions out. It knows no socket, no clock and no database.
///
///     var session = ActiveSession(configuration)
///     perform(session.start())
///     for event in events { perform(session.handle(event, time: now)) }
package struct ActiveSession: Sendable {
    /// Whether, and for how long, a direction is replicated.
    package enum Mode: Hashable, Sendable {
        case off
        /// Up to the present state.
        case once
        case continuous
    }

    package struct Collection: Hashable, Sendable {
        package var name: CollectionName
        package var checkpointID: String
        package var push: Mode
        package var pull: Mode
        package var channels: [String] = []
        package var documentIDs: [String]?
        package var filter: String?
        package var filterParameters: [String: String] = [:]
        /// Leave out what was deleted on the peer before now.
        package var skipsDeleted = false
        /// Documents that the user lost access to go from here too.
        package var purgesLost = true
        /// Start from nothing, whatever the checkpoint says.
        package var isReset = false
        /// The collection has no documents: tombstones are not worth pulling.
        package var isEmpty = false

        package init(_ name: CollectionName = .default, checkpointID: String, push: Mode, pull: Mode) {
            self.name = name
            self.checkpointID = checkpointID
            self.push = push
            self.pull = pull
        }

        /// How the protocol writes its name.
        var path: String { name.scope == CollectionName.defaultName ? name.name : "\(name.scope).\(name.name)" }
    }

    package struct Configuration: Hashable, Sendable {
        package var collections: [Collection]
        package var usesVectors = false
        package var allowsDeltas = true
        /// Whether what settles a conflict is pushed by the very session that has brought it, though that is to come to an end.
        package var pushesSettlements = true
        /// The public UUID, to introduce oneself.
        package var databaseUUID: String?
        package var maxHistory = 50
        package var limits = FlowLimits()

        package init(collections: [Collection]) { self.collections = collections }

        /// Without `getCollections` there is the default collection alone.
        func usesCollections(_ version: ReplicationProtocol) -> Bool {
            version.hasCollections && (collections.count != 1 || collections[0].name != .default || version >= .v4)
        }
    }

    private enum Phase: Equatable {
        /// Waiting for the connection, the local checkpoints, or the peer's.
        case opening
        case running
        /// Saving checkpoints before the end.
        case ending
        case closed
    }

    private struct Worker {
        var checkpointer: Checkpointer
        var pusher: Pusher?
        var puller: Puller?
    }

    package let configuration: Configuration
    package private(set) var status = SyncStatus()
    private var phase = Phase.opening
    /// The end was asked for; what is not done is left to the next session.
    private var isStopping = false
    private var version: ReplicationProtocol?
    private var usesCollections = false
    private var port = SessionPort(collection: 0, wire: nil, machine: .session)
    private var collectionsRequest: Int?
    private var workers: [Worker] = []
    private var hasNegotiated = false

    package init(_ configuration: Configuration) {
        self.configuration = configuration
        for (index, collection) in configuration.collections.enumerated() {
            let port = SessionPort(collection: index, wire: nil, machine: .checkpointer)
            let checkpointer = Checkpointer(
                port, id: collection.checkpointID, isReset: collection.isReset, limits: configuration.limits)
            workers.append(Worker(checkpointer: checkpointer))
        }
    }

    /// Whether the session is over.
    package var isClosed: Bool { phase == .closed }
    /// Whether nothing should be read from the connection for the moment.
    package var isCongested: Bool { workers.contains { $0.puller?.isCongested ?? false } }

    package mutating func start() -> [Action] {
        var outbox = Outbox()
        for index in workers.indices { workers[index].checkpointer.load(&outbox) }
        return finish(outbox, time: 0)
    }

    /// Takes an event and says what is to be done. `time` is in seconds since 1970.
    package mutating func handle(_ event: Event, time: Int64) -> [Action] {
        guard phase != .closed else { return answerWhenClosed(event) }
        var outbox = Outbox()
        switch event {
        case .connected(let version):
            self.version = version
            usesCollections = configuration.usesCollections(version)
        case .received(let wire, let id): receive(wire, id, &outbox)
        case .replied(let reply, let ticket): replied(reply, ticket, time: time, &outbox)
        case .stored(let answer, let ticket):
            let index = ticket.collection
            switch ticket.machine {
            case .checkpointer: workers[index].checkpointer.stored(answer, ticket.number, time: time, &outbox)
            case .pusher: workers[index].pusher?.stored(answer, ticket.number, &outbox)
            case .puller: workers[index].puller?.stored(answer, ticket.number, &outbox)
            case .session: break
            }
            deliver(&outbox, index)
        case .fetched(let error, let ticket):
            workers[ticket.collection].puller?.fetched(error, ticket.number, &outbox)
            deliver(&outbox, ticket.collection)
        case .timer(let ticket):
            let index = ticket.collection
            switch ticket.machine {
            case .checkpointer: if workers[index].checkpointer.timerFired(ticket.number) { save(index, time: time, &outbox) }
            case .puller: workers[index].puller?.timerFired(ticket.number, &outbox)
            case .pusher, .session: break
            }
            deliver(&outbox, index)
        case .databaseChanged(let index):
            workers[index].pusher?.databaseChanged(isOwn: false, &outbox)
            deliver(&outbox, index)
        case .disconnected(let error):
            close(error ?? SyncError(.webSocket, 1001, "the peer closed the connection"), isConnected: false, &outbox)
        case .stop:
            isStopping = true
            // Otherwise the checkpoint waits behind all that is still proposed and sent.
            for index in workers.indices { workers[index].pusher?.stop() }
            if phase == .running { end(time: time, &outbox) } else if phase == .opening { close(nil, &outbox) }
        }
        return finish(outbox, time: time)
    }

    /// What follows from an event for the session as a whole.
    private mutating func finish(_ outbox: Outbox, time: Int64) -> [Action] {
        var outbox = outbox
        // A machine that met something fatal says so by closing.
        if let place = outbox.actions.firstIndex(where: { if case .close = $0 { true } else { false } }), phase != .closed {
            guard case .close(let error) = outbox.actions.remove(at: place) else { return outbox.actions }
            close(error, &outbox)
        }
        if phase == .opening { negotiate(&outbox) }
        // The peer may tell of more after it said that this was all.
        if phase == .ending, !isStopping, !isIdle { phase = .running }
        if phase == .running {
            for index in workers.indices where workers[index].pusher?.hasOfferedAll ?? false {
                workers[index].checkpointer.release(&outbox)
            }
            endIfDone(time: time, &outbox)
            if phase == .running, isIdle { for index in workers.indices { workers[index].checkpointer.hurry(&outbox) } }
        }
        if phase == .ending, workers.allSatisfy({ $0.checkpointer.isIdle && !($0.puller?.isResolving ?? false) }) { close(nil, &outbox) }
        updateStatus(&outbox)
        return outbox.actions
    }

    private mutating func close(_ error: SyncError?, isConnected: Bool = true, _ outbox: inout Outbox) {
        phase = .closed
        if isConnected || error != nil { outbox.actions.append(.close(error)) }
    }

    /// Requests are answered to the last, and conflicts that the app has settled are told of.
    private mutating func answerWhenClosed(_ event: Event) -> [Action] {
        switch event {
        case .received(_, let id?): return [.reply(SyncError(.http, 503, "the replicator is closing the connection").reply, to: id)]
        case .stored(let answer, let ticket):
            guard ticket.machine == .puller, workers[ticket.collection].puller?.isResolving(ticket.number) ?? false else { return [] }
            var outbox = Outbox()
            workers[ticket.collection].puller?.stored(answer, ticket.number, &outbox)
            return outbox.actions.filter { if case .report = $0 { true } else { false } }
        default: return []
        }
    }

    private mutating func updateStatus(_ outbox: inout Outbox) {
        let before = status
        switch phase {
        case .opening: status.activity = version == nil ? .connecting : .busy
        case .running:
            status.activity = isIdle && workers.allSatisfy(\.checkpointer.isIdle) ? .idle : .busy
            // What was announced with another size, or was not wanted in the end, is done as well.
            if status.activity == .idle { status.completed = status.total }
        case .ending: status.activity = .busy
        case .closed: status.activity = .stopped
        }
        if status != before { outbox.actions.append(.report(.status(status))) }
    }

    private var isIdle: Bool { workers.allSatisfy { ($0.pusher?.isIdle ?? true) && ($0.puller?.isIdle ?? true) } }
    private var isContinuous: Bool { configuration.collections.contains { $0.push == .continuous || $0.pull == .continuous } }
}

// The beginning: what both sides remember of earlier sessions.
extension ActiveSession {
    private mutating func negotiate(_ outbox: inout Outbox) {
        guard version != nil, workers.allSatisfy(\.checkpointer.isLoaded) else { return }
        if !hasNegotiated {
            hasNegotiated = true
            if usesCollections {
                let items = zip(configuration.collections, workers).map {
                    GetCollections.Item(checkpointID: $1.checkpointer.askedID, path: $0.path)
                }
                let message = GetCollections(items: items, databaseUUID: configuration.databaseUUID)
                collectionsRequest = outbox.request(.getCollections(message), &port)
                for index in workers.indices {
                    workers[index].checkpointer.port = SessionPort(collection: index, wire: index, machine: .checkpointer)
                }
            } else {
                for index in workers.indices { workers[index].checkpointer.ask(&outbox) }
            }
        }
        // Without a local checkpoint there is nothing to compare, and no need to wait.
        let waits = usesCollections
        guard workers.allSatisfy({ $0.checkpointer.isAgreed || !waits && !$0.checkpointer.hasLocal }) else { return }
        run(&outbox)
    }

    private mutating func takeCollections(_ reply: WireReply, _ outbox: inout Outbox) {
        if reply.isError { return outbox.actions.append(.close(SyncError(reply))) }
        do {
            let answer = try CollectionsReply(reply)
            guard answer.items.count == workers.count else {
                throw MalformedMessage("the peer answered for \(answer.items.count) collections instead of \(workers.count)")
            }
            for (index, item) in answer.items.enumerated() {
                switch item {
                case .unknown:
                    let path = configuration.collections[index].path
                    let error = SyncError(.webSocket, 404, "the server has no collection \"\(path)\"")
                    return outbox.actions.append(.close(error))
                case .new: workers[index].checkpointer.agree(revision: "", with: nil)
                case .checkpoint(let revision, let body):
                    workers[index].checkpointer.agree(revision: revision, with: Checkpoint(json: body))
                }
            }
        } catch {
            outbox.actions.append(.close(SyncError.liteCore(SyncError.LiteCoreCode.remoteError, "\(error)")))
        }
    }

    private mutating func run(_ outbox: inout Outbox) {
        phase = .running
        for (index, collection) in configuration.collections.enumerated() {
            let wire = usesCollections ? index : nil
            if collection.push != .off { workers[index].checkpointer.startReading() }
            let checkpointer = workers[index].checkpointer
            if collection.push != .off {
                workers[index].pusher = Pusher(
                    SessionPort(collection: index, wire: wire, machine: .pusher), checkpoint: checkpointer.checkpoint,
                    isContinuous: collection.push == .continuous, alsoPulls: collection.pull != .off, trustsMarks: checkpointer.isValid,
                    allowsDeltas: configuration.allowsDeltas, limits: configuration.limits)
            }
            if collection.pull != .off {
                var options = Puller.Options(subscription: subscription(collection, checkpointer))
                options.purgesLost = collection.purgesLost
                options.acceptsDeltas = configuration.allowsDeltas
                options.maxHistory = version == .v4 && configuration.usesVectors ? nil : configuration.maxHistory
                workers[index].puller = Puller(
                    SessionPort(collection: index, wire: wire, machine: .puller), since: checkpointer.checkpoint.remote, options: options,
                    limits: configuration.limits)
            }
        }
        for index in workers.indices {
            workers[index].puller?.start(&outbox)
            workers[index].pusher?.start(&outbox)
            deliver(&outbox, index)
        }
    }

    private func subscription(_ collection: Collection, _ checkpointer: Checkpointer) -> SubChanges {
        var subscription = SubChanges()
        subscription.since = checkpointer.checkpoint.remote
        subscription.isContinuous = collection.pull == .continuous
        subscription.batch = configuration.limits.changesPerMessage
        subscription.activeOnly = collection.skipsDeleted || !checkpointer.hasLocal && collection.isEmpty
        subscription.wantsRevocations = (version?.hasCollections ?? false) && collection.purgesLost
        subscription.channels = collection.channels
        subscription.documentIDs = collection.documentIDs
        subscription.filter = collection.filter
        subscription.filterParameters = collection.filterParameters
        subscription.usesVectors = configuration.usesVectors
        subscription.acceptsReplacements = true
        return subscription
    }
}

// The middle: messages to the machine that they concern, and notes between machines.
extension ActiveSession {
    private mutating func replied(_ reply: WireReply, _ ticket: Ticket, time: Int64, _ outbox: inout Outbox) {
        let index = ticket.collection
        switch ticket.machine {
        case .session: if ticket.number == collectionsRequest { takeCollections(reply, &outbox) }
        case .checkpointer:
            // What the peer has is noted in the documents before our copy of the checkpoint says that it is done.
            if workers[index].checkpointer.isAccepted(by: reply, ticket.number) { workers[index].pusher?.flushMarks(&outbox) }
            workers[index].checkpointer.replied(reply, ticket.number, time: time, &outbox)
        case .pusher: workers[index].pusher?.replied(reply, ticket.number, &outbox)
        case .puller: workers[index].puller?.replied(reply, ticket.number, &outbox)
        }
        deliver(&outbox, index)
    }

    private mutating func receive(_ wire: WireRequest, _ id: IncomingID?, _ outbox: inout Outbox) {
        let request: SyncRequest
        do { request = try SyncRequest(wire) } catch { return outbox.reply(SyncError(error), to: id) }
        guard (request.collection != nil) == usesCollections, let index = index(request) else {
            let error = SyncError.http(400, "the message does not name a collection as the first message of this connection did")
            return outbox.reply(error, to: id)
        }
        let pulls = workers[index].puller != nil
        switch request.content {
        case .changes(let message):
            guard pulls else { return outbox.reply(SyncError.http(403, "this replicator does not pull"), to: id) }
            workers[index].puller?.changes(message, id, &outbox)
        case .rev(let message):
            guard pulls else { return outbox.reply(SyncError.http(403, "this replicator does not pull"), to: id) }
            workers[index].puller?.revision(message, id, &outbox)
        case .norev(let message):
            workers[index].puller?.noRevision(message, &outbox)
            outbox.reply(WireReply.empty, to: id)
        case .getAttachment(let message):
            if let id, mayHave(message.digest, id, &outbox) { outbox.actions.append(.sendBlob(message, to: id)) }
        case .proveAttachment(let message):
            if let id, mayHave(message.digest, id, &outbox) { outbox.actions.append(.proveBlob(message, to: id)) }
        default: outbox.reply(SyncError(.blip, 404, "no handler for message \"\(request.profile)\""), to: id)
        }
        deliver(&outbox, index)
    }

    /// A server gets the blobs of documents that are being sent to it, and learns nothing of others that are here.
    private func mayHave(_ digest: BlobDigest, _ id: IncomingID, _ outbox: inout Outbox) -> Bool {
        if workers.contains(where: { $0.pusher?.offers(digest) ?? false }) { return true }
        outbox.reply(SyncError.http(403, "the blob belongs to no document that is being sent"), to: id)
        return false
    }

    private func index(_ request: SyncRequest) -> Int? {
        let index = request.collection ?? 0
        return workers.indices.contains(index) ? index : nil
    }

    /// Passes on what the machines of a collection have to tell each other.
    private mutating func deliver(_ outbox: inout Outbox, _ index: Int) {
        // A note can bring about others.
        while !outbox.notes.isEmpty {
            let notes = outbox.notes
            outbox.notes = []
            for note in notes {
                switch note {
                case .changesRead(let last, let pending): workers[index].checkpointer.changesRead(upTo: last, pending: pending, &outbox)
                case .localDone(let sequence): workers[index].checkpointer.localDone(sequence, &outbox)
                case .remoteReached(let sequence): workers[index].checkpointer.remoteReached(sequence, &outbox)
                case .pulled(let id, let revision): workers[index].pusher?.pulled(id, revision, &outbox)
                case .surpassed(let id, let sequence): workers[index].pusher?.surpassed(id, by: sequence, &outbox)
                case .resolvedWithNewRevision: workers[index].pusher?.databaseChanged(isOwn: configuration.pushesSettlements, &outbox)
                case .progress(let completed, let total, let documents):
                    status.completed += completed
                    status.total = max(status.total + total, status.completed)
                    status.documents += documents
                }
            }
        }
    }
}

// The end.
extension ActiveSession {
    private mutating func save(_ index: Int, time: Int64, _ outbox: inout Outbox) {
        workers[index].checkpointer.save(time: time, &outbox)
    }

    private mutating func endIfDone(time: Int64, _ outbox: inout Outbox) {
        guard isIdle else { return }
        for index in workers.indices where workers[index].pusher?.hasWaitingConflicts ?? false {
            if workers[index].pusher?.askAboutDeletions(&outbox) ?? false { continue }
            guard configuration.collections[index].pull != .continuous else { continue }
            workers[index].pusher?.reportWaitingConflicts(&outbox)
            deliver(&outbox, index)
        }
        guard !isContinuous, isIdle else { return }
        end(time: time, &outbox)
    }

    private mutating func end(time: Int64, _ outbox: inout Outbox) {
        guard workers.allSatisfy(\.checkpointer.isAgreed) else { return }
        if isIdle { status.completed = status.total }
        phase = .ending
        for index in workers.indices { save(index, time: time, &outbox) }
    }
}
