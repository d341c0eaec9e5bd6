import CBLBase
import CBLFleece
import CBLLanguage
import Glibc

/// Standard output, or a file in its place: a large buffer in front of `write(2)`, and the gate for what reaches a terminal there. Hot: see the
/// listing benchmarks.
///
/// Text that stands in the program goes through as it is. All other text is escaped if it goes to a terminal: it could rewrite the screen,
/// type for the person, or look like what it is not (`TerminalText`). To a file or a pipe it goes byte by byte.
///
/// A write fails once the reader has gone (`| head`) or the disk is full, and ends the command by throwing.
final class Output {
    enum Failure: Error, Equatable {
        /// The reader closed the pipe. Nothing is wrong: nobody wants to hear more.
        case closed
        case system(errno: Int32)
    }

    private static let capacity = 128 * 1024

    private let descriptor: Int32
    let isTerminal: Bool
    @exclusivity(unchecked) private var buffer = ByteBuffer(capacity: Output.capacity + 4096)
    @exclusivity(unchecked) private(set) var failure: Failure?
    /// Decides where the text goes, if it may be more than the screen shows.
    private let pager: ScreenPager?

    init(descriptor: Int32 = STDOUT_FILENO, isTerminal: Bool? = nil, pager: ScreenPager? = nil) {
        self.descriptor = descriptor
        self.pager = pager
        self.isTerminal = isTerminal ?? (isatty(descriptor) == 1)
    }

    // What the program says itself

    /// The only text that reaches a terminal as it is, control sequences included: it stands in the program.
    func write(_ text: StaticString) throws(Failure) {
        let result = text.withUTF8Buffer { bytes in
            Result { () throws(Failure) in try append(UnsafeRawBufferPointer(bytes)) }
        }
        try result.get()
    }

    func write(repeating byte: UInt8, count times: Int) throws(Failure) {
        assert(byte >= 0x20 && byte < 0x7F, "a character that can be seen")
        buffer.append(repeating: byte, count: times)
        if buffer.count >= Output.capacity { try drain() }
    }

    /// A number in decimal digits, without a `String`.
    func write(integer value: some FixedWidthInteger) throws(Failure) {
        if let value = Int64(exactly: value) { buffer.append(decimal: value) } else { buffer.append(decimal: UInt64(value)) }
    }

    // What may hold anything: names and values from a database, an archive, a peer, the command line, and what is made of them

    /// A piece of one line: on a terminal also ends of lines become escapes.
    func write(_ text: UnsafeRawBufferPointer) throws(Failure) {
        guard isTerminal, TerminalText.needsEscapes(text) else { return try append(text) }
        try append(TerminalText.escaped(text))
    }

    @_disfavoredOverload
    func write(_ text: String) throws(Failure) { try append(isTerminal ? TerminalText.escaped(text) : text) }

    /// The same, and the end of the line.
    func writeLine(_ text: String) throws(Failure) {
        try write(text)
        try write("\n")
    }

    /// A piece of one line of a report: what happened, was found or was done. Wherever it goes, no text in it can begin another line.
    func write(report text: String) throws(Failure) { try append(TerminalText.escaped(text)) }

    /// Text of several lines: their ends stay. So does the character that separates the cells of a table, if it is one.
    func write(lines text: UnsafeRawBufferPointer, separator: UInt8? = nil) throws(Failure) {
        let kept = Output.kept(separator)
        guard isTerminal, TerminalText.needsEscapes(text, keeping: kept) else { return try append(text) }
        try append(TerminalText.escaped(text, keeping: kept))
    }

    func write(lines text: String) throws(Failure) {
        try append(isTerminal ? TerminalText.escaped(text, keeping: Output.lineEnds) : text)
    }

    /// Lets `render` append to the buffer itself, without a copy on the way.
    @inline(__always)
    func write(separator: UInt8? = nil, lines render: (inout ByteBuffer) throws -> Void) throws {
        let start = buffer.count
        try render(&buffer)
        if isTerminal { try escape(from: start, separator) }
        if buffer.count >= Output.capacity { try drain() }
    }

    private static let lineEnds = [UInt8(ascii: "\n")]

    private static func kept(_ separator: UInt8?) -> [UInt8] { separator.map { lineEnds + [$0] } ?? lineEnds }

    private func escape(from start: Int, _ separator: UInt8?) throws(Failure) {
        let text = UnsafeRawBufferPointer(rebasing: buffer.bytes[start...])
        guard TerminalText.needsEscapes(text, keeping: Output.kept(separator)) else { return }
        let copy = Array(text)
        buffer.truncate(to: start)
        let result = copy.withUnsafeBytes { bytes in
            Result { () throws(Failure) in try write(lines: bytes, separator: separator) }
        }
        try result.get()
    }

    private func append(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
        if bytes.count > Output.capacity - buffer.count {
            try drain()
            if bytes.count >= Output.capacity { return try send(bytes) }
        }
        buffer.append(bytes)
    }

    private func append(_ text: String) throws(Failure) {
        var text = text
        let result = text.withUTF8 { bytes in
            Result { () throws(Failure) in try append(UnsafeRawBufferPointer(bytes)) }
        }
        try result.get()
    }

    /// Hands everything written so far to the system: somebody is waiting for it.
    func flush() throws(Failure) {
        try drain()
        try pager?.show()
    }

    /// Makes room in the buffer.
    private func drain() throws(Failure) {
        defer { buffer.removeAll() }
        try send(buffer.bytes)
    }

    private func send(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
        if let failure { throw failure }
        do throws(Failure) {
            if let pager { try pager.take(bytes) } else { try Output.send(bytes, to: descriptor) }
        } catch {
            failure = error
            throw error
        }
    }

    /// Writes all of it, however long that takes.
    static func send(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws(Failure) {
        var rest = bytes
        while let start = rest.baseAddress, !rest.isEmpty {
            let written = Glibc.write(descriptor, start, rest.count)
            if written >= 0 {
                rest = UnsafeRawBufferPointer(rebasing: rest[written...])
            } else if errno == EAGAIN {
                var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = Glibc.poll(&poll, 1, -1)
            } else if errno != EINTR {
                throw errno == EPIPE ? .closed : .system(errno: errno)
            }
        }
    }
}
