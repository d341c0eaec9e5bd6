/// An error for the person at the prompt: what happened, to what, and what to do.
struct CommandError: Error, Equatable, CustomStringConvertible {
    let exitCode: ExitCode
    /// One sentence, without the name of the program in front.
    let message: String
    /// A second line: how it would be right.
    let hint: String?

    init(_ exitCode: ExitCode, _ message: String, hint: String? = nil) {
        self.exitCode = exitCode
        self.message = message
        self.hint = hint
    }

    static func failed(_ message: String, hint: String? = nil) -> CommandError { CommandError(.failure, message, hint: hint) }
    static func conflict(_ message: String, hint: String? = nil) -> CommandError { CommandError(.conflict, message, hint: hint) }
    static func cannotOpen(_ message: String, hint: String? = nil) -> CommandError { CommandError(.cannotOpen, message, hint: hint) }

    /// The command line itself is wrong. The hint is the usage line of the command.
    static func usage(_ message: String, hint: String? = nil) -> CommandError { CommandError(.usage, message, hint: hint) }

    static let interrupted = CommandError(.interrupted, "interrupted")

    /// The error that the system left in `errno`, about a file.
    static func system(_ path: String, errno code: Int32) -> CommandError { failed("\(path): \(SystemCall.message(code))") }

    var description: String { hint.map { message + "\n" + $0 } ?? message }
}
