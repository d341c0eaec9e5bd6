/// Collects the body of an answer, as much of it as is wanted for a message to a person.
struct HTTPBody {
    private enum Form {
        case none
        case length(Int)
        case chunked
        case untilEnd
    }

    static let maximumLength = 8192

    private(set) var bytes: [UInt8] = []
    private var form: Form
    private var chunk = 0

    /// Of an answer with this head.
    init(_ head: HTTPResponseHead) {
        if head.status < 200 || head.status == 204 || head.status == 304 {
            form = .none
        } else if head.headers.list("Transfer-Encoding").contains(where: { isSameASCII($0, "chunked") }) {
            form = .chunked
        } else if let length = head.headers["Content-Length"] {
            form = .length(Int(length).map { max($0, 0) } ?? 0)
        } else {
            form = .untilEnd
        }
    }

    /// Takes what is there; true if no more is coming, or wanted.
    mutating func read(_ queue: inout ByteQueue) -> Bool {
        switch form {
        case .none: return true
        case .untilEnd:
            take(queue.count, of: &queue)
            return bytes.count == HTTPBody.maximumLength
        case .length(let length):
            let count = min(length, queue.count)
            take(count, of: &queue)
            form = .length(length - count)
            return length == count || bytes.count == HTTPBody.maximumLength
        case .chunked: return readChunks(&queue)
        }
    }

    private mutating func take(_ count: Int, of queue: inout ByteQueue) {
        bytes += queue.bytes[..<min(count, HTTPBody.maximumLength - bytes.count)]
        queue.consume(count)
    }

    private mutating func readChunks(_ queue: inout ByteQueue) -> Bool {
        while bytes.count < HTTPBody.maximumLength {
            if chunk > 0 {
                let count = min(chunk, queue.count)
                take(count, of: &queue)
                chunk -= count
                if chunk > 0 { return false }
            }
            // A chunk ends with a line end; the line behind it says how long the next one is.
            let start = queue.bytes.firstIndex { $0 != 0x0D && $0 != 0x0A } ?? queue.count
            queue.consume(start)
            guard let end = queue.bytes.firstIndex(of: 0x0A) else { return queue.count > 1024 }
            let line = queue.bytes[..<end].prefix { $0 != UInt8(ascii: ";") && $0 != 0x0D && !HTTPSyntax.isBlank($0) }
            guard let length = Int(String(decoding: line, as: UTF8.self), radix: 16), length > 0 else { return true }
            queue.consume(end + 1)
            chunk = length
        }
        return true
    }
}
