import CBLStore

/// The sending half of an active replication of one collection: reads local changes, proposes them, sends what is wanted, and keeps account of
/// what is done.
struct Pusher {
    /// A change on its way.
    struct Change {
        var local: LocalChange
        /// What the peer is believed to have.
        var serverRevision: RevisionID?
        /// It was forbidden once already.
        var isSecondTry = false
        /// The peer got the revision itself, and not only the proposal.
        var wasSent = false
        /// How often the peer wanted it.
        var welcomes = 0
        /// What the peer says that it has instead.
        var obstacle: RevisionID?
        var wasAskedAbout = false
    }

    private enum Pending {
        case reading
        /// One change that an earlier session had given up.
        case readingAgain
        case proposed([Change])
        /// `isNews` if the peer has announced its revision since it refused ours.
        case inspecting(Change, peer: RevisionID?, isNews: Bool)
        case marking([RemoteMark])
        /// Whether what is in the way of this document is a tombstone.
        case asking(Change)
        case notingDeletion(Change)
    }

    let isContinuous: Bool
    /// Whether the session pulls too, so that conflicts can be settled.
    let alsoPulls: Bool
    /// Whether what is remembered of the peer's revisions can be believed.
    let trustsMarks: Bool
    private let limits: FlowLimits
    private let done: SequenceSet
    var port: SessionPort
    private var sender: RevisionSender

    private var lastRead: UInt64
    private var isReading = false
    private var isCaughtUp = false
    private var mustReadAgain = false
    private var isStopping = false
    private var proposalCount = 0
    private var pending: [Int: Pending] = [:]
    /// Documents of which a revision is on its way, and the newer change that waits for it.
    private var busy: ByDocument<LocalChange?> = [:]
    private var toPropose: [Change] = []
    /// The changes whose revisions the sender has, by document: there is one of each at a time.
    private var orders: ByDocument<Change> = [:]
    /// Changes that met a conflict which the puller is to bring home.
    private var waiting: ByDocument<Change> = [:]
    private var forbidden: [Change] = []
    /// Something failed for the moment, or cannot be read, and is left to the next session.
    private var hasFailures = false
    /// What the peer acknowledged, until it is noted in the documents.
    private var acknowledged: ByDocument<RevisionID> = [:]
    private var marks: [RemoteMark] = []

    init(
        _ port: SessionPort, checkpoint: Checkpoint, isContinuous: Bool, alsoPulls: Bool, trustsMarks: Bool, allowsDeltas: Bool,
        limits: FlowLimits
    ) {
        self.port = port
        self.isContinuous = isContinuous
        self.alsoPulls = alsoPulls
        self.trustsMarks = trustsMarks
        self.limits = limits
        done = checkpoint.completed
        lastRead = checkpoint.local
        sender = RevisionSender(limits, forbidsConflict: true, allowsDeltas: allowsDeltas)
    }

    /// Whether everything that was read is settled, but for what waits for the puller.
    func offers(_ digest: BlobDigest) -> Bool { sender.offers(digest) }

    var isIdle: Bool { isCaughtUp && !mustReadAgain && pending.isEmpty && sender.isIdle && toPropose.isEmpty && forbidden.isEmpty }
    var hasMarks: Bool { !marks.isEmpty || !acknowledged.isEmpty }
    /// Whether the peer has heard of everything that it was not believed to have. What failed for the moment is still to be offered again, which
    /// a session that believes the documents would not do.
    var hasOfferedAll: Bool { isIdle && !hasFailures }

    mutating func start(_ outbox: inout Outbox) { goOn(&outbox) }

    /// There are new local changes. A one-shot push has its end where it was when it started, but for what settles conflicts.
    mutating func databaseChanged(isOwn: Bool, _ outbox: inout Outbox) {
        guard isContinuous || isOwn || !isCaughtUp else { return }
        mustReadAgain = true
        goOn(&outbox)
    }

    /// Begins nothing more: what was sent is still settled.
    mutating func stop() { isStopping = true }

