import CBLBase
import CBLFleece
import CBLLanguage

/// Rows as a table: headings underlined unless there is only one column, numbers on the right with their decimal points below each other, missing
/// cells blank, collections as JSON.
///
/// The first rows are held back until it is known how wide their columns are; the others follow as they come, so a result of any size
/// needs no more memory than that. On a terminal the columns are made to fit, and cells that do not are cut, but for the IDs of documents; if there is
/// no room for so many columns, or for whole IDs, the rows are printed line by line instead. What comes later and is wider makes its column wider while the screen has
/// room. Hot: a cell costs no allocation.
final class TableRenderer: ResultRenderer {
    private static let windowRows = 500
    private static let windowBytes = 256 * 1024
    /// Columns are not made narrower than this.
    private static let leastWidth = 8

    private struct Cell {
        var end: Int
        var width: Int
        /// How much of that is a decimal point and what follows it.
        var fraction = 0
        var kind: CellKind
    }

    private let session: Session
    private let style: JSONStyle
    private let look: ResultLook
    private let null: [UInt8]
    /// The columns of the screen; nil if there is none, and nothing has to be cut.
    private let screenWidth: Int?
    /// Of the columns that are IDs of documents.
    var idTitles: Set<String> = ["id", "_id"]
    private var titles: [String] = []
    private var idColumns: Set<Int> = []
    private var columns: [Column] = []
    /// Before that, rows are held back.
    private var hasLayout = false
    private var lines: LineRenderer?
    /// The text of the cells of the rows that are held back, or of one row.
    private var text = ByteBuffer(capacity: 4096)
    private var cells: [Cell] = []

    /// What the rows that were held back tell about a column.
    private struct Column {
        var width = 0
        /// The room in front of a decimal point, and behind it.
        var whole = 0
        var fraction = 0
        /// Numbers, and nothing else but null.
        var isNumeric = true
        /// A number is never cut: it would be another number.
        var leastWidth: Int { whole + fraction }
        /// Cells that are wider are cut.
        var cuts = false
        /// As somebody has said.
        var isFixed = false
        /// Of documents: without its end it is of no use.
        var isID = false

        /// It can be made narrower.
        var isFlexible: Bool { !isNumeric && !isFixed && width > max(TableRenderer.leastWidth, leastWidth) }
    }

    convenience init(session: Session, json5: Bool = false) {
        self.init(session: session, json5: json5, screenWidth: session.output.isTerminal ? session.terminal.width : nil)
    }

    init(session: Session, json5: Bool = false, screenWidth: Int?) {
        self.session = session
        self.screenWidth = screenWidth
        look = session.look
        null = Array(look.null.utf8)
        style = json5 ? [.canonical, .json5] : .canonical
    }

    private var hasHeadings: Bool {
        switch look.headers {
        case .auto: titles.count > 1
        case .on: true
        case .off: false
        }
    }

    func begin(_ titles: [String]) throws {
        self.titles = titles.map { TerminalText.escaped($0) }
        idColumns = Set(titles.indices.filter { idTitles.contains(titles[$0]) })
    }

    func add(_ row: ResultRow) throws {
        for value in row.cells {
            let start = text.count
            value.appendPlain(row.keys, style, null: null, to: &text)
            var cell = Cell(end: text.count, width: text.count - start, kind: CellKind(value))
            let bytes = UnsafeRawBufferPointer(rebasing: text.bytes[start...])
            if case .double = value {
                cell.fraction = TableRenderer.fraction(bytes)
            } else if cell.kind != .number, TerminalText.needsEscapes(bytes) {
                makeSafe(&cell, from: start)
            }
            cells.append(cell)
        }
        if hasLayout {
            makeRoom()
            try writeRows()
        } else if cells.count >= TableRenderer.windowRows * titles.count || text.count >= TableRenderer.windowBytes {
            try layOut()
        }
    }

    func catchUp() throws {
        if !hasLayout, !cells.isEmpty { try layOut() }
    }

    func finish() throws {
        // What one asked for is there, even if nothing stands below it.
        if !hasLayout, !cells.isEmpty || look.headers == .on { try layOut() }
    }

    /// How many bytes the decimal point and the digits behind it are. Numbers with an exponent have no place where they could be aligned.
    private static func fraction(_ number: UnsafeRawBufferPointer) -> Int {
        guard let point = number.firstIndex(of: UInt8(ascii: ".")), !number.contains(UInt8(ascii: "e")) else { return 0 }
        return number.count - point
    }

    /// Measures a cell that is not ASCII throughout, and escapes its control characters.
    private func makeSafe(_ cell: inout Cell, from start: Int) {
        let bytes = UnsafeRawBufferPointer(rebasing: text.bytes[start...])
        if let width = DisplayWidth.ofCommon(bytes) {
            cell.width = width
            return
        }
        let safe = TerminalText.escaped(bytes)
        text.truncate(to: start)
        text.append(safe)
        cell.end = text.count
        cell.width = DisplayWidth.of(safe)
    }

    // The layout

    private func layOut() throws {
        hasLayout = true
        measure()
        if let screenWidth, titles.count > 1, !fit(screenWidth) {
            session.remarkOnce(
                "(\(titles.count) columns need more than the \(screenWidth) of the screen: each row is shown as lines)", about: "lines")
            let lines = LineRenderer(session: session)
            try lines.begin(titles)
            self.lines = lines
        } else if hasHeadings {
            let headings = zip(titles, columns).map { title, column in
                let text = DisplayWidth.cut(title, to: column.width)
                return column.isNumeric ? Table.Column.right(text) : Table.Column.left(text)
            }
            try Table.writeHeadings(headings, columns.map(\.width), to: session)
        }
        try writeRows()
    }

