import CBLStore

/// The receiving half of a peer that others connect to: says of each proposed revision whether it fits, and takes in those that do. It never
/// keeps a conflict.
struct PassivePuller {
    private enum Pending {
        case reviewing(IncomingID?, count: Int, includesRevision: Bool)
    }

    var port: SessionPort
    private let allowsDeltas: Bool
    private let limits: FlowLimits
    private var receiver: RevisionReceiver
    private var pending: [Int: Pending] = [:]
    /// Proposals that wait for an answer.
    private var openProposals = 0
    /// Revisions that the peer was told to send, and that have not come.
    private var awaitedCount = 0

    init(_ port: SessionPort, allowsDeltas: Bool, limits: FlowLimits) {
        self.port = port
        self.allowsDeltas = allowsDeltas
        self.limits = limits
        receiver = RevisionReceiver(limits, allowsConflict: false)
    }

    var isIdle: Bool { pending.isEmpty && receiver.isIdle }
    var isCongested: Bool { receiver.isCongested || pending.count >= limits.openProposals }
    var held: HeldMemory {
        var held = receiver.held
        held.incoming += openProposals * HeldMemory.small
        return held
    }
    /// More waits than an honest peer would have sent.
    var isOverfull: Bool { receiver.isOverfull }

    mutating func proposed(_ message: ProposalMessage, _ id: IncomingID?, _ outbox: inout Outbox) {
        guard message.entries.count <= limits.proposalsPerMessage else {
            return outbox.reply(SyncError(.blip, 400, "more than \(limits.proposalsPerMessage) proposals in one message"), to: id)
        }
        let number = outbox.store(.review(message.entries), &port)
        pending[number] = .reviewing(id, count: message.entries.count, includesRevision: message.wantsConflictingRevision)
        openProposals += message.entries.count
    }

    mutating func revision(_ message: RevisionMessage, _ id: IncomingID?, _ outbox: inout Outbox) -> [RevisionReceiver.Settled] {
        let settled = receiver.receive(message, id, place: nil, &port, &outbox)
        report(settled, &outbox)
        awaitedCount = max(0, awaitedCount - 1)
        // There is no company to wait for.
        if awaitedCount == 0, openProposals == 0 { receiver.flush(&port, &outbox) }
        return settled
    }

    mutating func stored(_ answer: StoreAnswer, _ number: Int, _ outbox: inout Outbox) -> [RevisionReceiver.Settled] {
        if let settled = receiver.stored(answer, number, &port, &outbox) {
            report(settled, &outbox)
            return settled
        }
        guard case .reviewing(let id, let count, let includesRevision)? = pending.removeValue(forKey: number) else { return [] }
        openProposals -= count
        switch answer {
        case .verdicts(var items):
            awaitedCount += items.count { $0 == .accepted }
            if !includesRevision { items = items.map { if case .conflict = $0 { .conflict(with: nil) } else { $0 } } }
            var reply = ProposalReply(items: items)
            reply.options.acceptsBlobs = true
            reply.options.acceptsDeltas = allowsDeltas
            outbox.reply(reply.wire, to: id)
        case .failed(let error): outbox.reply(error, to: id)
        default: outbox.reply(SyncError.http(500, "the proposals could not be looked at"), to: id)
        }
        return []
    }

    mutating func fetched(_ error: SyncError?, _ number: Int, _ outbox: inout Outbox) {
        report(receiver.fetched(error, number, &port, &outbox), &outbox)
    }

    mutating func timerFired(_ number: Int, _ outbox: inout Outbox) {
        // Some that were promised may never come.
        if receiver.timerFired(number, &port, &outbox) { awaitedCount = 0 }
    }

    private func report(_ settled: [RevisionReceiver.Settled], _ outbox: inout Outbox) {
        for (incoming, outcome) in settled {
            let message = incoming.revision.message
            var failure: SyncError?
            switch outcome {
            case .known, .needsWhole, .removed: continue
            case .failed(let error): failure = error
            case .stored: break
            }
            outbox.report(
                DocumentEvent(
                    .pull, collection: port.collection, documentID: message.documentID, revision: message.revision,
                    flags: message.isDeleted ? .deleted : [], error: failure, isTransient: failure?.isTransientForDocument ?? false))
        }
    }
}
