import Glibc

extension WebSocketConnection {
    /// Says farewell, and ends when the peer has done so, or has not in time. What was sent before is still delivered.
    package func close(_ code: CloseCode = .normal, reason: String = "") {
        loop.preconditionOnLoop()
        switch state {
        case .open: beginClosing(code, reason, WebSocketClosing(code: code, reason: reason, error: nil))
        case .idle, .opening: end(WebSocketClosing(code: code, reason: reason, error: nil))
        case .closing, .closed: break
        }
    }

    /// Ends at once, without a word to the peer.
    package func terminate() {
        loop.preconditionOnLoop()
        end(closing ?? WebSocketClosing(code: .abnormal, reason: "", error: nil))
    }

    private func beginClosing(_ code: CloseCode, _ reason: String, _ closing: WebSocketClosing) {
        state = .closing
        self.closing = closing
        heartbeatTimer?.cancel()
        writer.appendClose(code, reason: reason, to: &outgoing)
        waitForPeer()
        scheduleFlush()
    }

    private func waitForPeer() {
        // The peer's close frame may stand behind messages that were not to be read.
        isReading = true
        closeTimer = loop.timer(after: limits.closeTimeout) { [weak self] in
            guard let self, let closing = self.closing else { return }
            self.end(closing)
        }
        updateInterest()
        scheduleReceive()
    }

    /// The peer says farewell.
    func peerClosed(_ code: CloseCode, _ reason: String) {
        peerHasClosed = true
        isReading = false
        if state == .closing {
            if hasWriteFailed {
                closing = WebSocketClosing(code: code, reason: reason, error: .closed(code, reason: reason, by: peerName))
            }
            // The answer to ours, or both at the same time.
            if outgoing.isEmpty, let closing { end(closing) } else { scheduleFlush() }
            return
        }
        let error = TransportError.closed(code, reason: reason, by: peerName)
        beginClosing(code, "", WebSocketClosing(code: code, reason: reason, error: error))
        isReading = false
        updateInterest()
    }

    /// The peer does not keep to the protocol. It is told so; what else it sends is passed over.
    func fail(_ violation: WebSocketViolation) {
        let error = TransportError.violation(violation, by: peerName)
        guard state == .open else { return end(closing ?? WebSocketClosing(code: violation.code, reason: "", error: error)) }
        beginClosing(violation.code, violation.reason, WebSocketClosing(code: violation.code, reason: violation.reason, error: error))
        isDraining = true
    }

    /// Nothing can be sent any more. Why may stand in what the peer has sent before: that is still read.
    func failWriting(_ error: TransportError) {
        outgoing.removeAll()
        guard state == .open else { return }
        hasWriteFailed = true
        state = .closing
        closing = WebSocketClosing(code: .abnormal, reason: "", error: error)
        waitForPeer()
    }
}
