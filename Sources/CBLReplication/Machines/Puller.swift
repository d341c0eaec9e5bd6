import CBLBase
import CBLStore

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
        /// What is told of the document when its conflict is settled.
        case resolving(DocumentEvent)
    }

    /// What was announced of a document, until it is settled.
    private struct Announced {
        let revision: RevisionID?
        /// Where it has its sequence.
        let place: Int
        var state = State.lookedUp

        enum State {
            /// The store is asked whether it is here.
            case lookedUp
            /// The peer is asked for it.
            case awaited
            case come
        }
    }

    var port: SessionPort
    private let options: Options
    private let limits: FlowLimits
    private var receiver: RevisionReceiver
    private var sequences: AnnouncedSequences
    /// A document has one of them at a time. What is announced next of it waits until the last is settled: revisions overtake each other, and what is
    /// not current any more, or was lost, must not be stored after what followed it.
    private var announced: ByDocument<Announced> = [:]
    /// How many of those have not come.
    private var awaitedCount = 0
    /// Of how many the store is asked. They may all be wanted.
    private var lookedUpCount = 0
    /// The document that the next changes wait for.
    private var blocker: String?
    private var waitingChanges = Queue<(message: ChangesMessage, id: IncomingID?)>()
    private var pending: [Int: Pending] = [:]
    private var isCaughtUp = false
    private var hasOfferedDeltas = false
    /// Documents whose conflicts are being settled, which can take as long as the app likes; and what came of them meanwhile, and competes again.
    private var resolving: ByDocument<DocumentEvent?> = [:]

    init(_ port: SessionPort, since: RemoteSequence?, options: Options, limits: FlowLimits) {
        self.port = port
        self.options = options
        self.limits = limits
        receiver = RevisionReceiver(limits, allowsConflict: true)
        sequences = AnnouncedSequences(since: since)
    }

    /// Whether all that was announced is here.
    var isIdle: Bool { isCaughtUp && announced.isEmpty && waitingChanges.isEmpty && pending.isEmpty && receiver.isIdle }
    /// Whether nothing more should be read from the connection for the moment.
    var isCongested: Bool { receiver.isCongested }
    /// Whether conflicts are being settled.
    var isResolving: Bool { !resolving.isEmpty }

    mutating func start(_ outbox: inout Outbox) {
        pending[outbox.store(.findConflicts, &port)] = .findingConflicts
        pending[outbox.request(.subChanges(options.subscription), &port)] = .subscribing
    }

    mutating func changes(_ message: ChangesMessage, _ id: IncomingID?, _ outbox: inout Outbox) {
        if message.entries.isEmpty {
            isCaughtUp = true
            outbox.reply(WireReply.empty, to: id)
        } else if id != nil {
            // Of what needs no answer nothing could be asked for.
            waitingChanges.append((message, id))
            lookUp(&outbox)
        }
    }

    /// Looks which of the announced revisions are here, unless too many that were asked for are still to come, or to be stored. The peer is asked
    /// for more while the last ones are being stored, so that neither side waits for the other.
    private mutating func lookUp(_ outbox: inout Outbox) {
        while awaitedCount + lookedUpCount < limits.requestedRevisions, !receiver.hasEnough, let next = waitingChanges.first,
            !isBlocked(next.message)
        {
            _ = waitingChanges.popFirst()
            let entries = next.message.entries
            lookedUpCount += entries.count
            let places = entries.map { entry in
                let place = sequences.announce(entry.sequence)
                // The last one that a message tells of a document is the one that counts.
                announced[entry.documentID] = Announced(revision: entry.revision, place: place)
                return place
            }
            pending[outbox.store(.lookUp(entries), &port)] = .lookingUp(entries, places: places, next.id)
        }
    }

    private mutating func isBlocked(_ message: ChangesMessage) -> Bool {
        if let blocker, announced[blocker] != nil { return true }
        blocker = message.entries.first { announced[$0.documentID] != nil }?.documentID
        return blocker != nil
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
            guard announced[entry.documentID]?.place == place else {
                reply.items.append(.notWanted)
                finish(place, &outbox)
                continue
            }
            if entry.flags.losesAccess {
                reply.items.append(.notWanted)
                announced[entry.documentID] = nil
                let event = event(entry.documentID, entry.revision, flags: entry.flags)
                if options.purgesLost {
                    lost.append((event, place))
                } else {
                    outbox.report(event)
                    finish(place, &outbox)
                }
                continue
            }
            if let error = Puller.problem(with: entry) {
                reply.items.append(.notWanted)
                announced[entry.documentID] = nil
                outbox.report(event(entry.documentID, entry.revision, error: error))
                finish(place, &outbox)
                continue
            }
            switch index < lookups.count ? lookups[index] : .known {
            case .known, .surpassed:
                reply.items.append(.notWanted)
                announced[entry.documentID] = nil
                outbox.notes.append(.pulled(documentID: entry.documentID, .known(entry.revision)))
                if case .surpassed(let sequence) = lookups[index] {
                    outbox.notes.append(.surpassed(documentID: entry.documentID, by: sequence))
                }
                finish(place, &outbox)
            case .unknown(let ancestors):
                reply.items.append(.wanted(ancestors: ancestors))
                announced[entry.documentID]?.state = .awaited
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

    /// What cannot be taken in is not asked for.
    private static func problem(with entry: ChangesMessage.Entry) -> SyncError? {
        guard entry.revision != nil else {
            return SyncError.liteCore(SyncError.LiteCoreCode.badRevisionID, "the peer named a revision that cannot be one")
        }
        return RevisionReceiver.problem(withID: entry.documentID)
    }

    private mutating func purge(_ lost: [(DocumentEvent, Int)], _ outbox: inout Outbox) {
        guard !lost.isEmpty else { return }
        let number = outbox.store(.purge(lost.map { LostDocument(documentID: $0.0.documentID, revision: $0.0.revision) }), &port)
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
            forget(message)
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

    /// What was asked for that this is; nil for what comes unasked.
    private func request(_ documentID: String, _ revision: RevisionID?) -> Announced? {
        guard let found = announced[documentID], found.state != .lookedUp, found.revision == revision else { return nil }
        return found
    }

    private func request(_ message: RevisionMessage) -> Announced? { request(message.documentID, message.replaces ?? message.revision) }

    /// Gives the place of its sequence, if it was asked for.
    private mutating func arrive(_ message: RevisionMessage) -> Int? {
        guard let found = request(message) else { return nil }
        if found.state == .awaited {
            announced[message.documentID]?.state = .come
            awaitedCount -= 1
        }
        return found.place
    }

    /// It is settled, or will not come any more. What failed for the moment keeps its sequence open, so that the next session gets it again.
    @discardableResult
    private mutating func forget(_ documentID: String, _ revision: RevisionID?) -> Int? {
        guard let found = request(documentID, revision) else { return nil }
        announced[documentID] = nil
        if found.state == .awaited { awaitedCount -= 1 }
        return found.place
    }

    private mutating func forget(_ message: RevisionMessage) { forget(message.documentID, message.replaces ?? message.revision) }

    /// It comes once more.
    private mutating func expectAgain(_ message: RevisionMessage) {
        guard request(message)?.state == .come else { return }
        announced[message.documentID]?.state = .awaited
        awaitedCount += 1
    }

    mutating func noRevision(_ message: NoRevisionMessage, _ outbox: inout Outbox) {
        guard let revision = message.revision,
            let place = forget(message.documentID, revision)
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
                if incoming.id == nil { forget(message) } else { expectAgain(message) }
                continue
            case .removed:
                forget(message)
                let event = event(message.documentID, message.revision, flags: .removed)
                if options.purgesLost, let place = incoming.place {
                    purge([(event, place)], &outbox)
                } else if let place = incoming.place {
                    if !options.purgesLost { outbox.report(event) }
                    finish(place, &outbox)
                }
                continue
            case .failed(let error):
                forget(message)
                outbox.report(event(message.documentID, message.revision, flags: flags, error: error))
                if !error.isTransientForDocument, !error.isDamage, let place = incoming.place { finish(place, &outbox) }
                continue
            case .stored(let isConflict):
                let event = event(message.documentID, message.revision, flags: flags)
                outbox.notes.append(.pulled(documentID: message.documentID, isConflict ? .conflict : .current))
                if isConflict { resolve(event, &outbox) } else { outbox.report(event) }
            case .known:
                outbox.notes.append(.pulled(documentID: message.documentID, .known(message.revision)))
            }
            forget(message)
            outbox.notes.append(.progress(completed: UInt64(message.body.count), total: 0, documents: 1))
            if let place = incoming.place { finish(place, &outbox) }
        }
    }

    /// One document is settled once at a time: the app is not asked about what has become something else already.
    private mutating func resolve(_ event: DocumentEvent, _ outbox: inout Outbox) {
        let id = event.documentID
        guard resolving[id] == nil else { return resolving[id] = .some(event) }
        resolving[id] = .some(nil)
        pending[outbox.store(.resolveConflict(documentID: id), &port)] = .resolving(event)
    }

    /// It is told of when that has ended, one way or the other.
    private mutating func resolved(_ event: DocumentEvent, _ error: SyncError?, _ outbox: inout Outbox) {
        let next = resolving.removeValue(forKey: event.documentID)
        if let next, let event = next { return resolve(event, &outbox) }
        var event = event
        event.error = error
        outbox.report(event)
    }

    /// Whether an answer is about a conflict: that is told of even when the session is over.
    func isResolving(_ number: Int) -> Bool {
        if case .resolving? = pending[number] { true } else { false }
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
            for id in ids { resolve(event(id, nil), &outbox) }
        case (.resolving(let event)?, .resolved(let isNew)):
            if isNew { outbox.notes.append(.resolvedWithNewRevision) }
            resolved(event, nil, &outbox)
        case (.resolving(let event)?, .failed(let error)):
            resolved(event, error, &outbox)
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
