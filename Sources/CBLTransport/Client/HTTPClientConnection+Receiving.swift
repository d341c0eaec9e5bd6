/// The answers: what comes of them, and when they are complete.
extension HTTPClientConnection {
    // Whether it is to be told when there is more.
    func read() -> Bool {
        while !isClosed, exchange != nil {
            do throws(HTTPViolation) {
                guard try take() else { return false }
            } catch {
                fail(.malformed(error.reason, by: url))
                return false
            }
            guard !isClosed, exchange != nil else { return false }
            switch stream.read(into: received.space(atLeast: HTTPClientConnection.readSize)) {
            case .bytes(let count):
                received.commit(count)
                exchange?.hasHeard = true
                // A head that comes drop by drop is not waited for longer than one that does not come.
                if exchange?.head != nil { lastMove = loop.now }
            case .blocked: return true
            case .end:
                end(.closed(.abnormal, reason: "", by: url.hostHeader))
                return false
            case .failed(let error):
                end(error)
                return false
            }
        }
        return false
    }

    // The connection has ended, which some bodies do with it.
    private func end(_ error: TransportError) {
        if var reader = exchange?.reader, (try? reader.end()) != nil {
            exchange?.reader = reader
            return complete(keepsConnection: false)
        }
        fail(error)
    }

    // Takes what has come. False if the owner does not want more now.
    private func take() throws(HTTPViolation) -> Bool {
        if exchange?.head == nil { try takeHead() }
        while let owner, exchange?.reader != nil {
            guard let count = try exchange?.reader?.available(in: &received) else {
                complete(keepsConnection: exchange?.head?.keepsConnection ?? false)
                return false
            }
            guard count > 0 else { return true }
            let taken = owner.connection(self, offers: UnsafeRawBufferPointer(rebasing: received.bytes[..<count]))
            guard exchange != nil else { return false }
            exchange?.reader?.consume(min(max(taken, 0), count), of: &received)
            isReceivingHeld = taken < count
            if isReceivingHeld { return false }
        }
        return exchange != nil
    }

    private func takeHead() throws(HTTPViolation) {
        while let head = try headReader.response(in: &received) {
            lastMove = loop.now
            guard head.status >= 200 else {
                try inform(head.status)
                continue
            }
            guard let method = exchange?.method else { return }
            exchange?.head = head
            exchange?.reader = try HTTPBodyReader(try head.bodyForm(answering: method))
            exchange?.consentTimer?.cancel()
            switch exchange?.body {
            // It has seen enough; and who was not asked to go on does not.
            case .awaitsConsent: exchange?.body = .abandoned
            case .sending where head.status >= 300: exchange?.body = .abandoned
            default: break
            }
            owner?.connection(self, received: head)
            return
        }
    }

    private func inform(_ status: Int) throws(HTTPViolation) {
        exchange?.informationCount += 1
        guard status != 101, exchange?.informationCount ?? 0 <= HTTPClientConnection.mostInformation else {
            throw .malformed(status == 101 ? "it changes to another protocol" : "it announces an answer, and announces it again")
        }
        if status == 100 {
            consented()
            hasNews = true
        }
    }

    private func complete(keepsConnection: Bool) {
        let owner = owner
        // What was not sent, or came too much, would be taken for something else.
        var isUsable = keepsConnection && received.isEmpty && unsent.isEmpty
        if case .done? = exchange?.body {} else { isUsable = false }
        exchange?.consentTimer?.cancel()
        exchange = nil
        (isSendingHeld, isReceivingHeld) = (false, false)
        self.owner = nil
        received.shrink(to: ByteQueue.smallestCapacity)
        unsent.shrink(to: ByteQueue.smallestCapacity)
        if isUsable { stream.want(.reading) } else { close() }
        owner?.connectionIsDone(self)
    }
}
