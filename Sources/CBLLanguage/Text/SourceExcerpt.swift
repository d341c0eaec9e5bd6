import CBLBase

/// A place in a text, as it is shown to a person: line and column, and the line with a mark below.
package struct SourceExcerpt {
    private let text: UnsafeRawBufferPointer
    private let range: Range<Int>

    // So much of a long line is shown around the place.
    private static let width = 72

    /// The range is marked; if it is empty, or beyond the end of the text, the place where it begins.
    package init(_ text: UnsafeRawBufferPointer, _ range: Range<Int>) {
        self.text = text
        self.range = range.clamped(to: 0..<text.count)
    }

    /// `column 9`, or `line 2, column 9` if the text has more than one line. Columns count characters.
    package var place: String {
        let column = "column \(text[lineStart..<range.lowerBound].count { $0 & 0xC0 != 0x80 } + 1)"
        guard text.contains(UInt8(ascii: "\n")) else { return column }
        return "line \(text[..<range.lowerBound].count { $0 == UInt8(ascii: "\n") } + 1), \(column)"
    }

    /// The line and the mark, each indented; none if the line is empty:
    ///
    ///     SELECT name FORM airline
    ///                 ^~~~
    package var lines: [String] {
        // Whatever the line is, four bytes make a character at most.
        let nearStart = max(lineStart, range.lowerBound - 4 * SourceExcerpt.width)
        let nearEnd = min(lineEnd, range.lowerBound + 4 * SourceExcerpt.width)
        var before = shown(nearStart..<range.lowerBound)
        var after = shown(range.lowerBound..<nearEnd)
        if before.count > SourceExcerpt.width * 2 / 3 { before = "…" + before.suffix(SourceExcerpt.width * 2 / 3) }
        let room = SourceExcerpt.width - before.count
        if after.count > room { after = after.prefix(room) + "…" }
        guard !(before.isEmpty && after.isEmpty) else { return [] }
        let marked = DisplayWidth.of(String(shown(range.lowerBound..<min(range.upperBound, nearEnd)).prefix(room)))
        let mark = "^" + String(repeating: "~", count: max(0, marked - 1))
        return ["    \(before)\(after)", "    \(String(repeating: " ", count: DisplayWidth.of(before)))\(mark)"]
    }

    private var lineStart: Int { text[..<range.lowerBound].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0 }
    private var lineEnd: Int { text[range.lowerBound...].firstIndex(of: UInt8(ascii: "\n")) ?? text.count }

    // Tabs and other control characters would move the mark away from its place.
    private func shown(_ part: Range<Int>) -> String {
        var result = ""
        for scalar in String(decoding: text[part], as: UTF8.self).unicodeScalars {
            result.unicodeScalars.append(TerminalText.isHarmful(scalar) ? " " : scalar)
        }
        return result
    }
}
