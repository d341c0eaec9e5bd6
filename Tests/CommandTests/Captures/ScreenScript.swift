import CBLTestSupport
import FoundationEssentials
import Testing

/// A file of `Screens`: keys that somebody presses at the prompt of the sample database, and what the terminal shows then.
///
///     # What it is about.
///     columns 60                    the terminal, 80 by 24 if nothing is said; before the first key
///     flags --writeable
///     env PAGER=less
///     editrc bind -v
///
///     keys ls<Return>               <Tab> <Esc> <Up> <Down> <Left> <Right> <C-r> and so on
///     wait travel>                  until the cursor is on a line of this text; behind <Return> on a new one
///     until _default                until this text is anywhere since the last screen
///     resize 40
///     screen styles cursor          the lines since the last screen follow:
///     |travel> ls
///     :********                     with styles: how the line above it is shown, in the letters of `ScreenStyle`
///     ^        ^                    with cursor: where it stands in the line above
struct ScreenScript {
    private let path: String
    private let text: String

    init(path: String) throws {
        self.path = path
        text = try String(contentsOfFile: path, encoding: .utf8)
    }

    private struct Settings {
        var columns = 80
        var rows = 24
        var flags: [String] = []
        var environment: [String: String] = [:]
    }

    /// Plays the script, and compares each screen with what the file has, or writes the file anew.
    func play() throws {
        let folder = try SampleFolder()
        var settings = Settings()
        var player: Player?
        var result: [String] = []
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        var index = 0
        while index < lines.count {
            let line = lines[index]
            index += 1
            result.append(line)
            let word = String(line.prefix { $0 != " " })
            let rest = String(line.dropFirst(word.count + 1))
            switch word {
            case "", "#": continue
            case "columns": settings.columns = try #require(Int(rest))
            case "rows": settings.rows = try #require(Int(rest))
            case "flags": settings.flags = rest.split(separator: " ").map(String.init)
            case "env":
                let parts = rest.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
                settings.environment[parts[0]] = parts.last
            case "editrc": try (rest + "\n").write(toFile: folder.directory.path + "/.editrc", atomically: true, encoding: .utf8)
            case "screen":
                let current = try player ?? Player(folder, settings)
                player = current
                let isExpected = { (line: String) in line.hasPrefix("|") || line.hasPrefix(":") || line.hasPrefix("^") }
                let expected = Array(lines[index...].prefix(while: isExpected))
                index += expected.count
                result += current.screen(expected, options: rest.split(separator: " ").map(String.init))
            default:
                let current = try player ?? Player(folder, settings)
                player = current
                try current.act(word, rest, "\(path):\(index)")
            }
        }
        try Capture.check(path, text, result.joined(separator: "\n"))
    }

    /// Somebody at a terminal.
    private final class Player {
        let terminal: PseudoTerminal
        /// The first line that the next screen shows.
        private var start = 0
        private var startBefore = 0
        /// The line that the cursor has to leave before a new prompt is one.
        private var lastRow = -1

        init(_ folder: SampleFolder, _ settings: Settings) throws {
            let environment = folder.environment.merging(settings.environment) { _, new in new }
            terminal = try PseudoTerminal(
                settings.flags + ["travel.cblite2"], environment: environment, directory: folder.directory.path,
                columns: settings.columns, rows: settings.rows)
        }

        func act(_ word: String, _ rest: String, _ place: String) throws {
            switch word {
            case "keys":
                let keys = Keys.decoded(rest)
                lastRow = keys.contains("\n") ? terminal.screen.cursorRow : -1
                terminal.type(keys)
            case "wait":
                try terminal.wait(for: "the line \"\(rest)\" (\(place))") { screen in
                    screen.cursorRow > lastRow && screen.currentLine == rest
                }
            case "until":
                try terminal.wait(for: "\"\(rest)\" (\(place))") { screen in
                    screen.lines.dropFirst(start).contains { $0.contains(rest) }
                }
            case "working":
                try terminal.wait(for: "the work to begin (\(place))") { _ in terminal.isReadingPlainly }
            case "resize":
                // Lines that were shown already may be drawn anew.
                start = startBefore
                terminal.resize(columns: Int(rest) ?? 80)
            default: Issue.record("\(place): no directive \"\(word)\"")
            }
        }

        /// What the file should have for this screen: what it has, if that is what is shown.
        func screen(_ expected: [String], options: [String]) -> [String] {
            let wanted = Capture.masked(expected.joined(separator: "\n"))
            if Capture.isUpdating {
                terminal.settle()
            } else {
                // Reading the last bytes may take longer than what the script waited for.
                try? terminal.wait(for: "the screen") { screen in
                    Capture.masked(lines(screen, options).joined(separator: "\n")) == wanted
                }
            }
            let found = lines(terminal.screen, options)
            startBefore = start
            start = terminal.screen.cursorRow
            return Capture.masked(found.joined(separator: "\n")) == wanted ? expected : found
        }

        private func lines(_ screen: Screen, _ options: [String]) -> [String] {
            var result: [String] = []
            let lines = screen.lines
            for index in min(start, lines.count - 1)..<lines.count {
                result.append("|" + lines[index])
                let styles = screen.styles(ofLine: index)
                if options.contains("styles"), !styles.isEmpty { result.append(":" + styles) }
                if options.contains("cursor"), index == screen.cursorRow {
                    result.append("^" + String(repeating: " ", count: screen.cursor) + "^")
                }
            }
            return result
        }
    }
}

/// The names of keys in scripts.
private enum Keys {
    private static let names: [String: String] = [
        "Return": "\n", "Tab": "\t", "Esc": "\u{1B}", "Up": "\u{1B}[A", "Down": "\u{1B}[B", "Right": "\u{1B}[C", "Left": "\u{1B}[D",
        "Backspace": "\u{7F}", "Paste": "\u{1B}[200~", "End-Paste": "\u{1B}[201~", "lt": "<",
    ]

    static func decoded(_ text: String) -> String {
        var result = ""
        var rest = text[...]
        while let character = rest.popFirst() {
            guard character == "<", let end = rest.firstIndex(of: ">") else {
                result.append(character)
                continue
            }
            let name = String(rest[..<end])
            if let key = names[name] {
                result += key
            } else if name.hasPrefix("C-"), let letter = name.unicodeScalars.last, let control = Unicode.Scalar(letter.value & 0x1F) {
                result.unicodeScalars.append(control)
            } else {
                result.append("<")
                continue
            }
            rest = rest[rest.index(after: end)...]
        }
        return result
    }
}
