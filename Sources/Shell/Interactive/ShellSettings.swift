import SQLPlusPlus

/// What lines like `.timer on` set in the interactive shell, and in `$XDG_CONFIG_HOME/cblite/config`.
struct ShellSettings {
    /// How queries print their rows, unless they say so themselves.
    var mode = ResultFormat.table
    /// Tell after each command how long it took.
    var showsTime = false
    /// Show what is longer than the screen with `$PAGER`.
    var usesPager = false

    struct Declaration {
        let name: String
        let kind: ValueKind
        /// As in `.timer on|off`.
        let value: String
        let help: String
    }

    static let switches = ["on", "off"]

    static let all = [
        Declaration(
            name: "mode", kind: .choice(ResultFormat.names), value: "FORMAT",
            help: "How queries print rows: \(ResultFormat.names.joined(separator: ", "))"),
        Declaration(name: "timer", kind: .choice(switches), value: "on|off", help: "Tell how long each command took"),
        Declaration(
            name: "pager", kind: .choice(switches), value: "on|off",
            help: "Show listings, documents and rows with $PAGER, or with less if they are longer than the screen"),
        Declaration(
            name: "output", kind: .file, value: "[FILE]",
            help: "Write the results to a file from now on; without a name to the screen again"),
        Declaration(name: "read", kind: .file, value: "FILE", help: "Run the statements of a file"),
        Declaration(name: "help", kind: .text, value: "", help: "List the settings and what they are now"),
    ]

    static func declaration(named name: String) throws(CommandError) -> Declaration {
        if let known = all.first(where: { $0.name == name }) { return known }
        let suggestion = Suggestion.closest(to: name, in: all.lazy.map(\.name)).map { " Did you mean .\($0)?" } ?? ""
        throw .usage("no setting \".\(name)\".\(suggestion)", hint: "'.help' lists the settings.")
    }

    /// What a setting is now, if it has a value.
    func value(of name: String) -> String? {
        switch name {
        case "mode": mode.rawValue
        case "timer": showsTime ? "on" : "off"
        case "pager": usesPager ? "on" : "off"
        default: nil
        }
    }

    /// Sets what has a value. The declaration's kind decides which values there are.
    mutating func set(_ declaration: Declaration, _ value: String) throws(CommandError) {
        try ArgumentParser.check(value, declaration.kind, of: ".\(declaration.name)", title: nil, usage: "'.help' lists the settings.")
        switch declaration.name {
        case "mode": mode = ResultFormat(rawValue: value) ?? mode
        case "timer": showsTime = value == "on"
        case "pager": usesPager = value == "on"
        default: break
        }
    }

    /// The lines of `.help`.
    var overview: String {
        let rows = ShellSettings.all.map { setting in
            let now = value(of: setting.name).map { " (now: \($0))" } ?? ""
            return (name: ".\(setting.name) \(setting.value)", text: setting.help + now)
        }
        return HelpText.list(rows)
    }

    /// The words of a command, with the flags that the settings and the end of the statement add.
    func words(_ words: [String], isVertical: Bool) -> [String] {
        guard let name = words.first, name == "query" || name == "select" else { return words }
        let format = isVertical ? ResultFormat.line : mode
        let asks = words.prefix { $0 != "--" }.contains { word in
            ["--format", "-F", "--raw", "--json5", "--json"].contains { word == $0 || word.hasPrefix($0 + "=") }
        }
        guard format != .table, !asks || isVertical else { return words }
        return [name, "--format", format.rawValue] + words.dropFirst()
    }

    /// `12.3 ms`
    static func milliseconds(_ seconds: Double) -> String {
        let tenths = Int((seconds * 10_000).rounded())
        return "\(Progress.grouped(tenths / 10)).\(tenths % 10) ms"
    }

    static var standardPath: String? {
        if let config = Terminal.environment("XDG_CONFIG_HOME"), config.hasPrefix("/") { return config + "/cblite/config" }
        return Terminal.environment("HOME").map { $0 + "/.config/cblite/config" }
    }
}
