import SQLPlusPlus

/// Short texts side by side, in columns of 24 as far as the screen goes, row by row. Hot: `ls` without flags on a terminal.
struct ColumnListing {
    static let columnWidth = 24

    private let output: Output
    private let screenWidth: Int
    private var position = 0

    /// As far as the vendor's program goes where there is no screen.
    private static let widthWithoutScreen = 100

    init(session: Session) {
        let width = session.output.isTerminal ? session.terminal.width : ColumnListing.widthWithoutScreen
        self.init(output: session.output, screenWidth: width)
    }

    init(output: Output, screenWidth: Int) {
        self.output = output
        self.screenWidth = screenWidth
    }

    mutating func add(_ bytes: UnsafeRawBufferPointer) throws(Output.Failure) {
        if output.isTerminal, TerminalText.needsEscapes(bytes) {
            let text = TerminalText.escaped(bytes)
            try startCell(width: DisplayWidth.of(text))
            try output.write(text)
        } else {
            try startCell(width: bytes.count)
            try output.write(bytes)
        }
    }

    /// Ends the last line.
    mutating func finish() throws(Output.Failure) {
        if position > 0 { try output.write("\n") }
        position = 0
    }

    private mutating func startCell(width: Int) throws(Output.Failure) {
        if position > 0 {
            let column = (position / ColumnListing.columnWidth + 1) * ColumnListing.columnWidth
            // Only whole columns, or every row would have another number of them.
            if column + max(width, ColumnListing.columnWidth - 1) <= screenWidth {
                try output.write(repeating: UInt8(ascii: " "), count: column - position)
                position = column
            } else {
                try output.write("\n")
                position = 0
            }
        }
        position += width
    }
}
