import CBLBase
import CBLLanguage
import CBLStore
import CBLWorkbench
import Glibc

/// The loop of the interactive shell: it reads lines from a terminal, a pipe or a file, and runs the statements in them one after another.
///
/// What the lines mean is `StatementReader`'s business, and what the commands do is their own: they are those of the command line.
final class InteractiveShell {
    let session: Session
    let history: HistoryFile
    /// The global flags that the shell was started with: each command begins with them.
    let options: GlobalOptions
    let isOnTerminal: Bool
    var reader: StatementReader
    var settings = ShellSettings()
    /// Where `.output` has the results go.
    var file: Int32?
    var scriptDepth = 0
    /// Whether what is run now was written beforehand, perhaps by somebody else.
    var isRunningScript: Bool { !isOnTerminal || scriptDepth > 0 }
    var databases = OpenDatabases()
    /// The tour that is under way.
    var tour: Tour?
    /// What was typed here last: others add to the history too.
    private var lastTyped: String?
    /// The query that was run last, for `save`.
    private(set) var lastQuery: String?
    /// Set by `quit`.
    var isLeaving = false
    /// Something has ended a transaction, so the rest of the script is not to be run.
    var hasLostTransaction = false
    /// The signal that came while a line was typed.
    private(set) var ending: Int32?

    /// Opens a database, and works on it until the person leaves or the input ends. `collection` is where one is then, if it is there.
    static func run(on path: String, in session: Session, collection: CollectionName? = nil) throws -> ExitCode {
        try session.models.use(session.options.models)
        let database = try session.open(path, writes: false)
        session.options.forgetDatabase()
        return start(in: session) { shell in
            shell.enter(database)
            if let collection, try database.read({ $0.hasCollection(collection) }) { session.currentCollection = collection }
            return try shell.isOnTerminal ? shell.converse() : shell.runScript(InputSource("-"))
        }
    }

    /// Makes a shell, has it work, and puts everything in order again.
    static func start(in session: Session, _ work: (InteractiveShell) throws -> ExitCode) -> ExitCode {
        let terminal = session.terminal
        let isOnTerminal = terminal.inputIsTerminal && (terminal.outputIsTerminal || terminal.errorIsTerminal)
        let shell = InteractiveShell(session, isOnTerminal: isOnTerminal)
        session.shell = shell
        let code = Shell.finish(session) { try work(shell) }
        session.options = shell.options
        shell.endTour()
        shell.leaveRemoteCopies()
        let isLost = shell.closeAll()
        session.removeUnpackedCopies()
        // All is in order: now the signal has its way.
        if let signal = shell.ending ?? Termination.signal {
            session.models.endAll()
            Termination.die(of: signal)
        }
        // A script that ends without what it asked for has failed.
        return isLost && code == .success && !isOnTerminal ? .failure : code
    }

    private init(_ session: Session, isOnTerminal: Bool) {
        self.session = session
        self.isOnTerminal = isOnTerminal
        options = session.options
        history = HistoryFile(path: isOnTerminal ? HistoryFile.standardPath : nil)
        reader = StatementReader(commands: Commands.all, looksAhead: !isOnTerminal)
    }

    /// Runs an entry of the history, or what was typed here last.
    func runAgain(_ number: Int?) throws -> ExitCode {
        let entries = history.entries
        let entry = number.map { entries.indices.contains($0 - 1) ? entries[$0 - 1] : nil } ?? lastTyped
        guard let entry, !InteractiveShell.isWish(entry) else {
            throw CommandError.failed(number.map { "the history has no statement \($0) to run again" } ?? "nothing has been typed yet")
        }
        session.notice(lines: entry.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { String($0) ?? "" })
        let before = reader
        defer { reader = before }
        reader = StatementReader(commands: Commands.all)
        reader.append(entry)
        return runStatements(isLast: true)
    }

    /// Whether a statement asks for another one.
    private static func isWish(_ statement: String) -> Bool { statement == "again" || statement.hasPrefix("again ") }

    // A person

