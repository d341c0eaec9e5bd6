import CBLBLIP
import CBLBase
import CBLStore
import CBLTransport
import Glibc

/// One connection: joins a session with its WebSocket, and with the database. What the session wants is done, and what comes of it is told to
/// the session. Everything happens on the loop, but for the work on the store, which has a thread of its own and goes on in its order.
final class SyncConnection<Session: SyncSession>: WebSocketDelegate, @unchecked Sendable {
    // Sendable: the loop's thread alone touches what changes.

    /// What is being fetched.
    struct Fetch {
        let ticket: Ticket
        let blob: ArrivingBlob
    }

    /// What is to be fetched when others have come: each has a file open.
    struct QueuedFetch {
        let request: SyncRequest
        let message: GetAttachment
        let length: UInt64?
        let ticket: Ticket
    }

    let loop: EventLoop
    /// The thread that changes the store.
    let worker: EventLoop
    /// The thread that reads the store: the same, or one of its own.
    let reader: EventLoop
    /// The thread that writes blobs: the same, or one of its own. A document is stored when its blobs have been.
    let blobWorker: EventLoop
    let stores: [CollectionName: ReplicatedDatabase]
    let blobs: BlobFolder
    private(set) var session: Session
    private(set) var webSocket: WebSocketConnection?
    let blip: BLIPConnection
    private var isPumping = false
    private var isStopping = false

    /// Requests of ours that wait for an answer.
    private(set) var awaited: [SentMessage: Ticket] = [:]
    var fetches: [SentMessage: Fetch] = [:]
    var queuedFetches = Queue<QueuedFetch>()
    /// The peer's requests for blobs that have to wait for others, and the blobs that are being sent.
    var queuedBlobs = Queue<QueuedBlob>()
    var openBlobs = 0
    /// Requests of the peer that wait for one.
    private var requests: [UInt64: ReceivedRequest] = [:]
    /// Bytes of blobs that came and are not written.
    var unwrittenBytes = 0
    private static var mostUnwritten: Int { 4 << 20 }
    /// What it shares with the other connections of a server, and its number there.
    private let memory: SharedMemory?
    private var place = 0
    private var lastHeard = LoopTime(nanoseconds: 0)
    private var receivedBytes = 0
    /// More bytes than that are loaded when there is room.
    private static var largeLoad: Int { 1 << 20 }
    /// Blobs that come, or go, at the same time.
    static var mostBlobs: Int { 16 }
    /// Revisions become hardly larger than at the vendor's level 6, in half of the time.
    private static var compressionLevel: Int { 4 }

    /// How long a peer may be silent that has something to say; see `expectAnswers`.
    var patience: Patience?
    /// When something went over the connection, or was done here, for the last time.
    private(set) var lastProgress = LoopTime(nanoseconds: 0)
    /// What the database is doing for it.
    private(set) var storesUnderWay = 0
    /// Conflicts that are being settled, and what waits for them: nobody is told that it is over before.
    private var resolutionsUnderWay = 0
    private var whenResolved: (() -> Void)?

    /// The collections whose checkpoint has been saved.
    private(set) var savedCheckpoints: Set<Int> = []
    private var sessionError: SyncError?
    private(set) var hasSessionEnded = false
    private(set) var hasOpened = false
    /// Whether the peer has asked for anything.
    private(set) var hasReceived = false
    /// What the peer did that no peer does.
    private var violation: SyncError?

    var onOpen: ((WebSocketOpening) -> Void)?
    var onReport: ((Report) -> Void)?
    /// Called once, when the connection is gone.
    var onEnd: ((SyncFailure?) -> Void)?

    init(
        _ session: Session, stores: [CollectionName: ReplicatedDatabase], blobs: BlobFolder, worker: EventLoop, reader: EventLoop? = nil,
        blobWorker: EventLoop? = nil, limits: Limits = Limits(), memory: SharedMemory? = nil, on loop: EventLoop
    ) {
        self.memory = memory
        self.session = session
        self.stores = stores
        self.blobs = blobs
        self.worker = worker
        self.reader = reader ?? worker
        self.blobWorker = blobWorker ?? worker
        blip = BLIPConnection(compressionLevel: SyncConnection.compressionLevel, limits: limits)
        self.loop = loop
    }

