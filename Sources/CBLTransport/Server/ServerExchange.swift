import CBLBase

/// A request over a connection, between two threads: the responder's may wait for the client, the loop's never waits.
///
/// What goes from one to the other is held here, and is little: whoever is ahead waits, or stops reading.
final class ServerExchange: HTTPExchange, @unchecked Sendable {
    // Sendable: `shared` is touched only under the lock, `small` only by the responder, who is on one thread at a time.

    /// Of the body. When it is full, the client is not read from.
    static let bodyCapacity = 64 << 10
    /// Of the answer. When more waits, the responder does.
    static let answerCapacity = 256 << 10
    /// Pieces below that are collected.
    private static let smallest = 16 << 10
    private static let largest = 64 << 10

    /// What is known of the request but its responder need not know.
    struct Terms: Sendable {
        let version: HTTPVersion
        let wantsConnection: Bool
        /// The client waits to be told before it sends the body.
        let expectsContinue: Bool
    }

    enum BodyEnd {
        case complete
        case refused(HTTPAnswer)
    }

    private struct Shared: ~Copyable {
        var body = ByteQueue()
        var bodyEnd: BodyEnd?
        var answer = ByteQueue()
        /// What the loop has taken of the answer, and has not sent yet.
        var unsent = 0
        var begun: (head: HTTPResponseHead, length: Int?)?
        /// When the head of the answer is written.
        var writer: HTTPBodyWriter?
        var saysContinue: Bool
        var keepsConnection: Bool
        var isReaderWaiting = false
        var isWriterWaiting = false
        var isFeedWaiting = false
        var hasEnded = false
        /// The answer is not what it was announced to be.
        var isBroken = false
        var isGone = false
        /// The loop has been called, and has not looked yet.
        var isCalled = false

        mutating func write(_ bytes: UnsafeRawBufferPointer) throws(HTTPBodyWriter.WrongLength) {
            try writer?.append(bytes, to: &answer)
        }

        mutating func endBody() throws(HTTPBodyWriter.WrongLength) { try writer?.end(in: &answer) }
    }

    let request: HTTPRequest
    private let terms: Terms
    private let heads: AnswerHeadWriter
    private let callLoop: @Sendable () -> Void
    private let lock = WaitCondition()
    private var shared: Shared
    private var small = ByteQueue()

    /// `callLoop` is to have the loop look, soon, at what there is to send or whether the body may go on.
    init(_ request: HTTPRequest, _ terms: Terms, _ heads: AnswerHeadWriter, callLoop: @escaping @Sendable () -> Void) {
        self.request = request
        self.terms = terms
        self.heads = heads
        self.callLoop = callLoop
        shared = Shared(saysContinue: terms.expectsContinue, keepsConnection: terms.wantsConnection)
    }

    // Under the lock.
    private func call() {
        guard !shared.isCalled else { return }
        shared.isCalled = true
        callLoop()
    }
}

// The responder's side.
extension ServerExchange {
    func read(into space: UnsafeMutableRawBufferPointer) throws(HTTPInterruption) -> Int {
        try lock.locked { () throws(HTTPInterruption) -> Int in
            while true {
                guard !shared.isGone else { throw .gone }
                let count = min(space.count, shared.body.count)
                if count > 0 {
                    space.copyMemory(from: UnsafeRawBufferPointer(rebasing: shared.body.bytes[..<count]))
                    let wasFull = shared.body.count >= ServerExchange.bodyCapacity / 2
                    shared.body.consume(count)
                    if wasFull, shared.body.count < ServerExchange.bodyCapacity / 2 { call() }
                    return count
                }
                switch shared.bodyEnd {
                case .complete: return 0
                case .refused(let answer): throw .refused(answer)
                case nil: break
                }
                if space.count == 0 { return 0 }
                if shared.saysContinue, shared.begun == nil { shared.answer.append("HTTP/1.1 100 Continue\r\n\r\n") }
                shared.saysContinue = false
                shared.isReaderWaiting = true
                call()
                lock.wait()
            }
        }
    }

    func begin(_ head: HTTPResponseHead, length: Int?) throws(HTTPInterruption) {
        try lock.locked { () throws(HTTPInterruption) in
            guard !shared.isGone else { throw .gone }
            guard shared.begun == nil else { return }
            shared.begun = (head, length)
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(HTTPInterruption) {
        if bytes.count <= ServerExchange.smallest - small.count { return small.append(bytes) }
        try flush()
        if bytes.count < ServerExchange.smallest { return small.append(bytes) }
        var rest = bytes
        while rest.count > 0 {
            let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(ServerExchange.largest))
            try hand(over: piece)
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(piece.count))
        }
    }

    func flush() throws(HTTPInterruption) {
        // Who waits before saying anything has not said yet what the answer is.
        guard !small.isEmpty || lock.locked({ shared.begun != nil }) else { return }
        try hand(over: small.bytes)
        small.removeAll()
    }

