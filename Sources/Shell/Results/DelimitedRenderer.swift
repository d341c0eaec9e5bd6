import Fleece

/// Rows as CSV or TSV, in the form that `export` writes and `import` reads. A missing column is an empty cell.
final class DelimitedRenderer: ResultRenderer {
    private let output: Output
    private let text: DelimitedText

    init(output: Output, delimiter: UInt8) {
        self.output = output
        text = DelimitedText(delimiter: delimiter)
    }

    func begin(_ titles: [String]) throws {
        try output.writeText(lines: { text.append(titles: titles, to: &$0) })
    }

    func add(_ row: ResultRow) throws {
        try output.writeText(lines: { append(row, to: &$0) })
    }

    func finish() throws {}

    @inline(__always)
    private func append(_ row: ResultRow, to buffer: inout ByteBuffer) {
        for (index, cell) in row.cells.enumerated() {
            if index > 0 { buffer.append(text.delimiter) }
            switch cell {
            case .missing: break
            case .text(let bytes): text.append(text: bytes, to: &buffer)
            case .collection, .data: text.appendQuoted(to: &buffer) { cell.append(to: &$0, keys: row.keys, style: .canonical) }
            case .null, .boolean, .integer, .unsigned, .double: cell.append(to: &buffer, keys: nil)
            }
        }
        buffer.append(UInt8(ascii: "\n"))
    }
}
