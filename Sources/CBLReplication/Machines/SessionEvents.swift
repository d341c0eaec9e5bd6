import CBLStore

/// What happens to a session.
package enum Event: Sendable {
    /// The connection is there, and speaks this protocol.
    case connected(ReplicationProtocol)
    /// A request of the peer's. `nil` if it wants no answer.
    case received(WireRequest, IncomingID?)
    /// The answer to a request of ours.
    case replied(WireReply, Ticket)
    case stored(StoreAnswer, Ticket)
    /// A blob was fetched and is in the store, or not.
    case fetched(SyncError?, Ticket)
    case timer(Ticket)
    /// Somebody changed documents of a collection.
    case databaseChanged(collection: Int)
    /// The connection is gone: nil if it was closed properly and with our consent.
    case disconnected(SyncError?)
    /// Come to an end: what is on the way is finished, the checkpoint saved.
    case stop
}

/// What a session wants done.
package enum Action: Sendable {
    /// Send a request; if there is a ticket, the answer comes with it.
    case request(SyncRequest, Ticket?)
    case reply(WireReply, to: IncomingID)
    /// Requests of one collection are carried out in their order.
    case store(StoreRequest, Ticket)
    /// Send this request, write what comes into the blob store, and check that its digest is right.
    case fetchBlob(SyncRequest, length: UInt64?, Ticket)
    /// Answer with a blob's content, as it comes from the blob store.
    case sendBlob(GetAttachment, to: IncomingID)
    /// Answer with a proof of possession.
    case proveBlob(ProveAttachment, to: IncomingID)
    case startTimer(Ticket, milliseconds: Int)
    case report(Report)
    /// Close the connection: the session is over. Nil if all went well.
    case close(SyncError?)
}

/// What a session has to tell those who watch it.
package enum Report: Hashable, Sendable {
    case status(SyncStatus)
    case document(DocumentEvent)
}

package struct SyncStatus: Hashable, Sendable {
    package enum Activity: Int, Hashable, Sendable {
        case stopped, offline, connecting, idle, busy
    }

    package var activity = Activity.connecting
    /// In bytes, as far as sizes are known.
    package var completed: UInt64 = 0
    package var total: UInt64 = 0
    package var documents: UInt64 = 0

    package init() {}
}

/// What became of a document.
package struct DocumentEvent: Hashable, Sendable {
    package enum Direction: Hashable, Sendable {
        case push, pull
    }

    package var direction: Direction
    /// The index among the session's collections.
    package var collection: Int
    package var documentID: String
    package var revision: RevisionID?
    package var flags: ChangesMessage.Flags
    /// Nil if all went well.
    package var error: SyncError?
    /// The error may go away by itself: the document is tried again in the next session.
    package var isTransient: Bool

    package init(
        _ direction: Direction, collection: Int, documentID: String, revision: RevisionID?, flags: ChangesMessage.Flags = [],
        error: SyncError? = nil, isTransient: Bool = false
    ) {
        self.direction = direction
        self.collection = collection
        self.documentID = documentID
        self.revision = revision
        self.flags = flags
        self.error = error
        self.isTransient = isTransient
    }
}

/// What a session keeps in memory, in bytes.
package struct HeldMemory: Hashable, Sendable {
    /// What came and is to be stored.
    package var incoming = 0
    /// What came and waits for the peer to send the rest.
    package var begun = 0
    /// What is to be sent.
    package var outgoing = 0
    /// What was sent and waits for the peer to take it, or to answer.
    package var untaken = 0
    /// What a change or an order takes that is not large.
    static let small = 256

    package init(incoming: Int = 0, begun: Int = 0, outgoing: Int = 0, untaken: Int = 0) {
        self.incoming = incoming
        self.begun = begun
        self.outgoing = outgoing
        self.untaken = untaken
    }

    package var bytes: Int { received + outgoing + untaken }
    /// What reading from the peer may add to.
    package var received: Int { incoming + begun }

    static func += (sum: inout HeldMemory, other: HeldMemory) {
        sum.incoming += other.incoming
        sum.begun += other.begun
        sum.outgoing += other.outgoing
        sum.untaken += other.untaken
    }
}

/// The limits of queues: how much may be on its way at one time.
package struct FlowLimits: Hashable, Sendable {
    /// Changes in a message.
    package var changesPerMessage = 200
    /// Messages with changes that wait for an answer, before and after all were told.
    package var proposalsInFlight = 5
    package var proposalsInFlightWhenCaughtUp = 1
    /// Revisions that wait for being sent; with more, no further changes are read.
    package var queuedRevisions = 600
    /// Revisions that are loaded with one request, and the bytes of their bodies; a larger one is loaded alone.
    package var revisionsPerLoad = 200
    package var bytesPerLoad = 256 << 10
    /// The same, and what may be unanswered, while memory is scarce.
    package var scarceRevisions = 50
    package var scarceBytes = 32 << 10
    /// Bytes that were sent and not answered.
    package var unansweredBytes = 2 << 20
    /// Revisions that were sent and not answered: a peer has a limit for open requests, too.
    package var unansweredRevisions = 2000
    /// Revisions that were asked for and have not come; with more, changes wait for their answer.
    package var requestedRevisions = 200
    /// Revisions that came and are not stored, and the bytes of their bodies; with more, nothing should be read from the connection.
    package var incomingRevisions = 1000
    package var incomingBytes = 8 << 20
    /// What may wait for blobs, which come over the same connection: with more of them, or of their bytes, the connection ends.
    package var waitingRevisions = 12_000
    package var waitingBytes = 64 << 20
    /// Proposals, and requests about checkpoints, that wait for an answer; with more, nothing should be read from the connection.
    package var openProposals = 16
    package var openCheckpoints = 64
    /// What a peer may leave here as its checkpoint, and the number of collections and proposals that it may name at once.
    package var checkpointBytes = 1 << 20
    package var checkpointNameBytes = 256
    package var collectionsPerMessage = 1000
    package var proposalsPerMessage = 10_000
    /// Documents that it may ask for by their IDs.
    package var documentIDs = 10_000
    package var documentIDBytes = 1 << 20
    /// Revisions that are inserted without waiting for more, or the bytes of their bodies. While others are being inserted, more gather, of which
    /// no more than `insertionBatch` are inserted together.
    package var insertionThreshold = 100
    package var insertionBytes = 256 << 10
    package var insertionBatch = 500
    /// Milliseconds that fewer wait for company.
    package var insertionDelay = 20
    /// Milliseconds between a change and the saving of the checkpoint.
    package var checkpointDelay = 5000
    /// The same when there is nothing else to do.
    package var idleCheckpointDelay = 200
    /// Marks that are written at once.
    package var marksPerBatch = 200

    package init() {}
}