    /// Begins. A client's WebSocket is given to be opened; one that is open already tells so itself.
    func start(opening webSocket: WebSocketConnection? = nil) {
        loop.preconditionOnLoop()
        self.webSocket = webSocket
        if let memory { place = memory.enter(self) }
        lastProgress = loop.now
        perform(session.start())
        webSocket?.open()
    }

    /// Comes to an end at a checkpoint.
    func stop() {
        loop.preconditionOnLoop()
        isStopping = true
        handle(.stop)
    }

    /// Ends at once.
    func terminate() { webSocket?.terminate() }

    /// Says why, and ends.
    func dismiss(_ error: SyncError) {
        loop.preconditionOnLoop()
        close(error)
        handle(.disconnected(error))
    }

    func databaseChanged(_ name: CollectionName) {
        loop.preconditionOnLoop()
        for index in session.collectionIndexes(of: name) { handle(.databaseChanged(collection: index)) }
    }

    func handle(_ event: Event) {
        loop.preconditionOnLoop()
        let time = Int64(Glibc.time(nil))
        if let memory { session.isMemoryScarce = memory.isScarce(for: place) }
        perform(session.handle(event, time: time))
        // A session that was just beginning could not stop yet.
        if isStopping, !session.isClosed { perform(session.handle(.stop, time: time)) }
        pumpAndRegulate()
    }

    func pumpAndRegulate() {
        pump()
        regulate()
    }

    private func perform(_ actions: [Action]) { for action in actions { perform(action) } }

    private func perform(_ action: Action) {
        switch action {
        case .request(let request, let ticket):
            guard let sent = send(request.wire.message) else { return }
            if let ticket { awaited[sent] = ticket }
        case .fetchBlob(let request, let length, let ticket):
            guard case .getAttachment(let message) = request.content else { return }
            queuedFetches.append(QueuedFetch(request: request, message: message, length: length, ticket: ticket))
            fetchNext()
        case .reply(let reply, let id): respond(to: id, with: reply)
        case .store(let request, let ticket): store(request, ticket)
        case .sendBlob(let message, let id):
            queuedBlobs.append(.send(message, id))
            serveNextBlob()
        case .proveBlob(let message, let id):
            queuedBlobs.append(.prove(message, id))
            serveNextBlob()
        case .startTimer(let ticket, let milliseconds):
            loop.timer(after: .milliseconds(milliseconds)) { [weak self] in self?.handle(.timer(ticket)) }
        case .report(let report): onReport?(report)
        case .close(let error): close(error)
        }
    }

    private func store(_ request: StoreRequest, _ ticket: Ticket) {
        let name = session.collectionName(ticket.collection)
        guard let store = stores[name] else {
            return later { $0.handle(.stored(.failed(SyncError.http(404, "no collection \"\(name)\"")), ticket)) }
        }
        if case .loadRevisions(let orders, _) = request, let memory {
            // As it is stored, and as it is sent.
            let bytes = 2 * orders.reduce(0) { $0 + $1.bodySize }
            if bytes > SyncConnection.largeLoad { return load(request, bytes, memory, from: store, ticket) }
        }
        if store.resolvesAside, case .resolveConflict = request { return resolveAside(request, in: store, ticket) }
        // With nobody else to look after, to do it here is sooner done than to wake another thread and be woken.
        if storesUnderWay == 0, !loop.isBusy, let answer = store.answerAtOnce(request) {
            return later { $0.handle(.stored(answer, ticket)) }
        }
        storesUnderWay += 1
        (request.isReading ? reader : worker).perform { [weak self] in
            let answer = store.perform(request)
            self?.later { connection in
                connection.storesUnderWay -= 1
                connection.lastProgress = connection.loop.now
                if case .saveCheckpoint = request, case .done = answer { connection.savedCheckpoints.insert(ticket.collection) }
                connection.handle(.stored(answer, ticket))
            }
        }
    }

