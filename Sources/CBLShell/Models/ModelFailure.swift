import CBLBase
import Glibc

/// Why a program gave no answer. The query that asked fails with these words.
struct ModelFailure: Error, CustomStringConvertible {
    enum Reason {
        case cannotStart(String)
        case ended(ChildProcess.Ending)
        /// It goes on, but nobody hears it.
        case closedItsOutput
        /// What JSON would be right, and how the line began.
        case noJSON(String, line: String)
        case noObject(String)
        case lineTooLong(limit: Int)
        /// There is a line that nobody asked for.
        case toldTooMuch
        /// By Ctrl-C.
        case interrupted
        /// What the program itself says.
        case refused(String)
    }

    private static let start = "the model \""

    let declaration: ModelDeclaration
    let reason: Reason

    /// Whether a message that has come by way of SQLite is one of these.
    static func isTold(by message: String) -> Bool { message.hasPrefix(start) }

    var description: String { reason.message(about: "\(ModelFailure.start)\(declaration.name)\"", command: declaration.command) }

    /// The start of what a program said, on one line.
    static func excerpt(_ text: String) -> String {
        let most = 60
        return text.count > most ? "\(text.prefix(most))…" : text
    }

    fileprivate static func name(ofSignal number: Int32) -> String { strsignal(number).map { String(cString: $0) } ?? "?" }
}

extension ModelFailure.Reason {
    /// In a sentence that begins with who was asked.
    func message(about subject: String, command: String) -> String {
        let program = "\"\(ModelFailure.excerpt(command))\""
        return switch self {
        case .cannotStart(let problem): "\(subject) cannot be started: \(problem)"
        case .ended(.exit(let status)): "\(subject) gave no answer: \(program) ended with exit status \(status)"
        case .ended(.signal(let signal)):
            "\(subject) gave no answer: \(program) was ended by signal \(signal) (\(ModelFailure.name(ofSignal: signal)))"
        case .closedItsOutput: "\(subject) gave no answer: \(program) closed its output"
        case .noJSON(let problem, let line): "\(subject) gave no line of JSON (\(problem)): \(line)"
        case .noObject(let kind): "\(subject) answered with \(kind), not with an object or null"
        case .lineTooLong(let limit): "\(subject) answered with a line of more than \(limit >> 20) MiB"
        case .toldTooMuch: "\(subject) answered more than it was asked: there is one line for each line"
        case .interrupted: "\(subject) had not answered when it was interrupted: \(program)"
        case .refused(let message): "\(subject): \(message)"
        }
    }
}