    private mutating func goOn(_ outbox: inout Outbox) {
        guard !isStopping else { return }
        sender.pump(&port, &outbox)
        propose(&outbox)
        readMore(&outbox)
        guard isCaughtUp, !mustReadAgain, pending.isEmpty, sender.isIdle else { return }
        // Everything else is done: once more what was forbidden, whose reason may have been a document that had not come yet.
        if !forbidden.isEmpty {
            toPropose = forbidden
            forbidden = []
            propose(&outbox)
        } else if isContinuous {
            // Who asks what is pending is not to wait for the next checkpoint.
            flushMarks(&outbox)
        }
    }

    private mutating func readMore(_ outbox: inout Outbox) {
        let lists = isCaughtUp ? limits.proposalsInFlightWhenCaughtUp : limits.proposalsInFlight
        guard !isReading, !isCaughtUp || mustReadAgain, proposalCount < lists, sender.queuedCount < limits.queuedRevisions else { return }
        isReading = true
        mustReadAgain = false
        pending[outbox.store(.readChanges(since: lastRead, limit: limits.changesPerMessage), &port)] = .reading
    }

    mutating func stored(_ answer: StoreAnswer, _ number: Int, _ outbox: inout Outbox) {
        if let outcomes = sender.stored(answer, number, &port, &outbox) {
            for (order, outcome) in outcomes { settle(order, outcome, sent: order.revision, &outbox) }
            return goOn(&outbox)
        }
        switch (pending.removeValue(forKey: number), answer) {
        case (.reading?, .changes(let list)):
            isReading = false
            take(list, &outbox)
        case (.readingAgain?, .changes(let list)):
            for change in list.changes where change.remoteRevision != change.revision && busy[change.documentID] == nil { begin(change) }
        case (.reading?, .failed(let error)):
            outbox.actions.append(.close(error))
        case (.inspecting(let change, let peer, let isNews)?, .state(let state)):
            settleConflict(change, peer: peer, isNews: isNews, state, &outbox)
        case (.inspecting(let change, _, _)?, .failed(let error)):
            give(up: change, error, &outbox)
        case (.notingDeletion(let change)?, .done):
            // It is another change now, which knows what it follows.
            finish(change, &outbox)
            mustReadAgain = true
        case (.notingDeletion(let change)?, .failed):
            inspect(change, peer: nil, &outbox)
        case (.marking(let marks)?, _):
            for mark in marks where acknowledged[mark.documentID] == mark.revision { acknowledged[mark.documentID] = nil }
        default: break
        }
        goOn(&outbox)
    }

    private mutating func take(_ list: LocalChanges, _ outbox: inout Outbox) {
        let unreadable = list.unreadable.filter { !done.contains($0.sequence) }
        for change in unreadable { outbox.report(change.event(in: port.collection)) }
        var open: [LocalChange] = []
        for change in list.changes where !done.contains(change.sequence) {
            // The echo of a pull, or pushed in an earlier session. A pull can have put it on top of what was acknowledged, if the acknowledgement came
            // later than that, or the pull over another connection.
            if change.remoteRevision == change.revision, trustsMarks { acknowledged[change.documentID] = nil }
            let remote = acknowledged[change.documentID] ?? change.remoteRevision
            if remote == change.revision, trustsMarks || acknowledged[change.documentID] != nil { continue }
            open.append(change)
        }
        lastRead = max(lastRead, list.last)
        isCaughtUp = list.isComplete
        // What is damaged stays open: the checkpoint does not pass it, so that each session tells of it until it is repaired.
        outbox.notes.append(.changesRead(upTo: lastRead, pending: (open.map(\.sequence) + unreadable.map(\.sequence)).sorted()))
        for change in open {
            outbox.notes.append(.progress(completed: 0, total: UInt64(change.bodySize), documents: 0))
            if let older = waiting.removeValue(forKey: change.documentID) { finish(older, &outbox) }
            if let next = busy[change.documentID] {
                // Only the newest of the changes that wait is worth sending.
                if let next { finish(next, &outbox) }
                busy[change.documentID] = .some(change)
            } else {
                begin(change)
            }
        }
    }

