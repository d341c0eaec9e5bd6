import CBLStore

/// What ties an answer to what was asked: the machine that asked, and its own number for it. Whoever carries out actions gives it back unread.
package struct Ticket: Hashable, Sendable {
    enum Machine: UInt8, Sendable {
        case session, checkpointer, pusher, puller
    }

    /// The index among the session's collections.
    package let collection: Int
    let machine: Machine
    let number: Int
}

/// The number of a request that the peer made, chosen by the transport.
package struct IncomingID: Hashable, Sendable {
    package let number: UInt64

    package init(_ number: UInt64) { self.number = number }
}

/// Where a machine stands: its collection here and on the wire, and its next number.
struct SessionPort {
    let collection: Int
    /// What messages carry; nil without `getCollections`.
    let wire: Int?
    let machine: Ticket.Machine
    private var last = 0

    init(collection: Int, wire: Int?, machine: Ticket.Machine) {
        self.collection = collection
        self.wire = wire
        self.machine = machine
    }

    mutating func ticket() -> Ticket {
        last += 1
        return Ticket(collection: collection, machine: machine, number: last)
    }
}

/// What comes out of a machine: actions for the engine, notes for its sister machines.
struct Outbox {
    /// What the peer's revision of a document is here.
    enum Pulled {
        /// The current one, or what that came from.
        case known(RevisionID?)
        /// It was stored, and is the current one now.
        case current
        /// It was stored beside ours.
        case conflict
    }

    enum Note {
        /// The peer has an older revision than the change with this sequence, and nobody knew that.
        case surpassed(documentID: String, by: UInt64)
        /// Local changes were read up to a sequence; these of them are not done yet.
        case changesRead(upTo: UInt64, pending: [UInt64])
        case localDone(UInt64)
        case remoteReached(RemoteSequence)
        /// A document has another revision on the peer now.
        case pulled(documentID: String, Pulled)
        /// Settling a conflict made a revision that the peer does not have.
        case resolvedWithNewRevision
        case progress(completed: UInt64, total: UInt64, documents: UInt64)
    }

    var actions: [Action] = []
    var notes: [Note] = []

    /// Sends a request that is answered. Gives the number of its ticket.
    mutating func request(_ content: SyncRequest.Content, _ port: inout SessionPort) -> Int {
        let ticket = port.ticket()
        actions.append(.request(SyncRequest(content, collection: port.wire), ticket))
        return ticket.number
    }

    /// Sends a request that is not answered.
    mutating func tell(_ content: SyncRequest.Content, _ port: SessionPort) {
        actions.append(.request(SyncRequest(content, collection: port.wire), nil))
    }

    mutating func store(_ request: StoreRequest, _ port: inout SessionPort) -> Int {
        let ticket = port.ticket()
        actions.append(.store(request, ticket))
        return ticket.number
    }

    mutating func startTimer(milliseconds: Int, _ port: inout SessionPort) -> Int {
        let ticket = port.ticket()
        actions.append(.startTimer(ticket, milliseconds: milliseconds))
        return ticket.number
    }

    mutating func reply(_ reply: WireReply, to id: IncomingID?) {
        if let id { actions.append(.reply(reply, to: id)) }
    }

    mutating func reply(_ error: SyncError, to id: IncomingID?) { reply(error.reply, to: id) }

    mutating func report(_ event: DocumentEvent) { actions.append(.report(.document(event))) }
}
