import CBLBase
import CBLLanguage

extension Session {
    /// Text from a database, or with names from one, and the end of the line.
    func writeTextLine(_ text: String) throws {
        try output.write(text)
        try output.write("\n")
    }

    /// A line of a page of facts: `Size:        420 KB`. It goes on below itself where the screen ends.
    func writeFact(_ name: String, _ value: String) throws {
        let width = factWidth
        let fits = DisplayWidth.of(value) <= width
        let words = value.split(separator: " ").map { String($0) }
        try writeFact(name, lines: fits ? [value] : WrappedText.lines(words, between: " ", width: width))
    }

    /// A line with a list, broken between its items.
    func writeFact(_ name: String, list: [String]) throws {
        try writeFact(name, lines: WrappedText.lines(list, between: ", ", width: factWidth))
    }

    private static let factIndent = 13
    private var factWidth: Int { terminal.outputIsTerminal ? terminal.width - Session.factIndent : Int.max }

    private func writeFact(_ name: String, lines: [String]) throws {
        if !name.isEmpty { try write("\(name):", .key) }
        var used = name.isEmpty ? 0 : name.utf8.count + 1
        for line in lines.isEmpty ? [""] : lines {
            try output.write(repeating: UInt8(ascii: " "), count: max(1, Session.factIndent - used))
            try output.write(line)
            try output.write("\n")
            used = 0
        }
    }
}

/// Text on a screen that has an end at the right.
enum WrappedText {
    /// Items in lines, as many in each as fit; one that is wider has a line of its own. A mark that is more than a space stays at the end of a line.
    static func lines(_ items: [String], between separator: String, width: Int) -> [String] {
        let mark = separator.hasSuffix(" ") ? String(separator.dropLast()) : separator
        var lines: [String] = []
        var used = 0
        for (index, item) in items.enumerated() {
            let text = index == items.count - 1 ? item : item + mark
            let itemWidth = DisplayWidth.of(text)
            if !lines.isEmpty, used + 1 + itemWidth <= width {
                lines[lines.count - 1] += " " + text
                used += 1 + itemWidth
            } else {
                lines.append(text)
                used = itemWidth
            }
        }
        return lines
    }
}
