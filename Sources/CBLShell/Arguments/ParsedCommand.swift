/// A command line that fits its declaration: every flag is known, every value checked, every required argument there.
struct ParsedCommand: Sendable {
    let command: CommandDeclaration
    /// The words that name it: `info indexes`.
    let title: String
    /// Nil if the command names no database, or works on the one that is open.
    let databasePath: String?
    private let declaredFlags: [Flag]
    private let declaredArguments: [Argument]
    private let flagValues: [(name: String, value: String?)]
    private let argumentValues: [(name: String, value: String)]

    init(
        command: CommandDeclaration, title: String, databasePath: String?, declaredFlags: [Flag], declaredArguments: [Argument],
        flagValues: [(name: String, value: String?)], argumentValues: [(name: String, value: String)]
    ) {
        self.command = command
        self.title = title
        self.databasePath = databasePath
        self.declaredFlags = declaredFlags
        self.declaredArguments = declaredArguments
        self.flagValues = flagValues
        self.argumentValues = argumentValues
    }

    /// The same command with other values in flags and arguments of a kind.
    func replacing(_ kind: ValueKind, by replacement: (String) throws -> String) rethrows -> ParsedCommand {
        let flags = Set(declaredFlags.filter { $0.valueKind == kind }.map(\.name))
        let arguments = Set(declaredArguments.filter { $0.kind == kind }.map(\.name))
        return ParsedCommand(
            command: command, title: title, databasePath: databasePath, declaredFlags: declaredFlags, declaredArguments: declaredArguments,
            flagValues: try flagValues.map { ($0.name, flags.contains($0.name) ? try $0.value.map(replacement) : $0.value) },
            argumentValues: try argumentValues.map { ($0.name, arguments.contains($0.name) ? try replacement($0.value) : $0.value) })
    }

    /// The same command for another database.
    func withDatabase(_ path: String) -> ParsedCommand {
        ParsedCommand(
            command: command, title: title, databasePath: path, declaredFlags: declaredFlags, declaredArguments: declaredArguments,
            flagValues: flagValues, argumentValues: argumentValues)
    }

    /// Whether the command knows a flag.
    func declares(_ name: String) -> Bool { declaredFlags.contains { $0.name == name } }

    /// Whether a flag was given.
    func flag(_ name: String) -> Bool { count(name) > 0 }

    /// How often a flag was given: `-vv` is 2.
    func count(_ name: String) -> Int {
        assert(declaredFlags.contains { $0.name == name }, "\(title) declares no flag --\(name)")
        return flagValues.reduce(0) { $1.name == name ? $0 + 1 : $0 }
    }

    /// The value of a flag; the last one, if it was given more than once.
    func string(_ name: String) -> String? {
        assert(declaredFlags.contains { $0.name == name }, "\(title) declares no flag --\(name)")
        return flagValues.last { $0.name == name }?.value
    }

    /// All values of a repeatable flag.
    func strings(_ name: String) -> [String] {
        assert(declaredFlags.contains { $0.name == name }, "\(title) declares no flag --\(name)")
        return flagValues.compactMap { $0.name == name ? $0.value : nil }
    }

    /// The number that an `.integer` flag was given. Its range has been checked.
    func int(_ name: String) -> Int? { string(name).flatMap { Int($0) } }

    /// A required argument.
    func argument(_ name: String) -> String {
        guard let value = argumentIfGiven(name) else { preconditionFailure("\(title): \(name) is not a required argument") }
        return value
    }

    /// An optional argument.
    func argumentIfGiven(_ name: String) -> String? {
        assert(declaredArguments.contains { $0.name == name }, "\(title) declares no argument \(name)")
        return argumentValues.first { $0.name == name }?.value
    }

    /// All values of a repeating argument.
    func arguments(_ name: String) -> [String] {
        assert(declaredArguments.contains { $0.name == name }, "\(title) declares no argument \(name)")
        return argumentValues.compactMap { $0.name == name ? $0.value : nil }
    }
}
