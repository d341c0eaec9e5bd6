import Glibc

/// A file to read, or standard input for `-`. Read in large pieces, so that a file of any size needs little memory. Hot: `import`.
///
///     let input = try InputSource(path: "people.jsonl")
///     while let line = try input.nextLine() { … }
package final class InputSource {
    private static let chunk = 256 * 1024

    /// For messages: the path, or `standard input`.
    package let name: String
    /// Bytes there are to read, if that is known: the total of a progress line.
    package let size: Int?
    /// Lines given so far: the number of the last one.
    @exclusivity(unchecked) package private(set) var lineNumber = 0
    /// Bytes given so far.
    @exclusivity(unchecked) package private(set) var offset = 0

    /// Called before each piece is read: what it throws ends the reading.
    private let check: () throws -> Void
    private let descriptor: Int32
    private let closes: Bool
    @exclusivity(unchecked) private var buffer: UnsafeMutableRawBufferPointer
    /// What has been read and not been given yet.
    @exclusivity(unchecked) private var unread: Range<Int> = 0..<0
    @exclusivity(unchecked) private var isAtEnd = false

    package init(path: String, check: @escaping () throws -> Void = {}) throws(FileError) {
        self.check = check
        let isStandardInput = path == "-"
        name = isStandardInput ? "standard input" : path
        descriptor = isStandardInput ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0 { throw FileError(path, errno: errno) }
        closes = !isStandardInput
        var facts = stat()
        let isKnown = fstat(descriptor, &facts) == 0
        if isKnown, facts.st_mode & S_IFMT == S_IFDIR {
            if closes { close(descriptor) }
            throw FileError("\(path): is a directory")
        }
        size = isKnown && facts.st_mode & S_IFMT == S_IFREG ? Int(facts.st_size) : nil
        buffer = .allocate(byteCount: InputSource.chunk, alignment: 16)
    }

    deinit {
        if closes { close(descriptor) }
        buffer.deallocate()
    }

    /// The next bytes, as many as are at hand; nil at the end. Valid until the next call.
    package func nextChunk() throws -> UnsafeRawBufferPointer? {
        if unread.isEmpty { try fill() }
        return unread.isEmpty ? nil : take(unread.count)
    }

    /// The next line without its end, LF or CRLF; nil at the end. Valid until the next call. A line that goes on for more than `limit` bytes is
    /// an error, before it fills the memory.
    package func nextLine(limit: Int = Int.max) throws -> UnsafeRawBufferPointer? {
        var searched = 0
        while true {
            if let end = newline(from: unread.lowerBound + searched) {
                let length = end - unread.lowerBound
                let line = take(length + 1)
                lineNumber += 1
                let hasReturn = length > 0 && line[length - 1] == UInt8(ascii: "\r")
                return UnsafeRawBufferPointer(rebasing: line[..<(hasReturn ? length - 1 : length)])
            }
            searched = unread.count
            guard !isAtEnd else { break }
            guard searched <= limit else { throw FileError("\(name): line \(lineNumber + 1) has more than \(limit) bytes") }
            try fill()
        }
        guard !unread.isEmpty else { return nil }
        lineNumber += 1
        return take(unread.count)
    }

    /// The next byte that is not white space, without taking it: it tells a JSON array from lines. Nil at the end.
    package func peek() throws -> UInt8? {
        var searched = 0
        while true {
            for index in (unread.lowerBound + searched)..<unread.upperBound {
                switch buffer[index] {
                case 0x20, 0x09, 0x0A, 0x0D: continue
                default: return buffer[index]
                }
            }
            searched = unread.count
            guard !isAtEnd else { return nil }
            try fill()
        }
    }

    /// What has been read and not been taken yet. Valid until the next `readMore`.
    package var window: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: buffer[unread]) }

    /// Takes the first bytes of the window.
    package func consume(_ count: Int) { _ = take(min(count, unread.count)) }

    /// Makes the window longer; false at the end of the input.
    package func readMore() throws -> Bool {
        if isAtEnd { return false }
        try fill()
        return !isAtEnd
    }

    /// Lends everything that is left.
    package func withAll<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result {
        // A file of known size is read in one go; the extra byte lets the end be noticed.
        if let size, size - offset > buffer.count - unread.count { grow(to: size - offset + 1) }
        while !isAtEnd { try fill() }
        return try withExtendedLifetime(self) { try body(take(unread.count)) }
    }

    private func newline(from start: Int) -> Int? {
        guard start < unread.upperBound, let base = buffer.baseAddress else { return nil }
        return memchr(base + start, 0x0A, unread.upperBound - start).map { UnsafeRawPointer($0) - UnsafeRawPointer(base) }
    }

    private func take(_ count: Int) -> UnsafeRawBufferPointer {
        let taken = UnsafeRawBufferPointer(rebasing: buffer[unread.lowerBound..<(unread.lowerBound + count)])
        unread = (unread.lowerBound + count)..<unread.upperBound
        offset += count
        return taken
    }

    /// Reads once more behind what is there.
    private func fill() throws {
        if unread.lowerBound > 0 {
            if !unread.isEmpty, let base = buffer.baseAddress {
                base.copyMemory(from: base + unread.lowerBound, byteCount: unread.count)
            }
            unread = 0..<unread.count
        }
        if unread.upperBound == buffer.count { grow(to: buffer.count * 2) }
        guard let base = buffer.baseAddress else { return }
        while true {
            try check()
            let count = read(descriptor, base + unread.upperBound, buffer.count - unread.upperBound)
            if count < 0, errno == EINTR { continue }
            if count < 0 { throw FileError(name, errno: errno) }
            if count == 0 { isAtEnd = true }
            unread = unread.lowerBound..<(unread.upperBound + count)
            return
        }
    }

    private func grow(to capacity: Int) {
        guard capacity > buffer.count else { return }
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 16)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[unread]))
        buffer.deallocate()
        buffer = larger
        unread = 0..<unread.count
    }
}
