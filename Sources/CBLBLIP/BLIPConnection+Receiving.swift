import CBLBase

extension BLIPConnection {
    /// What a frame of the peer's brought.
    package enum Event: Sendable {
        /// A request, or the answer to one of ours, is complete.
        case received(IncomingMessage)
        /// The properties of one are complete, and its body is still coming. Now, or later, `streamBody(of:)` may be called.
        case began(IncomingMessage)
        /// A piece of a body that is streamed. The last one may be empty.
        case body(IncomingMessage.Origin, [UInt8], isLast: Bool)
        /// The peer has so many bytes of a message's frames.
        case acknowledged(SentMessage, bytes: UInt64)
    }

    /// Reads one frame, that is one binary WebSocket message. Nil if it completes nothing.
    ///
    /// An error means that the peer does not keep to the protocol, or to the limits: the connection is over, and the error says with which code
    /// to close the WebSocket. Hot: called for each message. Benchmarks/BLIP.
    package func receive(_ frame: UnsafeRawBufferPointer) throws(BLIPError) -> Event? {
        if let failure { throw failure }
        defer { inflater?.giveBack() }
        do throws(BLIPError) {
            return try accept(frame)
        } catch {
            failure = error
            throw error
        }
    }

    package func receive(_ frame: [UInt8]) throws(BLIPError) -> Event? {
        try frame.withUnsafeBytes { frame in Result { () throws(BLIPError) in try receive(frame) } }.get()
    }

    /// Has the rest of an incomplete message's body delivered in pieces, instead of with the whole message, and gives what has come of it.
    /// Nil if it is complete already or streamed.
    package func streamBody(of message: IncomingMessage) -> [UInt8]? {
        let found: Assembly? =
            switch message.origin {
            case .request: arriving[message.number]
            case .response: awaiting[message.number]?.assembly
            }
        guard let found, found.origin == message.origin, !found.isStreamed, let properties = found.properties else { return nil }
        let body = Array(found.payload[properties.upperBound...])
        incompleteBytes -= found.payload.count
        incompleteMemory -= found.payload.capacity
        found.payload = []
        found.isStreamed = true
        return body
    }

    private func accept(_ frame: UnsafeRawBufferPointer) throws(BLIPError) -> Event? {
        guard frame.count <= limits.frame else { throw .frameTooLarge(bytes: frame.count) }
        guard let header = FrameHeader(frame) else { throw .unreadableHeader }
        let content = UnsafeRawBufferPointer(rebasing: frame[header.length...])
        switch header.flags.type {
        case .request: return try acceptRequest(header, decode(content, of: header), wireBytes: content.count)
        case .response, .error: return try acceptResponse(header, decode(content, of: header), wireBytes: content.count)
        case .requestAcknowledgement: return acknowledge(unfinishedRequests[header.number], content)
        case .responseAcknowledgement: return acknowledge(unfinishedResponses[header.number], content)
        // What a later version may have thought of, as other peers do.
        case nil: return nil
        }
    }

    /// The uncompressed payload of a frame, valid until the next one.
    private func decode(_ content: UnsafeRawBufferPointer, of header: FrameHeader) throws(BLIPError) -> UnsafeRawBufferPointer {
        let count = content.count - FrameSize.checksum
        guard count >= 0 else { throw .frameTooShort(message: header.number) }
        var payload = UnsafeRawBufferPointer(rebasing: content[..<count])
        // An empty payload has no compressed data either.
        if header.flags.contains(.compressed), count > 0 {
            do throws(Inflater.Failure) {
                if inflater == nil { inflater = try Inflater() }
                if let inflater { payload = try inflater.inflate(payload, limit: min(limits.inflatedFrame, frameAllowance)) }
            } catch {
                switch error {
                case .damaged: throw .badCompression(message: header.number)
                case .tooLarge where frameAllowance < limits.inflatedFrame: throw .noRoom(message: header.number)
                case .tooLarge: throw .inflatesTooFar(message: header.number)
                }
            }
        }
        receivedChecksum.update(payload)
        guard UInt32(bigEndian: content.loadUnaligned(fromByteOffset: count, as: UInt32.self)) == receivedChecksum.value else {
            throw .wrongChecksum(message: header.number)
        }
        return payload
    }

