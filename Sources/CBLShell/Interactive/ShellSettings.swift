import CBLBase
import CBLLanguage

/// What lines such as `.mode csv` set in the interactive shell, and in `$XDG_CONFIG_HOME/cblite/config`. `ShellSetting` gives each its name.
struct ShellSettings: Equatable, Sendable {
    /// When the shell tells how long something took.
    enum Timing: String, CaseIterable, Sendable {
        /// Below the rows of queries.
        case auto
        /// Of every command.
        case on
        case off

        static let names = allCases.map(\.rawValue)
    }

    /// How queries print their rows, unless they say so themselves.
    var mode = ResultFormat.table
    var timing = Timing.auto
    var pager = PagerSetting()
    var widths = ColumnWidths.auto
    var headers = ResultLook.Headers.auto
    var rowLimit: Int?
    var null = "null"
    var prompt = PromptTemplate.standard
    var theme = Theme.standard

    /// How results look now. What goes on to a program or a file is not cut.
    func look(onScreen: Bool) -> ResultLook {
        var look = ResultLook(widths: widths, headers: headers, null: null)
        if onScreen {
            look.rowLimit = rowLimit
            look.tellsRows = timing != .off
            look.foldsJSON = true
        }
        return look
    }

    /// The words of a command, with the flags that the settings and the end of the statement add.
    func words(_ words: [String], isVertical: Bool, target: ShellStatement.Target?) -> [String] {
        guard let name = words.first, name == "query" || name == "select" else { return words }
        var format = isVertical ? ResultFormat.line : mode
        if format == .table, case .file(let path, _)? = target, let named = ResultFormat(ofFile: path) { format = named }
        let asks = words.prefix { $0 != "--" }.contains { word in
            ["--format", "-F", "--raw", "--json5", "--json"].contains { word == $0 || word.hasPrefix($0 + "=") }
        }
        guard format != .table, !asks || isVertical else { return words }
        return [name, "--format", format.rawValue] + words.dropFirst()
    }

    /// `12.3 ms`
    static func milliseconds(_ seconds: Double) -> String {
        let tenths = Int((seconds * 10_000).rounded())
        return "\(ProgressLine.grouped(tenths / 10)).\(tenths % 10) ms"
    }
}

/// When a program shows results page by page, and which.
struct PagerSetting: Equatable, Sendable {
    enum When: String, CaseIterable, Sendable {
        /// If they are longer than the screen.
        case auto
        case on, off

        static let names = allCases.map(\.rawValue)
    }

    var when = When.auto
    /// The program, if it is another than `$PAGER`.
    var command: String?

    init() {}

    /// Reads `on`, `off`, `auto`, a command, or `auto` or `on` and a command.
    init(_ text: String) throws(CommandError) {
        let parts = text.split(separator: " ", maxSplits: 1)
        guard let first = parts.first else { throw .usage(".pager needs auto, on, off, or a command") }
        guard let when = When(rawValue: String(first)) else {
            if parts.count == 1, let meant = Suggestion.closest(to: String(first), in: When.names) {
                throw .usage(".pager is auto, on, off or a command, not \"\(first)\". Did you mean \"\(meant)\"?")
            }
            command = text
            return
        }
        self.when = when
        guard parts.count == 2 else { return }
        if when == .off { throw .usage(".pager off takes no command") }
        command = String(parts[1])
    }

    var text: String { when.rawValue + (command.map { " " + $0 } ?? "") }
}