    /// Who settles conflicts may take their time, and ask the database: others go on meanwhile, and so does what is to be stored.
    private func resolveAside(_ request: StoreRequest, in store: ReplicatedDatabase, _ ticket: Ticket) {
        resolutionsUnderWay += 1
        storesUnderWay += 1
        SerialQueue(on: resolverThreads).perform { [self] in
            let answer = store.perform(request)
            later { connection in
                connection.storesUnderWay -= 1
                connection.resolutionsUnderWay -= 1
                connection.lastProgress = connection.loop.now
                connection.handle(.stored(answer, ticket))
                if connection.resolutionsUnderWay == 0, let tell = connection.whenResolved { tell() }
            }
        }
    }

    /// The same document may be wanted by everybody at the same time.
    private func load(_ request: StoreRequest, _ bytes: Int, _ memory: SharedMemory, from store: ReplicatedDatabase, _ ticket: Ticket) {
        memory.load(bytes) { [weak self, loop] in
            guard let self, !self.hasSessionEnded else { return loop.perform { memory.loadHasEnded(bytes) } }
            self.reader.perform { [weak self] in
                let answer = store.perform(request)
                loop.perform { [weak self] in
                    self?.handle(.stored(answer, ticket))
                    memory.loadHasEnded(bytes)
                }
            }
        }
    }

    /// On the loop, from any thread.
    func later(_ work: @escaping @Sendable (SyncConnection) -> Void) {
        loop.perform { [weak self] in if let self { work(self) } }
    }

    private func close(_ error: SyncError?) {
        guard !hasSessionEnded else { return }
        hasSessionEnded = true
        sessionError = error
        // What the session said last goes before the farewell.
        pump()
        let code = error.map { CloseCode(rawValue: UInt16(clamping: $0.closeCode)) } ?? .normal
        guard let webSocket else { return later { $0.finish(nil) } }
        webSocket.close(code, reason: error?.message ?? "")
    }

    private func finish(_ cause: TransportError?) {
        guard resolutionsUnderWay == 0 else {
            // The WebSocket lets go of its delegate.
            return whenResolved = { [self] in finish(cause) }
        }
        whenResolved = nil
        memory?.leave(place)
        let onEnd = onEnd
        self.onEnd = nil
        onOpen = nil
        onReport = nil
        blip.close()
        fetches = [:]
        queuedFetches = Queue()
        queuedBlobs = Queue()
        awaited = [:]
        requests = [:]
        onEnd?(sessionError.map { SyncFailure($0, cause: cause, certificates: webSocket?.certificates ?? []) })
    }

    // MARK: Messages

    func send(_ message: OutgoingMessage) -> SentMessage? {
        loop.preconditionOnLoop()
        do { return try blip.send(message) } catch {
            fail(error)
            return nil
        }
    }

    private func respond(to id: IncomingID, with reply: WireReply) {
        guard let request = requests.removeValue(forKey: id.number) else { return }
        do {
            if reply.isError {
                try blip.respond(to: request, error: reply.error)
            } else {
                try blip.respond(to: request, reply.message)
            }
        } catch {
            fail(error)
        }
    }

    func respond(to id: IncomingID, with message: OutgoingMessage) {
        guard let request = requests.removeValue(forKey: id.number) else { return }
        do { try blip.respond(to: request, message) } catch { fail(error) }
    }

    func respond(to id: IncomingID, with error: SyncError) { respond(to: id, with: error.reply) }

    /// The connection is of no use any more.
    private func fail(_ error: BLIPError) {
        guard !hasSessionEnded, error != .closed else { return }
        violation = SyncError(error)
        webSocket?.close(CloseCode(rawValue: error.closeCode), reason: "\(error)")
        later { $0.handle(.disconnected(SyncError(error))) }
    }