    func converse() throws -> ExitCode {
        Interruption.bePatient()
        readSettings()
        let editor = try LineEditor(showsOnErrors: !session.terminal.outputIsTerminal)
        let completer = Completer(session: session)
        editor.setHistory(history.entries)
        session.notice(lines: try Banner.lines(session))
        var typed: [String] = []
        while !isLeaving {
            if typed.isEmpty { try announceTour() }
            if history.reload() { editor.setHistory(history.entries) }
            hasLostTransaction = false
            tellOfFollowers()
            editor.onCompletion = { [typed] in completer.complete((typed + [$0]).joined(separator: "\n"), behind: $1) }
            editor.decoration = decoration(typed)
            switch editor.read(prompt: prompt(isContinued: !typed.isEmpty)) {
            case .text(var line):
                if typed.isEmpty, tour != nil {
                    guard let instead = takeTourStep(line, prompt: prompt(isContinued: false)) else { continue }
                    line = instead
                }
                typed.append(line)
                reader.hasImpliedCollection = !session.currentCollection.isDefault
                reader.append(line)
                // An empty line says that this is all, be it right or wrong.
                runStatements(isLast: !line.contains { !$0.isWhitespace })
                guard !reader.isUnfinished else { continue }
                remember(typed.joined(separator: "\n"), editor)
                typed = []
            case .interrupted:
                reader.clear()
                typed = []
            case .end:
                StandardError.write("\n")
                return .success
            case .terminated(let signal):
                StandardError.write("\n")
                ending = signal
                return .interrupted
            }
        }
        return .success
    }

    /// Colours for the line, if there are any on the terminal that it is typed at.
    private func decoration(_ typed: [String]) -> LineDecoration? {
        let terminal = session.terminal
        guard terminal.outputIsTerminal ? terminal.usesColor : terminal.errorUsesColor, session.theme != .none else { return nil }
        return LineDecoration(
            theme: session.theme, earlier: typed.map { $0 + "\n" }.joined(), commands: InteractiveShell.commandNames)
    }

    private static let commandNames = Set(Commands.all.flatMap { [$0.name] + $0.aliases })

    private func remember(_ statement: String, _ editor: LineEditor) {
        var statement = statement
        while let last = statement.last, last.isWhitespace { statement.removeLast() }
        guard !statement.isEmpty else { return }
        if !InteractiveShell.isWish(statement) { lastTyped = statement }
        let count = history.entries.count
        history.add(statement)
        guard history.entries.last == statement else { return }
        // What was typed before has moved to the end.
        if history.entries.count > count { editor.addToHistory(statement) } else { editor.setHistory(history.entries) }
    }

    var promptText: String {
        let place = Prompt(
            database: databases.current?.name ?? "cblite", collection: session.currentCollection,
            isInTransaction: databases.current?.isInTransaction ?? false)
        return settings.prompt.filled(with: place, mode: settings.mode)
    }

    private func prompt(isContinued: Bool) -> ScreenText {
        let filled = promptText
        let end = filled.hasSuffix(" ") ? "" : " "
        let width = DisplayWidth.of(filled + end)
        let text = isContinued ? String(repeating: " ", count: max(0, width - 4)) + "..>" : filled
        let blank = isContinued ? " " : end
        guard session.terminal.usesColor else { return "\(text)\(blank)" }
        // Escape sequences stand between marks: they take no room.
        return "\u{1}\(session.theme.code(.strong))\u{1}\(text)\u{1}\(Style.off)\u{1}\(blank)"
    }

    // Statements

    /// Runs what has been read as far as it is complete. In a script, the first failure ends it, unless it is to keep going; the code is that
    /// of the first failure.
    @discardableResult
    func runStatements(isLast: Bool, before: ExitCode = .success) -> ExitCode {
        var code = before
        while !isLeaving {
            var isDone = false
            renewOutput()
            let result = Shell.finish(session) {
                session.options = options
                guard let statement = try reader.next(isLast: isLast) else {
                    isDone = true
                    return .success
                }
                return try naming(statement.line) { try run(statement) }
            }
            if isDone { return code }
            noticeLostTransactions()
            if Termination.signal != nil { isLeaving = true }
            if code == .success { code = result }
            guard result != .success else { continue }
            // The rest of a line is about what did not happen.
            if isOnTerminal || !options.keepsGoing || Interruption.isRequested || hasLostTransaction {
                reader.clear()
                return code
            }
        }
        return code
    }

