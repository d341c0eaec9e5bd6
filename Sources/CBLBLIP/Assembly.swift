/// A message of several frames on its way in.
final class Assembly {
    let origin: IncomingMessage.Origin
    let number: UInt64
    /// Of the first frame: they hold for the message.
    let flags: FrameFlags

    /// What has come of it; nothing once its body is streamed.
    var payload: [UInt8] = []
    /// Where its properties lie, as soon as they are complete.
    var properties: Range<Int>?
    var isStreamed = false
    var isComplete = false

    /// Bytes that count for flow control: payloads as they came, with checksums.
    var receivedBytes: UInt64 = 0
    var acknowledgedBytes: UInt64 = 0
    var acknowledgementIsDue = false

    /// What was answered before the request was complete. Peers do not expect that, so it waits.
    var answer: Transmission?

    init(origin: IncomingMessage.Origin, number: UInt64, flags: FrameFlags) {
        self.origin = origin
        self.number = number
        self.flags = flags
    }

    var acknowledgementType: FrameType {
        switch origin {
        case .request: .requestAcknowledgement
        case .response: .responseAcknowledgement
        }
    }

    func message(_ payload: [UInt8], _ properties: Range<Int>) -> IncomingMessage {
        IncomingMessage(origin: origin, number: number, flags: flags, payload: payload, properties: properties)
    }
}
