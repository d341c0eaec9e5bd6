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

    var port: Port
    private let options: Options
    private let limits: FlowLimits
    private var receiver: RevisionReceiver
    private var sequences: AnnouncedSequences
    /// Where each revision that was asked for has its sequence.
    private var requested: [Key: Int] = [:]
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

    /// Looks which of the announced revisions are here, unless too many that were asked for are still to come.
    private mutating func lookUp(_ outbox: inout Outbox) {
        while requested.count + lookedUpCount < limits.requestedRevisions, let next = waitingChanges.popFirst() {
            let entries = next.message.entries
            lookedUpCount += entries.count
            let places = entries.map { sequences.announce($0.sequence) }
            pending[outbox.store(.lookUp(entries), &port)] = .lookingUp(entries, places: places, next.id)
        }
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
                reply.items.append(.notWanted)
                outbox.notes.append(.pulled(documentID: entry.documentID, isConflict: false))
                finish(place, &outbox)
            case .unknown where requested[key] != nil:
                // It is on its way already, with an earlier sequence.
                reply.items.append(.notWanted)
                finish(place, &outbox)
            case .unknown(let ancestors):
                reply.items.append(.wanted(ancestors: ancestors))
                requested[key] = place
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
        let asked = message.replaces ?? message.revision
        let place = asked.flatMap { requested[Key(documentID: message.documentID, revision: $0)] }
        if let text = message.senderError {
            let error = SyncError(.webSocket, 502, "the peer could not send the document: \(text)")
            outbox.report(event(message.documentID, message.revision, error: error))
            forget(message)
            outbox.reply(WireReply.empty, to: id)
        } else if let place, let lost = lostPlaces[message.documentID], place < lost {
            forget(message)
            finish(place, &outbox)
            outbox.reply(WireReply.empty, to: id)
        } else {
            settle(receiver.receive(message, id, place: place, &port, &outbox), &outbox)
        }
        lookUp(&outbox)
    }

    /// It will not come any more. What failed for the moment keeps its sequence open, so that the next session gets it again.
    private mutating func forget(_ message: RevisionMessage) {
        guard let asked = message.replaces ?? message.revision else { return }
        requested[Key(documentID: message.documentID, revision: asked)] = nil
        if requested.isEmpty { lostPlaces = [:] }
    }

    mutating func noRevision(_ message: NoRevisionMessage, _ outbox: inout Outbox) {
        guard let revision = message.revision,
            let place = requested.removeValue(forKey: Key(documentID: message.documentID, revision: revision))
        else { return }
        let error = SyncError.http(message.status, message.reason ?? "")
        // What failed for the moment keeps its sequence open, so that the next session gets it.
        if !error.isTransientForDocument { finish(place, &outbox) }
        // What is gone or superseded is no error.
        if message.status != 404, message.status != 410 { outbox.report(event(message.documentID, revision, error: error)) }
        lookUp(&outbox)
    }

    private mutating func settle(_ settled: [RevisionReceiver.Settled], _ outbox: inout Outbox) {
        for (incoming, outcome) in settled {
            let message = incoming.revision.message
            let flags: ChangesMessage.Flags = message.isDeleted ? .deleted : []
            switch outcome {
            case .needsWhole:
                // Without an answer the sender does not know.
                if incoming.id == nil { forget(message) }
                continue
            case .removed:
                forget(message)
                let event = event(message.documentID, message.revision, flags: .removed)
                if options.purgesLost, let place = incoming.place {
                    purge([(event, place)], &outbox)
                } else if let place = incoming.place {
                    finish(place, &outbox)
                }
                continue
            case .abandoned:
                forget(message)
                if let place = incoming.place { finish(place, &outbox) }
                continue
            case .failed(let error):
                forget(message)
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
            forget(message)
            outbox.notes.append(.progress(completed: UInt64(message.body.count), total: 0, documents: 1))
            if let place = incoming.place { finish(place, &outbox) }
        }
        lookUp(&outbox)
    }

    private mutating func resolve(_ documentID: String, _ outbox: inout Outbox) {
        pending[outbox.store(.resolveConflict(documentID: documentID), &port)] = .resolving(documentID)
    }

    mutating func stored(_ answer: StoreAnswer, _ number: Int, _ outbox: inout Outbox) {
        if let settled = receiver.stored(answer, number, &port, &outbox) { return settle(settled, &outbox) }
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
        lookUp(&outbox)
    }

    mutating func replied(_ reply: WireReply, _ number: Int, _ outbox: inout Outbox) {
        guard case .subscribing? = pending.removeValue(forKey: number), reply.isError else { return }
        outbox.actions.append(.close(SyncError(reply)))
    }

    mutating func fetched(_ error: SyncError?, _ number: Int, _ outbox: inout Outbox) {
        settle(receiver.fetched(error, number, &port, &outbox), &outbox)
    }

    mutating func timerFired(_ number: Int, _ outbox: inout Outbox) {
        _ = receiver.timerFired(number, &port, &outbox)
    }
}
