/// What ended a connection, or kept a message from being sent.
package enum BLIPError: Error, Hashable, Sendable {
    // What the peer did.
    case unreadableHeader
    case frameTooLarge(bytes: Int)
    case frameTooShort(message: UInt64)
    case wrongChecksum(message: UInt64)
    case badCompression(message: UInt64)
    case inflatesTooFar(message: UInt64)
    case unexpectedRequest(message: UInt64, expected: UInt64)
    case unexpectedResponse(message: UInt64)
    case badProperties(message: UInt64, String)
    case messageTooLarge(message: UInt64)
    case tooMuchIncomplete
    case tooManyOpenRequests
    case answersNotRead
    /// It would be taken at another time: the owner has little memory now.
    case noRoom(message: UInt64)

    // What happened here.
    case bodyUnreadable(String)
    case compressorFailed(code: Int32)
    case closed

    // What was to be sent and cannot.
    case invalidProperty(String)
    case propertiesTooLarge(bytes: Int)

    /// The status code to close the WebSocket with.
    package var closeCode: UInt16 {
        switch self {
        case .closed: 1000
        case .frameTooLarge, .inflatesTooFar, .messageTooLarge, .tooMuchIncomplete, .tooManyOpenRequests, .answersNotRead, .noRoom:
            1009
        case .bodyUnreadable, .compressorFailed, .invalidProperty, .propertiesTooLarge: 1011
        default: 1002
        }
    }
}

extension BLIPError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unreadableHeader: "the peer sent a frame whose header cannot be read"
        case .frameTooLarge(let bytes): "the peer sent a frame of \(bytes) bytes, which is too large"
        case .frameTooShort(let message): "the peer sent a frame of message \(message) that is too short for its checksum"
        case .wrongChecksum(let message): "a frame of the peer's message \(message) arrived damaged: its checksum is wrong"
        case .badCompression(let message): "a frame of the peer's message \(message) cannot be decompressed"
        case .inflatesTooFar(let message): "a frame of the peer's message \(message) decompresses to more than any honest one"
        case .unexpectedRequest(let message, let expected): "the peer sent request \(message) when \(expected) was next"
        case .unexpectedResponse(let message): "the peer sent a response to request \(message), which awaits none"
        case .badProperties(let message, let what): "the properties of the peer's message \(message) are malformed: \(what)"
        case .messageTooLarge(let message): "the peer's message \(message) is too large to be kept in memory"
        case .tooMuchIncomplete: "the peer sends too many large messages at once"
        case .tooManyOpenRequests: "the peer sends requests without waiting for answers"
        case .answersNotRead: "the peer sends requests and does not read the answers"
        case .noRoom(let message): "there is no memory at the moment for what a frame of the peer's message \(message) decompresses to"
        case .bodyUnreadable(let what): "the content of a message could not be read: \(what)"
        case .compressorFailed(let code): "a message could not be compressed (zlib error \(code))"
        case .closed: "the connection is closed"
        case .invalidProperty(let name): "the property \"\(name)\" of a message contains a NUL character"
        case .propertiesTooLarge(let bytes): "the properties of a message have \(bytes) bytes, more than \(maximumProperties)"
        }
    }
}
