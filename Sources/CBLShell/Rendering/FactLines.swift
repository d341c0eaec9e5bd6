import CBLBase
import CBLLanguage

extension Session {
    /// Text from a database, or with names from one, and the end of the line.
    func writeTextLine(_ text: String) throws {
        try output.write(text)
        try output.write("\n")
    }

    /// A line of a page of facts: `Size:        420 KB`.
    func writeFact(_ name: String, _ value: String) throws {
        if !name.isEmpty { try write("\(name):", .key) }
        try output.write(repeating: UInt8(ascii: " "), count: max(1, 13 - (name.isEmpty ? 0 : name.utf8.count + 1)))
        try output.write(value)
        try output.write("\n")
    }

    /// A line with a list, broken between its items where the screen ends.
    func writeFact(_ name: String, list: [String]) throws {
        let width = terminal.outputIsTerminal ? terminal.width : Int.max
        var lines = [""]
        for (index, item) in list.enumerated() {
            let text = index == list.count - 1 ? item : item + ","
            let isFull = 13 + DisplayWidth.of(lines[lines.count - 1]) + 1 + DisplayWidth.of(text) > width
            if lines[lines.count - 1].isEmpty {
                lines[lines.count - 1] = text
            } else if isFull {
                lines.append(text)
            } else {
                lines[lines.count - 1] += " " + text
            }
        }
        try writeFact(name, lines[0])
        for line in lines.dropFirst() {
            try output.write(repeating: UInt8(ascii: " "), count: 13)
            try output.write(line)
            try output.write("\n")
        }
    }
}
