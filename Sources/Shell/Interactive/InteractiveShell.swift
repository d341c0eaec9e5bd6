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
    private var settings = ShellSettings()
    /// Where `.output` has the results go.
    private var file: Int32?
    private var scriptDepth = 0
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

    /// Goes on with another database. If that cannot be opened, the one that is open stays.
    func change(to path: String) throws {
        let next = try session.open(path, writes: false)
        session.openDatabase?.close()
        session.openDatabase = next
        session.currentCollection = .default
        if isOnTerminal { session.notice(try Banner.text(session)) }
    }

    /// Runs an entry of the history: the last one that is not itself a wish to run another.
    func runAgain(_ number: Int?) throws -> ExitCode {
        let isWish = { (entry: String) in entry == "again" || entry.hasPrefix("again ") }
        let entries = history.entries
        let entry = number.map { entries.indices.contains($0 - 1) ? entries[$0 - 1] : nil } ?? entries.last { !isWish($0) }
        guard let entry, !isWish(entry) else {
            throw CommandError.failed(number.map { "the history has no statement \($0) to run again" } ?? "nothing has been typed yet")
        }
        session.notice(entry)
        let before = reader
        defer { reader = before }
        reader = StatementReader(commands: Commands.all)
        reader.append(entry)
        return runStatements(isLast: true)
    }

    // A person

    private func converse() throws -> ExitCode {
        Interruption.bePatient()
        if let path = ShellSettings.standardPath, Endpoint.exists(path) { try? readConfiguration(path) }
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
            if code != .success, !options.keepsGoing || Interruption.isRequested { return code }
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
            if isOnTerminal || !options.keepsGoing || Interruption.isRequested {
                reader.clear()
                return code
            }
        }
        return code
    }

    /// In a script, an error is told with its line.
    private func naming(_ line: Int, _ work: () throws -> ExitCode) throws -> ExitCode {
        guard !isOnTerminal || scriptDepth > 0 else { return try work() }
        do {
            return try work()
        } catch {
            guard let known = ErrorReport.commandError(error) else { throw error }
            throw CommandError(known.exitCode, "line \(line): \(known.message)", hint: known.hint)
        }
    }

    private func run(_ statement: ShellStatement) throws -> ExitCode {
        defer { session.terminal = terminal(color: options.color) }
        switch statement.action {
        case .external(let command): return try run(external: command)
        case .setting(let words):
            return try session.writing(to: statement.target) { try set(words) }
        case .command(let words):
            let words = settings.words(words, isVertical: statement.isVertical)
            let watch = Stopwatch()
            defer { if settings.showsTime { session.notice("Time: \(ShellSettings.milliseconds(watch.seconds))") } }
            let parsed = try ArgumentParser(commands: Commands.all, hasOpenDatabase: true).parse(words, options: options)
            session.options = parsed.options
            session.terminal = terminal(color: parsed.options.color)
            let target = statement.target ?? pager(for: parsed.request)
            return try session.writing(to: target) { try perform(parsed.request) }
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

    // Settings

    private func set(_ words: [String]) throws -> ExitCode {
        let declaration = try ShellSettings.declaration(named: words.first ?? "help")
        guard words.count <= 2 else { throw CommandError.usage(".\(declaration.name) takes one value") }
        let value = words.count > 1 ? words[1] : nil
        switch declaration.name {
        case "help": try session.output.write(settings.overview)
        case "output": try setOutput(value)
        case "read":
            guard let value else { throw CommandError.usage(".read needs the name of a file") }
            return try runScript(named: value)
        default:
            guard let value else {
                try session.output.writeLine(settings.value(of: declaration.name) ?? "")
                break
            }
            try settings.set(declaration, value)
        }
        return .success
    }

    /// Has results go to a file, or to standard output again.
    private func setOutput(_ path: String?) throws {
        try session.output.flush()
        if let path {
            let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
            guard descriptor >= 0 else { throw CommandError.system(path, errno: errno) }
            session.output = Output(descriptor: descriptor, isTerminal: false)
            if let file { close(file) }
            file = descriptor
        } else {
            session.output = Output()
            if let file { close(file) }
            file = nil
        }
    }

    private func terminal(color: GlobalOptions.Color) -> Terminal {
        guard file != nil else { return Terminal(color: color) }
        return Terminal(
            color: color, outputIsTerminal: false, errorIsTerminal: isatty(STDERR_FILENO) == 1, inputIsTerminal: isatty(STDIN_FILENO) == 1,
            environment: Terminal.environment)
    }

    /// The statements of a file, as if they had been typed here. What fails ends it.
    private func runScript(named path: String) throws -> ExitCode {
        guard scriptDepth < 10 else { throw CommandError.failed("\(path): scripts that read scripts go too deep") }
        let source = try InputSource(path)
        let before = reader
        reader = StatementReader(commands: Commands.all, looksAhead: true)
        scriptDepth += 1
        defer {
            scriptDepth -= 1
            reader = before
        }
        return try runScript(source)
    }

    /// Settings alone: a file that somebody has written long ago should not change databases.
    private func readConfiguration(_ path: String) throws {
        let source = try InputSource(path)
        while let bytes = try source.nextLine() {
            let line = String(decoding: bytes, as: UTF8.self)
            _ = Shell.finish(session) {
                var reader = StatementReader(commands: Commands.all)
                reader.append(line)
                guard let statement = try reader.next(isLast: true) else { return .success }
                guard case .setting(let words) = statement.action, let name = words.first, let value = words.dropFirst().first else {
                    throw CommandError.usage("\(path): line \(source.lineNumber): only settings can stand there, such as .timer on")
                }
                try settings.set(ShellSettings.declaration(named: name), value)
                return .success
            }
        }
    }

    /// The program that shows long results, if the person wants one and the command prints what one reads.
    private func pager(for request: ArgumentParser.Request) -> ShellStatement.Target? {
        guard settings.usesPager, session.terminal.outputIsTerminal, case .run(let command) = request, command.command.group == .looking
        else { return nil }
        // What never ends is watched, not read.
        let isEndless = ["follow", "watch"].contains { name in command.command.flags.contains { $0.name == name } && command.flag(name) }
        return isEndless ? nil : .pager(Terminal.environment("PAGER") ?? "less -RSFX")
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
