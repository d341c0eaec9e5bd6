import CouchbaseLiteSwift

/// A request, as far as this service needs it.
struct Request: Sendable {
    let method: String
    let path: String
    let body: Data
}

struct Response: Sendable {
    var status = "200 OK"
    var json = "{}"
}

/// The smallest server that speaks HTTP: one thread for each connection, one request for each connection.
final class HTTPServer: Sendable {
    private let socket: Int32
    let port: UInt16
    private static let longest = 1 << 20

    init(port: UInt16) throws {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var yes: Int32 = 1
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, length) == 0 && getsockname(socket, $0, &length) == 0 }
        }
        guard isBound, listen(socket, 64) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        self.socket = socket
        self.port = UInt16(bigEndian: address.sin_port)
    }

    /// Answers requests, for ever.
    func run(_ answer: @escaping @Sendable (Request) -> Response) -> Never {
        while true {
            let connection = accept(socket, nil, nil)
            guard connection >= 0 else { continue }
            Thread.detachNewThread {
                defer { close(connection) }
                let response =
                    HTTPServer.read(connection).map(answer) ?? Response(status: "400 Bad Request", json: #"{"error":"bad request"}"#)
                let text = """
                    HTTP/1.1 \(response.status)\r\nContent-Type: application/json\r\nContent-Length: \(response.json.utf8.count)\r
                    Connection: close\r\n\r\n\(response.json)
                    """
                HTTPServer.write(Data(text.utf8), connection)
            }
        }
    }

    private static func read(_ connection: Int32) -> Request? {
        var patience = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        var headLength: Int?
        var bodyLength = 0
        while data.count < longest {
            if let head = headLength, data.count >= head + bodyLength { break }
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            data.append(contentsOf: buffer[..<count])
            if headLength == nil, let end = data.range(of: Data("\r\n\r\n".utf8)) {
                headLength = end.upperBound
                let head = String(decoding: data[..<end.lowerBound], as: UTF8.self)
                let field = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
                bodyLength = field.flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) } ?? 0
                guard (0...longest).contains(bodyLength) else { return nil }
            }
        }
        guard let head = headLength, data.count >= head + bodyLength else { return nil }
        let words = String(decoding: data[..<head], as: UTF8.self).prefix { $0 != "\r\n" && $0 != "\r" }.split(separator: " ")
        guard words.count == 3, let path = String(words[1]).removingPercentEncoding else { return nil }
        return Request(method: String(words[0]), path: path, body: data[head..<head + bodyLength])
    }

    private static func write(_ data: Data, _ connection: Int32) {
        data.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
            var sent = 0
            while sent < bytes.count {
                let count = send(connection, bytes.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
                guard count > 0 else { return }
                sent += count
            }
        }
    }
}
