/// Whoever has a connection's exchange: one attempt of a request.
protocol HTTPClientConnectionOwner: AnyObject {
    /// Puts what comes next of the request's body there, 0 at its end; nil if it is waited for, until the connection is told to `proceed`.
    func connection(_ connection: HTTPClientConnection, wantsBody space: UnsafeMutableRawBufferPointer) throws(TransportError) -> Int?
    /// The answer. An exchange that is abandoned is of no interest any more.
    func connection(_ connection: HTTPClientConnection, received head: HTTPResponseHead)
    /// What comes next of its body: so much of it is taken, the rest is offered again when the connection is told to `proceed`.
    func connection(_ connection: HTTPClientConnection, offers bytes: UnsafeRawBufferPointer) -> Int
    /// All of it is there. The connection is another one's now, or closed.
    func connectionIsDone(_ connection: HTTPClientConnection)
    /// It is over; whether not a byte of an answer has come.
    func connection(_ connection: HTTPClientConnection, failed error: TransportError, beforeAnswer: Bool)
}

/// A connection to a server over which requests are sent, one after the other.
final class HTTPClientConnection {
    /// One request and its answer.
    struct Exchange {
        enum Body {
            /// The server is asked whether it wants it.
            case awaitsConsent
            case sending
            case done
            /// The server has answered without it.
            case abandoned
        }

        let method: String
        /// So long nothing may happen.
        let patience: Duration?
        var writer: HTTPBodyWriter
        var body: Body
        var head: HTTPResponseHead?
        var reader: HTTPBodyReader?
        var hasHeard = false
        var informationCount = 0
        var consentTimer: LoopTimer?
    }

    static let readSize = 65536
    /// The body is asked for while less than this waits to be sent.
    private static let sendBuffer = 65536
    private static let uploadPiece = 32768
    private static let longestHead = 65536
    static let mostInformation = 20

    let stream: any ByteStream
    let loop: EventLoop
    let url: PeerURL
    weak var owner: (any HTTPClientConnectionOwner)?
    var exchange: Exchange?
    var headReader = HTTPHeadReader(maximumLength: HTTPClientConnection.longestHead)
    var received = ByteQueue()
    var unsent = ByteQueue()
    private var isProceeding = false
    var hasNews = false
    private(set) var isClosed = false
    /// When something has come or gone.
    var lastMove: LoopTime
    // The owner has nothing to send yet, or takes nothing: the server waits, and not we.
    var isSendingHeld = false
    var isReceivingHeld = false
    private var clock: LoopTimer?
    /// An idle connection has ended.
    var onEnd: ((HTTPClientConnection) -> Void)?

    init(_ stream: any ByteStream, to url: PeerURL, on loop: EventLoop) {
        self.stream = stream
        self.url = url
        self.loop = loop
        lastMove = loop.now
        stream.onReady = { [weak self] _ in self?.proceed() }
    }

    deinit { close() }

    var isIdle: Bool { exchange == nil && !isClosed }

