import CBLBase
import CBLLanguage

/// A table of facts that fits in memory: headings underlined, numbers on the right, columns as wide as their widest cell.
///
///     var table = Table([.left("Collection"), .right("Documents")])
///     table.add(["_default", "1234"])
///     try table.write(to: session)
struct Table {
    enum Alignment: Sendable { case left, right }

    struct Column: Sendable {
        let title: String
        let alignment: Alignment

        static func left(_ title: String) -> Column { Column(title: title, alignment: .left) }
        static func right(_ title: String) -> Column { Column(title: title, alignment: .right) }
    }

    static let gap = 2

    let columns: [Column]
    private(set) var rows: [[String]] = []

    init(_ columns: [Column]) { self.columns = columns }

    /// A row with a cell for every column.
    mutating func add(_ cells: [String]) {
        precondition(cells.count == columns.count, "a row of \(cells.count) cells in a table of \(columns.count) columns")
        rows.append(cells)
    }

    var isEmpty: Bool { rows.isEmpty }

    func write(to session: Session) throws(Output.Failure) {
        let shown = session.output.isTerminal ? rows.map { $0.map { TerminalText.escaped($0) } } : rows
        var widths = columns.map { DisplayWidth.of($0.title) }
        for row in shown { for (index, cell) in row.enumerated() { widths[index] = max(widths[index], DisplayWidth.of(cell)) } }
        let width = session.terminal.outputIsTerminal && session.output.isTerminal ? session.terminal.width : Int.max
        // Columns without a title are bars, which nobody misses.
        var titled = widths.prefix((columns.lastIndex { !$0.title.isEmpty } ?? 0) + 1)
        // Neither is it in the way that a text at the end goes on in the next row.
        if columns[titled.count - 1].alignment == .left { titled.removeLast() }
        if titled.reduce(-Table.gap, { $0 + Table.gap + $1 }) > width { return try writeStacked(shown, width, to: session) }
        try Table.writeHeadings(columns, widths, to: session)
        for row in shown {
            // Nothing stands behind the last cell that says something.
            let end = (row.lastIndex { !$0.isEmpty } ?? 0) + 1
            for index in 0..<end { try write(row[index], index, widths, isLast: index == end - 1, to: session.output) }
            try session.output.write("\n")
        }
    }

    /// For a screen that is too narrow: the first cell of each row, and below it what the others say, by their titles.
    private func writeStacked(_ shown: [[String]], _ width: Int, to session: Session) throws(Output.Failure) {
        let indent = 4
        for row in shown {
            try session.write(row[0].isEmpty ? "-" : row[0], .strong)
            try session.output.write("\n")
            let facts = zip(columns, row).dropFirst().filter { !$0.0.title.isEmpty && !$0.1.isEmpty }.map { "\($0.0.title): \($0.1)" }
            for line in WrappedText.lines(facts, between: ", ", width: width - indent) {
                try session.output.write(repeating: UInt8(ascii: " "), count: indent)
                try session.output.write(line)
                try session.output.write("\n")
            }
        }
    }

    /// A terminal with colours underlines; elsewhere a row of dashes stands below.
    static func writeHeadings(_ columns: [Column], _ widths: [Int], to session: Session) throws(Output.Failure) {
        let output = session.output
        // Bars at the end of a row need no title.
        let columns = columns[..<((columns.lastIndex { !$0.title.isEmpty } ?? 0) + 1)]
        for (index, column) in columns.enumerated() {
            let padding = widths[index] - DisplayWidth.of(column.title)
            if column.alignment == .right { try output.write(repeating: UInt8(ascii: " "), count: padding) }
            try session.write(column.title, .heading)
            guard index < columns.count - 1 else { continue }
            try output.write(repeating: UInt8(ascii: " "), count: Table.gap + (column.alignment == .left ? padding : 0))
        }
        try output.write("\n")
        if session.terminal.usesColor { return }
        for (index, width) in widths.prefix(columns.count).enumerated() {
            try output.write(repeating: UInt8(ascii: "-"), count: width)
            if index < columns.count - 1 { try output.write(repeating: UInt8(ascii: " "), count: Table.gap) }
        }
        try output.write("\n")
    }

    private func write(_ cell: String, _ index: Int, _ widths: [Int], isLast: Bool, to output: Output) throws(Output.Failure) {
        let padding = widths[index] - DisplayWidth.of(cell)
        if columns[index].alignment == .right { try output.write(repeating: UInt8(ascii: " "), count: padding) }
        try output.write(cell)
        if isLast { return }
        try output.write(repeating: UInt8(ascii: " "), count: Table.gap + (columns[index].alignment == .left ? padding : 0))
    }
}
