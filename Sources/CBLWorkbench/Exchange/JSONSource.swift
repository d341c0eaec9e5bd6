import CBLFleece
import CBLStore
import Glibc

/// Documents as JSON text: one per line, one after another, or the items of one array. Read in pieces, so that a file may be of any size.
/// Hot: benchmark `import`.
package final class JSONSource: DocumentSource {
    private static let longValue = 1 << 18

    private let input: InputSource
    private let dialect: JSONDialect
    private let idKey: [UInt8]
    @exclusivity(unchecked) private var isArray: Bool?
    @exclusivity(unchecked) private var hasEnded = false
    /// Lines that have been left behind: the number of the line that the window begins in, from 0.
    @exclusivity(unchecked) private var line = 0

    @exclusivity(unchecked) private var firstLine = 0

    package var name: String { input.name }
    package var place: String { "\(name), line \(firstLine + 1)" }
    package var position: Int { input.offset }
    package var size: Int? { input.size }

    /// `idKey` names the property that is the document's ID, and not part of it.
    package init(_ input: InputSource, dialect: JSONDialect = .json, idKey: String) {
        self.input = input
        self.dialect = dialect
        self.idKey = Array(idKey.utf8)
    }

    package func next(into encoder: FleeceEncoder, id: inout ByteBuffer) throws -> Bool {
        guard try skipSeparators() else { return false }
        firstLine = line
        while true {
            let window = input.window
            do {
                let parsed = try idKey.withUnsafeBytes {
                    try JSONParser.parsePrefix(of: window, dialect, isWhole: false, extracting: $0, to: &id, into: encoder)
                }
                if let parsed {
                    take(parsed.length)
                    return true
                }
            } catch let error as JSONError {
                throw try malformed(error, encoder)
            }
            encoder.reset()
            // The value is not all there yet. A long one is looked at again when there is twice as much of it.
            let enough = window.count < JSONSource.longValue ? window.count + 1 : window.count * 2
            while input.window.count < enough { if try !input.readMore() { return try last(into: encoder, id: &id) } }
        }
    }

    /// Parses what the input ends with.
    private func last(into encoder: FleeceEncoder, id: inout ByteBuffer) throws -> Bool {
        do {
            let parsed = try idKey.withUnsafeBytes {
                try JSONParser.parsePrefix(of: input.window, dialect, isWhole: true, extracting: $0, to: &id, into: encoder)
            }
            take(parsed?.length ?? input.window.count)
            return true
        } catch let error as JSONError {
            throw try malformed(error, encoder)
        }
    }

    /// Goes to where the next document begins; false if there is none.
    private func skipSeparators() throws -> Bool {
        if hasEnded { return false }
        try skipByteOrderMark()
        while true {
            let window = input.window
            let blanks: Int
            do { blanks = try JSONParser.blanks(at: window, dialect) } catch {
                // A comment that is not closed yet.
                if try input.readMore() { continue }
                // All that follows is in the comment.
                hasEnded = true
                throw MalformedDocument(message: "\(name), line \(line + error.line): \(error.message)")
            }
            take(blanks)
            guard blanks < window.count else {
                if try input.readMore() { continue }
                if isArray == true { throw FileError("\(name): the array is not closed") }
                return false
            }
            let byte = window[blanks]
            switch (byte, isArray) {
            case (UInt8(ascii: "["), nil):
                isArray = true
                take(1)
            case (UInt8(ascii: ","), true):
                take(1)
            case (UInt8(ascii: "]"), true):
                take(1)
                hasEnded = true
                return false
            default:
                if isArray == nil { isArray = false }
                return true
            }
        }
    }

    private func skipByteOrderMark() throws {
        guard isArray == nil, input.offset == 0 else { return }
        while input.window.count < 3, try input.readMore() {}
        if input.window.starts(with: [0xEF, 0xBB, 0xBF]) { input.consume(3) }
    }

    /// What is wrong, with its place in the file; the rest of the line is left out, so that reading can go on behind it.
    private func malformed(_ error: JSONError, _ encoder: FleeceEncoder) throws -> any Error {
        encoder.reset()
        let message = "\(name), line \(line + error.line), column \(error.column): \(error.message)"
        if isArray == true { return FileError(message) }
        // A document over several lines that stops too early: nothing behind it can be told from it.
        var searched = 0
        while true {
            let window = input.window
            if let base = window.baseAddress, let end = memchr(base + searched, 0x0A, window.count - searched) {
                take(UnsafeRawPointer(end) - base + 1)
                break
            }
            searched = window.count
            if try !input.readMore() {
                take(searched)
                break
            }
        }
        return MalformedDocument(message: message)
    }

    private func take(_ count: Int) {
        let window = input.window
        var position = 0
        while position < count, let base = window.baseAddress, let found = memchr(base + position, 0x0A, count - position) {
            line += 1
            position = UnsafeRawPointer(found) - base + 1
        }
        input.consume(count)
    }
}
