import CBLBase
import CBLWorkbench

/// An error for the person at the prompt: what happened, to what, and what to do.
///
/// A line of it is a line of the report, whatever names and words of others are in it.
struct CommandError: Error, Equatable, CustomStringConvertible {
    let exitCode: ExitCode
    /// One sentence, without the name of the program in front, and what it is about: lines of a query.
    let messageLines: [String]
    /// How it would be right.
    let hintLines: [String]

    var message: String { messageLines.joined(separator: "\n") }
    var hint: String? { hintLines.isEmpty ? nil : hintLines.joined(separator: "\n") }

    init(_ exitCode: ExitCode, _ message: String, hint: String? = nil) {
        self.init(exitCode, lines: [message], hints: hint.map { [$0] } ?? [])
    }

    init(_ exitCode: ExitCode, lines: [String], hints: [String] = []) {
        self.exitCode = exitCode
        messageLines = lines
        hintLines = hints
    }

    static func failed(_ message: String, hint: String? = nil) -> CommandError { CommandError(.failure, message, hint: hint) }
    static func conflict(_ message: String, hint: String? = nil) -> CommandError { CommandError(.conflict, message, hint: hint) }
    static func cannotOpen(_ message: String, hint: String? = nil) -> CommandError { CommandError(.cannotOpen, message, hint: hint) }

    /// The command line itself is wrong. The hint is the usage line of the command.
    static func usage(_ message: String, hint: String? = nil) -> CommandError { CommandError(.usage, message, hint: hint) }

    static let interrupted = CommandError(.interrupted, "interrupted")

    /// The error that the system left in `errno`, about a file.
    static func system(_ path: String, errno code: Int32) -> CommandError { failed("\(path): \(SystemCall.message(code))") }

    /// The same error, with words in front that say where.
    func behind(_ words: String) -> CommandError {
        CommandError(exitCode, lines: [words + (messageLines.first ?? "")] + messageLines.dropFirst(), hints: hintLines)
    }

    /// The same error, with one more line that says what to do.
    func hinting(_ hint: String) -> CommandError { CommandError(exitCode, lines: messageLines, hints: hintLines + [hint]) }

    var description: String { hint.map { message + "\n" + $0 } ?? message }
}
