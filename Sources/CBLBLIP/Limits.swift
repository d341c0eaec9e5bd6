/// How much a peer may make this side keep or compute. Who exceeds a limit loses the connection, and nothing else is lost.
package struct Limits: Sendable {
    /// Bytes of one incoming frame. Peers send at most 16,384; the vendor's library accepts 1 MiB of anybody, so others may count on it.
    package var frame = 1 << 20
    /// Bytes that one frame may inflate to: deflate never does better than 1032:1, so no sender that keeps to frames of 16,384 bytes comes here.
    package var inflatedFrame = FrameSize.maximum * 1032
    /// Bytes of one incoming message that is held in memory until it is complete. The gateway stops at 20 MB. A streamed body may be longer.
    package var message = 64 << 20
    /// Bytes of all incomplete incoming messages together. A peer sends as many at once as it likes, a piece of each in turn.
    package var incompleteMessages = 256 << 20
    /// Requests of the peer that are incomplete, or not answered yet. The vendor's peers have some hundreds open.
    package var openRequests = 10_000
    /// Bytes of answers in memory that the peer has not taken. Together with the requests, their number counts as well: one that asks and asks,
    /// and does not read, is not remembered for ever.
    package var unsentAnswers = 64 << 20
    /// Compresses with a quarter of the memory that others take for it.
    package var hasSmallCompressor = false

    package init() {}
}

/// How long frames are. Shorter ones cost more headers, longer ones keep an urgent message waiting.
package enum FrameSize {
    /// What every peer accepts, with header and checksum. It is also the room that `nextFrame(into:)` wants.
    package static let maximum = 16_384
    /// A frame of an ordinary message while an urgent one waits.
    static let besideUrgent = 4096
    static let checksum = 4
}

/// Flow control: a message runs ahead of its acknowledgements only so far.
enum Window {
    /// The receiver acknowledges when it got so many bytes of a message that is not complete.
    static let acknowledgement: UInt64 = 50_000
    /// The sender pauses a message that has so many bytes under way.
    static let unacknowledged: UInt64 = 128_000
}

/// Bytes of a message's properties: what peers accept.
let maximumProperties = 102_400
