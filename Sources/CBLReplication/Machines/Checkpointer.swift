/// Keeps the checkpoint of one collection: agrees with the peer on where to start, collects what is done, and saves it on both sides.
struct Checkpointer {
    private enum Pending {
        case loading
        case asking
        case setting(body: [UInt8])
        case askingForRevision
        case saving
    }

    var port: SessionPort
    /// The name under which it is saved.
    let id: String
    private let limits: FlowLimits
    private let isReset: Bool
    private(set) var checkpoint = Checkpoint()
    /// The name under which the peer is asked: another one in a copied database.
    private(set) var askedID: String
    private(set) var isLoaded = false
    /// Whether the peer has been heard, so that something can be saved.
    private(set) var isAgreed = false
    /// Whether both copies said the same.
    private(set) var isValid: Bool
    private(set) var hasLocal = false
    private var peerRevision = ""
    /// What documents say of the peer is not believed, and not everything has been offered to it again. Nothing is saved until then: two copies
    /// that agree would let the next session believe it.
    private(set) var isHeldBack = false
    private var isDirty = false
    private var isSaving = false
    private var savesAtOnce = false
    private var timer: Int?
    /// Whether the timer is the short one.
    private var isHurried = false
    /// The last local sequence that was looked at.
    private var readUpTo: UInt64 = 0
    private var pending: [Int: Pending] = [:]
    /// How often the peer refused the revision in a row.
    private var refusals = 0
    private static let mostRefusals = 3

    init(_ port: SessionPort, id: String, isReset: Bool, limits: FlowLimits) {
        self.port = port
        self.id = id
        askedID = id
        self.isReset = isReset
        // Who begins anew does not believe what documents say of the peer either: everything is offered again.
        isValid = !isReset
        self.limits = limits
    }

    /// Whether all that is known is saved.
    var isIdle: Bool { !isSaving && (!isDirty || isHeldBack) }

    mutating func load(_ outbox: inout Outbox) {
        pending[outbox.store(.loadCheckpoint, &port)] = .loading
    }

    /// Asks the peer, where no `getCollections` does.
    mutating func ask(_ outbox: inout Outbox) {
        pending[outbox.request(.getCheckpoint(GetCheckpoint(client: askedID)), &port)] = .asking
    }

    /// What the peer has. A copy under another name is one to start from, but not to overwrite.
    mutating func agree(revision: String, with peer: Checkpoint?) {
        if askedID == id { peerRevision = revision }
        isAgreed = true
        guard hasLocal else { return }
        let (agreed, isValid) = checkpoint.validated(against: peer ?? Checkpoint())
        checkpoint = agreed
        self.isValid = isValid
    }

    mutating func stored(_ answer: StoreAnswer, _ number: Int, time: Int64, _ outbox: inout Outbox) {
        switch (pending.removeValue(forKey: number), answer) {
        case (.loading?, .checkpoint(let id, let body)):
            isLoaded = true
            askedID = id
            if let body, !isReset {
                checkpoint = Checkpoint(json: body)
                hasLocal = true
            }
        case (.loading?, .failed(let error)): outbox.actions.append(.close(error))
        case (.saving?, _): finishSaving(time: time, &outbox)
        default: break
        }
    }

    mutating func replied(_ reply: WireReply, _ number: Int, time: Int64, _ outbox: inout Outbox) {
        let error = reply.isError ? SyncError(reply) : nil
        switch pending.removeValue(forKey: number) {
        case .asking?:
            if let error, error.httpStatus != 404 { return outbox.actions.append(.close(error)) }
            let answer = CheckpointReply(reply)
            agree(revision: error == nil ? answer.revision : "", with: error == nil ? Checkpoint(json: answer.body) : nil)
        case .setting(let body)?:
            guard let error else {
                peerRevision = reply.properties["rev"] ?? ""
                refusals = 0
                pending[outbox.store(.saveCheckpoint(body: body), &port)] = .saving
                return
            }
            refusals += 1
            guard refusals < Checkpointer.mostRefusals else { return finishSaving(time: time, &outbox) }
            if error.isConflict {
                pending[outbox.request(.getCheckpoint(GetCheckpoint(client: id)), &port)] = .askingForRevision
            } else if error.httpStatus == 404, !peerRevision.isEmpty {
                // The peer let its copy expire.
                peerRevision = ""
                send(body, &outbox)
            } else {
                finishSaving(time: time, &outbox)
            }
        case .askingForRevision?:
            peerRevision = error == nil ? CheckpointReply(reply).revision : ""
            send(checkpoint.body(time: time), &outbox)
        default: break
        }
    }

