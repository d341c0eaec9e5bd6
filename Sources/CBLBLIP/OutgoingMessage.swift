/// A message to be sent: a request, or what answers one.
///
///     var message = OutgoingMessage(profile: "rev", body: .bytes(json), isCompressed: true)
///     message.properties.append("id", id)
package struct OutgoingMessage: Sendable {
    package enum Body: Sendable {
        case bytes([UInt8])
        /// Read piece by piece, as the frames are sent.
        case source(any BodySource)

        package static let none = Body.bytes([])

        var count: UInt64 {
            switch self {
            case .bytes(let bytes): UInt64(bytes.count)
            case .source(let source): source.count
            }
        }
    }

    package var properties: MessageProperties
    package var body: Body
    /// To overtake others. An answer is as urgent as its request, whatever this says.
    package var isUrgent: Bool
    package var isCompressed: Bool
    /// A request that is not answered.
    package var isNoReply: Bool

    package init(
        properties: MessageProperties = [:], body: Body = .none, isUrgent: Bool = false, isCompressed: Bool = false, isNoReply: Bool = false
    ) {
        self.properties = properties
        self.body = body
        self.isUrgent = isUrgent
        self.isCompressed = isCompressed
        self.isNoReply = isNoReply
    }

    package init(profile: String, body: Body = .none, isUrgent: Bool = false, isCompressed: Bool = false, isNoReply: Bool = false) {
        self.init(body: body, isUrgent: isUrgent, isCompressed: isCompressed, isNoReply: isNoReply)
        properties.append("Profile", profile)
    }
}

/// A body that is not in memory, as of a blob. It is read by position, so a source needs no state and may be read on any thread.
package protocol BodySource: Sendable {
    var count: UInt64 { get }
    /// Reads bytes from a position on into the beginning of the buffer, at least one, and says how many. The buffer ends where the body does, or
    /// before.
    func read(at position: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int
}

/// A message of this side's. Unlike a request's number, which it gets with its first frame, it is known at once.
package struct SentMessage: Hashable, Sendable, Comparable {
    let serial: UInt64

    package static func < (one: SentMessage, other: SentMessage) -> Bool { one.serial < other.serial }
}

/// A frame that `nextFrame(into:)` wrote.
package struct OutgoingFrame: Sendable {
    /// Its bytes, from the beginning of the buffer.
    package let count: Int
    /// Whose it is; nil for an acknowledgement.
    package let message: SentMessage?
    /// The message is sent completely with it.
    package let isLast: Bool
    /// Why an error response was sent instead of the one that was given: its source could not be read.
    package var sourceFailure: String?
}
