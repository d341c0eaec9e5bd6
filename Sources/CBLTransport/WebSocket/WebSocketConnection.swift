import Glibc

/// One end of a WebSocket, on an event loop.
///
///     loop.perform {
///         let connection = WebSocketConnection(settings, on: loop, delegate: owner)
///         connection.open()
///     }
///
/// It keeps itself alive from `open` until its delegate has been told of its end. Everything but `loop` is to be used on the loop only.
///
/// Sending is by pull, so that what is urgent can overtake: the owner sends while `wantsMessages`, and is told when that becomes true again.
package final class WebSocketConnection: @unchecked Sendable {
    // Sendable: the loop's thread alone touches what changes.

    enum State {
        case idle
        case opening
        case open
        /// A close frame has been sent, or is about to be: the peer's is waited for.
        case closing
        case closed
    }

    package let loop: EventLoop
    let limits: WebSocketLimits
    let role: WebSocketRole
    private let settings: WebSocketClientSettings?
    private weak var delegate: (any WebSocketDelegate)?
    private var myself: WebSocketConnection?
    private var opener: ClientOpener?
    var state = State.idle

    var stream: (any ByteStream)?
    /// Who the peer is, for messages.
    var peerName: String
    private(set) var peerCertificates: [Certificate] = []

    var reader: FrameReader
    var received = ByteQueue()
    var isReading = false
    var isReceiveScheduled = false

    var writer: FrameWriter
    var outgoing = ByteQueue()
    var isFlushing = false
    var isFlushScheduled = false
    /// The owner was told to wait, and is to be called.
    var ownerWaits = false

    var heartbeat: Heartbeat?
    var heartbeatTimer: LoopTimer?
    var closeTimer: LoopTimer?
    /// What will be told when the connection has ended.
    var closing: WebSocketClosing?
    /// For whoever counts connections.
    var onEnd: (() -> Void)?
    var peerHasClosed = false
    /// The peer's bytes are read and passed over, so that what was said to it last is not lost with the connection.
    var isDraining = false
    var hasWriteFailed = false

    /// A client's connection, not opened yet.
    package init(_ settings: WebSocketClientSettings, on loop: EventLoop, delegate: any WebSocketDelegate) {
        self.loop = loop
        self.settings = settings
        self.delegate = delegate
        role = .client
        limits = settings.limits
        peerName = settings.handshake.url.hostHeader
        reader = FrameReader(role: .client, maximumMessageSize: limits.messageSize)
        writer = FrameWriter(role: .client)
    }

    /// One end of a stream over which the handshake has been done.
    init(_ role: WebSocketRole, peer: String, limits: WebSocketLimits, on loop: EventLoop) {
        self.loop = loop
        self.limits = limits
        self.role = role
        settings = nil
        peerName = peer
        reader = FrameReader(role: role, maximumMessageSize: limits.messageSize)
        writer = FrameWriter(role: role)
    }

    /// Two ends in one process, without a socket between: for two databases that are both here. Each end is open when its loop gets to it.
    package static func makePair(
        subprotocol: String, limits: WebSocketLimits = WebSocketLimits(),
        _ first: (loop: EventLoop, delegate: any WebSocketDelegate & Sendable),
        _ second: (loop: EventLoop, delegate: any WebSocketDelegate & Sendable)
    ) -> (WebSocketConnection, WebSocketConnection) {
        let (one, two) = PipeStream.pair(first.loop, second.loop)
        let headers: HTTPHeaders = [CorrelationID.header: CorrelationID.make()]
        func end(_ role: WebSocketRole, _ stream: PipeStream, _ owner: (loop: EventLoop, delegate: any WebSocketDelegate & Sendable))
            -> WebSocketConnection
        {
            let connection = WebSocketConnection(role, peer: "the other database", limits: limits, on: owner.loop)
            let delegate = owner.delegate
            owner.loop.perform {
                let opening = WebSocketOpening(subprotocol: subprotocol, headers: headers, url: nil, certificates: [])
                connection.start(stream, received: [], opening: opening, delegate: delegate)
            }
            return connection
        }
        return (end(.client, one, first), end(.server, two, second))
    }

    /// Begins to connect. The delegate is told of how that ends.
    package func open() {
        loop.preconditionOnLoop()
        guard state == .idle, let settings else { return }
        state = .opening
        myself = self
        let opener = ClientOpener(settings, on: loop) { [weak self] result in
            guard let self, self.state == .opening else { return }
            self.peerCertificates = self.opener?.serverCertificates ?? []
            self.opener = nil
            switch result {
            case .success(let opened):
                self.start(opened.stream, received: opened.received, opening: opened.opening, delegate: self.delegate)
            case .failure(let error): self.end(WebSocketClosing(code: .abnormal, reason: "", error: error))
            }
        }
        self.opener = opener
        opener.start()
    }

    /// Whether the peer is on this machine, so that bytes cost nothing on their way.
    package var isLocal: Bool { stream?.isLocal ?? false }

    /// The certificates that the peer has shown, its own first, whether they were trusted or not.
    package var certificates: [Certificate] { peerCertificates }

    /// Takes over a stream that frames go over from now on.
    func start(_ stream: any ByteStream, received bytes: [UInt8], opening: WebSocketOpening, delegate: (any WebSocketDelegate)?) {
        loop.preconditionOnLoop()
        guard state != .closed else { return stream.close() }
        state = .open
        myself = self
        self.stream = stream
        self.delegate = delegate
        peerCertificates = opening.certificates
        received.append(bytes)
        stream.onReady = { [weak self] ready in
            guard let self else { return }
            if ready.contains(.writing) { self.flush() }
            if ready.contains(.reading) { self.receive() }
        }
        isReading = true
        if let interval = limits.heartbeat {
            heartbeat = Heartbeat(interval: interval, now: loop.now)
            beat()
        }
        delegate?.webSocket(self, didOpen: opening)
        updateInterest()
        scheduleReceive()
    }

    /// Ends everything, and tells.
    func end(_ closing: WebSocketClosing) {
        loop.preconditionOnLoop()
        guard state != .closed else { return }
        state = .closed
        opener?.cancel()
        opener = nil
        heartbeatTimer?.cancel()
        closeTimer?.cancel()
        stream?.close()
        stream = nil
        onEnd?()
        onEnd = nil
        let delegate = delegate
        self.delegate = nil
        // Its owner may be in the middle of something with the connection.
        loop.later { [self] in
            delegate?.webSocket(self, didClose: closing)
            myself = nil
        }
    }

    func deliver(_ message: UnsafeRawBufferPointer) { delegate?.webSocket(self, didReceive: message) }
    func tellIncomplete() { delegate?.webSocketHoldsIncompleteMessage(self) }
    func tellWritable() { delegate?.webSocketIsWritable(self) }

    func updateInterest() {
        var interest: FileWatch.Readiness = []
        if isReading { interest.insert(.reading) }
        if !outgoing.isEmpty { interest.insert(.writing) }
        stream?.want(interest)
    }

    func beat() {
        guard state == .open, var heartbeat else { return }
        defer { self.heartbeat = heartbeat }
        // Who does not listen cannot say that nothing was said.
        if !isReading { heartbeat.heard(loop.now) }
        while true {
            switch heartbeat.action(loop.now) {
            case .wait(let until):
                heartbeatTimer = loop.timer(after: until.since(loop.now)) { [weak self] in self?.beat() }
                return
            case .ping: sendControl(.ping, UnsafeRawBufferPointer(start: nil, count: 0))
            case .giveUp:
                let error = TransportError.posix(ETIMEDOUT, peerName, advice: "The connection was lost without a word; try again")
                return end(WebSocketClosing(code: .abnormal, reason: "", error: error))
            }
        }
    }
}