    private mutating func begin(_ change: LocalChange) {
        busy[change.documentID] = .some(nil)
        let mark = acknowledged[change.documentID] ?? change.remoteRevision
        toPropose.append(Change(local: change, serverRevision: mark.flatMap(change.parentToName)))
    }

    private mutating func propose(_ outbox: inout Outbox) {
        while !toPropose.isEmpty {
            let changes = Array(toPropose.prefix(limits.changesPerMessage))
            toPropose.removeFirst(changes.count)
            let entries = changes.map {
                ProposalMessage.Entry(
                    documentID: $0.local.documentID, revision: $0.local.revision, serverRevision: $0.serverRevision,
                    bodySize: $0.local.bodySize)
            }
            pending[outbox.request(.proposeChanges(ProposalMessage(entries: entries)), &port)] = .proposed(changes)
            proposalCount += 1
        }
    }

    mutating func replied(_ reply: WireReply, _ number: Int, _ outbox: inout Outbox) {
        if let settled = sender.replied(reply, number) {
            if let settled { settle(settled.order, settled.outcome, sent: settled.sent, &outbox) }
            return goOn(&outbox)
        }
        let changes: [Change]
        switch pending.removeValue(forKey: number) {
        case .proposed(let list)?: changes = list
        case .asking(let change)?:
            learn(of: change, reply, &outbox)
            return goOn(&outbox)
        default: return
        }
        proposalCount -= 1
        if reply.isError {
            let error = SyncError(reply)
            // It is not about any of these documents: they stay as they are, and only the session is over.
            guard error.isTransientForDocument else { return outbox.actions.append(.close(error)) }
            for change in changes { give(up: change, error, &outbox) }
            return goOn(&outbox)
        }
        do {
            let answer = try ProposalReply(reply)
            sender.learn(answer.options)
            // What is sent was proposed, and nothing else was.
            sender.options.acceptsReplacements = false
            for (place, change) in changes.enumerated() { settle(change, answer[place], &outbox) }
        } catch {
            outbox.actions.append(.close(SyncError.liteCore(SyncError.LiteCoreCode.remoteError, error.reason)))
        }
        goOn(&outbox)
    }

    private mutating func settle(_ change: Change, _ verdict: ProposalReply.Item, _ outbox: inout Outbox) {
        switch verdict {
        case .accepted:
            var change = change
            change.welcomes += 1
            send(change, ancestors: change.serverRevision.map { [$0] } ?? [])
        case .known: acknowledge(change, change.local.revision, isSilent: true, &outbox)
        case .conflict(let peer):
            var change = change
            change.obstacle = peer
            inspect(change, peer: peer, &outbox)
        case .refused(let status): refused(change, SyncError.http(status, "the peer refused the change"), &outbox)
        }
    }

    private mutating func send(_ change: Change, ancestors: [RevisionID]) {
        var change = change
        change.wasSent = true
        orders[change.local.documentID] = change
        sender.send(
            SendOrder(
                documentID: change.local.documentID, revision: change.local.revision, sequence: RemoteSequence(change.local.sequence),
                ancestors: ancestors, bodySize: change.local.bodySize))
    }

    private mutating func settle(_ order: SendOrder, _ outcome: RevisionSender.Outcome, sent: RevisionID, _ outbox: inout Outbox) {
        guard let change = orders.removeValue(forKey: order.documentID) else { return }
        switch outcome {
        case .accepted: acknowledge(change, sent, isSilent: false, &outbox)
        case .obsolete: finish(change, &outbox)
        case .conflict where change.welcomes == 1:
            // What the peer was given between the offer and the revision is in the way. The answer to another offer names it; the pull may have told
            // of it already, and will not do so again.
            toPropose.append(change)
        case .conflict: inspect(change, peer: nil, &outbox)
        case .forbidden(let error): refused(change, error, &outbox)
        case .failed(let error): give(up: change, error, &outbox)
        }
    }