    private func acceptRequest(
        _ header: FrameHeader, _ payload: UnsafeRawBufferPointer, wireBytes: Int
    ) throws(BLIPError) -> Event? {
        let number = header.number
        if number <= lastReceivedNumber, let assembly = arriving[number] {
            let isLast = !header.flags.contains(.moreComing)
            if isLast { arriving[number] = nil }
            let event = try extend(assembly, payload, wireBytes: wireBytes, isLast: isLast)
            if isLast, let answer = assembly.answer { outbox.append(answer) }
            return event
        }
        guard lastReceivedNumber < .max, number == lastReceivedNumber + 1 else {
            throw .unexpectedRequest(message: number, expected: lastReceivedNumber &+ 1)
        }
        guard max(unanswered.count + unsentAnswers.count, arriving.count) < limits.openRequests else { throw .tooManyOpenRequests }
        guard unsentAnswers.bytes < limits.unsentAnswers else { throw .answersNotRead }
        lastReceivedNumber = number
        let wantsResponse = !header.flags.contains(.noReply)
        if wantsResponse { unanswered.insert(number) }
        let request = ReceivedRequest(number: number, isUrgent: header.flags.contains(.urgent), wantsResponse: wantsResponse)
        guard header.flags.contains(.moreComing) else { return try whole(.request(request), header, payload) }
        let assembly = Assembly(origin: .request(request), number: number, flags: header.flags)
        arriving[number] = assembly
        return try extend(assembly, payload, wireBytes: wireBytes, isLast: false)
    }

    private func acceptResponse(
        _ header: FrameHeader, _ payload: UnsafeRawBufferPointer, wireBytes: Int
    ) throws(BLIPError) -> Event? {
        let isLast = !header.flags.contains(.moreComing)
        guard let awaited = isLast ? awaiting.removeValue(forKey: header.number) : awaiting[header.number] else {
            throw .unexpectedResponse(message: header.number)
        }
        if let assembly = awaited.assembly { return try extend(assembly, payload, wireBytes: wireBytes, isLast: isLast) }
        if isLast { return try whole(.response(to: awaited.request), header, payload) }
        let assembly = Assembly(origin: .response(to: awaited.request), number: header.number, flags: header.flags)
        awaiting[header.number]?.assembly = assembly
        return try extend(assembly, payload, wireBytes: wireBytes, isLast: false)
    }

    /// A message of one frame, as most are.
    private func whole(
        _ origin: IncomingMessage.Origin, _ header: FrameHeader, _ payload: UnsafeRawBufferPointer
    ) throws(BLIPError) -> Event {
        let properties: Range<Int>
        switch PropertyArea.find(in: payload) {
        case .found(let range): properties = range
        case .incomplete: throw .badProperties(message: header.number, "the message ends before they do")
        case .malformed(let what): throw .badProperties(message: header.number, what)
        }
        return .received(
            IncomingMessage(origin: origin, number: header.number, flags: header.flags, payload: Array(payload), properties: properties))
    }

    /// One more frame of a message.
    private func extend(
        _ assembly: Assembly, _ payload: UnsafeRawBufferPointer, wireBytes: Int, isLast: Bool
    ) throws(BLIPError) -> Event? {
        assembly.isComplete = isLast
        assembly.receivedBytes += UInt64(wireBytes)
        if !isLast, !assembly.acknowledgementIsDue, assembly.receivedBytes - assembly.acknowledgedBytes >= Window.acknowledgement {
            assembly.acknowledgementIsDue = true
            acknowledgementsDue.append(assembly)
        }
        if assembly.isStreamed {
            return payload.isEmpty && !isLast ? nil : .body(assembly.origin, Array(payload), isLast: isLast)
        }

        guard payload.count <= limits.message - assembly.payload.count else { throw .messageTooLarge(message: assembly.number) }
        guard payload.count <= limits.incompleteMessages - incompleteBytes else { throw .tooMuchIncomplete }
        incompleteMemory -= assembly.payload.capacity
        assembly.payload.append(contentsOf: payload)
        incompleteMemory += assembly.payload.capacity
        incompleteBytes += payload.count

        let knewProperties = assembly.properties != nil
        if !knewProperties {
            switch assembly.payload.withUnsafeBytes({ PropertyArea.find(in: $0) }) {
            case .found(let range): assembly.properties = range
            case .incomplete: break
            case .malformed(let what): throw .badProperties(message: assembly.number, what)
            }
        }
        guard isLast else {
            guard !knewProperties, let properties = assembly.properties else { return nil }
            return .began(assembly.message(Array(assembly.payload[..<properties.upperBound]), properties))
        }
        guard let properties = assembly.properties else {
            throw .badProperties(message: assembly.number, "the message ends before they do")
        }
        incompleteBytes -= assembly.payload.count
        incompleteMemory -= assembly.payload.capacity
        let complete = assembly.payload
        assembly.payload = []
        return .received(assembly.message(complete, properties))
    }

    /// One that nothing waits for, that cannot be read, or that acknowledges what was never sent, is ignored.
    private func acknowledge(_ message: Transmission?, _ content: UnsafeRawBufferPointer) -> Event? {
        guard let message, case .value(let bytes, _) = Varint.read(content), bytes <= message.sentBytes, bytes > message.acknowledgedBytes
        else { return nil }
        message.acknowledgedBytes = bytes
        if message.isPaused, !message.isFarAhead {
            message.isPaused = false
            outbox.append(message)
        }
        return .acknowledged(message.id, bytes: bytes)
    }
}