    /// Sends what there is to be sent, as long as the socket can take it: what waits here can still be overtaken.
    func pump() {
        loop.preconditionOnLoop()
        guard !isPumping, let webSocket, blip.hasFrames, webSocket.wantsMessages else { return }
        isPumping = true
        // There may be hundreds of connections, and most of them have nothing to send.
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: FrameSize.maximum, alignment: 16)
        defer {
            buffer.deallocate()
            isPumping = false
        }
        do {
            while blip.hasFrames, webSocket.wantsMessages, let frame = try blip.nextFrame(into: buffer) {
                webSocket.send(UnsafeRawBufferPointer(rebasing: buffer[..<frame.count]))
                lastProgress = loop.now
            }
        } catch {
            fail(error)
        }
    }

    /// Whether nothing is read from it for the moment.
    var isHeldUp: Bool { webSocket?.isReadingPaused ?? false }

    /// Reads no more than can be dealt with.
    func regulate() {
        loop.preconditionOnLoop()
        guard let webSocket else { return }
        let mayRead = memory?.report(place, holding) ?? true
        let isBusy = !mayRead || session.isCongested || unwrittenBytes > SyncConnection.mostUnwritten
        if webSocket.isReadingPaused != isBusy { webSocket.isReadingPaused = isBusy }
    }

    private var holding: MemoryBudget.Holding {
        var memory = session.held
        memory.incoming += unwrittenBytes
        memory.begun += blip.begunBytes + (webSocket?.incompleteBytes ?? 0)
        memory.untaken += blip.unsentAnswerBytes
        return MemoryBudget.Holding(memory, heard: lastHeard, received: receivedBytes)
    }

    // MARK: The WebSocket

    func webSocket(_ connection: WebSocketConnection, didOpen opening: WebSocketOpening) {
        // It may have been stopped before there was anything to be closed.
        guard !hasSessionEnded else { return connection.close() }
        webSocket = connection
        hasOpened = true
        lastProgress = loop.now
        blip.compresses = !connection.isLocal
        onOpen?(opening)
        guard let version = ReplicationProtocol(name: opening.subprotocol) else {
            let error = SyncError(.webSocket, 1002, "the peer speaks \"\(opening.subprotocol)\", which is not the protocol of replication")
            return later { $0.handle(.disconnected(error)) }
        }
        handle(.connected(version))
    }

    func webSocket(_ connection: WebSocketConnection, didReceive message: UnsafeRawBufferPointer) {
        lastHeard = loop.now
        lastProgress = lastHeard
        receivedBytes += message.count
        if let memory { blip.frameAllowance = memory.frameAllowance }
        let event: BLIPConnection.Event?
        do { event = try blip.receive(message) } catch {
            if case .noRoom = error { return giveUpMemory() }
            return fail(error)
        }
        switch event {
        case .received(let message)?: received(message)
        case .began(let message)?: began(message)
        case .body(let origin, let bytes, let isLast)?: bodyCame(origin, bytes, isLast: isLast)
        case .acknowledged?, nil: pumpAndRegulate()
        }
    }

    func webSocketIsWritable(_ connection: WebSocketConnection) { pump() }

    func webSocketHoldsIncompleteMessage(_ connection: WebSocketConnection) {
        lastHeard = loop.now
        regulate()
    }

    func webSocket(_ connection: WebSocketConnection, didClose closing: WebSocketClosing) {
        if !hasSessionEnded {
            hasSessionEnded = true
            sessionError = closing.error.map { SyncError($0) } ?? violation
            // What it knows as its last word is ours.
            let actions = session.handle(.disconnected(sessionError), time: Int64(Glibc.time(nil)))
            for case .report(let report) in actions { onReport?(report) }
            for case .close(let error?) in actions where sessionError == nil { sessionError = error }
        }
        finish(closing.error)
    }

    private func received(_ message: IncomingMessage) {
        switch message.origin {
        case .request(let request):
            hasReceived = true
            if request.wantsResponse { requests[request.number] = request }
            handle(.received(WireRequest(message, request), request.wantsResponse ? IncomingID(request.number) : nil))
        case .response(to: let sent):
            if let ticket = awaited.removeValue(forKey: sent) {
                handle(.replied(WireReply(message), ticket))
            } else if fetches[sent] != nil {
                blobCame(sent, message)
            }
        }
    }
}

extension SyncConnection: MemoryHolder {
    func memoryHasChanged() { regulate() }
    var unreadBytes: Int { webSocket?.unreadBytes ?? 0 }

    func giveUpMemory() {
        memory?.leave(place)
        dismiss(SyncError.http(503, "there is no room at the moment for what this connection sends: others need the memory"))
        blip.close()
    }
}

/// The threads on which conflicts are settled, for all replicators of the program.
private let resolverThreads = WorkerPool(name: "cblite-resolver", limit: 8)
