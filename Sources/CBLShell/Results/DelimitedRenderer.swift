import CBLFleece
import CBLWorkbench

/// Rows as CSV or TSV, in the form that `export` writes and `import` reads. A missing column is an empty cell.
final class DelimitedRenderer: ResultRenderer {
    private let output: Output
    private let text: DelimitedText
    private let hasHeadings: Bool
    /// The cell of a null, in quotes if it needs them.
    private let null: [UInt8]

    init(output: Output, delimiter: Delimiter, look: ResultLook = ResultLook(), guardsFormulas: Bool = false) {
        let text = DelimitedText(delimiter: delimiter, guardsFormulas: guardsFormulas)
        self.output = output
        self.text = text
        hasHeadings = look.headers != .off
        var cell = ByteBuffer()
        Array(look.null.utf8).withUnsafeBytes { text.append(text: $0, isTitle: true, to: &cell) }
        null = Array(cell.bytes)
    }

    func begin(_ titles: [String]) throws {
        guard hasHeadings else { return }
        try output.write(separator: text.delimiter.onlyByte, lines: { text.append(titles: titles, to: &$0) })
    }

    func add(_ row: ResultRow) throws {
        try output.write(separator: text.delimiter.onlyByte, lines: { append(row, to: &$0) })
    }

    func finish() throws {}

    @inline(__always)
    private func append(_ row: ResultRow, to buffer: inout ByteBuffer) {
        for (index, cell) in row.cells.enumerated() {
            if index > 0 { text.delimiter.append(to: &buffer) }
            switch cell {
            case .missing: break
            case .text(let bytes): text.append(text: bytes, to: &buffer)
            case .collection, .data: text.appendQuoted(to: &buffer) { cell.append(to: &$0, keys: row.keys, style: .canonical) }
            case .null: null.withUnsafeBytes { buffer.append($0) }
            case .boolean, .integer, .unsigned, .double: cell.append(to: &buffer, keys: nil)
            }
        }
        buffer.append(UInt8(ascii: "\n"))
    }
}
