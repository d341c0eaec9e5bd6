import CBLFleece
import CBLStore

/// Takes revisions in: inserts them in batches, fetches the blobs that turn out to be missing and inserts those revisions again, and answers only
/// when they are stored. The pulling half of both roles.
struct RevisionReceiver {
    struct Incoming {
        var revision: ReceivedRevision
        let id: IncomingID?
        /// What the owner knows it by.
        let place: Int?

        var documentID: String { revision.message.documentID }
        var bytes: Int { revision.message.body.count + 256 }
    }

    enum Outcome {
        case stored(isConflict: Bool)
        case known
        /// The document left the user's channels.
        case removed
        /// The delta did not fit; the sender was told, and sends all of it if it waits for answers.
        case needsWhole
        case failed(SyncError)
    }

    typealias Settled = (incoming: Incoming, outcome: Outcome)

    private enum Pending {
        case fetching(Incoming, rest: ArraySlice<ReceivedBody.Blob>)
        case inserting([Incoming])
    }

    let allowsConflict: Bool
    private let limits: FlowLimits
    private var batch: [Incoming] = []
    private var batchBytes = 0
    private var pending: [Int: Pending] = [:]
    private var timer: Int?
    private var isInserting = false
    /// Revisions that came and are not settled, and the bytes of their bodies.
    private(set) var count = 0
    private var bytes = 0
    /// Those of them that wait for blobs. They are no reason not to read: the blobs come over the same connection.
    private var waiting = (count: 0, bytes: 0)

    init(_ limits: FlowLimits, allowsConflict: Bool) {
        self.limits = limits
        self.allowsConflict = allowsConflict
    }

    var isIdle: Bool { count == 0 }
    /// Nothing should be read until some of them are stored.
    var isCongested: Bool { count - waiting.count >= limits.incomingRevisions || bytes - waiting.bytes >= limits.incomingBytes }
    /// More waits for blobs than anybody may send.
    var isOverfull: Bool { waiting.count > limits.waitingRevisions || waiting.bytes > limits.waitingBytes }
    var held: HeldMemory { HeldMemory(incoming: bytes - waiting.bytes, begun: waiting.bytes) }
    /// Nothing more should be asked for: neither those that wait for blobs nor the others are to become too many.
    var hasEnough: Bool { count >= limits.incomingRevisions || bytes >= limits.incomingBytes }

    mutating func receive(_ message: RevisionMessage, _ id: IncomingID?, place: Int?, _ port: inout SessionPort, _ outbox: inout Outbox)
        -> [Settled]
    {
        let incoming = Incoming(
            revision: ReceivedRevision(message: message, allowsConflict: allowsConflict && !message.forbidsConflict), id: id, place: place)
        count += 1
        bytes += incoming.bytes
        if let problem = RevisionReceiver.problem(with: message) { return [settle(incoming, .failed(problem), &outbox)] }
        enqueue(incoming, &port, &outbox)
        return []
    }

    private static func problem(with message: RevisionMessage) -> SyncError? {
        if let problem = problem(withID: message.documentID) { return problem }
        return message.isDeleted && message.deltaSource != nil ? SyncError(.blip, 400, "a tombstone cannot be a delta") : nil
    }

    static func problem(withID documentID: String) -> SyncError? {
        var id = documentID
        return id.withUTF8 { DocumentRules.problem(withID: UnsafeRawBufferPointer($0)) }.map {
            SyncError(.blip, 400, "\"\(documentID)\" cannot be a document ID: \($0)")
        }
    }

    private mutating func enqueue(_ incoming: Incoming, _ port: inout SessionPort, _ outbox: inout Outbox) {
        batch.append(incoming)
        batchBytes += incoming.bytes
        if batch.count >= limits.insertionThreshold || batchBytes >= limits.insertionBytes {
            flush(&port, &outbox)
        } else if timer == nil {
            timer = outbox.startTimer(milliseconds: limits.insertionDelay, &port)
        }
    }

    /// Has inserted what has gathered. While a batch is being inserted the next one grows, since a larger one takes less time for each.
    mutating func flush(_ port: inout SessionPort, _ outbox: inout Outbox) {
        timer = nil
        guard !batch.isEmpty, !isInserting else { return }
        let revisions = Array(batch.prefix(limits.insertionBatch))
        batch.removeFirst(revisions.count)
        for incoming in revisions { batchBytes -= incoming.bytes }
        isInserting = true
        pending[outbox.store(.insert(revisions.map(\.revision)), &port)] = .inserting(revisions)
    }

