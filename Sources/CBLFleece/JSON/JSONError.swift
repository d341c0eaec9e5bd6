/// Which grammar a text is read by.
package enum JSONDialect: Sendable {
    /// RFC 8259.
    case json
    /// JSON5: comments, single quotes, bare keys, trailing commas, more forms of numbers and escapes. Not its `Infinity` and
    /// `NaN`, which have no place in a document.
    case json5
}

/// What is wrong with a JSON text, and where.
package struct JSONError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A sentence without the place, such as `expected ',' or ']', found 'x'`.
    package let message: String
    /// The byte the message is about, from 0.
    package let offset: Int
    /// The line of that byte, from 1.
    package let line: Int
    /// The character within that line, from 1.
    package let column: Int
    /// Whether the text is right so far and only stops too early, so that more of it could mend it.
    package let isUnfinished: Bool

    package var description: String { "line \(line), column \(column): \(message)" }

    init(_ message: String, at offset: Int, of text: UnsafeRawBufferPointer, isUnfinished: Bool) {
        let before = text.prefix(offset)
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? text.startIndex
        self.message = message
        self.offset = offset
        self.line = before.count { $0 == UInt8(ascii: "\n") } + 1
        self.column = text[lineStart..<max(lineStart, offset)].count { $0 & 0xC0 != 0x80 } + 1
        self.isUnfinished = isUnfinished
    }
}
