/// How a message says where its body ends (RFC 9112, section 6).
enum HTTPBodyForm: Hashable, Sendable {
    case none
    case sized(Int)
    case chunked
    /// Of an answer alone: whatever comes before the connection ends.
    case untilEnd
}

extension HTTPRequestHead {
    /// A request that can be read in two ways is refused: whoever stands between client and server may have read it in the other one, and taken
    /// the rest of it for something else.
    func bodyForm() throws(HTTPViolation) -> HTTPBodyForm {
        guard headers.contains("Transfer-Encoding") else {
            guard headers.contains("Content-Length") else { return .none }
            let lengths = headers.values("Content-Length")
            guard lengths.count == 1 else { throw .malformed("the request says more than once how long it is") }
            return .sized(try HTTPBodyForm.length(lengths[0]))
        }
        guard !headers.contains("Content-Length") else { throw .malformed("the request has a length and a Transfer-Encoding") }
        guard version == .v11 else { throw .malformed("there is no Transfer-Encoding in HTTP/1.0") }
        let codings = headers.list("Transfer-Encoding")
        guard let last = codings.last, isSameASCII(last, "chunked") || !codings.contains(where: { isSameASCII($0, "chunked") }) else {
            throw .malformed("the last Transfer-Encoding is not chunked")
        }
        guard codings.count(where: { isSameASCII($0, "chunked") }) <= 1 else { throw .malformed("the body is chunked twice") }
        guard codings.count == 1, isSameASCII(last, "chunked") else {
            throw HTTPViolation(status: 501, reason: "no Transfer-Encoding but chunked is understood here")
        }
        return .chunked
    }

    /// Whether the client wants to send another request over the same connection.
    var keepsConnection: Bool { HTTPBodyForm.keepsConnection(version, headers) }
}

extension HTTPResponseHead {
    /// To a request of that method. It depends on that: what answers HEAD says how long a body would be that is not there.
    func bodyForm(answering method: String) throws(HTTPViolation) -> HTTPBodyForm {
        if status < 200 || status == 204 || status == 304 || method == "HEAD" || method == "CONNECT" && status < 300 { return .none }
        if headers.contains("Transfer-Encoding") {
            let codings = headers.list("Transfer-Encoding")
            guard codings.count == 1, isSameASCII(codings[0], "chunked") else {
                throw .malformed("the answer has a Transfer-Encoding that was not asked for")
            }
            return .chunked
        }
        let lengths = Set(headers.values("Content-Length"))
        guard let length = lengths.first else { return .untilEnd }
        guard lengths.count == 1 else { throw .malformed("the answer has several lengths") }
        return .sized(try HTTPBodyForm.length(length))
    }

    /// Whether another request may be sent over the same connection when the body has been read.
    var keepsConnection: Bool {
        HTTPBodyForm.keepsConnection(version, headers) && !(headers.contains("Transfer-Encoding") && headers.contains("Content-Length"))
    }
}

extension HTTPBodyForm {
    /// Digits and nothing else: no sign, no blank, no list.
    fileprivate static func length(_ text: String) throws(HTTPViolation) -> Int {
        guard !text.isEmpty, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else {
            throw .malformed("the Content-Length is not a number")
        }
        guard let length = Int(text) else { throw HTTPViolation(status: 413, reason: "nothing is that long") }
        return length
    }

    fileprivate static func keepsConnection(_ version: HTTPVersion, _ headers: HTTPHeaders) -> Bool {
        guard headers.contains("Connection") else { return version == .v11 }
        let options = headers.list("Connection")
        if options.contains(where: { isSameASCII($0, "close") }) { return false }
        return version == .v11 || options.contains { isSameASCII($0, "keep-alive") }
    }
}
