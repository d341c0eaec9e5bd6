import CBLBLIP

/// Reads what our side says, frame by frame, at the other end of the connection.
struct OurMessages {
    /// It is only listened with. What the gateway asks is asked here too, so that answers are expected.
    private let connection = BLIPConnection()
    /// The gateway's requests that we are to answer.
    private var asked: [SentMessage: UInt64] = [:]
    private var lastAsked: UInt64 = 0

    /// Takes a frame of the gateway's. Messages are numbered with their first frame, one after the other.
    mutating func listen(toGateway frame: [UInt8]) throws {
        guard let header = Header(frame), header.type == 0, header.number > lastAsked else { return }
        lastAsked = header.number
        let isNoReply = header.flags & 0x20 != 0
        let sent = try connection.send(OutgoingMessage(profile: "x", isNoReply: isNoReply))
        if !isNoReply { asked[sent] = header.number }
        try skip()
    }

    /// Takes a frame of ours; a message, if it is complete with it.
    mutating func listen(_ frame: UnsafeRawBufferPointer) throws -> Recording.Message? {
        defer { try? skip() }
        guard case .received(let message)? = try connection.receive(frame) else { return nil }
        var properties: [String: String] = [:]
        for (name, value) in message.allProperties where name != "Profile" { properties[name] = value }
        var result = Recording.Message(
            number: 0, isReply: true, isError: message.isError, properties: properties, body: Array(message.body))
        switch message.origin {
        case .request(let request):
            result.number = request.number
            result.isReply = false
            result.profile = message.profile ?? ""
        case .response(to: let sent): result.number = asked[sent] ?? 0
        }
        return result
    }

    private func skip() throws {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: FrameSize.maximum, alignment: 1)
        defer { buffer.deallocate() }
        while try connection.nextFrame(into: buffer) != nil {}
    }
}

/// What a frame begins with. Neither is part of its checksum, so a message can be given another number.
struct Header {
    let number: UInt64
    let flags: UInt8
    private let numberLength: Int

    var type: UInt8 { flags & 7 }

    init?(_ frame: [UInt8]) {
        var number: UInt64 = 0
        guard let end = frame.prefix(10).firstIndex(where: { $0 < 0x80 }), end + 1 < frame.count else { return nil }
        for place in 0...end { number |= UInt64(frame[place] & 0x7F) << UInt64(7 * place) }
        self.number = number
        numberLength = end + 1
        flags = frame[end + 1]
    }

    func renumbered(_ frame: [UInt8], _ number: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        return bytes + [UInt8(rest)] + frame[numberLength...]
    }
}
