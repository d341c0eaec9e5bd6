/// A message to be sent: a request, or what answers one.
///
///     var message = OutgoingMessage(profile: "rev", body: .bytes(json), isCompressed: true)
///     message.properties.append("id", id)
public struct OutgoingMessage: Sendable {
    public enum Body: Sendable {
        case bytes([UInt8])
        /// Read piece by piece, as the frames are sent.
        case source(any BodySource)

        public static let none = Body.bytes([])

        var count: UInt64 {
            switch self {
            case .bytes(let bytes): UInt64(bytes.count)
            case .source(let source): source.count
            }
        }
    }

    public var properties: MessageProperties
    public var body: Body
    /// To overtake others. An answer is as urgent as its request, whatever this says.
    public var isUrgent: Bool
    public var isCompressed: Bool
    /// A request that is not answered.
    public var isNoReply: Bool

    public init(
        properties: MessageProperties = [:], body: Body = .none, isUrgent: Bool = false, isCompressed: Bool = false, isNoReply: Bool = false
    ) {
        self.properties = properties
        self.body = body
        self.isUrgent = isUrgent
        self.isCompressed = isCompressed
        self.isNoReply = isNoReply
    }

    public init(profile: String, body: Body = .none, isUrgent: Bool = false, isCompressed: Bool = false, isNoReply: Bool = false) {
        self.init(body: body, isUrgent: isUrgent, isCompressed: isCompressed, isNoReply: isNoReply)
        properties.append("Profile", profile)
    }
}

/// A body that is not in memory, as of a blob. It is read by position, so a source needs no state and may be read on any thread.
public protocol BodySource: Sendable {
    var count: UInt64 { get }
    /// Reads bytes from a position on into the beginning of the buffer, at least one, and says how many. The buffer ends where the body does, or
    /// before.
    func read(at position: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int
}

/// A message of this side's. Unlike a request's number, which it gets with its first frame, it is known at once.
public struct SentMessage: Hashable, Sendable, Comparable {
    let serial: UInt64

    public static func < (one: SentMessage, other: SentMessage) -> Bool { one.serial < other.serial }
}

/// A frame that `nextFrame(into:)` wrote.
public struct OutgoingFrame: Sendable {
    /// Its bytes, from the beginning of the buffer.
    public let count: Int
    /// Whose it is; nil for an acknowledgement.
    public let message: SentMessage?
    /// The message is sent completely with it.
    public let isLast: Bool
    /// Why an error response was sent instead of the one that was given: its source could not be read.
    public var sourceFailure: String?
}
