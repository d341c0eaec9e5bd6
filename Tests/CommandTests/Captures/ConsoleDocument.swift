import CBLTestSupport
import FoundationEssentials
import Testing

/// A Markdown file with consoles in it: blocks in which `$ …` is typed to the system's shell, and `travel> …` to the interactive one.
/// All of them are played in order, at a terminal of 110 columns, in one folder that has the sample database.
struct ConsoleDocument {
    private let path: String
    private let text: String

    init(path: String) throws {
        self.path = path
        text = try String(contentsOfFile: path, encoding: .utf8)
    }

    private static let columns = 110
    // High enough that nothing is paged.
    private static let rows = 200

    /// Compares what the blocks show with what is shown, or writes the file anew. Gives the number of lines that were typed.
    func play() throws -> Int {
        let folder = try SampleFolder()
        var result: [String] = []
        var block: [String]?
        var count = 0
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            if line.hasPrefix("```") {
                if let lines = block {
                    let (shown, typed) = try ConsoleDocument.play(lines, in: folder)
                    result += shown
                    count += typed
                }
                result.append(line)
                block = block == nil ? [] : nil
            } else if block != nil {
                block?.append(line)
            } else {
                result.append(line)
            }
        }
        try Capture.check(path, text, result.joined(separator: "\n"))
        return count
    }

    /// A block as it should be.
    private static func play(_ block: [String], in folder: SampleFolder) throws -> (lines: [String], typed: Int) {
        guard block.first?.hasPrefix("$ ") ?? false else { return (block, 0) }
        var result: [String] = []
        var typed = 0
        var index = 0
        while index < block.count {
            let command = block[index]
            index += 1
            var expected = Array(block[index...].prefix { !$0.hasPrefix("$ ") })
            index += expected.count
            // Blank lines set commands apart.
            var blanks: [String] = []
            while let last = expected.last, last.isEmpty { blanks.append(expected.removeLast()) }
            let inputs = expected.compactMap(input)
            var found =
                inputs.isEmpty
                ? try run(String(command.dropFirst(2)), in: folder) : try converse(String(command.dropFirst(2)), inputs, in: folder)
            // The folder has a name of the moment.
            found = found.map { $0.replacing(folder.directory.path, with: "/home/ada") }
            let isSame = Capture.masked(found.joined(separator: "\n")) == Capture.masked(expected.joined(separator: "\n"))
            result += [command] + (isSame ? expected : found) + blanks
            typed += 1 + inputs.count
        }
        return (result, typed)
    }

    /// What was typed at a prompt of the interactive shell, if the line begins with one.
    private static func input(_ line: String) -> String? {
        line.firstMatch(of: #/^ *(?:travel[^ >]*|\.\.)> (.*)$/#).map { String($0.1) }
    }

    private static func isPrompt(_ line: String) -> Bool { line.wholeMatch(of: #/ *(?:travel[^ >]*|\.\.)>/#) != nil }

    private static func run(_ command: String, in folder: SampleFolder) throws -> [String] {
        let terminal = try PseudoTerminal(
            ["-c", command], program: "/bin/sh", environment: folder.environment, directory: folder.directory.path, columns: columns,
            rows: rows)
        _ = try terminal.finish()
        return withoutBlanks(terminal.screen.lines)
    }

    private static func converse(_ command: String, _ inputs: [String], in folder: SampleFolder) throws -> [String] {
        let terminal = try PseudoTerminal(
            ["-c", command], program: "/bin/sh", environment: folder.environment, directory: folder.directory.path, columns: columns,
            rows: rows)
        try terminal.wait(for: "the prompt") { isPrompt($0.currentLine) }
        for input in inputs {
            let row = terminal.screen.cursorRow
            terminal.type(input + "\n")
            try terminal.wait(for: "the prompt after \"\(input)\"") { $0.cursorRow > row && isPrompt($0.currentLine) }
        }
        return withoutBlanks(terminal.screen.lines.dropLast())
    }

    private static func withoutBlanks(_ lines: some Collection<String>) -> [String] {
        var lines = Array(lines)
        while let last = lines.last, last.isEmpty { lines.removeLast() }
        return lines
    }
}