    private func measure() {
        columns = titles.map { _ in Column() }
        for (index, cell) in cells.enumerated() {
            let column = index % titles.count
            switch cell.kind {
            case .number:
                columns[column].whole = max(columns[column].whole, cell.width - cell.fraction)
                columns[column].fraction = max(columns[column].fraction, cell.fraction)
            case .missing: break
            case .text, .null, .json:
                columns[column].width = max(columns[column].width, cell.width)
                if cell.kind != .null { columns[column].isNumeric = false }
            }
        }
        for index in columns.indices {
            let title = hasHeadings ? DisplayWidth.of(titles[index]) : 0
            columns[index].width = max(columns[index].width, title, columns[index].leastWidth)
            columns[index].isNumeric = columns[index].isNumeric && columns[index].whole > 0
            columns[index].isID = idColumns.contains(index)
            guard let limit = look.widths.limit(ofColumn: index) else { continue }
            columns[index].width = min(columns[index].width, max(limit, columns[index].leastWidth))
            columns[index].cuts = true
            columns[index].isFixed = true
        }
    }

    /// Makes the widest columns narrower until all fit; false if they cannot, or if only IDs are left to be cut.
    private func fit(_ screenWidth: Int) -> Bool {
        for index in columns.indices { columns[index].cuts = true }
        let available = screenWidth - Table.gap * (columns.count - 1)
        while case let excess = totalWidth - available, excess > 0 {
            guard narrow(by: excess, sparing: nil) else { return false }
        }
        return true
    }

    private var totalWidth: Int { columns.reduce(0) { $0 + $1.width } }

    /// Makes the widest columns narrower by so much, or down to the next ones. False if none can be.
    private func narrow(by excess: Int, sparing spared: Int?) -> Bool {
        let chosen = columns.indices.filter { columns[$0].isFlexible && !columns[$0].isID && $0 != spared }
        guard let widest = chosen.map({ columns[$0].width }).max() else { return false }
        let widestOnes = chosen.filter { columns[$0].width == widest }
        let next = chosen.map { columns[$0].width }.filter { $0 < widest }.max() ?? TableRenderer.leastWidth
        let width = max(next, widest - (excess + widestOnes.count - 1) / widestOnes.count)
        for column in widestOnes { columns[column].width = max(width, columns[column].leastWidth) }
        return true
    }

    /// Gives a column more room for a cell, as far as the screen has some; an ID takes it from others.
    private func widen(_ index: Int, to width: Int) {
        guard let screenWidth, !columns[index].isFixed else { return }
        let available = screenWidth - Table.gap * (columns.count - 1)
        columns[index].width = max(columns[index].width, min(width, columns[index].width + available - totalWidth))
        guard columns[index].isID, columns[index].width < width else { return }
        let former = columns
        columns[index].width = min(width, available)
        while case let excess = totalWidth - available, excess > 0 {
            guard narrow(by: excess, sparing: index) else { return columns = former }
        }
    }

    // The rows

    /// For a row that comes later than those by which the columns were measured.
    @inline(__always)
    private func makeRoom() {
        guard lines == nil, screenWidth != nil else { return }
        for (index, cell) in cells.enumerated() where cell.width > columns[index].width {
            if columns[index].cuts, cell.kind != .number { widen(index, to: cell.width) }
        }
    }

    private func writeRows() throws {
        var start = 0
        for (index, cell) in cells.enumerated() {
            let bytes = UnsafeRawBufferPointer(rebasing: text.bytes[start..<cell.end])
            start = cell.end
            let column = index % titles.count
            if let lines {
                if column == 0 { try lines.startRow() }
                if cell.kind != .missing { try lines.write(column: column, bytes, cell.kind) }
            } else {
                try write(cell, bytes, column)
            }
        }
        cells.removeAll(keepingCapacity: true)
        text.removeAll()
    }

    @inline(__always)
    private func write(_ cell: Cell, _ bytes: UnsafeRawBufferPointer, _ index: Int) throws {
        let output = session.output
        let column = columns[index]
        var padding = column.width - cell.width
        if cell.kind == .number {
            // The decimal points stand below each other.
            let behind = min(max(0, padding), column.fraction - cell.fraction)
            if padding > behind { try output.write(repeating: UInt8(ascii: " "), count: padding - behind) }
            padding = behind
            try output.write(bytes)
        } else if padding < 0, column.cuts {
            let text = DisplayWidth.cut(String(decoding: bytes, as: UTF8.self), to: column.width)
            // A wide character that did not fit leaves a column free.
            padding = column.width - DisplayWidth.of(text)
            try write(cut: text, cell.kind)
        } else {
            if cell.kind == .null, column.isNumeric, padding > 0 {
                try output.write(repeating: UInt8(ascii: " "), count: padding)
                padding = 0
            }
            try session.writeCell(bytes, cell.kind)
        }
        if index == titles.count - 1 { return try output.write("\n") }
        try output.write(repeating: UInt8(ascii: " "), count: Table.gap + max(0, padding))
    }

    private func write(cut text: String, _ kind: CellKind) throws {
        var text = text
        try text.withUTF8 { try session.writeCell(UnsafeRawBufferPointer($0), kind) }
    }
}
