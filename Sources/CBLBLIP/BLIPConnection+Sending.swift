import CBLBase

extension BLIPConnection {
    /// Queues a request. Its answer comes as an event, unless it is NOREPLY.
    @discardableResult
    package func send(_ message: OutgoingMessage) throws(BLIPError) -> SentMessage {
        if let failure { throw failure }
        var flags = FrameFlags(.request)
        if message.isUrgent { flags.insert(.urgent) }
        if message.isNoReply { flags.insert(.noReply) }
        if message.isCompressed, compresses, compressionLevel > 0 { flags.insert(.compressed) }
        let transmission = try Transmission(message, flags: flags, id: newSerial())
        outbox.append(transmission)
        return transmission.id
    }

    /// Queues the answer to a request; without properties and body it says "done". Nil if nobody waits for one: the request is NOREPLY or
    /// answered already, or the connection is over.
    @discardableResult
    package func respond(
        to request: ReceivedRequest, _ message: OutgoingMessage = OutgoingMessage()
    ) throws(BLIPError) -> SentMessage? {
        try respond(to: request, message, as: .response)
    }

    /// Queues an error as the answer to a request.
    @discardableResult
    package func respond(to request: ReceivedRequest, error: MessageError) throws(BLIPError) -> SentMessage? {
        try respond(to: request, BLIPConnection.message(error), as: .error)
    }

    private static func message(_ error: MessageError) -> OutgoingMessage {
        OutgoingMessage(properties: error.properties, body: .bytes(Array(error.message.utf8)))
    }

    @discardableResult
    func respond(to request: ReceivedRequest, _ message: OutgoingMessage, as type: FrameType) throws(BLIPError) -> SentMessage? {
        guard failure == nil, unanswered.contains(request.number) else { return nil }
        var flags = FrameFlags(type)
        if request.isUrgent { flags.insert(.urgent) }
        if message.isCompressed, compresses, compressionLevel > 0 { flags.insert(.compressed) }
        let transmission = try Transmission(message, flags: flags, number: request.number, id: newSerial())
        unanswered.remove(request.number)
        unsentAnswers.count += 1
        unsentAnswers.bytes += transmission.memory
        if let assembly = arriving[request.number] { assembly.answer = transmission } else { outbox.append(transmission) }
        return transmission.id
    }

    private func newSerial() -> SentMessage {
        lastSerial += 1
        return SentMessage(serial: lastSerial)
    }

    /// Writes the next frame into the buffer, which needs room for `FrameSize.maximum` bytes; nil if there is nothing to send now.
    ///
    /// Hot: called for each message. Benchmarks/BLIP.
    package func nextFrame(into buffer: UnsafeMutableRawBufferPointer) throws(BLIPError) -> OutgoingFrame? {
        precondition(buffer.count >= FrameSize.maximum, "a frame needs more room")
        if let failure { throw failure }
        if let count = nextAcknowledgement(into: buffer) { return OutgoingFrame(count: count, message: nil, isLast: true) }
        guard let message = outbox.next() else { return nil }
        do throws(BLIPError) {
            return try writeFrame(of: message, into: buffer)
        } catch {
            failure = error
            // So that `close()` finds it.
            outbox.append(message)
            throw error
        }
    }

    /// The next frame as an array: for tests, and for who has no buffer.
    package func nextFrame() throws(BLIPError) -> [UInt8]? {
        var frame = [UInt8](repeating: 0, count: FrameSize.maximum)
        let written = frame.withUnsafeMutableBytes { buffer in Result { () throws(BLIPError) in try nextFrame(into: buffer) } }
        guard let count = try written.get()?.count else { return nil }
        frame.removeLast(frame.count - count)
        return frame
    }

