import CBLBase
import CBLLanguage

/// A line that begins with a dot: a setting, or something else about the shell itself. Declared once, for `.help`, `.set`, completion, and the
/// file that keeps them.
struct ShellSetting: Sendable {
    /// What a setting is in `ShellSettings`.
    struct Value: Sendable {
        let get: @Sendable (ShellSettings) -> String
        let set: @Sendable (inout ShellSettings, String) throws(CommandError) -> Void
    }

    let name: String
    let kind: ValueKind
    /// As in `.timer auto|on|off`.
    let synopsis: String
    let help: String
    /// Words that completion offers where the kind has none.
    var suggestions: [String] = []
    /// Nil for those that do something once.
    var value: Value?

    static let all = [mode, headers, width, null, limit, timer, pager, prompt, theme] + actions
    /// Those that have a value, and can be kept.
    static let kept = all.filter { $0.value != nil }

    static func named(_ name: String) throws(CommandError) -> ShellSetting {
        if let known = all.first(where: { $0.name == name }) { return known }
        let suggestion = Suggestion.closest(to: name, in: all.lazy.map(\.name)).map { " Did you mean .\($0)?" } ?? ""
        throw .usage("no setting \".\(name)\".\(suggestion)", hint: "'.help' lists the settings.")
    }

    /// Changes the setting. The kind decides which values there are.
    func set(_ text: String, in settings: inout ShellSettings) throws(CommandError) {
        guard let value else { throw .usage("\".\(name)\" is not a setting that has a value") }
        try ArgumentParser.check(text, kind, of: ".\(name)", title: nil, hint: "'.help' lists the settings.")
        try value.set(&settings, text)
    }

    /// The lines of `.help`.
    static func overview(_ settings: ShellSettings) -> String {
        HelpText.list(
            all.map { setting in
                let now = setting.value.map { " (now: \(written($0.get(settings))))" } ?? ""
                return (name: ".\(setting.name) \(setting.synopsis)", text: setting.help + now)
            })
    }

    /// A value as it has to be typed.
    static func written(_ text: String) -> String {
        let scalars = text.unicodeScalars
        let isPlain =
            !text.isEmpty && scalars.first != " " && scalars.last != " " && !scalars.contains { "'\"\\;|>\t\r".unicodeScalars.contains($0) }
        if isPlain { return text }
        return "\"" + text.replacingEach("\\", with: "\\\\").replacingEach("\"", with: "\\\"") + "\""
    }

    // The settings

    private static let mode = ShellSetting(
        name: "mode", kind: .choice(ResultFormat.names), synopsis: "FORMAT",
        help: "How queries print rows: \(ResultFormat.list)",
        value: Value(get: { $0.mode.rawValue }, set: { settings, text in settings.mode = ResultFormat(rawValue: text) ?? settings.mode }))

    private static let headers = ShellSetting(
        name: "headers", kind: .choice(ResultLook.Headers.names), synopsis: "auto|on|off",
        help: "Headings above rows: auto leaves them out above the only column of a table",
        value: Value(
            get: { $0.headers.rawValue },
            set: { settings, text in settings.headers = ResultLook.Headers(rawValue: text) ?? settings.headers }))

    private static let width = ShellSetting(
        name: "width", kind: .text, synopsis: "auto|N|N N …",
        help: "The most that columns of a table may have: one number for all, or one for each, 0 for as much as is needed",
        suggestions: ["auto"],
        value: Value(
            get: { $0.widths.description },
            set: { (settings: inout ShellSettings, text) throws(CommandError) in settings.widths = try ColumnWidths(text) }))

    private static let null = ShellSetting(
        name: "null", kind: .text, synopsis: "TEXT",
        help: "What stands for null where rows are not JSON; what is MISSING stays blank",
        value: Value(
            get: { $0.null },
            set: { (settings: inout ShellSettings, text) throws(CommandError) in
                guard !text.contains(where: \.isNewline) else { throw .usage(".null takes one line") }
                settings.null = text
            }))

    private static let limit = ShellSetting(
        name: "limit", kind: .text, synopsis: "N|off",
        help: "Show at most N rows of a query on the screen; files and other programs get all",
        suggestions: ["off", "100", "1000"],
        value: Value(
            get: { $0.rowLimit.map { "\($0)" } ?? "off" },
            set: { (settings: inout ShellSettings, text) throws(CommandError) in
                if text == "off" {
                    settings.rowLimit = nil
                } else {
                    guard let limit = Int(text), limit > 0 else { throw .usage(".limit needs off or a number above zero, not \"\(text)\"") }
                    settings.rowLimit = limit
                }
            }))

    private static let timer = ShellSetting(
        name: "timer", kind: .choice(ShellSettings.Timing.names), synopsis: "auto|on|off",
        help: "Tell how long it took: auto below the rows of queries, with their number; on for every command",
        value: Value(
            get: { $0.timing.rawValue },
            set: { settings, text in settings.timing = ShellSettings.Timing(rawValue: text) ?? settings.timing }))

    private static let pager = ShellSetting(
        name: "pager", kind: .text, synopsis: "auto|on|off [COMMAND]",
        help: "Show results with COMMAND, $PAGER or less: auto if they are longer than the screen",
        suggestions: PagerSetting.When.names,
        value: Value(
            get: { $0.pager.text },
            set: { (settings: inout ShellSettings, text) throws(CommandError) in settings.pager = try PagerSetting(text) }))

    private static let prompt = ShellSetting(
        name: "prompt", kind: .text, synopsis: "TEXT",
        help:
            "The prompt: {db} stands for the database, {coll} the collection, {txn} an asterisk in a transaction, {mode} the form of rows",
        value: Value(
            get: { $0.prompt.text },
            set: { (settings: inout ShellSettings, text) throws(CommandError) in settings.prompt = try PromptTemplate(text) }))

    private static let theme = ShellSetting(
        name: "theme", kind: .choice(Theme.names), synopsis: "NAME",
        help: "The colours: \(Theme.names.joined(separator: ", ")); alone it shows a line of each",
        value: Value(get: { $0.theme.rawValue }, set: { settings, text in settings.theme = Theme(rawValue: text) ?? settings.theme }))

    private static let actions = [
        ShellSetting(
            name: "output", kind: .file, synopsis: "[FILE]",
            help: "Write the results to a file from now on; without a name to the screen again"),
        ShellSetting(name: "read", kind: .file, synopsis: "FILE", help: "Run the statements of a file"),
        ShellSetting(
            name: "set", kind: .text, synopsis: "[NAME VALUE]",
            help:
                "Set what NAME stands for: a setting, or with a dollar sign, as in .set $city Paris, a parameter of queries; alone it lists all"
        ),
        ShellSetting(
            name: "unset", kind: .text, synopsis: "NAME", help: "Give a setting its first value again, or forget a parameter: .unset $city"),
        ShellSetting(name: "save", kind: .text, synopsis: "", help: "Keep the settings for the next time, in the file that it tells"),
        ShellSetting(name: "help", kind: .text, synopsis: "", help: "List the settings and what they are now"),
    ]
}