    /// Nothing is told afterwards.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        exchange?.consentTimer?.cancel()
        clock?.cancel()
        exchange = nil
        owner = nil
        stream.close()
    }

    /// Whether it can be used once more: nothing has come since, nor has it ended. A layer may have held something back that nobody was told of.
    func isStillUsable() -> Bool {
        guard isIdle else { return false }
        if case .blocked = stream.read(into: received.space(atLeast: 1)) { return true }
        close()
        return false
    }

    /// Sends a request. If it asks for `consent`, its body is sent when the server tells it to go on, or after so long: old servers do not know
    /// of it.
    func begin(
        _ head: HTTPRequestHead, form: HTTPBodyForm, consent: Duration?, patience: Duration?, for owner: any HTTPClientConnectionOwner
    ) {
        self.owner = owner
        lastMove = loop.now
        var exchange = Exchange(method: head.method, patience: patience, writer: HTTPBodyWriter(form), body: .done)
        if form != .none { exchange.body = consent == nil ? .sending : .awaitsConsent }
        if let consent, form != .none {
            exchange.consentTimer = loop.timer(after: consent) { [weak self] in self?.consented() }
        }
        self.exchange = exchange
        var text = "\(head.method) \(head.target) HTTP/1.1\r\n"
        head.headers.append(to: &text)
        unsent.append(Array((text + "\r\n").utf8))
        if clock == nil, let patience { startClock(patience) }
        proceed()
    }

    // One timer for many requests: they are many more than those that time out.
    private func startClock(_ delay: Duration) {
        clock = loop.timer(after: delay) { [weak self] in self?.checkClock() }
    }

    private func checkClock() {
        clock = nil
        guard let limit = exchange?.patience else { return }
        if case .sending? = exchange?.body, isSendingHeld { lastMove = loop.now }
        if isReceivingHeld { lastMove = loop.now }
        let passed = loop.now.since(lastMove)
        if passed < limit { startClock(limit - passed) } else { fail(.timeout(url, after: limit, "nothing comes from it")) }
    }

    func consented() {
        guard case .awaitsConsent? = exchange?.body else { return }
        exchange?.consentTimer?.cancel()
        exchange?.body = .sending
        proceed()
    }

    /// Reads and writes what can be. What its owner does meanwhile comes back to here, and is dealt with when it has returned.
    func proceed() {
        hasNews = true
        guard !isProceeding else { return }
        isProceeding = true
        defer { isProceeding = false }
        // The owner may let go of it.
        withExtendedLifetime(self) {
            while hasNews, !isClosed {
                hasNews = false
                guard exchange != nil else { return checkIdle() }
                let isWritingBlocked = write()
                let isReadingBlocked = read()
                guard !isClosed, exchange != nil else { continue }
                stream.want((isWritingBlocked ? FileWatch.Readiness.writing : []).union(isReadingBlocked ? .reading : []))
            }
        }
    }

    // Whoever has nothing to say has nothing to say: what comes now belongs to no request.
    private func checkIdle() {
        let result = stream.read(into: received.space(atLeast: 1))
        if case .blocked = result { return stream.want(.reading) }
        close()
        onEnd?(self)
    }

    func fail(_ error: TransportError) {
        guard !isClosed else { return }
        let owner = owner
        let beforeAnswer = !(exchange?.hasHeard ?? false)
        close()
        owner?.connection(self, failed: error, beforeAnswer: beforeAnswer)
    }

    // Whether it is to be told when there is room.
    private func write() -> Bool {
        while !isClosed {
            do throws(TransportError) { try fill() } catch {
                fail(error)
                return false
            }
            guard !isClosed, !unsent.isEmpty else { return false }
            switch stream.write(unsent.bytes) {
            case .bytes(let count):
                unsent.consume(count)
                lastMove = loop.now
            case .blocked: return true
            // The server may have answered, and closed, before it read everything: what it says is more than that it closed.
            case .failed, .end:
                unsent.removeAll()
                exchange?.body = .abandoned
                return false
            }
        }
        return false
    }

    private func fill() throws(TransportError) {
        while unsent.count < HTTPClientConnection.sendBuffer, case .sending? = exchange?.body {
            var count: Int?
            var failure: TransportError?
            withUnsafeTemporaryAllocation(byteCount: HTTPClientConnection.uploadPiece, alignment: 16) { space in
                do throws(TransportError) {
                    count = try owner?.connection(self, wantsBody: space)
                    guard exchange != nil, let count, count > 0 else { return }
                    try append(UnsafeRawBufferPointer(rebasing: space[..<min(count, space.count)]))
                } catch { failure = error }
            }
            if let failure { throw failure }
            isSendingHeld = count == nil
            guard let count, exchange != nil else { return }
            if count == 0 {
                do { try exchange?.writer.end(in: &unsent) } catch { throw .wrongLength(error, to: url) }
                exchange?.body = .done
            }
        }
    }

    private func append(_ bytes: UnsafeRawBufferPointer) throws(TransportError) {
        do { try exchange?.writer.append(bytes, to: &unsent) } catch { throw .wrongLength(error, to: url) }
    }
}

extension TransportError {
    fileprivate static func wrongLength(_ error: HTTPBodyWriter.WrongLength, to url: PeerURL) -> TransportError {
        TransportError(
            .network(.unknown), "\(url.webDescription): \(error.announced) bytes were to be sent, and there are \(error.written)")
    }
}
