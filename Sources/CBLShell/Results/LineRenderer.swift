import CBLBase
import CBLFleece
import CBLLanguage
import CBLQuery

/// Rows one below the other, each column on a line of its own: for rows that are wider than the screen.
///
///      name = Ada
///       age = 36
///
/// What is missing is left out.
final class LineRenderer: ResultRenderer {
    private let session: Session
    private let style: JSONStyle
    private let null: [UInt8]
    private var titles: [(text: String, indent: Int)] = []
    private var isFirst = true
    private var cell = ByteBuffer(capacity: 256)

    init(session: Session, json5: Bool = false) {
        self.session = session
        style = json5 ? [.canonical, .json5] : .canonical
        null = Array(session.look.null.utf8)
    }

    func begin(_ titles: [String]) throws {
        let shown = titles.map { TerminalText.escaped($0) }
        let width = shown.reduce(0) { max($0, DisplayWidth.of($1)) }
        self.titles = shown.map { ($0, width - DisplayWidth.of($0)) }
    }

    func add(_ row: ResultRow) throws {
        try startRow()
        for (column, value) in row.cells.enumerated() where !value.isMissing {
            cell.removeAll()
            value.appendPlain(row.keys, style, null: null, to: &cell)
            let kind = CellKind(value)
            // A line break in a text would look like the next column.
            if TerminalText.needsEscapes(cell.bytes) {
                var text = TerminalText.escaped(cell.bytes)
                try text.withUTF8 { try write(column: column, UnsafeRawBufferPointer($0), kind) }
            } else {
                try write(column: column, cell.bytes, kind)
            }
        }
    }

    func finish() throws {}

    /// Separates a row from the one before it.
    func startRow() throws {
        if !isFirst { try session.output.write("\n") }
        isFirst = false
    }

    /// Writes the line of a column. The text is safe to be shown.
    func write(column: Int, _ text: UnsafeRawBufferPointer, _ kind: CellKind) throws {
        let output = session.output
        try output.write(repeating: UInt8(ascii: " "), count: titles[column].indent)
        try session.write(titles[column].text, .key)
        try output.write(" = ")
        try session.writeCell(text, kind)
        try output.write("\n")
    }
}

/// What decides how a cell is shown.
enum CellKind: UInt8 {
    case text, number, missing, null, json

    @inline(__always)
    init(_ value: QueryValue) {
        switch value {
        case .text: self = .text
        case .integer, .unsigned, .double: self = .number
        case .missing: self = .missing
        case .null: self = .null
        case .boolean, .data, .collection: self = .json
        }
    }
}

extension Session {
    /// Writes a cell that is safe to be shown: text and numbers plain, JSON with its colours, null dimmed.
    @inline(__always)
    func writeCell(_ bytes: UnsafeRawBufferPointer, _ kind: CellKind) throws {
        switch kind {
        case .json where terminal.usesColor: try JSONColoring.write(bytes, to: self)
        case .null where terminal.usesColor:
            try output.write(theme.code(.dim))
            try output.write(bytes)
            try output.write(Style.off)
        default: try output.write(bytes)
        }
    }
}