    private func hand(over bytes: UnsafeRawBufferPointer) throws(HTTPInterruption) {
        try lock.locked { () throws(HTTPInterruption) in
            while shared.answer.count + shared.unsent > ServerExchange.answerCapacity, !shared.isGone {
                shared.isWriterWaiting = true
                call()
                lock.wait()
            }
            guard !shared.isGone, !shared.hasEnded else { throw .gone }
            do {
                if shared.writer == nil { writeHead(total: nil) }
                try shared.write(bytes)
            } catch {
                setBroken()
                throw .gone
            }
            call()
        }
    }

    func end() {
        lock.locked {
            guard !shared.hasEnded, !shared.isGone else { return }
            do {
                if shared.writer == nil { writeHead(total: small.count) }
                try shared.write(small.bytes)
                try shared.endBody()
            } catch {
                setBroken()
            }
            small.removeAll()
            shared.hasEnded = true
            call()
        }
    }

    func breakOff() {
        lock.locked {
            guard !shared.hasEnded, !shared.isGone else { return }
            setBroken()
        }
    }

    // Under the lock. The client finds out by the end of the connection that not all has come.
    private func setBroken() {
        shared.isBroken = true
        shared.hasEnded = true
        call()
    }

    // Under the lock. `total` is known when all of the answer has been written before its head.
    private func writeHead(total: Int?) {
        let (head, length) = shared.begun ?? (HTTPResponseHead(status: 200), nil)
        let isHead = request.method == "HEAD"
        let hasBody = head.status >= 200 && head.status != 204 && head.status != 304
        // Whoever answers HEAD need not write what it would be.
        let said = length ?? (isHead && total == 0 ? nil : total)
        let form: HTTPBodyForm =
            !hasBody || isHead ? .none : said.map { .sized($0) } ?? (terms.version == .v10 ? .untilEnd : .chunked)
        if form == .untilEnd { shared.keepsConnection = false }
        // Whether the body comes that was never asked for, the client alone knows.
        if shared.saysContinue { shared.keepsConnection = false }
        heads.append(
            head, form, length: hasBody ? said : nil, version: terms.version, keepsConnection: shared.keepsConnection, to: &shared.answer)
        shared.writer = HTTPBodyWriter(form)
    }
}

// The loop's side.
extension ServerExchange {
    /// How much more of the body is taken; all of it once nobody reads it any more.
    var bodyRoom: Int {
        lock.locked { shared.hasEnded ? .max : max(0, ServerExchange.bodyCapacity - shared.body.count) }
    }

    /// The body goes on. It may not be more than there is room for.
    func offer(_ bytes: UnsafeRawBufferPointer) {
        lock.locked {
            guard !shared.hasEnded else { return }
            shared.body.append(bytes)
            wakeReader()
        }
    }

    func endBody(_ end: BodyEnd) {
        lock.locked {
            shared.bodyEnd = end
            shared.saysContinue = false
            if case .refused = end { shared.keepsConnection = false }
            wakeReader()
        }
    }

    private func wakeReader() {
        guard shared.isReaderWaiting else { return }
        shared.isReaderWaiting = false
        lock.signal()
    }

    struct State {
        /// The client waits to be told to send the body.
        let saysContinue: Bool
        let hasEnded: Bool
        let isBroken: Bool
        let keepsConnection: Bool
    }

    /// Puts what is to be sent into the queue, if that is empty, and says how things are.
    func take(into queue: inout ByteQueue) -> State {
        lock.locked {
            shared.isCalled = false
            if queue.isEmpty, !shared.answer.isEmpty { swap(&queue, &shared.answer) }
            shared.unsent = queue.count
            return State(
                saysContinue: shared.saysContinue, hasEnded: shared.hasEnded && shared.answer.isEmpty, isBroken: shared.isBroken,
                keepsConnection: shared.keepsConnection)
        }
    }

    /// So much of what was taken has still to be sent. True if a feed waits for that, and may go on.
    func sent(left: Int) -> Bool {
        lock.locked {
            shared.unsent = left
            guard left + shared.answer.count <= ServerExchange.answerCapacity / 2 else { return false }
            if shared.isWriterWaiting {
                shared.isWriterWaiting = false
                lock.signal()
            }
            defer { shared.isFeedWaiting = false }
            return shared.isFeedWaiting
        }
    }

    /// The client is gone, or given up.
    func leave() {
        lock.locked {
            shared.isGone = true
            shared.isReaderWaiting = false
            shared.isWriterWaiting = false
            lock.signal()
        }
    }

    var isGone: Bool { lock.locked { shared.isGone } }

    /// Whether the client is so far behind that a feed would have to wait for it; who asks is told when that is over.
    func holdsFeedBack() -> Bool {
        lock.locked {
            shared.isFeedWaiting = !shared.isGone && shared.answer.count + shared.unsent > ServerExchange.answerCapacity / 2
            return shared.isFeedWaiting
        }
    }
}
