import DocumentStore

/// The receiving half of an active replication of one collection: asks for the peer's changes, says which are wanted, takes them in, and keeps
/// account of how far it has come.
struct Puller {
    struct Options {
        var subscription: SubChanges
        /// Documents that the user lost access to go from here too.
        var purgesLost = true
        var acceptsDeltas = true
        var maxHistory: Int? = 50
    }

    private enum Pending {
        case subscribing
        case lookingUp([ChangesMessage.Entry], places: [Int], IncomingID?)
        case purging([DocumentEvent], places: [Int])
        case findingConflicts
        case resolving(String)
    }

    private struct Key: Hashable {
        let documentID: String
        let revision: RevisionID
    }

    /// A revision that was asked for, until it is settled.
    private struct Requested {
        /// Where it has its sequence.
        let place: Int
        var hasCome = false
    }

    var port: Port
    private let options: Options
    private let limits: FlowLimits
    private var receiver: RevisionReceiver
    private var sequences: AnnouncedSequences
    private var requested: [Key: Requested] = [:]
    /// By document, the revision that was announced last and is not settled.
    private var openRevisions: [String: RevisionID] = [:]
    /// How many of those that were asked for have not come.
    private var awaitedCount = 0
    /// Documents that the user lost while something of them was on its way, and where that was told: what stands before it is not stored.
    private var lostPlaces: [String: Int] = [:]
    /// Announced revisions of which the store is asked, and which may all be wanted.
    private var lookedUpCount = 0
    private var waitingChanges = Queue<(message: ChangesMessage, id: IncomingID?)>()
    private var pending: [Int: Pending] = [:]
    private var isCaughtUp = false
    private var hasOfferedDeltas = false

    init(_ port: Port, since: RemoteSequence?, options: Options, limits: FlowLimits) {
        self.port = port
        self.options = options
        self.limits = limits
        receiver = RevisionReceiver(limits, allowsConflict: true)
        sequences = AnnouncedSequences(since: since)
    }

    /// Whether all that was announced is here.
    var isIdle: Bool { isCaughtUp && requested.isEmpty && waitingChanges.isEmpty && pending.isEmpty && receiver.isIdle }
    /// Whether nothing more should be read from the connection for the moment.
    var isCongested: Bool { receiver.isCongested }

    mutating func start(_ outbox: inout Outbox) {
        pending[outbox.store(.findConflicts, &port)] = .findingConflicts
        pending[outbox.request(.subChanges(options.subscription), &port)] = .subscribing
    }

    mutating func changes(_ message: ChangesMessage, _ id: IncomingID?, _ outbox: inout Outbox) {
        if message.entries.isEmpty {
            isCaughtUp = true
            outbox.reply(WireReply.empty, to: id)
        } else {
            waitingChanges.append((message, id))
            lookUp(&outbox)
        }
    }

    /// Looks which of the announced revisions are here, unless too many that were asked for are still to come, or to be stored. The peer is asked
    /// for more while the last ones are being stored, so that neither side waits for the other.
    private mutating func lookUp(_ outbox: inout Outbox) {
        while awaitedCount + lookedUpCount < limits.requestedRevisions, !receiver.hasEnough, let next = waitingChanges.first,
            !overtakes(next.message)
        {
            _ = waitingChanges.popFirst()
            let entries = next.message.entries
            lookedUpCount += entries.count
            for entry in entries where !entry.flags.losesAccess { openRevisions[entry.documentID] = entry.revision }
            let places = entries.map { sequences.announce($0.sequence) }
            pending[outbox.store(.lookUp(entries), &port)] = .lookingUp(entries, places: places, next.id)
        }
    }

    /// Whether a document in it is still to get an earlier revision. What is here of it and what is not can be said only after that: a tree
    /// takes what is stored last for what the peer has now, and the earlier one would replace what came of it since.
    private func overtakes(_ message: ChangesMessage) -> Bool {
        guard !openRevisions.isEmpty else { return false }
        return message.entries.contains { entry in
            guard !entry.flags.losesAccess, let open = openRevisions[entry.documentID] else { return false }
            return open != entry.revision
        }
    }

    /// A revision is settled, unless another one of its document was announced since.
    private mutating func close(_ documentID: String, _ revision: RevisionID) {
        if openRevisions[documentID] == revision { openRevisions[documentID] = nil }
    }

