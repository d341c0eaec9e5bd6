import CBLStore

/// The sending half of a peer that others connect to: tells of changes once it is asked, and sends what is wanted.
struct PassivePusher {
    private enum Pending {
        case reading
        case told([LocalChange])
    }

    var port: SessionPort
    private let subscription: SubChanges
    private let documentIDs: Set<String>?
    private let limits: FlowLimits
    private let batch: Int
    private var sender: RevisionSender
    private var lastRead: UInt64
    private var isReading = false
    private var isCaughtUp = false
    private var hasSaidSo = false
    private var mustReadAgain = false
    private var toldCount = 0
    /// How many changes there are in those messages.
    private var toldChanges = 0
    private var pending: [Int: Pending] = [:]
    private var restlessness = Restlessness()
    /// The timer of a pause in which nothing more is told.
    private var pause: Int?
    /// Documents that are damaged, and were told of by another name than their revision's.
    private var damaged: Set<String> = []
    /// What came from the peer and was not told back to it, and whether it was stored.
    private var received: ByDocument<(revision: RevisionID, isStored: Bool)> = [:]

    /// How many messages with changes may wait for their answers.
    private static let messagesInFlight = 5
    private static let messagesInScarcity = 1
    private static let smallestBatch = 10

    init(_ port: SessionPort, _ subscription: SubChanges, since: UInt64, allowsDeltas: Bool, limits: FlowLimits) {
        self.port = port
        self.subscription = subscription
        self.limits = limits
        documentIDs = subscription.documentIDs.map { Set($0) }
        batch = max(PassivePusher.smallestBatch, min(subscription.batch ?? limits.changesPerMessage, limits.changesPerMessage))
        lastRead = since
        sender = RevisionSender(limits, forbidsConflict: false, allowsDeltas: allowsDeltas)
        sender.options.acceptsReplacements = subscription.acceptsReplacements
    }

    /// Others need the memory: less is read ahead.
    var isMemoryScarce: Bool {
        get { sender.isMemoryScarce }
        set { sender.isMemoryScarce = newValue }
    }
    var held: HeldMemory {
        var held = sender.held
        held += HeldMemory(untaken: toldChanges * HeldMemory.small)
        return held
    }
    var isIdle: Bool { isCaughtUp && !mustReadAgain && pending.isEmpty && sender.isIdle }

    func offers(_ digest: BlobDigest) -> Bool { sender.offers(digest) }

    /// The peer itself sends this revision, which may be found in the database before it is known that it was stored.
    mutating func noteReceived(_ documentID: String, _ revision: RevisionID) {
        // What is not read any more is not told back.
        if subscription.isContinuous || !isCaughtUp || mustReadAgain { received[documentID] = (revision, false) }
    }

    mutating func noteStored(_ documentID: String, _ revision: RevisionID) {
        if received[documentID]?.revision == revision { received[documentID]?.isStored = true }
    }

    /// It was not stored.
    mutating func forgetReceived(_ documentID: String, _ revision: RevisionID) {
        if received[documentID]?.revision == revision { received[documentID] = nil }
    }

    mutating func start(_ outbox: inout Outbox) { goOn(&outbox) }

    mutating func databaseChanged(_ outbox: inout Outbox) {
        guard subscription.isContinuous || !isCaughtUp else { return }
        mustReadAgain = true
        goOn(&outbox)
    }

    private mutating func goOn(_ outbox: inout Outbox) {
        sender.pump(&port, &outbox)
        let (messages, revisions, most) =
            isMemoryScarce
            ? (PassivePusher.messagesInScarcity, limits.scarceRevisions, min(batch, limits.scarceRevisions))
            : (PassivePusher.messagesInFlight, limits.queuedRevisions, batch)
        guard !isReading, pause == nil, !isCaughtUp || mustReadAgain, toldCount < messages, sender.queuedCount < revisions else { return }
        isReading = true
        mustReadAgain = false
        pending[outbox.store(.readChanges(since: lastRead, limit: most), &port)] = .reading
    }

    mutating func timerFired(_ number: Int, _ outbox: inout Outbox) {
        guard pause == number else { return }
        pause = nil
        goOn(&outbox)
    }

