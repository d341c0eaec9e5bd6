/// Those in which connections are of use to more than one request.
package enum HTTPVersion: Sendable {
    case v10
    case v11
}

/// The first line and the headers of an answer.
package struct HTTPResponseHead: Hashable, Sendable {
    package var version = HTTPVersion.v11
    package var status: Int
    package var reason: String
    package var headers: HTTPHeaders

    /// Without a reason it is the usual one of the status.
    package init(status: Int, reason: String? = nil, headers: HTTPHeaders = [:]) {
        self.status = status
        self.reason = reason ?? HTTPStatus.phrase(status)
        self.headers = headers
    }
}

/// The first line and the headers of a request.
package struct HTTPRequestHead: Hashable, Sendable {
    package var version = HTTPVersion.v11
    package var method: String
    package var target: String
    package var headers: HTTPHeaders
}

/// What is wrong with the head of a request or an answer.
struct HTTPViolation: Error, Equatable {
    /// The status that a server answers with.
    let status: Int
    let reason: String

    static func malformed(_ reason: String) -> HTTPViolation { HTTPViolation(status: 400, reason: reason) }
}

/// Finds and reads the head of an HTTP message in bytes as they arrive. It reads nothing twice, and no more than its limits.
struct HTTPHeadReader {
    static let maximumFields = 100

    private let maximumLength: Int
    // All before it has been searched for the end of the head.
    private var searched = 0

    init(maximumLength: Int = 16384) { self.maximumLength = maximumLength }

    mutating func response(in queue: inout ByteQueue) throws(HTTPViolation) -> HTTPResponseHead? {
        guard let length = try headLength(in: queue.bytes) else { return nil }
        let head = try HTTPResponseHead(UnsafeRawBufferPointer(rebasing: queue.bytes[..<length]))
        queue.consume(length)
        searched = 0
        return head
    }

    mutating func request(in queue: inout ByteQueue) throws(HTTPViolation) -> HTTPRequestHead? {
        guard let length = try headLength(in: queue.bytes) else { return nil }
        let head = try HTTPRequestHead(UnsafeRawBufferPointer(rebasing: queue.bytes[..<length]))
        queue.consume(length)
        searched = 0
        return head
    }

    // Up to and with the empty line.
    private mutating func headLength(in bytes: UnsafeRawBufferPointer) throws(HTTPViolation) -> Int? {
        // Whoever speaks something else, TLS for example, is told at once, and not when nothing more comes.
        if let first = bytes.first, !HTTPSyntax.isToken(first) { throw .malformed("it is not HTTP") }
        var index = max(searched, 3)
        while index < min(bytes.count, maximumLength) {
            if bytes[index] == 0x0A, bytes[index - 1] == 0x0D, bytes[index - 2] == 0x0A, bytes[index - 3] == 0x0D { return index + 1 }
            index += 1
        }
        searched = index
        guard bytes.count < maximumLength else {
            throw HTTPViolation(status: 431, reason: "the headers are longer than \(maximumLength) bytes")
        }
        return nil
    }
}

extension HTTPResponseHead {
    init(_ bytes: UnsafeRawBufferPointer) throws(HTTPViolation) {
        var lines = HTTPLines(bytes)
        let line = try lines.next() ?? ""
        let words = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard words.count >= 2, words[0].utf8.count == 8, words[0].hasPrefix("HTTP/1.") else {
            throw .malformed("the answer is not HTTP")
        }
        guard words[1].utf8.count == 3, words[1].utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let status = Int(words[1]), status >= 100
        else { throw .malformed("the answer has no status") }
        self.init(status: status, reason: words.count > 2 ? String(words[2]) : "", headers: try lines.fields())
        // A later 1.x promises to be read like 1.1.
        version = words[0] == "HTTP/1.0" ? .v10 : .v11
    }
}

extension HTTPRequestHead {
    init(_ bytes: UnsafeRawBufferPointer) throws(HTTPViolation) {
        var lines = HTTPLines(bytes)
        let line = try lines.next() ?? ""
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3 else { throw .malformed("the first line is not that of a request") }
        guard words[2] == "HTTP/1.1" || words[2] == "HTTP/1.0" else {
            guard words[2].hasPrefix("HTTP/") else { throw .malformed("the first line is not that of a request") }
            throw HTTPViolation(status: 505, reason: "only HTTP/1.1 is spoken here")
        }
        guard !words[0].isEmpty, words[0].utf8.allSatisfy(HTTPSyntax.isToken) else { throw .malformed("the method is not a word") }
        guard !words[1].isEmpty, words[1].utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { throw .malformed("the target is not a path") }
        version = words[2] == "HTTP/1.0" ? .v10 : .v11
        method = String(words[0])
        target = String(words[1])
        headers = try lines.fields()
    }
}

/// The lines of a head, each ended by CR and LF.
private struct HTTPLines {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    private mutating func nextBytes() throws(HTTPViolation) -> UnsafeRawBufferPointer? {
        guard position < bytes.count else { return nil }
        let start = position
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if byte == 0x0A {
                guard position - start >= 2, bytes[position - 2] == 0x0D else { throw .malformed("a line does not end with CR and LF") }
                return UnsafeRawBufferPointer(rebasing: bytes[start..<position - 2])
            }
            guard HTTPSyntax.isFieldContent(byte) || byte == 0x0D && position < bytes.count && bytes[position] == 0x0A else {
                throw .malformed("there is a control character in the headers")
            }
        }
        throw .malformed("the last line does not end")
    }

    mutating func next() throws(HTTPViolation) -> String? { try nextBytes().map { String(decoding: $0, as: UTF8.self) } }

    mutating func fields() throws(HTTPViolation) -> HTTPHeaders {
        var headers = HTTPHeaders()
        while let line = try nextBytes(), line.count > 0 {
            guard headers.fields.count < HTTPHeadReader.maximumFields else { throw HTTPViolation(status: 431, reason: "too many headers") }
            // A line that begins with a blank was once a continuation of the one before it. Two readers that disagree about it can be
            // played off against each other, so there is no such thing here.
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0, line[..<colon].allSatisfy(HTTPSyntax.isToken) else {
                throw .malformed("a header has no name")
            }
            let name = String(decoding: line[..<colon], as: UTF8.self)
            headers.add(name, trimmed(String(decoding: line[(colon + 1)...], as: UTF8.self)))
        }
        return headers
    }
}
