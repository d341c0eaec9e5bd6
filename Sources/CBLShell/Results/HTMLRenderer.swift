import CBLFleece

/// Rows as an HTML table, to be put into a page.
final class HTMLRenderer: ResultRenderer {
    private let output: Output
    private var cell = ByteBuffer(capacity: 256)

    private let hasHeadings: Bool
    private let null: [UInt8]

    init(output: Output, look: ResultLook = ResultLook()) {
        self.output = output
        hasHeadings = look.headers != .off
        null = Array(look.null.utf8)
    }

    func begin(_ titles: [String]) throws {
        guard hasHeadings else { return try output.write("<table>\n<tbody>\n") }
        try output.write("<table>\n<thead>\n<tr>")
        for title in titles {
            cell.removeAll()
            cell.append(title)
            try output.write("<th>")
            try writeCell()
            try output.write("</th>")
        }
        try output.write("</tr>\n</thead>\n<tbody>\n")
    }

    func add(_ row: ResultRow) throws {
        try output.write("<tr>")
        for value in row.cells {
            cell.removeAll()
            value.appendPlain(row.keys, .canonical, null: null, to: &cell)
            try output.write(value.isNumber ? "<td style=\"text-align:right\">" : "<td>")
            try writeCell()
            try output.write("</td>")
        }
        try output.write("</tr>\n")
    }

    func finish() throws { try output.write("</tbody>\n</table>\n") }

    private func writeCell() throws {
        try output.write(lines: { buffer in
            for byte in cell.bytes {
                switch byte {
                case UInt8(ascii: "<"): buffer.append("&lt;")
                case UInt8(ascii: ">"): buffer.append("&gt;")
                case UInt8(ascii: "&"): buffer.append("&amp;")
                case UInt8(ascii: "\""): buffer.append("&quot;")
                case 0: buffer.append("\u{FFFD}")
                default: buffer.append(byte)
                }
            }
        })
    }
}
