/// Puts the body of a message behind its head, in the form that the head announces.
struct HTTPBodyWriter {
    /// A body has another length than the head of its message says. The connection cannot be used any more.
    struct WrongLength: Error, Equatable {
        let announced: Int
        /// At least.
        let written: Int
    }

    private let form: HTTPBodyForm
    private var written = 0

    /// With `none`, what is written is dropped: HEAD is answered like GET, but for the body.
    init(_ form: HTTPBodyForm) { self.form = form }

    mutating func append(_ bytes: UnsafeRawBufferPointer, to queue: inout ByteQueue) throws(WrongLength) {
        guard bytes.count > 0 else { return }
        switch form {
        case .none: return
        case .untilEnd: queue.append(bytes)
        case .sized(let length):
            guard bytes.count <= length - written else { throw WrongLength(announced: length, written: written + bytes.count) }
            queue.append(bytes)
        case .chunked:
            HTTPBodyWriter.append(hex: bytes.count, to: &queue)
            queue.append(HTTPBodyWriter.lineEnd)
            queue.append(bytes)
            queue.append(HTTPBodyWriter.lineEnd)
        }
        written += bytes.count
    }

    /// Nothing comes any more.
    func end(in queue: inout ByteQueue) throws(WrongLength) {
        switch form {
        case .none, .untilEnd: return
        case .sized(let length): guard written == length else { throw WrongLength(announced: length, written: written) }
        case .chunked: queue.append(HTTPBodyWriter.lastChunk)
        }
    }

    private static let lineEnd = Array("\r\n".utf8)
    private static let lastChunk = Array("0\r\n\r\n".utf8)

    private static func append(hex number: Int, to queue: inout ByteQueue) {
        let digits = max(1, (Int.bitWidth - number.leadingZeroBitCount + 3) / 4)
        let space = queue.space(atLeast: digits)
        for index in 0..<digits {
            let digit = UInt8(truncatingIfNeeded: number >> (4 * (digits - 1 - index))) & 15
            space[index] = digit + (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10)
        }
        queue.commit(digits)
    }
}