    /// A batch is done, and what gathered meanwhile is next.
    private mutating func inserted(_ number: Int, _ port: inout SessionPort, _ outbox: inout Outbox) {
        pending[number] = nil
        isInserting = false
        flush(&port, &outbox)
    }

    /// False if the timer is somebody else's.
    mutating func timerFired(_ number: Int, _ port: inout SessionPort, _ outbox: inout Outbox) -> Bool {
        guard number == timer else { return false }
        flush(&port, &outbox)
        return true
    }

    /// Takes an answer of the store; nil if it is for somebody else.
    mutating func stored(_ answer: StoreAnswer, _ number: Int, _ port: inout SessionPort, _ outbox: inout Outbox) -> [Settled]? {
        switch (pending[number], answer) {
        case (.inserting(let revisions)?, .inserted(let insertions)) where insertions.count == revisions.count:
            inserted(number, &port, &outbox)
            var settled: [Settled] = []
            for (incoming, insertion) in zip(revisions, insertions) {
                if let end = handle(insertion, of: incoming, &port, &outbox) { settled.append(end) }
            }
            return settled
        case (.inserting(let revisions)?, let answer):
            inserted(number, &port, &outbox)
            return revisions.map { settle($0, .failed(RevisionReceiver.failure(answer)), &outbox) }
        default: return nil
        }
    }

    private static func failure(_ answer: StoreAnswer) -> SyncError {
        if case .failed(let error) = answer { return error }
        return SyncError.liteCore(SyncError.LiteCoreCode.unexpectedError, "the revision could not be stored")
    }

    /// Nil if the revision waits for blobs.
    private mutating func handle(
        _ insertion: Insertion, of incoming: Incoming, _ port: inout SessionPort, _ outbox: inout Outbox
    ) -> Settled? {
        switch insertion {
        case .inserted(let isConflict, _): return settle(incoming, .stored(isConflict: isConflict), &outbox)
        case .known: return settle(incoming, .known, &outbox)
        case .incomplete(let properties, let missing):
            var incoming = incoming
            incoming.revision.properties = properties
            fetch(incoming, missing[...], &port, &outbox)
            return nil
        case .removed: return settle(incoming, .removed, &outbox)
        case .deltaFailed(let reason):
            outbox.reply(SyncError.http(422, reason), to: incoming.id)
            leave(incoming)
            return (incoming, .needsWhole)
        case .failed(let error): return settle(incoming, .failed(error), &outbox)
        }
    }

    /// Fetches the first of the missing blobs, or goes on if there is none.
    private mutating func fetch(
        _ incoming: Incoming, _ missing: ArraySlice<ReceivedBody.Blob>, _ port: inout SessionPort, _ outbox: inout Outbox
    ) {
        guard let blob = missing.first else { return enqueue(incoming, &port, &outbox) }
        let message = GetAttachment(digest: blob.digest, documentID: incoming.documentID, compress: blob.isCompressible)
        let ticket = port.ticket()
        outbox.actions.append(.fetchBlob(SyncRequest(.getAttachment(message), collection: port.wire), length: blob.length, ticket))
        pending[ticket.number] = .fetching(incoming, rest: missing.dropFirst())
        waiting.count += 1
        waiting.bytes += incoming.bytes
    }

    /// A blob came, or did not.
    mutating func fetched(_ error: SyncError?, _ number: Int, _ port: inout SessionPort, _ outbox: inout Outbox) -> [Settled] {
        guard case .fetching(let incoming, let rest)? = pending.removeValue(forKey: number) else { return [] }
        waiting.count -= 1
        waiting.bytes -= incoming.bytes
        if let error { return [settle(incoming, .failed(error), &outbox)] }
        fetch(incoming, rest, &port, &outbox)
        return []
    }

    private mutating func leave(_ incoming: Incoming) {
        count -= 1
        bytes -= incoming.bytes
    }

    private mutating func settle(_ incoming: Incoming, _ outcome: Outcome, _ outbox: inout Outbox) -> Settled {
        leave(incoming)
        switch outcome {
        case .stored, .removed, .needsWhole: outbox.reply(WireReply.empty, to: incoming.id)
        case .known: outbox.reply(WireReply(properties: ["noop": "true"]), to: incoming.id)
        case .failed(let error): outbox.reply(error, to: incoming.id)
        }
        return (incoming, outcome)
    }
}
