import CBLBase

/// How far the request and its answer have come that are being exchanged.
struct ServerProgress {
    /// What a client must get done within the limit of time, or all there is. Less would do for a client that wants to be a burden.
    static let minimum = 4096
    /// Of a body that nobody has read: it is passed over, so that another request can come behind it.
    static let longestRest = 256 << 10
    /// What is read of the next requests before their turn.
    static let longestAhead = 16 << 10

    /// Who is to answer, until they have begun.
    var responder: (any HTTPResponder)?
    /// There is room for what comes.
    var isReading = true
    /// Bytes that went since the limit of time was put off last.
    var moved = 0
    var skipped = 0
    /// Where the next request would begin is not known.
    var isLost = false
    /// The client has caught up, and the feed that waits for that is not known yet.
    var isFeedDue = false

    var isStarted: Bool { responder == nil }
}

// The loop's side of an exchange.
extension ServerSession {
    func begin(
        _ responder: any HTTPResponder, _ request: PeerRequest, _ message: RequestMessage, maximumBody: Int
    ) throws(HTTPAnswer) {
        guard server.hasRoom(for: network) else { throw .tooManyConnections }
        do throws(HTTPViolation) { body = try HTTPBodyReader(message.form, limit: maximumBody) } catch {
            throw HTTPAnswer(error.status, error.reason)
        }
        let loop = server.loop
        let exchange = ServerExchange(request.http, message.terms, server.heads) { [weak self] in
            loop.perform { [weak self] in self?.proceed() }
        }
        progress = ServerProgress(responder: responder)
        state = .exchanging(exchange)
        deadline.clear()
        server.beganExchange(with: network)
        // A body that is there, or that is to be asked for, is waited for by whoever reads it. What comes slowly holds no thread.
        if message.terms.expectsContinue { start(exchange) }
    }

    private func start(_ exchange: ServerExchange) {
        guard let responder = progress.responder else { return }
        progress.responder = nil
        let queue = SerialQueue(on: server.workers)
        let loop = server.loop
        let answering = server.answering
        answering.began()
        queue.perform { [weak self] in
            guard let feed = responder.respond(to: exchange) else {
                answering.ended()
                return exchange.end()
            }
            let run = FeedRun(feed, exchange, on: queue, answering) { [weak self] duration in
                loop.perform { [weak self] in self?.limitFeed(duration, exchange) }
            }
            loop.perform { [weak self] in self?.adopt(run, of: exchange) ?? run.wake() }
            run.start()
        }
    }

    private func adopt(_ run: FeedRun, of exchange: ServerExchange) {
        guard isExchanging(exchange) else { return run.wake() }
        feed = run
        if hasEnded { return cancel() }
        if progress.isFeedDue { run.wake() }
        progress.isFeedDue = false
    }

    private func limitFeed(_ duration: Duration?, _ exchange: ServerExchange) {
        guard isExchanging(exchange) else { return }
        if let duration { feedDeadline.set(after: duration) } else { feedDeadline.clear() }
    }

    private func isExchanging(_ exchange: ServerExchange) -> Bool {
        if case .exchanging(let current) = state { current === exchange } else { false }
    }

    func endExchange() {
        server.endedExchange(with: network)
        progress.responder = nil
        feedDeadline.clear()
        feed?.wake()
        feed = nil
    }

    func step(_ exchange: ServerExchange) -> Bool {
        guard let hasRead = readBody(exchange) else { return true }
        if !progress.isStarted, body == nil || !progress.isReading { start(exchange) }
        let news = exchange.take(into: &sending)
        let waiting = sending.count
        let hasSent = send()
        guard case .exchanging = state else { return false }
        progress.moved += waiting - sending.count
        if waiting > 0, exchange.sent(left: sending.count) {
            progress.isFeedDue = feed == nil
            feed?.wake()
        }
        if news.hasEnded, sending.isEmpty {
            end(news)
            return true
        }
        limitStall(news)
        return hasRead || hasSent
    }

    private func end(_ news: ServerExchange.State) {
        endExchange()
        guard !news.isBroken else {
            state = .waiting
            return cancel()
        }
        guard news.keepsConnection, !progress.isLost, !hasEnded || !received.isEmpty else { return linger() }
        guard body != nil else { return nextRequest() }
        state = .passingOver
        deadline.set(after: server.settings.stallTimeout)
    }

    // Time runs for the client alone: for what it has still to send, or to read.
    private func limitStall(_ news: ServerExchange.State) {
        let isAwaited = body != nil && progress.isReading && !news.saysContinue
        guard isAwaited || !sending.isEmpty else { return deadline.clear() }
        guard !deadline.isSet || progress.moved >= ServerProgress.minimum else { return }
        progress.moved = 0
        deadline.set(after: server.settings.stallTimeout)
    }

    // Whether something came; nil if the state is another one now.
    private func readBody(_ exchange: ServerExchange) -> Bool? {
        do throws(HTTPViolation) {
            guard let count = try body?.available(in: &received) else { return endBody(exchange) }
            let room = count > 0 ? exchange.bodyRoom : 1
            progress.isReading = room > 0
            let taken = min(count, room)
            guard taken == 0 else {
                exchange.offer(UnsafeRawBufferPointer(rebasing: received.bytes[..<taken]))
                body?.consume(taken, of: &received)
                progress.moved += taken
                if room == .max { skip(taken) }
                return true
            }
        } catch {
            return lose(HTTPAnswer(error.status, error.reason), exchange)
        }
        guard progress.isReading else { return false }
        if fill(atLeast: 32 << 10) { return true }
        guard hasEnded else { return false }
        cancel()
        return nil
    }

    // All of it is there. What comes now belongs to the next requests, and tells whether the client is still there.
    private func endBody(_ exchange: ServerExchange) -> Bool? {
        if body != nil || !progress.isStarted {
            body = nil
            exchange.endBody(.complete)
        }
        progress.isReading = !progress.isLost && received.count < ServerProgress.longestAhead
        guard progress.isReading, progress.isStarted else { return false }
        if fill() { return true }
        // It may have said that it asks for nothing more, and wait for the answer. A feed would go on for nobody.
        guard hasEnded, feed != nil else { return false }
        cancel()
        return nil
    }

    private func lose(_ answer: HTTPAnswer, _ exchange: ServerExchange) -> Bool? {
        body = nil
        progress.isLost = true
        progress.isReading = false
        if progress.isStarted {
            exchange.endBody(.refused(answer))
            return false
        }
        endExchange()
        refuse(answer)
        return nil
    }

    private func skip(_ count: Int) {
        progress.skipped += count
        guard progress.skipped > ServerProgress.longestRest else { return }
        body = nil
        progress.isLost = true
    }

    func passOverBody() -> Bool {
        do throws(HTTPViolation) {
            while let count = try body?.available(in: &received), count > 0 {
                body?.consume(count, of: &received)
                skip(count)
            }
            if body?.isComplete ?? true { body = nil }
        } catch {
            progress.isLost = true
        }
        if progress.isLost {
            linger()
        } else if body == nil {
            nextRequest()
        } else {
            if fill(atLeast: 32 << 10) { return true }
            if hasEnded { cancel() }
            return false
        }
        return true
    }
}
