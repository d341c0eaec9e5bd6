import CBLFleece

/// Rows as a Markdown table (GitHub's). Columns whose first cell is a number stand on the right.
final class MarkdownRenderer: ResultRenderer {
    private let output: Output
    private var titles: [String] = []
    /// Nothing more has to stand before the first row.
    private var hasHeading: Bool
    private let null: [UInt8]
    private var cell = ByteBuffer(capacity: 256)

    init(output: Output, look: ResultLook = ResultLook()) {
        self.output = output
        hasHeading = look.headers == .off
        null = Array(look.null.utf8)
    }

    func begin(_ titles: [String]) throws { self.titles = titles }

    func add(_ row: ResultRow) throws {
        if !hasHeading { try writeHeading(isNumber: row.cells.map(\.isNumber)) }
        for value in row.cells {
            cell.removeAll()
            value.appendPlain(row.keys, .canonical, null: null, to: &cell)
            try output.write("| ")
            try writeCell()
            try output.write(" ")
        }
        try output.write("|\n")
    }

    func finish() throws {
        if !hasHeading { try writeHeading(isNumber: titles.map { _ in false }) }
    }

    private func writeHeading(isNumber: [Bool]) throws {
        hasHeading = true
        for title in titles {
            cell.removeAll()
            cell.append(title)
            try output.write("| ")
            try writeCell()
            try output.write(" ")
        }
        try output.write("|\n")
        for isNumber in isNumber { try output.write(isNumber ? "|---:" : "|---") }
        try output.write("|\n")
    }

    private func writeCell() throws {
        try output.write(lines: { MarkdownText.append(cell.bytes, to: &$0) })
    }
}

/// Text so written that Markdown shows it as it is.
enum MarkdownText {
    static func append(_ text: UnsafeRawBufferPointer, to buffer: inout ByteBuffer) {
        for (index, byte) in text.enumerated() {
            switch byte {
            case UInt8(ascii: "|"), UInt8(ascii: "\\"), UInt8(ascii: "`"), UInt8(ascii: "*"), UInt8(ascii: "["), UInt8(ascii: "~"):
                buffer.append(UInt8(ascii: "\\"))
                buffer.append(byte)
            case UInt8(ascii: "_") where !(isWord(text, index - 1) && isWord(text, index + 1)): buffer.append("\\_")
            case UInt8(ascii: "<"): buffer.append("&lt;")
            case UInt8(ascii: "&"): buffer.append("&amp;")
            case UInt8(ascii: "\n"): buffer.append("<br>")
            case UInt8(ascii: "\r"): break
            default: buffer.append(byte)
            }
        }
    }

    // An underscore within a word means nothing.
    private static func isWord(_ text: UnsafeRawBufferPointer, _ index: Int) -> Bool {
        guard index >= 0, index < text.count else { return false }
        switch text[index] {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
            return true
        default: return false
        }
    }
}
