import CBLBase

/// One connection's messages, as a state machine over frames: it owns no socket, no thread and no clock, and both ends use the same.
///
///     let request = try connection.send(OutgoingMessage(profile: "getCheckpoint"))
///     while let frame = try connection.nextFrame(into: buffer) { … send frame.count bytes of the buffer as one WebSocket message … }
///     if case .received(let message)? = try connection.receive(bytes) { … }
///
/// The owner calls it from one thread at a time. It asks for the next frame when the socket can take one and not before, so that what is urgent
/// can still overtake. After an error nothing works any more: `close()` says which requests will not be answered. The protocol: docs/sync.md.
package final class BLIPConnection {
    package let limits: Limits
    let compressionLevel: Int32
    /// Whether messages that ask for it are compressed. Where bytes cost nothing on their way, it only takes time.
    package var compresses = true
    /// What a frame of the peer's may decompress to at the moment, if that is less than the limit.
    package var frameAllowance = Int.max

    /// Why it is over; nil while it works.
    package internal(set) var failure: BLIPError?

    var outbox = Outbox()
    var lastSerial: UInt64 = 0
    /// Numbers are given with the first frame: an urgent request that overtakes others gets a lower one.
    var lastSentNumber: UInt64 = 0
    var sentChecksum = Checksum()
    var deflater: Deflater?
    /// A payload that is to be compressed is gathered here.
    var gathered: UnsafeMutableRawBufferPointer?
    /// Messages with frames sent and frames to go, by number. Acknowledgements are for these.
    var unfinishedRequests: [UInt64: Transmission] = [:]
    var unfinishedResponses: [UInt64: Transmission] = [:]

    /// A request of ours that is not answered, with what came of the answer so far.
    struct Awaiting {
        let request: SentMessage
        var assembly: Assembly?
    }

    var awaiting: [UInt64: Awaiting] = [:]
    var lastReceivedNumber: UInt64 = 0
    /// Requests of the peer that are neither answered nor NOREPLY.
    var unanswered: Set<UInt64> = []
    /// Answers that are not sent, and the bytes of them that are in memory.
    var unsentAnswers = (count: 0, bytes: 0)
    /// Requests of the peer that are not complete.
    var arriving: [UInt64: Assembly] = [:]
    /// Bytes of incomplete messages, in both directions of the question, and the memory that they take: it grows by more than it has to.
    var incompleteBytes = 0
    var incompleteMemory = 0
    var receivedChecksum = Checksum()
    var inflater: Inflater?
    var acknowledgementsDue = Queue<Assembly>()

    /// Compression level 6 is the vendor's; at 0 nothing is compressed, whatever a message asks for.
    package init(compressionLevel: Int = 6, limits: Limits = Limits()) {
        self.limits = limits
        self.compressionLevel = Int32(min(max(compressionLevel, 0), 9))
    }

    deinit { gathered?.deallocate() }

    /// There may be something to send: worth a call of `nextFrame(into:)`.
    package var hasFrames: Bool { failure == nil && !(outbox.isEmpty && acknowledgementsDue.isEmpty) }
    /// Own messages that have something left to send, those that wait for an acknowledgement aside.
    package var queuedMessages: Int { outbox.count }
    /// Bytes that are kept until the peer sends the rest of its messages.
    package var begunBytes: Int { incompleteMemory + arriving.count * BLIPConnection.assemblySize }
    /// Bytes that are kept until the peer takes the answers to its requests.
    package var unsentAnswerBytes: Int { unsentAnswers.bytes }
    private static let assemblySize = 256
    /// Own requests that are sent, wholly or partly, and not answered.
    package var awaitedResponses: Int { awaiting.count }
    /// Requests of the peer that want an answer and have none. An owner that lets them become too many stops reading.
    package var unansweredRequests: Int { unanswered.count }

    /// Ends it, and gives the requests that will not be answered, in the order in which they were made. What is queued is dropped.
    @discardableResult
    package func close(_ reason: BLIPError = .closed) -> [SentMessage] {
        failure = failure ?? reason
        var lost = awaiting.values.map(\.request)
        while let message = outbox.next() {
            // One that has a number is among those awaited.
            if message.awaitsResponse, message.number == 0 { lost.append(message.id) }
        }
        awaiting = [:]
        unfinishedRequests = [:]
        unfinishedResponses = [:]
        unanswered = []
        unsentAnswers = (0, 0)
        arriving = [:]
        incompleteBytes = 0
        incompleteMemory = 0
        acknowledgementsDue = Queue()
        deflater = nil
        inflater = nil
        return lost.sorted()
    }
}
