import DocumentStore

/// What happens to a session.
public enum Event: Sendable {
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
public enum Action: Sendable {
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
public enum Report: Hashable, Sendable {
    case status(SyncStatus)
    case document(DocumentEvent)
}

public struct SyncStatus: Hashable, Sendable {
    public enum Activity: Int, Hashable, Sendable {
        case stopped, offline, connecting, idle, busy
    }

    public var activity = Activity.connecting
    /// In bytes, as far as sizes are known.
    public var completed: UInt64 = 0
    public var total: UInt64 = 0
    public var documents: UInt64 = 0

    public init() {}
}

/// What became of a document.
public struct DocumentEvent: Hashable, Sendable {
    public enum Direction: Hashable, Sendable {
        case push, pull
    }

    public var direction: Direction
    /// The index among the session's collections.
    public var collection: Int
    public var documentID: String
    public var revision: RevisionID?
    public var flags: ChangesMessage.Flags
    /// Nil if all went well.
    public var error: SyncError?
    /// The error may go away by itself: the document is tried again in the next session.
    public var isTransient: Bool

    public init(
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
public struct HeldMemory: Hashable, Sendable {
    /// What came and is to be stored.
    public var incoming = 0
    /// What came and waits for the peer to send the rest.
    public var begun = 0
    /// What is to be sent.
    public var outgoing = 0
    /// What was sent and waits for the peer to take it, or to answer.
    public var untaken = 0
    /// What a change or an order takes that is not large.
    static let small = 256

    public init(incoming: Int = 0, begun: Int = 0, outgoing: Int = 0, untaken: Int = 0) {
        self.incoming = incoming
        self.begun = begun
        self.outgoing = outgoing
        self.untaken = untaken
    }

    public var bytes: Int { received + outgoing + untaken }
    /// What reading from the peer may add to.
    public var received: Int { incoming + begun }

    static func += (sum: inout HeldMemory, other: HeldMemory) {
        sum.incoming += other.incoming
        sum.begun += other.begun
        sum.outgoing += other.outgoing
        sum.untaken += other.untaken
    }
}

/// The limits of queues: how much may be on its way at one time.
public struct FlowLimits: Hashable, Sendable {
    /// Changes in a message.
    public var changesPerMessage = 200
    /// Messages with changes that wait for an answer, before and after all were told.
    public var proposalsInFlight = 5
    public var proposalsInFlightWhenCaughtUp = 1
    /// Revisions that wait for being sent; with more, no further changes are read.
    public var queuedRevisions = 600
    /// Revisions that are loaded with one request, and the bytes of their bodies; a larger one is loaded alone.
    public var revisionsPerLoad = 200
    public var bytesPerLoad = 256 << 10
    /// The same, and what may be unanswered, while memory is scarce.
    public var scarceRevisions = 50
    public var scarceBytes = 32 << 10
    /// Bytes that were sent and not answered.
    public var unansweredBytes = 2 << 20
    /// Revisions that were sent and not answered: a peer has a limit for open requests, too.
    public var unansweredRevisions = 2000
    /// Revisions that were asked for and have not come; with more, changes wait for their answer.
    public var requestedRevisions = 200
    /// Revisions that came and are not stored, and the bytes of their bodies; with more, nothing should be read from the connection.
    public var incomingRevisions = 1000
    public var incomingBytes = 8 << 20
    /// What may wait for blobs, which come over the same connection: with more of them, or of their bytes, the connection ends.
    public var waitingRevisions = 12_000
    public var waitingBytes = 64 << 20
    /// Proposals, and requests about checkpoints, that wait for an answer; with more, nothing should be read from the connection.
    public var openProposals = 16
    public var openCheckpoints = 64
    /// What a peer may leave here as its checkpoint, and the number of collections and proposals that it may name at once.
    public var checkpointBytes = 1 << 20
    public var checkpointNameBytes = 256
    public var collectionsPerMessage = 1000
    public var proposalsPerMessage = 10_000
    /// Documents that it may ask for by their IDs.
    public var documentIDs = 10_000
    public var documentIDBytes = 1 << 20
    /// Revisions that are inserted without waiting for more, or the bytes of their bodies. While others are being inserted, more gather, of which
    /// no more than `insertionBatch` are inserted together.
    public var insertionThreshold = 100
    public var insertionBytes = 256 << 10
    public var insertionBatch = 500
    /// Milliseconds that fewer wait for company.
    public var insertionDelay = 20
    /// Milliseconds between a change and the saving of the checkpoint.
    public var checkpointDelay = 5000
    /// Marks that are written at once.
    public var marksPerBatch = 200

    public init() {}
}