    private mutating func answer(
        _ entries: [ChangesMessage.Entry], _ places: [Int], _ lookups: [Lookup], _ id: IncomingID?, _ outbox: inout Outbox
    ) {
        lookedUpCount -= entries.count
        var reply = ChangesReply()
        reply.items.reserveCapacity(entries.count)
        var lost: [(DocumentEvent, Int)] = []
        for (index, entry) in entries.enumerated() {
            let place = places[index]
            if entry.flags.losesAccess {
                reply.items.append(.notWanted)
                let event = event(entry.documentID, entry.revision, flags: entry.flags)
                if options.purgesLost { lost.append((event, place)) } else { finish(place, &outbox) }
                continue
            }
            guard let revision = entry.revision else {
                reply.items.append(.notWanted)
                let error = SyncError.liteCore(SyncError.LiteCoreCode.badRevisionID, "the peer named a revision that cannot be one")
                outbox.report(event(entry.documentID, nil, error: error))
                finish(place, &outbox)
                continue
            }
            let key = Key(documentID: entry.documentID, revision: revision)
            switch index < lookups.count ? lookups[index] : .known {
            case .known:
                close(entry.documentID, revision)
                reply.items.append(.notWanted)
                outbox.notes.append(.pulled(documentID: entry.documentID, isConflict: false))
                finish(place, &outbox)
            case .unknown where requested[key] != nil:
                // It is on its way already, with an earlier sequence.
                reply.items.append(.notWanted)
                finish(place, &outbox)
            case .unknown(let ancestors):
                reply.items.append(.wanted(ancestors: ancestors))
                requested[key] = Requested(place: place)
                awaitedCount += 1
                outbox.notes.append(.progress(completed: 0, total: UInt64(entry.bodySize ?? 0), documents: 0))
            }
        }
        reply.options.maxHistory = options.maxHistory
        reply.options.acceptsBlobs = true
        reply.options.acceptsReplacements = options.subscription.acceptsReplacements
        if options.acceptsDeltas, !hasOfferedDeltas {
            reply.options.acceptsDeltas = true
            hasOfferedDeltas = true
        }
        outbox.reply(reply.wire, to: id)
        purge(lost, &outbox)
    }

    private mutating func purge(_ lost: [(DocumentEvent, Int)], _ outbox: inout Outbox) {
        guard !lost.isEmpty else { return }
        for (event, place) in lost {
            if requested.contains(where: { $0.key.documentID == event.documentID }) { lostPlaces[event.documentID] = place }
            settle(receiver.abandon(event.documentID, before: place, &outbox), &outbox)
        }
        let number = outbox.store(.purge(lost.map(\.0.documentID)), &port)
        pending[number] = .purging(lost.map(\.0), places: lost.map(\.1))
    }

    private func event(
        _ documentID: String, _ revision: RevisionID?, flags: ChangesMessage.Flags = [], error: SyncError? = nil
    ) -> DocumentEvent {
        DocumentEvent(
            .pull, collection: port.collection, documentID: documentID, revision: revision, flags: flags, error: error,
            isTransient: error?.isTransientForDocument ?? false)
    }

    private mutating func finish(_ place: Int, _ outbox: inout Outbox) {
        if sequences.finish(place), let reached = sequences.reached { outbox.notes.append(.remoteReached(reached)) }
    }

    mutating func revision(_ message: RevisionMessage, _ id: IncomingID?, _ outbox: inout Outbox) {
        let place = arrive(message)
        if let text = message.senderError {
            let error = SyncError(.webSocket, 502, "the peer could not send the document: \(text)")
            outbox.report(event(message.documentID, message.revision, error: error))
            forget(Puller.key(message))
            outbox.reply(WireReply.empty, to: id)
        } else if let place, let lost = lostPlaces[message.documentID], place < lost {
            forget(Puller.key(message))
            finish(place, &outbox)
            outbox.reply(WireReply.empty, to: id)
        } else {
            settle(receiver.receive(message, id, place: place, &port, &outbox), &outbox)
        }
        goOn(&outbox)
    }

    private mutating func goOn(_ outbox: inout Outbox) {
        lookUp(&outbox)
        // Nothing else is on its way: what has come need not wait for company.
        if awaitedCount == 0, lookedUpCount == 0 { receiver.flush(&port, &outbox) }
    }

    private static func key(_ message: RevisionMessage) -> Key? {
        (message.replaces ?? message.revision).map { Key(documentID: message.documentID, revision: $0) }
    }

    /// Gives the place of its sequence, if it was asked for.
    private mutating func arrive(_ message: RevisionMessage) -> Int? {
        guard let key = Puller.key(message), let found = requested[key] else { return nil }
        if !found.hasCome {
            requested[key]?.hasCome = true
            awaitedCount -= 1
        }
        return found.place
    }

    /// It is settled, or will not come any more. What failed for the moment keeps its sequence open, so that the next session gets it again.
    @discardableResult
    private mutating func forget(_ key: Key?) -> Int? {
        guard let key, let found = requested.removeValue(forKey: key) else { return nil }
        close(key.documentID, key.revision)
        if !found.hasCome { awaitedCount -= 1 }
        if requested.isEmpty { lostPlaces = [:] }
        return found.place
    }

