import CBLQuery
import Glibc

/// The program behind `cblite`: arguments in, exit code out.
package enum Shell {
    package static let version = "0.1.0"

    /// Runs one command line; the first argument is the program's own name.
    package static func run(_ arguments: [String]) -> Int32 {
        // The language reads them from there.
        guard !arguments.isEmpty else {
            StandardError.write("cblite: no arguments can be read: /proc is not mounted\n")
            return ExitCode.failure.rawValue
        }
        SecretWords.hide()
        StandardDescriptors.occupy()
        Interruption.install()
        OutOfMemory.install()
        VectorIndexing.prepare()
        let session = Session()
        let words = Array(arguments.dropFirst())
        // A command line that cannot be parsed still says whether errors are to be JSON.
        session.options.isJSON = words.contains("--json")
        let code = finish(session) { try perform(words, in: session) }
        session.removeUnpackedCopies()
        session.models.endAll()
        // What had to wait for that.
        if code != .success, let signal = Termination.signal { Termination.die(of: signal) }
        return code.rawValue
    }

    private static func perform(_ words: [String], in session: Session) throws -> ExitCode {
        try ArgumentText.check()
        let parsed = try parse(words)
        session.options = parsed.options
        session.terminal = Terminal(color: parsed.options.color)
        if session.terminal.usesColor || session.terminal.errorUsesColor, let theme = SettingsFile.theme {
            session.theme = theme
            if theme == .none { session.terminal = session.terminal.withoutColor }
        }
        switch parsed.request {
        case .run(let command): return try command.run(in: session)
        case .help(let words): return try HelpCommand.help(on: words, in: session)
        case .version: return try VersionCommand.printVersion(in: session)
        case .open(let path): return try InteractiveShell.run(on: session.unpacked(path), in: session)
        case .nothing:
            StandardError.write(ScreenText(lines: HelpText.brief(Commands.all)))
            return .usage
        }
    }

    private static func parse(_ words: [String]) throws(CommandError) -> ArgumentParser.Result {
        // What is not understood with the commands that it names, such as an alias, is told with all.
        do { return try ArgumentParser.parse(words, commands: Commands.named(in: words)) } catch {
            return try ArgumentParser.parse(words, commands: Commands.all)
        }
    }

    /// Ends a command: flushes its output, and turns whatever it threw into a message and an exit code.
    static func finish(_ session: Session, _ work: () throws -> ExitCode) -> ExitCode {
        do {
            let code = try work()
            try session.output.flush()
            return code
        } catch {
            // What was printed before the error belongs to the reader.
            try? session.output.flush()
            // A reader that has gone wants to hear no more, and has taken no harm.
            guard var error = ErrorReport.commandError(error) else { return .success }
            if ModelProgram.takeInterruption() {
                error = CommandError(.interrupted, lines: error.messageLines, hints: error.hintLines)
            }
            session.report(error)
            return error.exitCode
        }
    }
}

extension ParsedCommand {
    func run(in session: Session) throws -> ExitCode {
        guard let run = command.run else { preconditionFailure("\(title) was parsed, so it does something") }
        session.damagedCount = 0
        try session.models.use(session.options.models)
        do {
            let code = try run(Invocation(parsed: unpacking(in: session), session: session))
            // Some documents are missing from what was printed.
            return code == .success && session.damagedCount > 0 ? .failure : code
        } catch Output.Failure.closed where command.database == .writes {
            // The silence that suits `ls | head` would hide that a change was not made.
            throw CommandError.failed("nobody reads the output any more, and the work was not finished")
        }
    }
}
