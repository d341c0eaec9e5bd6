/// Finds the body of a message in bytes as they arrive. What is the body's is at the front of the queue, where it may be taken in pieces of any
/// size; what belongs to its form is consumed.
///
///     while let count = try reader.available(in: &queue), count > 0 {
///         use(queue.bytes[..<count])
///         reader.consume(count, of: &queue)
///     }
struct HTTPBodyReader {
    /// Of the line before a chunk: its length, and extensions that nobody uses.
    static let longestChunkHead = 80
    /// Of all lines behind the last chunk together.
    static let longestTrailers = 4096

    private enum State: Hashable {
        /// So many bytes are still to come.
        case sized(Int)
        case untilEnd
        case chunkHead
        case chunk(Int)
        case chunkEnd
        case trailers(Int)
        case complete
    }

    private var state: State
    /// So much more is taken.
    private var allowance: Int

    /// Of a body that is no longer than `limit`, or refused as soon as it turns out to be.
    init(_ form: HTTPBodyForm, limit: Int = .max) throws(HTTPViolation) {
        allowance = limit
        switch form {
        case .none, .sized(0): state = .complete
        case .sized(let length):
            state = .sized(length)
            try allow(length)
        case .chunked: state = .chunkHead
        case .untilEnd: state = .untilEnd
        }
    }

    var isComplete: Bool { state == .complete }

    /// How many bytes at the front of the queue are the body's: 0 if more must arrive first; nil at the end.
    mutating func available(in queue: inout ByteQueue) throws(HTTPViolation) -> Int? {
        while true {
            switch state {
            case .complete: return nil
            case .sized(let left), .chunk(let left): return min(left, queue.count)
            case .untilEnd:
                guard queue.count <= allowance else { throw .tooLong }
                return queue.count
            case .chunkHead: guard try readChunkHead(&queue) else { return 0 }
            case .chunkEnd: guard try readChunkEnd(&queue) else { return 0 }
            case .trailers(let used): guard try readTrailer(&queue, used) else { return 0 }
            }
        }
    }

    /// Takes bytes that were available.
    mutating func consume(_ count: Int, of queue: inout ByteQueue) {
        queue.consume(count)
        switch state {
        case .sized(let left): state = left == count ? .complete : .sized(left - count)
        case .chunk(let left): state = left == count ? .chunkEnd : .chunk(left - count)
        case .untilEnd: allowance -= count
        case .chunkHead, .chunkEnd, .trailers, .complete: precondition(count == 0)
        }
    }

    /// The connection has ended, and all that was available is taken.
    mutating func end() throws(HTTPViolation) {
        guard state == .untilEnd || state == .complete else { throw .malformed("the connection ended within the body") }
        state = .complete
    }

    private mutating func allow(_ count: Int) throws(HTTPViolation) {
        guard count <= allowance else { throw .tooLong }
        allowance -= count
    }

    private mutating func readChunkHead(_ queue: inout ByteQueue) throws(HTTPViolation) -> Bool {
        guard let line = try HTTPBodyReader.line(in: queue, longest: HTTPBodyReader.longestChunkHead) else { return false }
        var count = 0
        var digits = 0
        for byte in queue.bytes[..<line] {
            guard let digit = HTTPBodyReader.hexDigit(byte) else { break }
            guard count < 1 << 58 else { throw .tooLong }
            count = count << 4 | digit
            digits += 1
        }
        // Some pad their lengths with blanks; behind a semicolon stand extensions.
        let rest = queue.bytes[digits..<line].drop(while: HTTPSyntax.isBlank)
        guard digits > 0, rest.first.map({ $0 == UInt8(ascii: ";") }) ?? true, rest.allSatisfy(HTTPSyntax.isFieldContent) else {
            throw .malformed("a chunk of the body does not say how long it is")
        }
        try allow(count)
        queue.consume(line + 2)
        state = count > 0 ? .chunk(count) : .trailers(0)
        return true
    }

    private mutating func readChunkEnd(_ queue: inout ByteQueue) throws(HTTPViolation) -> Bool {
        let bytes = queue.bytes
        guard bytes.count > 0 else { return false }
        guard bytes[0] == 0x0D, bytes.count < 2 || bytes[1] == 0x0A else { throw .malformed("a chunk of the body is longer than it says") }
        guard bytes.count >= 2 else { return false }
        queue.consume(2)
        state = .chunkHead
        return true
    }

    // One line of those behind the last chunk. Nobody here wants to know what they say.
    private mutating func readTrailer(_ queue: inout ByteQueue, _ used: Int) throws(HTTPViolation) -> Bool {
        let left = max(0, HTTPBodyReader.longestTrailers - used)
        guard let line = try HTTPBodyReader.line(in: queue, longest: left) else { return false }
        queue.consume(line + 2)
        state = line == 0 ? .complete : .trailers(used + line + 2)
        return true
    }

    /// The length of the line at the front, without its CR and LF; nil if it has not come yet.
    private static func line(in queue: borrowing ByteQueue, longest: Int) throws(HTTPViolation) -> Int? {
        let bytes = queue.bytes.prefix(longest)
        guard let end = bytes.firstIndex(where: { !HTTPSyntax.isFieldContent($0) }) else {
            guard bytes.count < longest else {
                throw HTTPViolation(status: 431, reason: "a line between the chunks of the body is too long")
            }
            return nil
        }
        guard bytes[end] == 0x0D, end + 1 >= queue.count || queue.bytes[end + 1] == 0x0A else {
            throw .malformed("a line between the chunks of the body does not end with CR and LF")
        }
        return end + 1 < queue.count ? end : nil
    }

    private static func hexDigit(_ byte: UInt8) -> Int? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "A")...UInt8(ascii: "F"): Int(byte - UInt8(ascii: "A")) + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): Int(byte - UInt8(ascii: "a")) + 10
        default: nil
        }
    }
}

extension HTTPViolation {
    static let tooLong = HTTPViolation(status: 413, reason: "the body is longer than is taken here")
}
