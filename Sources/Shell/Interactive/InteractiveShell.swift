import DocumentStore
import Glibc
import SQLPlusPlus

/// The loop of the interactive shell: it reads lines from a terminal, a pipe or a file, and runs the statements in them one after another.
///
/// What the lines mean is `StatementReader`'s business, and what the commands do is their own: they are those of the command line.
final class InteractiveShell {
    let session: Session
    let history: HistoryFile
    /// The global flags that the shell was started with: each command begins with them.
    private let options: GlobalOptions
    private let isOnTerminal: Bool
    private var reader: StatementReader
    /// Set by `quit`.
    var isLeaving = false

    /// Opens a database, and works on it until the person leaves or the input ends.
    static func run(on path: String, in session: Session) throws -> ExitCode {
        let terminal = session.terminal
        let isOnTerminal = terminal.inputIsTerminal && (terminal.outputIsTerminal || terminal.errorIsTerminal)
        session.openDatabase = try session.open(path, writes: false)
        let shell = InteractiveShell(session, isOnTerminal: isOnTerminal)
        session.shell = shell
        defer { session.openDatabase?.close() }
        return try isOnTerminal ? shell.converse() : shell.runScript(InputSource("-"))
    }

    private init(_ session: Session, isOnTerminal: Bool) {
        self.session = session
        self.isOnTerminal = isOnTerminal
        options = session.options
        history = HistoryFile(path: isOnTerminal ? HistoryFile.standardPath : nil)
        reader = StatementReader(commands: Commands.all, looksAhead: !isOnTerminal)
    }

    // A person

    private func converse() throws -> ExitCode {
        Interruption.bePatient()
        let editor = try LineEditor(showsOnErrors: !session.terminal.outputIsTerminal)
        let completer = Completer(session: session)
        editor.setHistory(history.entries)
        session.notice(try Banner.text(session))
        var typed: [String] = []
        while !isLeaving {
            if history.reload() { editor.setHistory(history.entries) }
            editor.onCompletion = { [typed] in completer.complete((typed + [$0]).joined(separator: "\n")) }
            switch editor.read(prompt: prompt(isContinued: !typed.isEmpty)) {
            case .text(let line):
                typed.append(line)
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
                session.openDatabase?.close()
                // The transaction that was open, the history and the terminal are in order: now the signal has its way.
                Glibc.signal(signal, SIG_DFL)
                raise(signal)
                return .interrupted
            }
        }
        return .success
    }

    private func remember(_ statement: String, _ editor: LineEditor) {
        var statement = statement
        while let last = statement.last, last.isWhitespace { statement.removeLast() }
        guard !statement.isEmpty else { return }
        history.add(statement)
        if history.entries.last == statement { editor.setHistory(history.entries) }
    }

    private func prompt(isContinued: Bool) -> String {
        let place = Prompt.text(database: session.openDatabase?.path ?? "", collection: session.currentCollection)
        let text = isContinued ? String(repeating: " ", count: max(0, DisplayWidth.of(place) - 3)) + "..>" : place
        guard session.terminal.usesColor else { return text + " " }
        // Escape sequences stand between marks: they take no room.
        return "\u{1}\(Style.strong.code)\u{1}\(text)\u{1}\(Style.off)\u{1} "
    }

    // A script

    /// Runs the statements of a file or a pipe, up to the first that fails.
    private func runScript(_ source: InputSource) throws -> ExitCode {
        var code = ExitCode.success
        while !isLeaving, let bytes = try source.nextLine() {
            guard let line = String(validating: bytes, as: UTF8.self) else {
                throw CommandError.failed("\(source.name): line \(source.lineNumber) is not valid UTF-8")
            }
            reader.append(line)
            code = runStatements(isLast: false, before: code)
            if code != .success, !options.keepsGoing { return code }
        }
        return isLeaving ? code : runStatements(isLast: true, before: code)
    }

    // Statements

