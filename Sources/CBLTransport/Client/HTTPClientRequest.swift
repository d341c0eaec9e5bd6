/// What is asked of a server.
package struct HTTPClientRequest: Sendable {
    package var method: String
    /// A user and a password in it are used as `credentials`.
    package var url: PeerURL
    /// Those that belong to the connection, or to the form of the body, are left out. An `Authorization` that stands here is the only one.
    package var headers: HTTPHeaders
    package var body: HTTPUploadBody
    package var credentials: Credentials?
    /// By what each attempt is signed.
    package var signature: OAuthKeys?
    /// Whether credentials are kept back until the server asks for them.
    package var waitsForChallenge = false
    package var maximumRedirects = 10
    /// Whether it may be sent again if it is not known whether it has arrived. Nil if that depends on its method.
    package var isRepeatable: Bool?
    /// Whether an answer that is compressed is asked for, and unpacked.
    package var unpacksAnswer = true
    /// What comes to more is an error.
    package var mostAnswerBytes = Int.max
    /// How long it may take in all.
    package var timeout: Duration?

    package init(_ method: String, _ url: PeerURL, headers: HTTPHeaders = [:], body: HTTPUploadBody = .none) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        credentials = url.credentials
    }

    var mayBeRepeated: Bool { isRepeatable ?? ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"].contains(method) }
}

/// The body of a request.
package enum HTTPUploadBody: Sendable {
    case none
    case bytes([UInt8])
    /// So many bytes, or as many as there are: then the body is chunked.
    case upload(any HTTPUpload, length: Int?)

    var length: Int? {
        switch self {
        case .none: 0
        case .bytes(let bytes): bytes.count
        case .upload(_, let length): length
        }
    }
}

/// What gives the body of a request piece by piece. It is asked on the client's loop, and does not wait there.
package protocol HTTPUpload: AnyObject, Sendable {
    /// Puts what comes next there: so many bytes, 0 at the end. Nil if there is nothing yet: then it calls `wake`, from any thread, when there is.
    func read(into space: UnsafeMutableRawBufferPointer, wake: @escaping @Sendable () -> Void) throws(TransportError) -> Int?

    /// Begins anew, because the request has to be sent again. False if that is not possible.
    func rewind() -> Bool
}

/// The body of one attempt: where it is, in memory or elsewhere.
struct UploadCursor {
    private let body: HTTPUploadBody
    private var position = 0
    private(set) var isAtEnd: Bool

    init(_ body: HTTPUploadBody) {
        self.body = body
        isAtEnd = body.length == 0
    }

    /// Puts what comes next there; nil if it is waited for.
    mutating func read(
        into space: UnsafeMutableRawBufferPointer, wake: @escaping @Sendable () -> Void
    ) throws(TransportError) -> Int? {
        switch body {
        case .none: return 0
        case .bytes(let bytes):
            let count = min(space.count, bytes.count - position)
            bytes.withUnsafeBytes { space.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[position..<position + count])) }
            position += count
            isAtEnd = position == bytes.count
            return count
        case .upload(let upload, let length):
            guard let count = try upload.read(into: space, wake: wake) else { return nil }
            // A number of somebody else's.
            position += min(max(count, 0), space.count)
            isAtEnd = count <= 0 || position == length
            return min(max(count, 0), space.count)
        }
    }

    /// Whether it can be sent once more.
    mutating func rewind() -> Bool {
        if case .upload(let upload, _) = body, position > 0, !upload.rewind() { return false }
        self = UploadCursor(body)
        return true
    }
}