    /// Whether this says that the peer has the checkpoint now.
    func isAccepted(by reply: WireReply, _ number: Int) -> Bool {
        if case .setting? = pending[number] { !reply.isError } else { false }
    }

    mutating func changesRead(upTo last: UInt64, pending: [UInt64], _ outbox: inout Outbox) {
        let before = checkpoint.completed
        // Everything read is done, but for what is on its way.
        var start = readUpTo + 1
        for sequence in pending where sequence >= start {
            checkpoint.completed.insert(start..<sequence)
            start = sequence + 1
        }
        if start <= last { checkpoint.completed.insert(start..<last + 1) }
        readUpTo = max(readUpTo, last)
        if checkpoint.completed != before { changed(&outbox) }
    }

    /// Called when the push begins.
    mutating func startReading() {
        readUpTo = checkpoint.local
        isHeldBack = !isValid
    }

    /// Everything was offered.
    mutating func release(_ outbox: inout Outbox) {
        guard isHeldBack else { return }
        isHeldBack = false
        if isDirty { changed(&outbox) }
    }

    mutating func localDone(_ sequence: UInt64, _ outbox: inout Outbox) {
        checkpoint.completed.insert(sequence)
        changed(&outbox)
    }

    mutating func remoteReached(_ sequence: RemoteSequence, _ outbox: inout Outbox) {
        guard checkpoint.remote != sequence else { return }
        checkpoint.remote = sequence
        changed(&outbox)
    }

    private mutating func changed(_ outbox: inout Outbox) {
        isDirty = true
        guard timer == nil, !isSaving, !isHeldBack else { return }
        timer = outbox.startTimer(milliseconds: limits.checkpointDelay, &port)
    }

    /// Nothing else is going on: what is known need not wait for more.
    mutating func hurry(_ outbox: inout Outbox) {
        guard timer != nil, !isHurried else { return }
        isHurried = true
        timer = outbox.startTimer(milliseconds: limits.idleCheckpointDelay, &port)
    }

    /// Whether the timer asks for a save now.
    mutating func timerFired(_ number: Int) -> Bool {
        guard number == timer else { return false }
        timer = nil
        isHurried = false
        return true
    }

    /// Saves what is new, or as soon as the save that is on its way has ended.
    mutating func save(time: Int64, _ outbox: inout Outbox) {
        guard isDirty, isAgreed, !isHeldBack else { return }
        guard !isSaving else { return savesAtOnce = true }
        timer = nil
        isHurried = false
        isDirty = false
        isSaving = true
        refusals = 0
        send(checkpoint.body(time: time), &outbox)
    }

    private mutating func send(_ body: [UInt8], _ outbox: inout Outbox) {
        let message = SetCheckpoint(client: id, revision: peerRevision, body: body)
        pending[outbox.request(.setCheckpoint(message), &port)] = .setting(body: body)
    }

    private mutating func finishSaving(time: Int64, _ outbox: inout Outbox) {
        isSaving = false
        guard isDirty else { return savesAtOnce = false }
        if savesAtOnce {
            savesAtOnce = false
            save(time: time, &outbox)
        } else if timer == nil {
            timer = outbox.startTimer(milliseconds: limits.checkpointDelay, &port)
        }
    }
}
