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

    var description: String {
        let model = "\(ModelFailure.start)\(declaration.name)\""
        return switch reason {
        case .cannotStart(let problem): "\(model) cannot be started: \(problem)"
        case .ended(.exit(let status)): "\(model) gave no answer: \(program) ended with exit status \(status)"
        case .ended(.signal(let signal)):
            "\(model) gave no answer: \(program) was ended by signal \(signal) (\(ModelFailure.name(ofSignal: signal)))"
        case .closedItsOutput: "\(model) gave no answer: \(program) closed its output"
        case .noJSON(let problem, let line): "\(model) gave no line of JSON (\(problem)): \(line)"
        case .noObject(let kind): "\(model) answered with \(kind), not with an object or null"
        case .lineTooLong(let limit): "\(model) answered with a line of more than \(limit >> 20) MiB"
        case .toldTooMuch: "\(model) answered more than it was asked: there is one line for each line"
        case .interrupted: "\(model) had not answered when it was interrupted: \(program)"
        case .refused(let message): "\(model): \(message)"
        }
    }

    private var program: String { "\"\(ModelFailure.excerpt(declaration.command))\"" }

    /// The start of what a program said, on one line.
    static func excerpt(_ text: String) -> String {
        let most = 60
        return text.count > most ? "\(text.prefix(most))…" : text
    }

    private static func name(ofSignal number: Int32) -> String { strsignal(number).map { String(cString: $0) } ?? "?" }
}
