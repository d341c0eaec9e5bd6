import Fleece
import SQLPlusPlus

/// Rows as a table: headings underlined unless there is only one column, numbers on the right, missing cells blank, collections as JSON.
///
/// The first rows are held back until it is known how wide their columns are; the others follow as they come, so a result of any size
/// needs no more memory than that. On a terminal the columns are made to fit, and cells that do not are cut; if there is no room for so many
/// columns, the rows are printed line by line instead.
final class TableRenderer: ResultRenderer {
    private static let windowRows = 500
    private static let windowBytes = 256 * 1024
    /// Columns are not made narrower than this.
    private static let leastWidth = 8

    private struct Cell {
        var end: Int
        var width: Int
        var isNumber: Bool
        var isMissing: Bool
    }

    private let session: Session
    private let style: JSONStyle
    /// The columns of the screen; nil if there is none, and nothing has to be cut.
    private let screenWidth: Int?
    private var titles: [String] = []
    private var widths: [Int] = []
    /// Before that, rows are held back.
    private var hasLayout = false
    private var lines: LineRenderer?
    /// The text of the cells of the rows that are held back, or of one row.
    private var text = ByteBuffer(capacity: 4096)
    private var cells: [Cell] = []

    convenience init(session: Session, json5: Bool = false) {
        self.init(session: session, json5: json5, screenWidth: session.output.isTerminal ? session.terminal.width : nil)
    }

    init(session: Session, json5: Bool = false, screenWidth: Int?) {
        self.session = session
        self.screenWidth = screenWidth
        style = json5 ? [.canonical, .json5] : .canonical
    }

    func begin(_ titles: [String]) throws {
        self.titles = titles.map { TerminalText.escaped($0) }
    }

    func add(_ row: ResultRow) throws {
        for value in row.cells {
            let start = text.count
            value.appendPlain(row.keys, style, to: &text)
            cells.append(Cell(end: text.count, width: text.count - start, isNumber: value.isNumber, isMissing: value.isMissing))
            let bytes = UnsafeRawBufferPointer(rebasing: text.bytes[start...])
            if TerminalText.needsEscapes(bytes) { makeSafe(from: start) }
        }
        if hasLayout {
            try writeRows()
        } else if cells.count >= TableRenderer.windowRows * titles.count || text.count >= TableRenderer.windowBytes {
            try layOut()
        }
    }

    func catchUp() throws {
        if !hasLayout, !cells.isEmpty { try layOut() }
    }

    func finish() throws { try catchUp() }

    /// Escapes control characters of the last cell, and measures it.
    private func makeSafe(from start: Int) {
        let safe = TerminalText.escaped(UnsafeRawBufferPointer(rebasing: text.bytes[start...]))
        text.truncate(to: start)
        text.append(safe)
        cells[cells.count - 1].end = text.count
        cells[cells.count - 1].width = DisplayWidth.of(safe)
    }

    private func layOut() throws {
        hasLayout = true
        widths = titles.map { titles.count > 1 ? DisplayWidth.of($0) : 0 }
        var isNumeric = titles.map { _ in true }
        for (index, cell) in cells.enumerated() {
            let column = index % titles.count
            widths[column] = max(widths[column], cell.width)
            if !cell.isNumber, !cell.isMissing { isNumeric[column] = false }
        }
        if let screenWidth, titles.count > 1, !fit(screenWidth, isNumeric) {
            let lines = LineRenderer(session: session)
            try lines.begin(titles)
            self.lines = lines
        } else if titles.count > 1 {
            let columns = zip(titles, isNumeric).enumerated().map { index, column in
                let title = DisplayWidth.cut(column.0, to: widths[index])
                return column.1 ? Table.Column.right(title) : Table.Column.left(title)
            }
            try Table.writeHeadings(columns, widths, to: session)
        }
        try writeRows()
    }

    /// Makes the widest columns narrower until all fit; false if they cannot. A number is never cut: it would be another number.
    private func fit(_ screenWidth: Int, _ isNumeric: [Bool]) -> Bool {
        let available = screenWidth - Table.gap * (widths.count - 1)
        while widths.reduce(0, +) > available {
            let flexible = widths.indices.filter { !isNumeric[$0] && widths[$0] > TableRenderer.leastWidth }
            guard let widest = flexible.map({ widths[$0] }).max() else { return false }
            let excess = widths.reduce(0, +) - available
            let others = flexible.filter { widths[$0] == widest }
            // Down to the next narrower column at once, or as far as is needed.
            let next = flexible.map { widths[$0] }.filter { $0 < widest }.max() ?? TableRenderer.leastWidth
            let width = max(next, widest - (excess + others.count - 1) / others.count)
            for column in others { widths[column] = width }
        }
        return true
    }

    private func writeRows() throws {
        var start = 0
        for (index, cell) in cells.enumerated() {
            let bytes = UnsafeRawBufferPointer(rebasing: text.bytes[start..<cell.end])
            start = cell.end
            let column = index % titles.count
            if let lines {
                if column == 0 { try lines.startRow() }
                if !cell.isMissing { try lines.write(column: column, bytes) }
            } else {
                try write(cell, bytes, column)
            }
        }
        cells.removeAll(keepingCapacity: true)
        text.removeAll()
    }

    private func write(_ cell: Cell, _ bytes: UnsafeRawBufferPointer, _ column: Int) throws {
        let output = session.output
        var padding = widths[column] - cell.width
        if cell.isNumber {
            try output.write(repeating: UInt8(ascii: " "), count: padding)
            padding = 0
        }
        if padding < 0, screenWidth != nil, titles.count > 1 {
            let text = DisplayWidth.cut(String(decoding: bytes, as: UTF8.self), to: widths[column])
            // A wide character that did not fit leaves a column free.
            padding = widths[column] - DisplayWidth.of(text)
            try output.write(text)
        } else {
            try output.write(bytes)
        }
        let isLast = column == titles.count - 1
        if isLast { return try output.write("\n") }
        try output.write(repeating: UInt8(ascii: " "), count: Table.gap + max(0, padding))
    }
}
