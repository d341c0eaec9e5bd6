import CBLFleece

/// The cells of CSV and TSV (RFC 4180), so written that `TableSource` reads them back as what they were: text that looks like another value
/// stands in quotes, arrays and objects are JSON.
package struct DelimitedText {
    package let delimiter: Delimiter
    /// Text that a spreadsheet would take for a formula is made text, by an apostrophe in front.
    package var guardsFormulas: Bool

    package init(delimiter: Delimiter, guardsFormulas: Bool = false) {
        self.delimiter = delimiter
        self.guardsFormulas = guardsFormulas
    }

    /// False for a value that has no end, in whose place the cell says so.
    package func append(_ value: Value, _ keys: SharedKeys?, to row: inout ByteBuffer) -> Bool {
        var isWhole = true
        if let text = value.stringBytes {
            append(text: text, to: &row)
        } else if [.array, .dictionary, .data].contains(value.kind) {
            appendQuoted(to: &row) { isWhole = JSONWriter.write(value, keys: keys, style: .compact, to: &$0) }
        } else {
            JSONWriter.write(value, keys: keys, style: .compact, to: &row)
        }
        return isWhole
    }

    /// Text that `render` makes, in quotes.
    package func appendQuoted(to row: inout ByteBuffer, _ render: (inout ByteBuffer) -> Void) {
        var text = ByteBuffer(capacity: 64)
        render(&text)
        appendQuoted(text.bytes, to: &row)
    }

    /// Text stands in quotes if it would be read as something else without them. The names of columns are never anything but text.
    package func append(text: UnsafeRawBufferPointer, isTitle: Bool = false, to row: inout ByteBuffer) {
        if guardsFormulas, FormulaGuard.needsGuard(text) {
            return appendQuoted(to: &row) { guarded in
                guarded.append(FormulaGuard.mark)
                guarded.append(text)
            }
        }
        let first = text.first ?? 0
        let looksLikeValue =
            text.isEmpty || first == UInt8(ascii: "-") || (0x30...0x39).contains(first)
            || [4, 5].contains(text.count) && ["true", "false", "null"].contains(String(decoding: text, as: UTF8.self).lowercased())
        let needsQuotes =
            (looksLikeValue && !isTitle) || first == 0x20 || text.last == 0x20
            || delimiter.mayStand(in: text)
            || text.contains { $0 == UInt8(ascii: "\"") || $0 == 0x0A || $0 == 0x0D }
        if needsQuotes { appendQuoted(text, to: &row) } else { row.append(text) }
    }

    /// A line with the names of the columns.
    package func append(titles: [String], to row: inout ByteBuffer) {
        for (index, title) in titles.enumerated() {
            if index > 0 { delimiter.append(to: &row) }
            var title = title
            title.withUTF8 { append(text: UnsafeRawBufferPointer($0), isTitle: true, to: &row) }
        }
        row.append(UInt8(ascii: "\n"))
    }

    private func appendQuoted(_ text: UnsafeRawBufferPointer, to row: inout ByteBuffer) {
        row.append(UInt8(ascii: "\""))
        for byte in text {
            if byte == UInt8(ascii: "\"") { row.append(byte) }
            row.append(byte)
        }
        row.append(UInt8(ascii: "\""))
    }
}
