import DocumentStore
import Glibc
import QueryEngine
import SQLPlusPlus

/// What lasts from one command to the next: the output, the terminal, the open database and the current collection.
/// A one-shot command has a session of its own; the interactive shell keeps one.
final class Session {
    var output: Output
    var terminal: Terminal
    /// What colours look like, if there are any.
    var theme = Theme.standard
    /// How results look.
    var look = ResultLook()
    /// What `$names` stand for in queries that give them no value themselves.
    var parameters = QueryParameters.none
    var options = GlobalOptions()
    /// The database that commands without a path work on.
    var openDatabase: Database?
    /// The collection that commands work on if no flag names another.
    var currentCollection = CollectionName.default
    /// What shows the results of the running command, if that may be more than the screen.
    var pager: ScreenPager?
    /// Copies of servers' databases, which go at the end.
    var remoteCopies: [OpenRemoteCopy] = []
    /// The servers that have been talked to.
    var peers = SyncPeers()
    /// The progress line that may be on the screen.
    weak var currentProgress: Progress?
    /// The interactive shell that runs the commands, if one does.
    weak var shell: InteractiveShell?
    /// How many documents the command had to leave out because they are damaged.
    var damagedCount = 0
    /// The command has said itself how long it took.
    var hasToldTime = false
    /// What has been remarked already and need not be said again.
    private var remarks: Set<String> = []

    init(output: Output = Output(), terminal: Terminal = Terminal()) {
        self.output = output
        self.terminal = terminal
    }

    /// Says something to the person, on standard error: results alone go to standard output. `--quiet` silences it.
    func notice(_ text: String) {
        if !options.isQuiet { say(text) }
    }

    /// Says something that one may well overlook.
    func remark(_ text: String) {
        if !options.isQuiet { say(text, .dim) }
    }

    /// The same, if it has not been said in this session.
    func remarkOnce(_ text: String, about subject: String) {
        if remarks.insert(subject).inserted { remark(text) }
    }

    /// Tells of something that went wrong, though the command goes on. `--quiet` does not silence it.
    func warn(_ text: String) { say(text, title: "cblite: ", .warning) }

    /// Reports the error that ended a command.
    func report(_ error: CommandError) {
        if options.isJSON { return say(ErrorReport.json(error)) }
        say(error.message, title: "cblite: ", .error)
        if let hint = error.hint { say(hint) }
    }

    private func say(_ text: String, title: String = "", _ style: Style? = nil) {
        currentProgress?.clear()
        // Results that were printed before stand above what is said now.
        if terminal.outputIsTerminal { try? output.flush() }
        let message = colored(terminal.errorIsTerminal ? StandardError.safe(text) : text, title, style) + "\n"
        if !(pager?.postpone(message) ?? false) { StandardError.write(message) }
    }

    private func colored(_ text: String, _ title: String, _ style: Style?) -> String {
        guard let style, terminal.errorUsesColor else { return title + text }
        guard !title.isEmpty else { return styled(text, style) }
        // The title and the mark below a mistake have the colour; what they are about is read better without.
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            Session.isMark(line) ? styled(String(line), style) : String(line)
        }
        return styled(title, style) + lines.joined(separator: "\n")
    }

    /// Whether a line is the mark below an excerpt of a query: `    ^~~~`.
    private static func isMark(_ line: Substring) -> Bool {
        let mark = line.drop { $0 == " " }
        return mark.first == "^" && mark.dropFirst().allSatisfy { $0 == "~" }
    }
}

/// Unbuffered standard error.
enum StandardError {
    static func write(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while let start = rest.baseAddress, !rest.isEmpty {
                let written = SystemCall.retrying { Glibc.write(STDERR_FILENO, start, rest.count) }
                if written < 0 { return }
                rest = UnsafeRawBufferPointer(rebasing: rest[written...])
            }
        }
    }

    /// A message may quote a name from a hostile file; its own line breaks stay.
    static func safe(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { TerminalText.escaped(String($0)) }.joined(separator: "\n")
    }
}
