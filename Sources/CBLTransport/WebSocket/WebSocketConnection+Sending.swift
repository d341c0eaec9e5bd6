extension WebSocketConnection {
    // More than this is written at once, and not when the loop has dealt with everything else.
    private static let flushSize = 16 * 1024
    private static let turnLimit = 1 << 20

    /// Whether a message can be sent that is not urgent. The later the owner decides which, the better.
    package var wantsMessages: Bool {
        guard state == .open else { return false }
        if outgoing.count < limits.sendBuffer { return true }
        ownerWaits = true
        return false
    }

    /// How much waits to be sent.
    package var unsentBytes: Int { outgoing.count }

    /// Sends a binary message, whose bytes are copied. Ignored if the connection is not open, or not any more.
    package func send(_ message: UnsafeRawBufferPointer) {
        loop.preconditionOnLoop()
        guard state == .open else { return }
        writer.append(.binary, message, to: &outgoing)
        if outgoing.count >= WebSocketConnection.flushSize { flush() } else { scheduleFlush() }
    }

    func sendControl(_ opcode: FrameHeader.Opcode, _ payload: UnsafeRawBufferPointer) {
        // A peer that asks and asks, and does not read the answers, gets no more of them.
        guard outgoing.count < 2 * limits.sendBuffer else { return }
        writer.append(opcode, payload, to: &outgoing)
        scheduleFlush()
    }

    func scheduleFlush() {
        guard !isFlushScheduled else { return }
        isFlushScheduled = true
        loop.later { [weak self] in
            self?.isFlushScheduled = false
            self?.flush()
        }
    }

    /// Writes what the stream takes. The owner, called when there is room again, may send more, which is written here as well.
    func flush() {
        loop.preconditionOnLoop()
        guard !isFlushing else { return }
        isFlushing = true
        var budget = WebSocketConnection.turnLimit
        writing: while let stream, !outgoing.isEmpty {
            guard budget > 0 else {
                scheduleFlush()
                break
            }
            switch stream.write(outgoing.bytes) {
            case .bytes(let count):
                outgoing.consume(count)
                budget -= count
                if ownerWaits, outgoing.count < limits.sendBuffer {
                    ownerWaits = false
                    tellWritable()
                }
            case .blocked: break writing
            case .end: failWriting(.closed(.abnormal, reason: "", by: peerName))
            case .failed(let error): failWriting(error)
            }
        }
        isFlushing = false
        if outgoing.isEmpty {
            outgoing.shrink(to: ByteQueue.smallestCapacity)
            if state == .closing, peerHasClosed, let closing { return end(closing) }
            if isDraining { stream?.endWriting() }
        }
        updateInterest()
    }
}
