import CBLBase
import Glibc
import Synchronization

/// Writes the heads of answers. What is between the server and the client, how long the body is and whether the connection stays, is said
/// here and nowhere else.
///
/// Hot: once per request. Measured in Benchmarks/README.md.
final class AnswerHeadWriter: Sendable {
    private let software: [UInt8]
    private let clock = Mutex<(second: Int, line: [UInt8])>((0, []))

    init(software: String) { self.software = Array("Server: \(software)\r\n".utf8) }

    /// `length` is said even where no body follows: to HEAD.
    func append(
        _ head: HTTPResponseHead, _ form: HTTPBodyForm, length: Int?, version: HTTPVersion, keepsConnection: Bool, to queue: inout ByteQueue
    ) {
        queue.append("HTTP/1.1 ")
        queue.append(decimal: head.status)
        queue.append(" ")
        queue.append(HTTPHeaders.isWritable(name: "x", value: head.reason) ? head.reason : HTTPStatus.phrase(head.status))
        queue.append("\r\n")
        for field in head.headers.fields
        where !AnswerHeadWriter.isOurs(field.name) && HTTPHeaders.isWritable(name: field.name, value: field.value) {
            queue.append(field.name)
            queue.append(": ")
            queue.append(field.value)
            queue.append("\r\n")
        }
        if let length {
            queue.append("Content-Length: ")
            queue.append(decimal: length)
            queue.append("\r\n")
        } else if form == .chunked {
            queue.append("Transfer-Encoding: chunked\r\n")
        }
        if !keepsConnection {
            queue.append("Connection: close\r\n")
        } else if version == .v10 {
            queue.append("Connection: keep-alive\r\n")
        }
        queue.append(software)
        queue.append(date())
        queue.append("\r\n")
    }

    private static func isOurs(_ name: String) -> Bool {
        switch name.utf8.count {
        case 4: isSameASCII(name, "Date")
        case 6: isSameASCII(name, "Server")
        case 10: isSameASCII(name, "Connection") || isSameASCII(name, "Keep-Alive")
        case 14: isSameASCII(name, "Content-Length")
        case 17: isSameASCII(name, "Transfer-Encoding")
        default: false
        }
    }

    // It is another one once a second.
    private func date() -> [UInt8] {
        let now = time(nil)
        return clock.withLock { clock in
            if clock.second != now { clock = (now, Array("Date: \(HTTPDate(seconds: Int64(now)))\r\n".utf8)) }
            return clock.line
        }
    }
}

extension ByteQueue {
    mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    mutating func append(decimal number: Int) { append(String(number)) }
}