    /// It comes once more.
    private mutating func expectAgain(_ message: RevisionMessage) {
        guard let key = Puller.key(message), requested[key]?.hasCome ?? false else { return }
        requested[key]?.hasCome = false
        awaitedCount += 1
    }

    mutating func noRevision(_ message: NoRevisionMessage, _ outbox: inout Outbox) {
        guard let revision = message.revision,
            let place = forget(Key(documentID: message.documentID, revision: revision))
        else { return }
        let error = SyncError.http(message.status, message.reason ?? "")
        // What failed for the moment keeps its sequence open, so that the next session gets it.
        if !error.isTransientForDocument { finish(place, &outbox) }
        // What is gone or superseded is no error.
        if message.status != 404, message.status != 410 { outbox.report(event(message.documentID, revision, error: error)) }
        goOn(&outbox)
    }

    private mutating func settle(_ settled: [RevisionReceiver.Settled], _ outbox: inout Outbox) {
        for (incoming, outcome) in settled {
            let message = incoming.revision.message
            let flags: ChangesMessage.Flags = message.isDeleted ? .deleted : []
            switch outcome {
            case .needsWhole:
                // Without an answer the sender does not know.
                if incoming.id == nil { forget(Puller.key(message)) } else { expectAgain(message) }
                continue
            case .removed:
                forget(Puller.key(message))
                let event = event(message.documentID, message.revision, flags: .removed)
                if options.purgesLost, let place = incoming.place {
                    purge([(event, place)], &outbox)
                } else if let place = incoming.place {
                    finish(place, &outbox)
                }
                continue
            case .abandoned:
                forget(Puller.key(message))
                if let place = incoming.place { finish(place, &outbox) }
                continue
            case .failed(let error):
                forget(Puller.key(message))
                outbox.report(event(message.documentID, message.revision, flags: flags, error: error))
                if !error.isTransientForDocument, let place = incoming.place { finish(place, &outbox) }
                continue
            case .stored(let isConflict):
                outbox.report(event(message.documentID, message.revision, flags: flags))
                outbox.notes.append(.pulled(documentID: message.documentID, isConflict: isConflict))
                if isConflict { resolve(message.documentID, &outbox) }
            case .known:
                outbox.notes.append(.pulled(documentID: message.documentID, isConflict: false))
            }
            forget(Puller.key(message))
            outbox.notes.append(.progress(completed: UInt64(message.body.count), total: 0, documents: 1))
            if let place = incoming.place { finish(place, &outbox) }
        }
    }

    private mutating func resolve(_ documentID: String, _ outbox: inout Outbox) {
        pending[outbox.store(.resolveConflict(documentID: documentID), &port)] = .resolving(documentID)
    }

    mutating func stored(_ answer: StoreAnswer, _ number: Int, _ outbox: inout Outbox) {
        if let settled = receiver.stored(answer, number, &port, &outbox) {
            settle(settled, &outbox)
            return goOn(&outbox)
        }
        switch (pending.removeValue(forKey: number), answer) {
        case (.lookingUp(let entries, let places, let id)?, .lookups(let lookups)):
            self.answer(entries, places, lookups, id, &outbox)
        case (.lookingUp(_, _, let id)?, .failed(let error)):
            outbox.reply(error, to: id)
            outbox.actions.append(.close(error))
        case (.purging(let events, let places)?, .done):
            for event in events { outbox.report(event) }
            for place in places { finish(place, &outbox) }
        case (.purging(let events, let places)?, .documents(let purged)):
            for event in events where purged.contains(event.documentID) { outbox.report(event) }
            for place in places { finish(place, &outbox) }
        case (.purging(let events, _)?, .failed(let error)):
            for var event in events {
                event.error = error
                outbox.report(event)
            }
        case (.findingConflicts?, .documents(let ids)):
            for id in ids { resolve(id, &outbox) }
        case (.resolving?, .resolved(let isNew)):
            if isNew { outbox.notes.append(.resolvedWithNewRevision) }
        case (.resolving(let id)?, .failed(let error)):
            outbox.report(event(id, nil, error: error))
        default: break
        }
        goOn(&outbox)
    }

    mutating func replied(_ reply: WireReply, _ number: Int, _ outbox: inout Outbox) {
        guard case .subscribing? = pending.removeValue(forKey: number), reply.isError else { return }
        outbox.actions.append(.close(SyncError(reply)))
    }

    mutating func fetched(_ error: SyncError?, _ number: Int, _ outbox: inout Outbox) {
        settle(receiver.fetched(error, number, &port, &outbox), &outbox)
        goOn(&outbox)
    }

    mutating func timerFired(_ number: Int, _ outbox: inout Outbox) {
        _ = receiver.timerFired(number, &port, &outbox)
    }
}