    /// The peer has the revision.
    private mutating func acknowledge(_ change: Change, _ revision: RevisionID, isSilent: Bool, _ outbox: inout Outbox) {
        acknowledged[change.local.documentID] = revision
        marks.append(RemoteMark(documentID: change.local.documentID, revision: revision))
        if !isSilent {
            outbox.report(
                DocumentEvent(
                    .push, collection: port.collection, documentID: change.local.documentID, revision: revision,
                    flags: change.local.isDeleted ? .deleted : []))
        }
        finish(change, &outbox)
    }

    /// Notes in the documents what the peer has. A crowd of marks waits for the checkpoint: if the peer loses what it was given, its copy of the
    /// checkpoint is lost too, which is how that is noticed.
    mutating func flushMarks(_ outbox: inout Outbox) {
        for start in stride(from: 0, to: marks.count, by: max(1, limits.marksPerBatch)) {
            let batch = Array(marks[start...].prefix(limits.marksPerBatch))
            pending[outbox.store(.mark(batch), &port)] = .marking(batch)
        }
        marks = []
    }

    private mutating func refused(_ change: Change, _ error: SyncError, _ outbox: inout Outbox) {
        if error.isForbidden, !change.isSecondTry {
            var change = change
            change.isSecondTry = true
            forbidden.append(change)
        } else {
            if error.isForbidden {
                marks.append(RemoteMark(documentID: change.local.documentID, revision: change.local.revision, isRejected: true))
            }
            give(up: change, error, &outbox)
        }
    }

    /// Reports an error. What may go away by itself stays to be done in the next session.
    private mutating func give(up change: Change, _ error: SyncError, _ outbox: inout Outbox) {
        let isTransient = error.isTransientForDocument
        outbox.report(
            DocumentEvent(
                .push, collection: port.collection, documentID: change.local.documentID, revision: change.local.revision,
                flags: change.local.isDeleted ? .deleted : [], error: error, isTransient: isTransient))
        guard isTransient || error.isDamage else { return finish(change, &outbox) }
        hasFailures = true
        release(change, &outbox)
    }

    private mutating func finish(_ change: Change, _ outbox: inout Outbox) {
        finish(change.local, &outbox)
        release(change, &outbox)
    }

    private mutating func finish(_ change: LocalChange, _ outbox: inout Outbox) {
        outbox.notes.append(.localDone(change.sequence))
        outbox.notes.append(.progress(completed: UInt64(change.bodySize), total: 0, documents: 1))
    }

    /// A change that waited is on its way again.
    private mutating func occupy(_ documentID: String) {
        if busy[documentID] == nil { busy[documentID] = .some(nil) }
    }

    /// The document's next change can go.
    private mutating func release(_ change: Change, _ outbox: inout Outbox) {
        guard let next = busy.removeValue(forKey: change.local.documentID), let next else { return }
        begin(next)
    }
}

// Conflicts. Those that the puller can bring home wait for it.
extension Pusher {
    private mutating func inspect(_ change: Change, peer: RevisionID?, isNews: Bool = false, _ outbox: inout Outbox) {
        // What is known of the peer counts.
        flushMarks(&outbox)
        pending[outbox.store(.inspect(documentID: change.local.documentID, peer: peer), &port)] = .inspecting(
            change, peer: peer, isNews: isNews)
    }

