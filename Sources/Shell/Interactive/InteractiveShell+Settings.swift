import Glibc
import SQLPlusPlus

/// What lines such as `.timer on` do, typed or in the configuration file.
extension InteractiveShell {
    func set(_ words: [String]) throws -> ExitCode {
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
    func setOutput(_ path: String?) throws {
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

    func terminal(color: GlobalOptions.Color) -> Terminal {
        guard file != nil else { return Terminal(color: color) }
        return Terminal(
            color: color, outputIsTerminal: false, errorIsTerminal: isatty(STDERR_FILENO) == 1, inputIsTerminal: isatty(STDIN_FILENO) == 1,
            environment: Terminal.environment)
    }

    /// Settings alone: a file that somebody has written long ago should not change databases.
    func readConfiguration(_ path: String) throws {
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
    func pager(for request: ArgumentParser.Request) -> ShellStatement.Target? {
        guard settings.usesPager, session.terminal.outputIsTerminal, case .run(let command) = request, command.command.group == .looking
        else { return nil }
        // What never ends is watched, not read.
        let isEndless = ["follow", "watch"].contains { name in command.command.flags.contains { $0.name == name } && command.flag(name) }
        return isEndless ? nil : .pager(Terminal.environment("PAGER") ?? "less -RSFX")
    }
}
