/// A command, declared once. Parsing, help, the man page and the completion scripts all come from this table.
struct CommandDeclaration: Sendable {
    /// The heading under which `help` lists a command.
    enum Group: String, CaseIterable, Sendable {
        case looking = "Looking"
        case changing = "Changing"
        case moving = "Moving data"
        case maintaining = "Maintaining"
        case general = "General"
        /// Left out of help, man page and completion.
        case hidden = "Hidden"
    }

    /// What a command does with the database that its first argument names.
    enum DatabaseUse: Sendable {
        /// The command takes no database, or its own arguments name one.
        case none
        case reads
        case writes
    }

    struct Example: Sendable {
        let line: String
        let explanation: String

        init(_ line: String, _ explanation: String) {
            self.line = line
            self.explanation = explanation
        }
    }

    typealias Run = @Sendable (Invocation) throws -> ExitCode

    let name: String
    let aliases: [String]
    let group: Group
    /// One line, without a full stop: `List documents`.
    let summary: String
    /// Paragraphs, separated by blank lines.
    let discussion: String
    let database: DatabaseUse
    let flags: [Flag]
    /// The arguments after the database.
    let arguments: [Argument]
    let examples: [Example]
    /// Commands of the command, as in `info indexes`. Their word may stand before or after the database.
    let subcommands: [CommandDeclaration]
    /// Nil if only the subcommands do something.
    let run: Run?

    init(
        _ name: String, aliases: [String] = [], group: Group = .general, summary: String, discussion: String = "",
        database: DatabaseUse = .none, flags: [Flag] = [], arguments: [Argument] = [], examples: [Example] = [],
        subcommands: [CommandDeclaration] = [], run: Run?
    ) {
        self.name = name
        self.aliases = aliases
        self.group = group
        self.summary = summary
        self.discussion = discussion
        self.database = database
        self.flags = flags
        self.arguments = arguments
        self.examples = examples
        self.subcommands = subcommands
        self.run = run
    }

    func isNamed(_ word: String) -> Bool { name == word || aliases.contains(word) }

    func subcommand(named word: String) -> CommandDeclaration? { subcommands.first { $0.isNamed(word) } }

    /// The arguments with the database in front, or without those that an open database stands for.
    func positionals(withOpenDatabase isOpen: Bool = false) -> [Argument] {
        let all = database == .none ? arguments : [.database] + arguments
        return isOpen ? all.filter { !$0.isImpliedByOpenDatabase } : all
    }
}
