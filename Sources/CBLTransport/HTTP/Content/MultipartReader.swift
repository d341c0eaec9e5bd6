import Glibc

/// Takes a body of several parts apart as it comes: bytes in pieces of any size, events out. It keeps the headers of one part at the most; content
/// goes through without being copied.
///
///     var reader = try MultipartReader(type)
///     try reader.read(piece) { event in … }
///     try reader.finish()
///
/// Hot: the search for the end of a part; see `Benchmarks`.
package struct MultipartReader: Sendable {
    package enum Event {
        case part(HTTPHeaders)
        /// Comes next in the part; valid until the event was dealt with.
        case content(UnsafeRawBufferPointer)
        case partEnd
        case end
    }

    package struct Limits: Sendable {
        /// Of one part.
        package var headerBytes = 16384
        package var parts = 1_000_000
        /// Before the first part.
        package var preambleBytes = 65536
        /// So many levels of parts that have parts themselves.
        package var depth = 3

        package init() {}
    }

    private enum State {
        /// In front of the first part, or in one.
        case content(isPreamble: Bool)
        /// Behind a boundary, where its line has to end.
        case boundaryLine(isPreamble: Bool)
        case headers
        /// Behind the last boundary. What stands there is nobody's.
        case end
    }

    static let longestBoundary = 200
    private static let mostBlanks = 256

    private let limits: Limits
    // CR, LF, two hyphens and the boundary. CR is in it once, so what broke off in the midst of it can only begin anew with the next CR.
    private let delimiter: [UInt8]
    private var state = State.content(isPreamble: true)
    // So many bytes of the delimiter came, the last of what has come.
    private var matched = 2
    // Of those, so many are no content if it breaks off: they ended the headers, or were never there.
    private var borrowed = 2
    // What follows a boundary in its line, or the headers.
    private var line: [UInt8] = []
    private var partCount = 0
    private var preambleCount = 0

    /// Of a body of that type, which says what the boundary is.
    package init(_ type: MediaType, limits: Limits = Limits()) throws(MultipartFailure) {
        guard type.isMultipart else { throw .malformed("\(type.essence) has no parts") }
        guard let boundary = type.parameters["boundary"] else { throw .malformed("the type does not say what is between the parts") }
        try self.init(boundary: boundary, limits: limits)
    }

    package init(boundary: String, limits: Limits = Limits()) throws(MultipartFailure) {
        let bytes = boundary.utf8
        guard !bytes.isEmpty, bytes.count <= MultipartReader.longestBoundary, bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }),
            bytes.last != 0x20
        else { throw .malformed("the boundary between the parts cannot be one") }
        delimiter = Array("\r\n--\(boundary)".utf8)
        self.limits = limits
    }

    /// The reader of a part's content, if that has parts itself.
    package func nested(in headers: HTTPHeaders) throws(MultipartFailure) -> MultipartReader? {
        guard let header = headers["Content-Type"], lowerCased(trimmed(header)).hasPrefix("multipart/") else { return nil }
        guard let type = MediaType(header) else { throw .malformed("the type of a part cannot be read") }
        guard limits.depth > 1 else { throw .tooMuch("parts within parts within parts") }
        var limits = limits
        limits.depth -= 1
        return try MultipartReader(type, limits: limits)
    }

    package mutating func read(_ bytes: UnsafeRawBufferPointer, _ handle: (Event) throws -> Void) throws {
        var rest = bytes
        while !rest.isEmpty {
            let count: Int
            switch state {
            case .content(let isPreamble): count = try readContent(rest, isPreamble, handle)
            case .boundaryLine(let isPreamble): count = try readBoundaryLine(rest, isPreamble, handle)
            case .headers: count = try readHeaders(rest, handle)
            case .end: return
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }

    /// There is no more to come.
    package func finish() throws(MultipartFailure) {
        guard case .end = state else { throw MultipartFailure(kind: .cutOff, reason: "it ends before its last part does") }
    }

    private mutating func readContent(_ bytes: UnsafeRawBufferPointer, _ isPreamble: Bool, _ handle: (Event) throws -> Void) throws -> Int {
        let start: Int
        let count: Int
        if matched > 0 {
            (start, count) = (0, commonPrefix(of: bytes, from: matched))
            matched += count
            if matched < delimiter.count, count < bytes.count { try giveMatched(isPreamble, handle) }
        } else {
            (start, count) = nextDelimiter(in: bytes)
            try give(UnsafeRawBufferPointer(rebasing: bytes[..<start]), isPreamble, handle)
            matched = count
        }
        if matched == delimiter.count { state = .boundaryLine(isPreamble: isPreamble) }
        return start + count
    }

    // Where one begins, and how much of it is there: not all, if the bytes end. Without one it begins, with nothing, where they end.
    private func nextDelimiter(in bytes: UnsafeRawBufferPointer) -> (start: Int, count: Int) {
        guard let base = bytes.baseAddress else { return (0, 0) }
        var position = 0
        while let found = memchr(base + position, 0x0D, bytes.count - position) {
            let start = UnsafeRawPointer(found) - base
            let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
            let count = commonPrefix(of: rest, from: 0)
            if count == delimiter.count || count == rest.count { return (start, count) }
            position = start + 1
        }
        return (bytes.count, 0)
    }

    private func commonPrefix(of bytes: UnsafeRawBufferPointer, from offset: Int) -> Int {
        let most = min(bytes.count, delimiter.count - offset)
        return delimiter.withUnsafeBufferPointer { delimiter in
            var count = 0
            while count < most, bytes[count] == delimiter[offset + count] { count += 1 }
            return count
        }
    }

    // What looked like a delimiter was content after all, but for what was borrowed. The byte that follows begins anew.
    private mutating func giveMatched(_ isPreamble: Bool, _ handle: (Event) throws -> Void) throws {
        let part = borrowed..<max(matched, borrowed)
        (matched, borrowed) = (0, 0)
        try delimiter.withUnsafeBytes { try give(UnsafeRawBufferPointer(rebasing: $0[part]), isPreamble, handle) }
    }

    private mutating func give(_ bytes: UnsafeRawBufferPointer, _ isPreamble: Bool, _ handle: (Event) throws -> Void) throws {
        guard !bytes.isEmpty else { return }
        guard isPreamble else { return try handle(.content(bytes)) }
        preambleCount += bytes.count
        guard preambleCount <= limits.preambleBytes else { throw MultipartFailure.tooMuch("there is no part at its beginning") }
    }

    // Blanks and the end of a line, or two hyphens. If anything else stands there, it was no boundary, but content that begins like one.
    private mutating func readBoundaryLine(
        _ bytes: UnsafeRawBufferPointer, _ isPreamble: Bool, _ handle: (Event) throws -> Void
    ) throws -> Int {
        for (index, byte) in bytes.enumerated() {
            let previous = line.last
            line.append(byte)
            if previous == 0x0D, byte == 0x0A {
                try beginPart(isPreamble, handle)
                return index + 1
            } else if line.count == 2, previous == UInt8(ascii: "-"), byte == previous {
                if !isPreamble { try handle(.partEnd) }
                state = .end
                try handle(.end)
                return index + 1
            }
            let goesOn =
                switch previous {
                case nil: HTTPSyntax.isBlank(byte) || byte == 0x0D || byte == UInt8(ascii: "-")
                case 0x20, 0x09: HTTPSyntax.isBlank(byte) || byte == 0x0D
                default: false
                }
            guard goesOn, line.count <= MultipartReader.mostBlanks else {
                try resumeContent(isPreamble, handle)
                return index + 1
            }
        }
        return bytes.count
    }

    private mutating func beginPart(_ isPreamble: Bool, _ handle: (Event) throws -> Void) throws {
        if !isPreamble { try handle(.partEnd) }
        partCount += 1
        guard partCount <= limits.parts else { throw MultipartFailure.tooMuch("there are more than \(limits.parts) parts") }
        line = []
        state = .headers
    }

    // There is no complete delimiter in the line: that needs the end of one.
    private mutating func resumeContent(_ isPreamble: Bool, _ handle: (Event) throws -> Void) throws {
        state = .content(isPreamble: isPreamble)
        try giveMatched(isPreamble, handle)
        let held = line
        line = []
        try held.withUnsafeBytes { try read($0, handle) }
    }

    private mutating func readHeaders(_ bytes: UnsafeRawBufferPointer, _ handle: (Event) throws -> Void) throws -> Int {
        let count = bytes.firstIndex(of: 0x0A).map { $0 + 1 } ?? bytes.count
        guard line.count + count <= limits.headerBytes else {
            throw MultipartFailure.tooMuch("the headers of a part are longer than \(limits.headerBytes) bytes")
        }
        line += bytes[..<count]
        if line == [0x0D, 0x0A] || line.suffix(4) == [0x0D, 0x0A, 0x0D, 0x0A] {
            let headers = try HTTPHeaders(part: line)
            line = []
            // The empty line may be the beginning of the next delimiter: a part without content is nothing but headers.
            (matched, borrowed) = (2, 2)
            state = .content(isPreamble: false)
            try handle(.part(headers))
        }
        return count
    }
}
