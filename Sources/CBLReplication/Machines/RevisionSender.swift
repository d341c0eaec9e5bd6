import CBLBase
import CBLStore

/// Sends revisions that the peer wants: loads them a few at a time, keeps no more unanswered than the window allows, and says what became of each.
/// The pushing half of both roles.
struct RevisionSender {
    enum Outcome {
        /// Stored, or thrown away without a word if it was sent so.
        case accepted
        /// The document has changed: a newer revision takes its place.
        case obsolete
        case conflict
        case forbidden(SyncError)
        case failed(SyncError)
    }

    private enum Pending {
        case loading([SendOrder])
        // On its own: a table has room for twice as many as are in it, and does not shrink.
        indirect case sent(SendOrder, RevisionID, bytes: Int, isDelta: Bool, blobs: [BlobDigest])
    }

    var options = SendOptions()
    /// The receiver is to refuse what competes.
    let forbidsConflict: Bool
    private let allowsDeltas: Bool
    private let limits: FlowLimits
    private var queue = Queue<SendOrder>()
    private var pending: [Int: Pending] = [:]
    private var isLoading = false
    private var unansweredBytes = 0
    /// Others need the memory: less is loaded.
    var isMemoryScarce = false
    /// How many revisions refer to each blob, of those that are sent and not answered.
    private var offeredBlobs: [BlobDigest: Int] = [:]

    init(_ limits: FlowLimits, forbidsConflict: Bool, allowsDeltas: Bool) {
        self.limits = limits
        self.allowsDeltas = allowsDeltas
        self.forbidsConflict = forbidsConflict
    }

    var isIdle: Bool { queue.isEmpty && pending.isEmpty }
    var queuedCount: Int { queue.count }
    var held: HeldMemory {
        HeldMemory(
            outgoing: queue.count * HeldMemory.small, untaken: unansweredBytes + pending.count * HeldMemory.small)
    }

    /// Whether the receiver can have use for a blob: it fetches blobs before it answers the revision that they belong to.
    func offers(_ digest: BlobDigest) -> Bool { offeredBlobs[digest] != nil }

    /// The receiver said what it understands.
    mutating func learn(_ said: SendOptions) {
        options.add(said)
        if !allowsDeltas { options.acceptsDeltas = false }
    }

    mutating func send(_ order: SendOrder) { queue.append(order) }

    /// Goes on as far as the window allows.
    mutating func pump(_ port: inout SessionPort, _ outbox: inout Outbox) {
        let window = isMemoryScarce ? limits.scarceBytes : limits.unansweredBytes
        let most = (revisions: isMemoryScarce ? limits.scarceRevisions : limits.revisionsPerLoad, bytes: min(window, limits.bytesPerLoad))
        guard !isLoading, !queue.isEmpty, unansweredBytes < window, pending.count < limits.unansweredRevisions else { return }
        var orders: [SendOrder] = []
        var bytes = 0
        while orders.count < most.revisions, bytes < most.bytes, let order = queue.popFirst() {
            orders.append(order)
            bytes += order.bodySize
        }
        isLoading = true
        pending[outbox.store(.loadRevisions(orders, options), &port)] = .loading(orders)
    }

    /// Takes an answer of the store; nil if it is for somebody else.
    mutating func stored(
        _ answer: StoreAnswer, _ number: Int, _ port: inout SessionPort, _ outbox: inout Outbox
    ) -> [(SendOrder, Outcome)]? {
        guard case .loading(let orders)? = pending[number] else { return nil }
        pending[number] = nil
        isLoading = false
        guard case .revisions(let revisions) = answer, revisions.count == orders.count else {
            var failure = SyncError.liteCore(SyncError.LiteCoreCode.unexpectedError, "the revision could not be loaded")
            if case .failed(let error) = answer { failure = error }
            return orders.map { ($0, .failed(failure)) }
        }
        var outcomes: [(SendOrder, Outcome)] = []
        for (order, revision) in zip(orders, revisions) {
            switch revision {
            case .obsolete: outcomes.append((order, .obsolete))
            case .failed(let error): outcomes.append((order, .failed(error)))
            case .loaded(var message):
                message.sequence = order.sequence
                message.forbidsConflict = forbidsConflict
                let bytes = message.body.count + message.documentID.utf8.count + 64
                unansweredBytes += bytes
                let sent = message.revision ?? order.revision
                let isDelta = message.deltaSource != nil
                for blob in message.blobs { offeredBlobs[blob, default: 0] += 1 }
                pending[outbox.request(.rev(message), &port)] = .sent(
                    order, sent, bytes: bytes, isDelta: isDelta, blobs: message.blobs)
            }
        }
        return outcomes
    }

    /// Takes an answer of the peer; nil if it is to something else.
    mutating func replied(_ reply: WireReply, _ number: Int) -> (order: SendOrder, outcome: Outcome, sent: RevisionID)?? {
        guard case .sent(var order, let sent, let bytes, let isDelta, let blobs)? = pending[number] else { return .none }
        pending[number] = nil
        unansweredBytes -= bytes
        for blob in blobs {
            let others = offeredBlobs[blob, default: 1] - 1
            offeredBlobs[blob] = others > 0 ? others : nil
        }
        guard reply.isError else { return .some((order, .accepted, sent)) }
        let error = SyncError(reply)
        if isDelta, error.meansDeltaFailed(sentDelta: true) {
            // All of it, then.
            order.allowsDelta = false
            queue.append(order)
            return .some(nil)
        }
        if error.isConflict { return .some((order, .conflict, sent)) }
        if error.isForbidden { return .some((order, .forbidden(error), sent)) }
        return .some((order, .failed(error), sent))
    }
}