    private mutating func settleConflict(
        _ change: Change, peer: RevisionID?, isNews: Bool, _ state: DocumentState, _ outbox: inout Outbox
    ) {
        guard state.current == change.local.revision else { return finish(change, &outbox) }
        var again = change
        if let peer, isNews || peer != change.serverRevision, state.descendsFromPeer {
            again.serverRevision = change.local.parentToName(peer)
            toPropose.append(again)
        } else if alsoPulls, let remote = state.remoteRevision, remote != change.serverRevision, remote != change.local.revision,
            !state.isConflicted
        {
            again.serverRevision = remote
            toPropose.append(again)
        } else if alsoPulls, state.isConflicted {
            // The pull has brought it already, and settles it or says why not.
            finish(change, &outbox)
        } else if alsoPulls {
            // The pull brings what is in the way, and settling that makes a revision which can be pushed.
            release(change, &outbox)
            if busy[change.local.documentID] == nil { waiting[change.local.documentID] = change } else { finish(change.local, &outbox) }
        } else if peer == nil, !change.wasSent, !change.local.revision.isVersion {
            // A gateway before 3 does not name what is in the way, and nothing else will tell. It may be an older revision of ours, whose
            // acknowledgement was lost: whoever gets the whole history sees it.
            send(change, ancestors: [])
        } else {
            give(up: change, SyncError.http(409, "the document was changed on the other side too"), &outbox)
        }
    }

    /// The puller noted a new revision of the peer's.
    mutating func pulled(_ documentID: String, _ revision: Outbox.Pulled, _ outbox: inout Outbox) {
        // It is noted in the document, and newer than what was acknowledged.
        if case .current = revision { acknowledged[documentID] = nil }
        guard let change = waiting.removeValue(forKey: documentID) else { return }
        switch revision {
        case .conflict: finish(change.local, &outbox)
        case .known(let peer):
            occupy(documentID)
            inspect(change, peer: peer, isNews: true, &outbox)
        case .current:
            occupy(documentID)
            inspect(change, peer: nil, &outbox)
        }
        goOn(&outbox)
    }

    /// The puller has learned that the peer has what this change was made of. It may have refused the change in an earlier session, without saying what
    /// was in the way, because it was not to be seen then.
    mutating func surpassed(_ documentID: String, by sequence: UInt64, _ outbox: inout Outbox) {
        // What is read later is offered anyway.
        guard sequence <= lastRead, busy[documentID] == nil, waiting[documentID] == nil, !isStopping else { return }
        pending[outbox.store(.readChanges(since: sequence - 1, limit: 1), &port)] = .readingAgain
    }

    var hasWaitingConflicts: Bool { !waiting.isEmpty }

    /// The pull has brought all that there is, and nothing of what is in the way. The first pull of a database leaves tombstones away: gateways take a
    /// new document in place of one with a tree ID, but one with a version must be known. Whether anything was asked; what is too much comes next time.
    mutating func askAboutDeletions(_ outbox: inout Outbox) -> Bool {
        let changes = waiting.values.filter { change in
            !change.wasAskedAbout && change.local.revision.isVersion && change.obstacle?.isVersion ?? false && change.serverRevision == nil
        }
        for change in changes.sorted(by: { $0.local.sequence < $1.local.sequence }).prefix(limits.changesPerMessage) {
            let id = change.local.documentID
            waiting[id]?.wasAskedAbout = true
            pending[outbox.request(.getRev(GetRevision(documentID: id)), &port)] = .asking(change)
        }
        return !changes.isEmpty
    }

    private mutating func learn(of change: Change, _ reply: WireReply, _ outbox: inout Outbox) {
        let id = change.local.documentID
        guard reply.isError, SyncError(reply).httpStatus == 404, let revision = change.obstacle,
            waiting[id]?.local.revision == change.local.revision
        else { return }
        waiting[id] = nil
        occupy(id)
        pending[outbox.store(.noteDeletion(documentID: id, revision: revision), &port)] = .notingDeletion(change)
    }

    /// Nothing will bring the conflicts home any more.
    mutating func reportWaitingConflicts(_ outbox: inout Outbox) {
        for change in waiting.values.sorted(by: { $0.local.sequence < $1.local.sequence }) {
            give(up: change, SyncError.http(409, "the document was changed on the other side too"), &outbox)
        }
        waiting = [:]
    }
}
