/// What a terminal shows: as much of a VT100 as a program that edits lines needs, which is enough to look at its screen in a test.
package struct Screen {
    /// A character, and the letter of its style as `styles` has it.
    private struct Cell {
        var character: Character
        var style: Character = " "
    }

    package private(set) var columns: Int
    private var rows: [[Cell?]] = [[]]
    private var style = ScreenStyle()
    private var row = 0
    private var column = 0
    /// Where the cursor is to come back to.
    private var saved = (row: 0, column: 0)
    private var pending: [UInt8] = []

    package init(columns: Int) { self.columns = columns }

    /// The lines without blanks at their ends, from the first that was ever shown.
    package var lines: [String] {
        rows.map { cells in
            var line = String(cells.compactMap { $0?.character })
            while line.last == " " { line.removeLast() }
            return line
        }
    }

    /// For each column of a line how its character is shown, in the letters of `ScreenStyle`; without blanks at the end.
    package func styles(ofLine index: Int) -> String {
        var line = ""
        var last: Character = " "
        for cell in rows[index] {
            // The second half of a wide character looks like the first.
            last = cell?.style ?? last
            line.append(last)
        }
        while line.last == " " { line.removeLast() }
        return line
    }

    /// The number of the line on which the cursor stands.
    package var cursorRow: Int { row }

    /// The line on which the cursor stands.
    package var currentLine: String { lines[row] }
    /// The column of the cursor, from 0.
    package var cursor: Int { column }

    package mutating func resize(columns: Int) { self.columns = columns }

    package mutating func receive(_ bytes: [UInt8]) {
        pending += bytes
        while let length = next() { pending.removeFirst(length) }
    }

    /// Acts on what comes next, and says how many bytes that was; nil if it is not complete.
    private mutating func next() -> Int? {
        guard let byte = pending.first else { return nil }
        switch byte {
        case 0x1B: return escape()
        case 0x0D: column = 0
        case 0x0A: moveDown()
        case 0x08: column = max(0, column - 1)
        case 0x00..<0x20: break
        default:
            let length = byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
            guard pending.count >= length else { return nil }
            // What is not UTF-8 may become several characters.
            for character in String(decoding: pending[..<length], as: UTF8.self) { put(character) }
            return length
        }
        return 1
    }

    private mutating func escape() -> Int? {
        guard pending.count > 1 else { return nil }
        if pending[1] == UInt8(ascii: "7") {
            saved = (row, column)
            return 2
        }
        if pending[1] == UInt8(ascii: "8") {
            (row, column) = saved
            return 2
        }
        guard pending[1] == UInt8(ascii: "[") else { return pending[1] == UInt8(ascii: "(") ? (pending.count > 2 ? 3 : nil) : 2 }
        guard let end = pending[2...].firstIndex(where: { (0x40...0x7E).contains($0) }) else { return nil }
        let number = Int(String(decoding: pending[2..<end].prefix { (0x30...0x39).contains($0) }, as: UTF8.self))
        let count = max(1, number ?? 1)
        switch Character(Unicode.Scalar(pending[end])) {
        case "A": row = max(0, row - count)
        case "B": for _ in 0..<count { moveDown() }
        case "C": column = min(columns - 1, column + count)
        case "D": column = max(0, column - count)
        case "G": column = count - 1
        case "J":
            rows.removeLast(rows.count - 1 - row)
            eraseToEnd()
        case "K": eraseToEnd()
        case "m": style.apply(String(decoding: pending[2..<end], as: UTF8.self))
        case "P": if column < rows[row].count { rows[row].removeSubrange(column..<min(rows[row].count, column + count)) }
        case "@":
            if column < rows[row].count { rows[row].insert(contentsOf: Array(repeating: Cell(character: " "), count: count), at: column) }
        default: break
        }
        return end + 1
    }

    private mutating func eraseToEnd() {
        if column < rows[row].count { rows[row].removeSubrange(column...) }
    }

    private mutating func moveDown() {
        row += 1
        if row == rows.count { rows.append([]) }
    }

    private mutating func put(_ character: Character) {
        let width = Screen.isWide(character) ? 2 : 1
        if column + width > columns {
            column = 0
            moveDown()
        }
        while rows[row].count < column + width { rows[row].append(Cell(character: " ")) }
        rows[row][column] = Cell(character: character, style: style.letter)
        // The second half of a wide character.
        if width == 2 { rows[row][column + 1] = nil }
        column += width
    }

    private static func isWide(_ character: Character) -> Bool {
        character.unicodeScalars.contains { (0x3000...0x9FFF).contains($0.value) || (0xAC00...0xD7A3).contains($0.value) }
    }
}