    /// In a script, an error is told with its line.
    func naming(_ line: Int, _ work: () throws -> ExitCode) throws -> ExitCode {
        guard isRunningScript else { return try work() }
        session.scriptPlace = "line \(line): "
        defer { session.scriptPlace = "" }
        do {
            return try work()
        } catch {
            guard let known = ErrorReport.commandError(error) else { throw error }
            throw known.behind("line \(line): ")
        }
    }

    private func run(_ statement: ShellStatement) throws -> ExitCode {
        defer { session.terminal = terminal(color: options.color) }
        let statement = try ForeignWord.translated(statement, session)
        reader.lastQuery = isOnTerminal && scriptDepth == 0 ? statement.query : nil
        lastQuery = statement.typedText ?? lastQuery
        if statement.goesOn { session.remark("(This goes on with the query before.)") }
        switch statement.action {
        case .external(let command): return try run(external: command)
        case .setting(let words):
            return try session.writing(to: statement.target) { try set(words) }
        case .command(let words):
            let words = settings.words(words, isVertical: statement.isVertical, target: statement.target)
            let watch = Stopwatch()
            session.hasToldTime = false
            let journal = databases.current?.journal
            journal?.begin(InteractiveShell.title(of: words))
            defer {
                if settings.timing == .on, !session.hasToldTime, !isLeaving {
                    session.remark("Time: \(ShellSettings.milliseconds(watch.seconds))")
                }
            }
            let parsed = try ArgumentParser(commands: Commands.all, hasOpenDatabase: true).parse(words, options: options)
            if parsed.options.models != options.models, isRunningScript {
                throw CommandError.usage(
                    "a script cannot name the program of a model", hint: "Give --model to the command that runs the script.")
            }
            session.options = parsed.options
            defer { try? session.models.use(options.models) }
            session.terminal = terminal(color: parsed.options.color)
            let isOnScreen = isOnTerminal && scriptDepth == 0 && statement.target == nil && session.terminal.outputIsTerminal
            session.look = settings.look(onScreen: isOnScreen)
            if isOnScreen, let pager = pager(for: parsed.request) {
                return try session.paging(with: pager) { try perform(parsed.request) }
            }
            return try session.writing(to: statement.target) { try perform(parsed.request) }
        }
    }

    /// How `undo` calls a statement.
    private static func title(of words: [String]) -> String {
        ShellStatement.typedText(words) ?? SecretWords.masked(words).joined(separator: " ")
    }

    private func perform(_ request: ArgumentParser.Request) throws -> ExitCode {
        switch request {
        case .run(let command): return try searched(command).run(in: session)
        case .help(let words): return try HelpCommand.help(on: words, in: session)
        case .version: return try VersionCommand.printVersion(in: session)
        case .open, .nothing: return .success
        }
    }

    /// The command with the collections that it names found from where one is.
    private func searched(_ command: ParsedCommand) throws -> ParsedCommand {
        guard let database = session.openDatabase, command.databasePath == nil, command.command.database != .none else { return command }
        return try database.read { snapshot in
            let search = CollectionSearch(current: session.currentCollection, snapshot: snapshot)
            session.options.collection = session.options.collection.map(search.names)
            return command.searching(search)
        }
    }

    private func run(external command: String) throws -> ExitCode {
        try session.output.flush()
        let ending = try ChildProcess.leavingInterruptsToOthers { () throws(CommandError) in
            try ChildProcess(shell: ["-c", command]).wait()
        }
        ending.startLine(in: session)
        return ending == .exit(0) ? .success : .failure
    }
}
