import CBLBase
import CBLLanguage

/// What Tab may make of the end of a line.
struct Completion: Equatable {
    /// How many characters (Unicode scalars) before the cursor are replaced.
    var length: Int
    /// What can stand there instead, sorted, each once.
    var candidates: [String]
    /// What follows if only one is possible: a space behind a word, nothing behind a directory.
    var ending = " "
    /// How candidates are shown in a list, if not as they are: file names without their directory.
    var labels: [String]?

    static let none = Completion(length: 0, candidates: [])

    /// What comes in place of what was typed: the candidate, or what all of them begin with.
    var insertion: String {
        guard let first = candidates.first else { return "" }
        if candidates.count == 1 { return first + ending }
        return candidates.dropFirst().reduce(first) { $0.commonPrefix(with: $1) }
    }

    // More than anybody looks through.
    private static let longest = 200

    /// The candidates in columns, as many as the screen shows at once, with a line's end behind the last row.
    func listing(width: Int, height: Int = Int.max) -> String {
        var names = (labels ?? candidates).prefix(Completion.longest).map(TerminalText.escaped)
        let column = (names.map { DisplayWidth.of($0) }.max() ?? 0) + 2
        let count = max(1, width / column)
        // The line itself and the last row of the list, which says that there is more, are to be seen, too.
        let (most, isOverflowing) = max(1, height - 3).multipliedReportingOverflow(by: count)
        if !isOverflowing, names.count > most { names = Array(names.prefix(most)) }
        let rows = (names.count + count - 1) / count
        var text = ""
        for row in 0..<rows {
            let cells = stride(from: row, to: names.count, by: rows).map { names[$0] }
            for cell in cells.dropLast() { text += cell + String(repeating: " ", count: column - DisplayWidth.of(cell)) }
            text += (cells.last ?? "") + "\n"
        }
        return candidates.count > names.count ? text + "… and more\n" : text
    }
}

extension String {
    fileprivate func commonPrefix(with other: String) -> String {
        var prefix = ""
        for (left, right) in zip(unicodeScalars, other.unicodeScalars) {
            guard left == right else { break }
            prefix.unicodeScalars.append(left)
        }
        return prefix
    }
}
