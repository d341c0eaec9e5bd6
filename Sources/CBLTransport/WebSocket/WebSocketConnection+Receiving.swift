extension WebSocketConnection {
    // One connection with much to say does not keep the others of its loop waiting.
    private static let turnLimit = 256 * 1024
    private static let chunk = 16 * 1024
    private static let largeMessage = 64 * 1024

    /// What is kept of a message that is not complete.
    package var incompleteBytes: Int {
        let rest = reader.rest(of: received)
        return (rest.hasFrame ? 0 : rest.count) + reader.pieceBytes
    }

    /// What has come and was not read. (What TLS has taken from the socket and not handed out is not counted.)
    package var unreadBytes: Int {
        let rest = reader.rest(of: received)
        return (rest.hasFrame ? rest.count : 0) + (stream?.unreadBytes ?? 0)
    }

    /// Whether messages are handed out. While the owner has enough to do, the peer is made to wait: nothing is read.
    package var isReadingPaused: Bool {
        get { !isReading }
        set {
            guard state == .open, isReading == newValue else { return }
            isReading = !newValue
            updateInterest()
            if isReading { scheduleReceive() }
        }
    }

    /// Reads soon. Bytes may lie in the connection or in TLS that no socket will tell of.
    func scheduleReceive() {
        guard !isReceiveScheduled else { return }
        isReceiveScheduled = true
        loop.later { [weak self] in
            self?.isReceiveScheduled = false
            self?.receive()
        }
    }

    func receive() {
        loop.preconditionOnLoop()
        var budget = WebSocketConnection.turnLimit
        while let stream, isReading {
            // What is here already comes first.
            guard handOut(), isReading, self.stream === stream else {
                // Whoever pauses may do so for long.
                reader.release(from: &received)
                received.shrink(to: ByteQueue.smallestCapacity)
                break
            }
            guard budget > 0 else { return scheduleReceive() }
            let missing = min(reader.neededBytes(in: received) - received.count, WebSocketConnection.turnLimit)
            switch stream.read(into: received.space(atLeast: max(missing, WebSocketConnection.chunk))) {
            case .bytes(let count):
                received.commit(count)
                budget -= count
                heartbeat?.heard(loop.now)
            case .blocked:
                // It may be long until something comes, and there may be hundreds of connections.
                received.shrink(to: ByteQueue.smallestCapacity)
                if received.count + reader.pieceBytes >= WebSocketConnection.largeMessage { tellIncomplete() }
                return
            case .end:
                return end(closing ?? lost(.closed(.abnormal, reason: "", by: peerName)))
            case .failed(let error):
                return end(closing ?? lost(error))
            }
        }
    }

    private func lost(_ error: TransportError) -> WebSocketClosing { WebSocketClosing(code: .abnormal, reason: "", error: error) }

    /// Deals with all frames that are complete. False if the connection is not to be read any further.
    private func handOut() -> Bool {
        if isDraining {
            reader.release(from: &received)
            received.removeAll()
            return true
        }
        do {
            while isReading, state == .open || state == .closing, let event = try reader.next(in: &received) {
                switch event {
                case .binary(let bytes): if state == .open { deliver(bytes) }
                // The protocols spoken here have no use for texts.
                case .text, .pong: break
                case .ping(let bytes): if state == .open { sendControl(.pong, bytes) }
                case .close(let code, let reason):
                    peerClosed(code, reason)
                    return false
                }
            }
            return state != .closed
        } catch {
            fail(error)
            return state != .closed
        }
    }
}
