/// One run of a command: what the person typed, and the session it runs in.
///
///     guard let limit = invocation.int("limit") else { … }
///     try invocation.output.write("hello\n")
struct Invocation {
    let parsed: ParsedCommand
    let session: Session

    var output: Output { session.output }
    var terminal: Terminal { session.terminal }
    /// The person asked for machine output with the global `--json`.
    var wantsJSON: Bool { session.options.isJSON }

    /// Whether a flag was given.
    func flag(_ name: String) -> Bool { parsed.flag(name) }
    /// How often a flag was given: `-vv` is 2.
    func count(_ name: String) -> Int { parsed.count(name) }
    /// The value of a flag; the last one, if it was given more than once.
    func string(_ name: String) -> String? { parsed.string(name) }
    /// All values of a repeatable flag.
    func strings(_ name: String) -> [String] { parsed.strings(name) }
    /// The number given to an `.integer` flag. Its range has been checked.
    func int(_ name: String) -> Int? { parsed.int(name) }
    /// A required argument.
    func argument(_ name: String) -> String { parsed.argument(name) }
    /// An optional argument.
    func argumentIfGiven(_ name: String) -> String? { parsed.argumentIfGiven(name) }
    /// All values of a repeating argument.
    func arguments(_ name: String) -> [String] { parsed.arguments(name) }

    /// For commands that work on the whole database: somebody who names a collection believes that the others are left alone.
    func refuseCollection() throws(CommandError) {
        if session.options.collection != nil { throw usageError("it works on the whole database, not on a single collection") }
    }

    /// A mistake in the command line that the parser cannot see, with the usage line as a hint.
    func usageError(_ message: String) -> CommandError {
        .usage(
            "\(parsed.title): \(message)",
            hint: Usage(command: parsed.command, title: parsed.title, hasOpenDatabase: session.openDatabase != nil).line)
    }
}