    private func writeFrame(of message: Transmission, into buffer: UnsafeMutableRawBufferPointer) throws(BLIPError) -> OutgoingFrame {
        let isFirst = !message.hasBegun
        let number = isFirst && message.isRequest ? lastSentNumber + 1 : message.number
        let headerLength = Varint.write(number, to: buffer) + 1
        let frameSize = message.isUrgent || !outbox.hasUrgent ? FrameSize.maximum : FrameSize.besideUrgent
        let room = frameSize - headerLength - FrameSize.checksum
        let limit = message.isCompressed ? Deflater.inputLimit(room: room) : room
        let count = Int(min(message.remaining, UInt64(limit)))
        let payload: UnsafeMutableRawBufferPointer
        if message.isCompressed {
            payload = UnsafeMutableRawBufferPointer(rebasing: gatheringBuffer()[..<count])
        } else {
            payload = UnsafeMutableRawBufferPointer(rebasing: buffer[headerLength..<headerLength + count])
        }
        do throws(BLIPError) {
            try message.fill(payload)
        } catch {
            // Nothing of it is sent, so an answer can still become an error: one unreadable blob does not end the connection.
            guard isFirst, !message.isRequest else { throw error }
            let answer = BLIPConnection.message(.blip(.handlerFailed, "the content could not be read"))
            let flags = message.flags.subtracting(.compressed).with(.error)
            let replacement = try Transmission(answer, flags: flags, number: number, id: message.id)
            unsentAnswers.bytes += replacement.memory - message.memory
            var frame = try writeFrame(of: replacement, into: buffer)
            frame.sourceFailure = error.description
            return frame
        }
        sentChecksum.update(UnsafeRawBufferPointer(payload))

        var written = count
        if message.isCompressed {
            // The room for the checksum is used for the tail of the flush first.
            let output = UnsafeMutableRawBufferPointer(rebasing: buffer[headerLength..<headerLength + room + FrameSize.checksum])
            written = try openDeflater().deflate(UnsafeRawBufferPointer(payload), into: output)
        }
        var flags = message.flags
        let isLast = message.remaining == 0
        if !isLast { flags.insert(.moreComing) }
        buffer[headerLength - 1] = flags.rawValue
        buffer.storeBytes(of: sentChecksum.value.bigEndian, toByteOffset: headerLength + written, as: UInt32.self)

        message.sentBytes += UInt64(written + FrameSize.checksum)
        if isFirst, message.isRequest { begin(message, number) }
        if isLast { finish(message) } else { goOn(message) }
        return OutgoingFrame(count: headerLength + written + FrameSize.checksum, message: message.id, isLast: isLast)
    }

    private func begin(_ request: Transmission, _ number: UInt64) {
        lastSentNumber = number
        request.number = number
        // The peer may answer before it got everything.
        if request.awaitsResponse { awaiting[number] = Awaiting(request: request.id) }
    }

    private func goOn(_ message: Transmission) {
        if message.isRequest { unfinishedRequests[message.number] = message } else { unfinishedResponses[message.number] = message }
        if message.isFarAhead { message.isPaused = true } else { outbox.append(message) }
    }

    private func finish(_ message: Transmission) {
        if message.isRequest {
            if !unfinishedRequests.isEmpty { unfinishedRequests[message.number] = nil }
        } else {
            unsentAnswers.count -= 1
            unsentAnswers.bytes -= message.memory
            if !unfinishedResponses.isEmpty { unfinishedResponses[message.number] = nil }
        }
    }

    private func nextAcknowledgement(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        while let assembly = acknowledgementsDue.popFirst() {
            assembly.acknowledgementIsDue = false
            // A complete message needs none: its sender does not wait.
            if assembly.isComplete { continue }
            assembly.acknowledgedBytes = assembly.receivedBytes
            var count = Varint.write(assembly.number, to: buffer)
            buffer[count] = FrameFlags(assembly.acknowledgementType).union([.urgent, .noReply]).rawValue
            count += 1
            return count + Varint.write(assembly.receivedBytes, to: buffer, at: count)
        }
        return nil
    }

    private func gatheringBuffer() -> UnsafeMutableRawBufferPointer {
        if let gathered { return gathered }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: FrameSize.maximum, alignment: 16)
        gathered = buffer
        return buffer
    }

    private func openDeflater() throws(BLIPError) -> Deflater {
        if let deflater { return deflater }
        let opened = try Deflater(level: compressionLevel, isSmall: limits.hasSmallCompressor)
        deflater = opened
        return opened
    }
}
