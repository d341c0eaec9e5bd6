import Fleece

extension CommandError {
    // So much of a long line is shown around the error.
    private static let excerptWidth = 72

    /// Says what is wrong with JSON text, and shows where:
    ///
    ///     cblite: JSON error at line 1, column 9: expected a value, found '}'
    ///         {"name":}
    ///                 ^
    static func invalidJSON(_ error: JSONError, in text: UnsafeRawBufferPointer, source: String? = nil) -> CommandError {
        let place =
            error.line > 1 || text.contains(UInt8(ascii: "\n")) ? "line \(error.line), column \(error.column)" : "column \(error.column)"
        let prefix = source.map { "\($0): " } ?? ""
        return .failed("\(prefix)JSON error at \(place): \(error.message)", hint: excerpt(text, at: error.offset))
    }

    private static func excerpt(_ text: UnsafeRawBufferPointer, at offset: Int) -> String? {
        let offset = min(offset, text.count)
        let start = text[..<offset].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        let end = text[offset...].firstIndex(of: UInt8(ascii: "\n")) ?? text.count
        // Whatever the line is, four bytes make a character at most.
        let nearStart = max(start, offset - 4 * excerptWidth)
        let nearEnd = min(end, offset + 4 * excerptWidth)
        var before = shown(text[nearStart..<offset])
        var after = shown(text[offset..<nearEnd])
        if before.count > excerptWidth * 2 / 3 { before = "…" + before.suffix(excerptWidth * 2 / 3) }
        let room = excerptWidth - before.count
        if after.count > room { after = after.prefix(room) + "…" }
        guard !(before.isEmpty && after.isEmpty) else { return nil }
        return "    \(before)\(after)\n    \(String(repeating: " ", count: DisplayWidth.of(before)))^"
    }

    // Tabs and other control characters would move the caret away from its place.
    private static func shown(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        var result = ""
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            result.unicodeScalars.append(TerminalText.isHarmful(scalar) ? " " : scalar)
        }
        return result
    }
}
