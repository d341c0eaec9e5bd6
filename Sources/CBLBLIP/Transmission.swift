/// A message on its way out: what is left of it, and how far the peer acknowledged it.
final class Transmission {
    let id: SentMessage
    /// Type, urgency, compression and whether it is answered; whether more is coming is a matter of each frame.
    let flags: FrameFlags
    /// 0 for a request that has no frame yet.
    var number: UInt64

    private let head: [UInt8]
    private let headStart: Int
    private let body: OutgoingMessage.Body
    /// Bytes of the message: length of the properties, properties, body.
    let count: UInt64
    /// How many of them are in frames.
    private(set) var position: UInt64 = 0

    /// Bytes that count for flow control: payloads as they were sent, with checksums.
    var sentBytes: UInt64 = 0
    var acknowledgedBytes: UInt64 = 0
    /// Too far ahead of the acknowledgements to go on.
    var isPaused = false

    init(_ message: consuming OutgoingMessage, flags: FrameFlags, number: UInt64 = 0, id: SentMessage) throws(BLIPError) {
        let body = message.body
        (headStart, head) = try message.properties.head()
        self.body = body
        self.flags = flags
        self.number = number
        self.id = id
        count = UInt64(head.count - headStart) + body.count
    }

    /// The bytes of it that are in memory until it is sent.
    var memory: Int { if case .bytes(let bytes) = body { head.count + bytes.count } else { head.count } }
    var hasBegun: Bool { position > 0 }
    var remaining: UInt64 { count - position }
    var isUrgent: Bool { flags.contains(.urgent) }
    var isCompressed: Bool { flags.contains(.compressed) }
    var isRequest: Bool { flags.type == .request }
    var awaitsResponse: Bool { isRequest && !flags.contains(.noReply) }
    var isFarAhead: Bool { sentBytes - acknowledgedBytes >= Window.unacknowledged }

    /// Copies the next bytes of the message, as many as there is room for; there must be as many.
    func fill(_ room: UnsafeMutableRawBufferPointer) throws(BLIPError) {
        var room = room
        var position = position
        let headCount = UInt64(head.count - headStart)
        if position < headCount {
            let start = headStart + Int(position)
            let length = min(head.count - start, room.count)
            head.withUnsafeBytes { room.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<start + length])) }
            position += UInt64(length)
            room = UnsafeMutableRawBufferPointer(rebasing: room[length...])
        }
        if !room.isEmpty {
            switch body {
            case .bytes(let bytes):
                let start = Int(position - headCount)
                bytes.withUnsafeBytes { room.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<start + room.count])) }
            case .source(let source):
                try Transmission.read(source, at: position - headCount, into: room)
            }
            position += UInt64(room.count)
        }
        self.position = position
    }

    private static func read(_ source: any BodySource, at start: UInt64, into room: UnsafeMutableRawBufferPointer) throws(BLIPError) {
        var done = 0
        while done < room.count {
            let count: Int
            do {
                count = try source.read(at: start + UInt64(done), into: UnsafeMutableRawBufferPointer(rebasing: room[done...]))
            } catch {
                throw .bodyUnreadable(String(describing: error))
            }
            // The length is announced in no frame, but a body that is shorter than it was would look complete.
            guard (1...room.count - done).contains(count) else { throw .bodyUnreadable("it is shorter than it was") }
            done += count
        }
    }
}
