import CBLFleece

/// Rows as JSON objects: an array with a row on each line, byte by byte as the vendor's program prints it, or JSON Lines.
///
///     [{"name": "Ada", "age": 36},
///      {"name": "Bob"}]
///
/// A column that is missing in a row is left out. In the interactive shell an array's rows that are wider than the screen go over several lines. Hot: the benchmarks `star` and `sort`.
final class JSONRenderer: ResultRenderer {
    enum Layout { case array, lines }

    private let session: Session
    private let output: Output
    private let layout: Layout
    private let style: JSONStyle
    /// For each column what stands before its value, the comma too: `, "name": `.
    @exclusivity(unchecked) private var keys = ByteBuffer()
    @exclusivity(unchecked) private var keyEnds: [Int] = []
    private var commaLength: Int { layout == .array ? 2 : 1 }
    @exclusivity(unchecked) private var isFirst = true
    private let isColored: Bool
    /// The width that rows are folded to.
    private let foldingWidth: Int?
    private var row = ByteBuffer()

    init(session: Session, layout: Layout, json5: Bool = false) {
        self.session = session
        let folds = layout == .array && session.look.foldsJSON && session.output.isTerminal
        foldingWidth = folds ? session.terminal.width : nil
        self.layout = layout
        output = session.output
        isColored = session.terminal.usesColor
        style = json5 ? [.canonical, .json5] : .canonical
    }

    func begin(_ titles: [String]) throws {
        for title in titles {
            keys.append(layout == .array ? ", " : ",")
            var title = title
            title.withUTF8 { JSONWriter.write(key: UnsafeRawBufferPointer($0), style: style, to: &keys) }
            keys.append(layout == .array ? ": " : ":")
            keyEnds.append(keys.count)
        }
        if layout == .array { try output.write("[") }
    }

    func add(_ row: ResultRow) throws {
        if layout == .array, !isFirst { try output.write(",\n ") }
        isFirst = false
        if let foldingWidth { return try addFolded(row, foldingWidth) }
        if isColored { return try session.writeJSON(endsLine: layout == .lines) { append(row, to: &$0) } }
        try output.writeJSON(endsLine: layout == .lines) { append(row, to: &$0) }
    }

    private func addFolded(_ row: ResultRow, _ width: Int) throws {
        self.row.removeAll()
        append(row, to: &self.row)
        // In front of each row stands a bracket or a blank.
        try session.writeJSON(endsLine: false) { JSONFolding.append(self.row.bytes, width: width, indent: 1, to: &$0) }
    }

    func finish() throws {
        if layout == .array { try output.write("]\n") }
    }

    @inline(__always)
    private func append(_ row: ResultRow, to buffer: inout ByteBuffer) {
        buffer.append(UInt8(ascii: "{"))
        var skipped = commaLength
        var start = 0
        for (column, cell) in row.cells.enumerated() {
            let end = keyEnds[column]
            if !cell.isMissing {
                buffer.append(UnsafeRawBufferPointer(rebasing: keys.bytes[(start + skipped)..<end]))
                cell.append(to: &buffer, keys: row.keys, style: style)
                skipped = 0
            }
            start = end
        }
        buffer.append(UInt8(ascii: "}"))
    }
}