    /// Runs what has been read as far as it is complete. In a script, the first failure ends it, unless it is to keep going; the code is that
    /// of the first failure.
    @discardableResult
    private func runStatements(isLast: Bool, before: ExitCode = .success) -> ExitCode {
        var code = before
        while !isLeaving {
            var isDone = false
            let result = Shell.finish(session) {
                session.options = options
                guard let statement = try reader.next(isLast: isLast) else {
                    isDone = true
                    return .success
                }
                return try naming(statement.line) { try run(statement) }
            }
            if isDone { return code }
            if code == .success { code = result }
            guard result != .success else { continue }
            // The rest of a line is about what did not happen.
            if isOnTerminal || !options.keepsGoing {
                reader.clear()
                return code
            }
        }
        return code
    }

    /// In a script, an error is told with its line.
    private func naming(_ line: Int, _ work: () throws -> ExitCode) throws -> ExitCode {
        guard !isOnTerminal else { return try work() }
        do {
            return try work()
        } catch {
            guard let known = ErrorReport.commandError(error) else { throw error }
            throw CommandError(known.exitCode, "line \(line): \(known.message)", hint: known.hint)
        }
    }

    private func run(_ statement: ShellStatement) throws -> ExitCode {
        Interruption.clear()
        defer { session.terminal = Terminal(color: options.color) }
        switch statement.action {
        case .external(let command): return try run(external: command)
        case .setting(let words):
            throw CommandError.usage("no setting \".\(words.first ?? "")\"", hint: "'help' lists the commands.")
        case .command(let words):
            let parsed = try ArgumentParser(commands: Commands.all, hasOpenDatabase: true).parse(words, options: options)
            session.options = parsed.options
            session.terminal = Terminal(color: parsed.options.color)
            return try session.writing(to: statement.target) { try perform(parsed.request) }
        }
    }

    private func perform(_ request: ArgumentParser.Request) throws -> ExitCode {
        switch request {
        case .run(let command): return try command.run(in: session)
        case .help(let words): return try HelpCommand.help(on: words, in: session)
        case .version: return try VersionCommand.printVersion(in: session)
        case .open, .openRemote, .nothing: return .success
        }
    }

    private func run(external command: String) throws -> ExitCode {
        try session.output.flush()
        let ending = try ChildProcess.leavingInterruptsToOthers { () throws(CommandError) in
            try ChildProcess(shell: ["-c", command]).wait()
        }
        return ending == .exit(0) ? .success : .failure
    }
}

/// What stands in front of the line: `travel:inventory.hotel>`.
enum Prompt {
    static func text(database path: String, collection: CollectionName) -> String {
        let name = name(of: path)
        return TerminalText.escaped(collection.isDefault ? "\(name)>" : "\(name):\(collection)>")
    }

    /// The name of a bundle without its ending.
    static func name(of path: String) -> String {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        return name.hasSuffix(".cblite2") ? String(name.dropLast(8)) : name
    }
}

/// The line that says what was opened.
enum Banner {
    // Counting the documents of larger files would keep the prompt waiting.
    private static let largestCounted = 16 << 20

    static func text(_ session: Session) throws -> String {
        guard let database = session.openDatabase else { return "" }
        let size = BundleSize(database.path).database
        return try database.read { snapshot in
            let names = snapshot.collections()
            let documents: String
            if size <= largestCounted {
                let count = try names.reduce(0) { try $0 + snapshot.counts(of: $1).live }
                documents = count == 1 ? "1 document" : "\(Progress.grouped(count)) documents"
            } else {
                // The number of changes is known without looking: there cannot be more documents than that.
                let limit = try names.reduce(0) { try $0 + snapshot.lastSequence(of: $1) }
                documents = "up to \(Progress.grouped(Int(clamping: limit))) documents"
            }
            let collections = names.count == 1 ? "1 collection" : "\(names.count) collections"
            let access = database.isReadOnly ? "read-only" : "writable"
            let name = TerminalText.escaped(database.path.split(separator: "/").last.map(String.init) ?? database.path)
            return """
                \(name): format \(snapshot.generation.releases), \(SizeText.text(size)), \(documents) in \(collections), \(access).
                "help" lists the commands, Tab completes, Ctrl-D leaves.
                """
        }
    }
}
