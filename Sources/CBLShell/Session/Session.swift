import CBLLanguage
import CBLQuery
import CBLStore
import Glibc

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
    /// Copies of databases in ZIP files, likewise.
    var unpackedCopies: [UnpackedCopy] = []
    /// The servers that have been talked to.
    var peers = SyncPeers()
    /// Passwords that are kept, or to be.
    var keyring = KeyringUse()
    /// The keys of databases that were opened, by the paths that were given.
    var knownKeys: [String: EncryptionKey] = [:]
    /// The programs that answer for models.
    let models = ModelPrograms()
    /// The progress line that may be on the screen.
    weak var currentProgress: ProgressLine?
    /// The interactive shell that runs the commands, if one does.
    weak var shell: InteractiveShell?
    /// How many documents the command had to leave out because they are damaged.
    var damagedCount = 0
    /// The command has said itself how long it took.
    var hasToldTime = false
    /// Where the statement stands in a script, in front of what is said of it: `line 3: `.
    var scriptPlace = ""
    /// What has been remarked already and need not be said again.
    private var remarks: Set<String> = []

    init(output: Output = Output(), terminal: Terminal = Terminal()) {
        self.output = output
        self.terminal = terminal
    }

    /// Says something to the person, on standard error: results alone go to standard output. `--quiet` silences it. It is one line, whatever
    /// is in it.
    func notice(_ text: String) { notice(lines: [text]) }

    func notice(lines: [String]) {
        if !options.isQuiet { say(lines) }
    }

    /// Says something that one may well overlook.
    func remark(_ text: String) {
        if !options.isQuiet { say([text], .dim) }
    }

    /// The same, if it has not been said in this session.
    func remarkOnce(_ text: String, about subject: String) {
        if remarks.insert(subject).inserted { remark(text) }
    }

    /// Tells of something that went wrong, though the command goes on. `--quiet` does not silence it.
    func warn(_ text: String) { say([text], title: "cblite: ", .warning) }

    /// Reports the error that ended a command.
    func report(_ error: CommandError) {
        if options.isJSON { return say([ErrorReport.json(error)]) }
        say(error.messageLines, title: "cblite: ", .error)
        if !error.hintLines.isEmpty { say(error.hintLines) }
    }

    private func say(_ lines: [String], title: ScreenText = "", _ style: Style? = nil) {
        currentProgress?.clear()
        // Results that were printed before stand above what is said now.
        if terminal.outputIsTerminal { try? output.flush() }
        let message: ScreenText = "\(colored(lines, title, style))\n"
        if !(pager?.postpone(message) ?? false) { StandardError.write(message) }
    }

    private func colored(_ lines: [String], _ title: ScreenText, _ style: Style?) -> ScreenText {
        let plain = lines.map { "\($0)" as ScreenText }
        guard let style, terminal.errorUsesColor else { return "\(title)\(ScreenText(plain, separator: "\n"))" }
        guard title != "" else { return styled(ScreenText(plain, separator: "\n"), style) }
        // The title and the mark below a mistake have the colour; what they are about is read better without.
        let marked = zip(lines, plain).map { line, text in Session.isMark(line) ? styled(text, style) : text }
        return "\(styled(title, style))\(ScreenText(marked, separator: "\n"))"
    }

    private func styled(_ text: ScreenText, _ style: Style) -> ScreenText { "\(theme.code(style))\(text)\(Style.off)" }

    /// Whether a line is the mark below an excerpt of a query: `    ^~~~`.
    private static func isMark(_ line: String) -> Bool {
        let mark = line.drop { $0 == " " }
        return mark.first == "^" && mark.dropFirst().allSatisfy { $0 == "~" }
    }
}
