import Fleece
import Glibc
import SQLPlusPlus

/// Standard output, or a file in its place: a large buffer in front of `write(2)`. Hot: see the listing benchmarks.
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
    /// Control characters in text from a database must not reach a terminal: they could rewrite the screen.
    let isTerminal: Bool
    private var buffer = ByteBuffer(capacity: Output.capacity + 4096)
    private(set) var failure: Failure?
    /// Decides where the text goes, if it may be more than the screen shows.
    private let pager: ScreenPager?

    init(descriptor: Int32 = STDOUT_FILENO, isTerminal: Bool? = nil, pager: ScreenPager? = nil) {
        self.descriptor = descriptor
        self.pager = pager
        self.isTerminal = isTerminal ?? (isatty(descriptor) == 1)
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
        if bytes.count > Output.capacity - buffer.count {
            try drain()
            if bytes.count >= Output.capacity { return try send(bytes) }
        }
        buffer.append(bytes)
    }

    func write(_ byte: UInt8) throws(Failure) {
        if buffer.count >= Output.capacity { try drain() }
        buffer.append(byte)
    }

    /// Lets `render` append to the buffer itself, without a copy on the way. It may hold lines: on a terminal their ends stay, and other
    /// control characters are shown as escapes.
    @inline(__always)
    func writeText(lines render: (inout ByteBuffer) throws -> Void) throws {
        let start = buffer.count
        try render(&buffer)
        if isTerminal { try escapeText(from: start) }
        if buffer.count >= Output.capacity { try drain() }
    }

    private func escapeText(from start: Int) throws(Failure) {
        let text = UnsafeRawBufferPointer(rebasing: buffer.bytes[start...])
        guard TerminalText.needsEscapes(text) else { return }
        let copy = Array(text)
        buffer.truncate(to: start)
        let result = copy.withUnsafeBytes { bytes in
            Result { () throws(Failure) in try writeText(lines: bytes) }
        }
        try result.get()
    }

    func write(_ text: StaticString) throws(Failure) {
        guard text.hasPointerRepresentation else { return try write(text.description) }
        try write(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    @_disfavoredOverload
    func write(_ text: String) throws(Failure) {
        var text = text
        let result: Result<Void, Failure> = text.withUTF8 { bytes in
            do throws(Failure) { return .success(try write(UnsafeRawBufferPointer(bytes))) } catch { return .failure(error) }
        }
        try result.get()
    }

    func writeLine(_ text: String) throws(Failure) {
        try write(text)
        try write(UInt8(ascii: "\n"))
    }

    /// Text from a database: on a terminal its control characters are shown as escapes.
    func writeText(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
        if !isTerminal || !TerminalText.needsEscapes(bytes) { return try write(bytes) }
        try write(TerminalText.escaped(bytes))
    }

    @_disfavoredOverload
    func writeText(_ text: String) throws(Failure) {
        try write(isTerminal ? TerminalText.escaped(text) : text)
    }

    /// A number in decimal digits, without a `String`.
    func write(integer value: some FixedWidthInteger) throws(Failure) {
        if let value = Int64(exactly: value) { buffer.append(decimal: value) } else { buffer.append(decimal: UInt64(value)) }
    }

    func write(repeating byte: UInt8, count times: Int) throws(Failure) {
        buffer.append(repeating: byte, count: times)
        if buffer.count >= Output.capacity { try drain() }
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
