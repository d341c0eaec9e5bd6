/// A page of `help` that is about no command, function or operator: `cblite help conflicts`.
///
/// The examples are run by a test, on the sample database, one after another.
struct HelpTopic: Sendable {
    let name: String
    /// Other words that lead here.
    var aliases: [String] = []
    /// One line, without a full stop.
    let summary: String
    /// Paragraphs, separated by blank lines. Lines that begin with blanks stay as they are.
    let text: String
    /// As typed in the interactive shell; what begins with `cblite` or `$` is for the system's shell.
    var examples: [CommandDeclaration.Example] = []

    static let all: [HelpTopic] = data + movement + shell + files

    /// The topic of that name or alias. Also "conflicts", where a command has the name: `help topic conflicts`.
    static func named(_ word: String) -> HelpTopic? {
        let word = word.lowercased()
        return all.first { $0.name == word } ?? all.first { $0.aliases.contains(word) }
    }
}