    mutating func stored(_ answer: StoreAnswer, _ number: Int, _ outbox: inout Outbox) {
        if let outcomes = sender.stored(answer, number, &port, &outbox) {
            for (order, outcome) in outcomes { decline(order, outcome, &outbox) }
        } else if case .reading? = pending.removeValue(forKey: number) {
            isReading = false
            switch answer {
            case .changes(let list): take(list, &outbox)
            case .failed(let error): outbox.actions.append(.close(error))
            default: break
            }
        }
        goOn(&outbox)
    }

    private mutating func take(_ list: LocalChanges, _ outbox: inout Outbox) {
        lastRead = max(lastRead, list.last)
        isCaughtUp = list.isComplete
        var changes = list.changes.filter { change in
            if let own = received[change.documentID] {
                // If something replaced what was stored, that is told, and the peer's own revision is news should it come back: branches of a tree
                // give way to each other.
                if own.isStored || own.revision == change.revision { received[change.documentID] = nil }
                // What came from this very peer is no news to it.
                if own.revision == change.revision { return false }
            }
            if let documentIDs, !documentIDs.contains(change.documentID) { return false }
            return !(change.isDeleted && subscription.activeOnly && !hasSaidSo)
        }
        // A damaged document is told of, so that the peer's checkpoint does not pass it.
        for change in list.unreadable where documentIDs?.contains(change.documentID) ?? true {
            outbox.report(change.event(in: port.collection))
            damaged.insert(change.documentID)
            let place = changes.firstIndex { $0.sequence > change.sequence } ?? changes.endIndex
            changes.insert(LocalChange(sequence: change.sequence, documentID: change.documentID, revision: change.substitute), at: place)
        }
        if !changes.isEmpty {
            let entries = changes.map {
                ChangesMessage.Entry(
                    sequence: RemoteSequence($0.sequence), documentID: $0.documentID, revision: $0.revision,
                    flags: $0.isDeleted ? .deleted : [], bodySize: $0.bodySize)
            }
            pending[outbox.request(.changes(ChangesMessage(entries: entries)), &port)] = .told(changes)
            toldCount += 1
            toldChanges += changes.count
            if let delay = restlessness.note(changes) { pause = outbox.startTimer(milliseconds: delay, &port) }
        }
        if isCaughtUp, !hasSaidSo {
            hasSaidSo = true
            outbox.tell(.changes(ChangesMessage(entries: [])), port)
        }
    }

    mutating func replied(_ reply: WireReply, _ number: Int, _ outbox: inout Outbox) {
        if let settled = sender.replied(reply, number) {
            if let settled { settle(settled.order, settled.outcome, &outbox) }
        } else if case .told(let changes)? = pending.removeValue(forKey: number) {
            toldCount -= 1
            toldChanges -= changes.count
            if let answer = try? ChangesReply(reply), !reply.isError {
                sender.learn(answer.options)
                for (place, change) in changes.enumerated() {
                    guard case .wanted(let ancestors) = answer[place] else { continue }
                    sender.send(
                        SendOrder(
                            documentID: change.documentID, revision: change.revision, sequence: RemoteSequence(change.sequence),
                            ancestors: ancestors, bodySize: change.bodySize))
                }
            }
        }
        goOn(&outbox)
    }

    /// The peer has said what became of it.
    private func settle(_ order: SendOrder, _ outcome: RevisionSender.Outcome, _ outbox: inout Outbox) {
        switch outcome {
        case .accepted: outbox.report(event(order, nil))
        case .conflict: outbox.report(event(order, SyncError.http(409, "the peer has another revision")))
        case .forbidden(let error), .failed(let error): outbox.report(event(order, error))
        case .obsolete: break
        }
    }

    /// It was not sent. What may be otherwise the next time, as when a document is repaired, is to stay open at the peer.
    private mutating func decline(_ order: SendOrder, _ outcome: RevisionSender.Outcome, _ outbox: inout Outbox) {
        let wasTold = damaged.remove(order.documentID) != nil
        var message = NoRevisionMessage(
            documentID: order.documentID, revision: order.revision, sequence: order.sequence, status: wasTold ? 503 : 404)
        if case .failed(let error) = outcome {
            if !wasTold { outbox.report(event(order, error)) }
            message.status = error.isDamage || error.isTransientForDocument ? 503 : 500
            message.reason = error.message
        }
        outbox.tell(.norev(message), port)
    }

    private func event(_ order: SendOrder, _ error: SyncError?) -> DocumentEvent {
        DocumentEvent(
            .push, collection: port.collection, documentID: order.documentID, revision: order.revision, error: error,
            isTransient: error?.isTransientForDocument ?? false)
    }
}
