import CBLBase
import CBLLanguage

/// Short texts side by side, in columns of 24 as far as the screen goes, row by row; on a terminal in wider ones if most texts need them. Hot:
/// `ls` without flags on a terminal.
struct ColumnListing {
    static let columnWidth = 24
    // So many texts are looked at to find the width that suits them.
    private static let windowCount = 500

    private let output: Output
    private let screenWidth: Int
    private var columnWidth = ColumnListing.columnWidth
    private var position = 0
    /// The texts whose place is still open, one behind the other.
    private var window: [UInt8] = []
    private var ends: [Int] = []
    private var isMeasuring: Bool

    /// Where there is no screen, each text has a line: another program reads them.
    init(session: Session) {
        let isOnScreen = session.output.isTerminal
        self.init(output: session.output, screenWidth: isOnScreen ? session.terminal.width : 1, adapts: isOnScreen)
    }

    init(output: Output, screenWidth: Int, adapts: Bool) {
        isMeasuring = adapts
        self.output = output
        self.screenWidth = screenWidth
    }

    mutating func add(_ bytes: UnsafeRawBufferPointer) throws(Output.Failure) {
        guard isMeasuring else { return try place(bytes) }
        window += bytes
        ends.append(window.count)
        if ends.count == ColumnListing.windowCount { try placeWindow() }
    }

    /// Ends the last line.
    mutating func finish() throws(Output.Failure) {
        if isMeasuring { try placeWindow() }
        if position > 0 { try output.write("\n") }
        position = 0
    }

    /// Chooses columns that fifteen of sixteen texts fit; longer ones reach into the next.
    private mutating func placeWindow() throws(Output.Failure) {
        isMeasuring = false
        var widths: [Int] = []
        var start = 0
        for end in ends {
            widths.append(
                window[start..<end].withUnsafeBytes { DisplayWidth.ofCommon($0) ?? DisplayWidth.of(TerminalText.escaped($0)) })
            start = end
        }
        widths.sort()
        if let most = widths.isEmpty ? nil : widths[(widths.count - 1) * 15 / 16] {
            columnWidth = max(columnWidth, min(most + 2, screenWidth))
        }
        let (window, ends) = (window, ends)
        self.window = []
        start = 0
        for end in ends {
            let result = window[start..<end].withUnsafeBytes { bytes in
                Result { () throws(Output.Failure) in try place(bytes) }
            }
            try result.get()
            start = end
        }
    }

    private mutating func place(_ bytes: UnsafeRawBufferPointer) throws(Output.Failure) {
        if output.isTerminal, TerminalText.needsEscapes(bytes) {
            let text = TerminalText.escaped(bytes)
            try startCell(width: DisplayWidth.of(text))
            try output.write(text)
        } else {
            try startCell(width: bytes.count)
            try output.write(bytes)
        }
    }

    private mutating func startCell(width: Int) throws(Output.Failure) {
        if position > 0 {
            let column = (position / columnWidth + 1) * columnWidth
            // Only whole columns, or every row would have another number of them. Those that were measured have texts that leave a gap of two.
            let room = columnWidth == ColumnListing.columnWidth ? columnWidth - 1 : columnWidth - 2
            if column + max(width, room) <= screenWidth {
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
