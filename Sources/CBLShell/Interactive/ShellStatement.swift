/// One thing to do, as somebody typed it in the interactive shell.
struct ShellStatement: Equatable {
    enum Action: Equatable {
        /// A command's name and its words. SQL++ typed straight is the command `query`.
        case command([String])
        /// `.timer on`: the words, without the dot.
        case setting([String])
        /// `!ls -l`: a line for the system's shell.
        case external(String)
    }

    /// Where the results go instead of the screen.
    enum Target: Equatable {
        case pipe(String)
        case file(String, appends: Bool)
    }

    var action: Action
    var target: Target?
    /// A query that ended in `\G`: each row is shown as lines.
    var isVertical = false
    /// A clause that was put behind the query before it.
    var goesOn = false
    /// The line of the input on which it begins, from 1.
    var line = 1

    /// The text of SQL++ that was typed straight.
    var typedText: String? { if case .command(let words) = action { ShellStatement.typedText(words) } else { nil } }

    static func typedText(_ words: [String]) -> String? { words.count == 3 && words[0] == "query" && words[1] == "--" ? words[2] : nil }

    /// The same of a SELECT alone.
    var query: String? { typedText.flatMap { $0.prefix(6).uppercased() == "SELECT" ? $0 : nil } }
}
