import CBLBase
import CBLLanguage
import CBLQuery
import Glibc

/// What lines such as `.timer on` do.
extension InteractiveShell {
    func set(_ words: [String]) throws -> ExitCode {
        let setting = try ShellSetting.named(words.first ?? "help")
        let value = words.count > 1 ? words.dropFirst().joined(separator: " ") : nil
        switch setting.name {
        case "help": try session.output.write(lines: ShellSetting.overview(settings))
        case "output": try setOutput(value)
        case "read":
            guard let value else { throw CommandError.usage(".read needs the name of a file") }
            return try runScript(named: value)
        case "set": try setByName(Array(words.dropFirst()))
        case "unset": try unset(value)
        case "save":
            if value != nil { throw CommandError.usage(".save takes no value") }
            try save()
        case "theme" where value == nil:
            // Also for those who have none now.
            let isColored = screen(color: options.color).usesColor && session.output.isTerminal
            for theme in Theme.allCases { try theme.writeSample(to: session, isColored: isColored) }
        default:
            if let value { try change(setting, to: value) } else { try session.output.write(setting.value?.get(settings) ?? "") }
            if value == nil { try session.output.write("\n") }
        }
        return .success
    }

    private func change(_ setting: ShellSetting, to text: String) throws(CommandError) {
        try setting.set(text, in: &settings)
        session.theme = settings.theme
    }

    /// `.set`, `.set mode csv`, `.set $city "New York"`, `.set city=Paris`
    private func setByName(_ words: [String]) throws {
        guard let first = words.first else { return try writeAll() }
        if let (name, text) = SettingName.parameter(words) {
            guard let text else { return try writeParameter(name) }
            session.parameters[name] = try ParameterInput.value(text, of: name, subject: ".set $\(name)", example: ".set $\(name) ")
            return
        }
        if let equals = first.firstIndex(of: "="), let setting = ShellSetting.kept.first(where: { $0.name == first[..<equals] }) {
            let (name, value) = (setting.name, first[first.index(after: equals)...])
            throw CommandError.usage(
                "\"\(name)\" is a setting, and could be a parameter of queries", hint: "Write .\(name) \(value), or .set $\(name) \(value)")
        }
        let setting = try SettingName.setting(first)
        if words.count == 1 {
            try session.output.writeLine(setting.value?.get(settings) ?? "")
        } else {
            try change(setting, to: words.dropFirst().joined(separator: " "))
        }
    }

    private func unset(_ name: String?) throws {
        guard let name else { throw CommandError.usage(".unset needs the name of a setting, or of a parameter: .unset $city") }
        let bare = name.hasPrefix("$") ? String(name.dropFirst()) : name
        if name.hasPrefix("$") || !ShellSetting.kept.contains(where: { $0.name == name }) && session.parameters[name] != nil {
            guard session.parameters[bare] != nil else {
                let meant = Suggestion.closest(to: bare, in: session.parameters.names).map { " Did you mean $\($0)?" } ?? ""
                throw CommandError.usage("there is no parameter $\(bare).\(meant)")
            }
            session.parameters[bare] = nil
            return
        }
        let setting = try SettingName.setting(name)
        if let text = setting.value?.get(ShellSettings()) { try change(setting, to: text) }
    }

    /// All settings and parameters, as they would be typed.
    private func writeAll() throws {
        let width = (ShellSetting.kept.map(\.name.count).max() ?? 0) + 2
        for setting in ShellSetting.kept {
            try session.write(setting.name.padded(to: width), .key)
            try session.output.write(ShellSetting.written(setting.value?.get(settings) ?? ""))
            try session.output.write("\n")
        }
        for name in session.parameters.names { try writeParameter(name) }
    }

    private func writeParameter(_ name: String) throws {
        guard let value = session.parameters[name] else { throw CommandError.usage("there is no parameter $\(name)") }
        try session.write("$\(name)", .key)
        try session.output.write(" ")
        try session.writeJSON { buffer in value.withRoot { buffer.append($0.json(style: .canonical)) } }
    }

    private func save() throws {
        guard let path = SettingsFile.standardPath else { throw CommandError.failed("there is no place for settings: $HOME is not set") }
        var file = try SettingsFile(path)
        file.keep(settings)
        try file.write()
        session.notice("Saved in \(path)")
    }

    /// Takes over what the person keeps in the file. What is wrong with it is told, and nothing else happens.
    func readSettings() {
        guard let path = SettingsFile.standardPath else { return }
        do {
            try SettingsFile(path).forEach(
                { entry throws(CommandError) in try change(entry.setting, to: entry.text) }, onMistake: { session.report($0) })
        } catch {
            session.report(error)
        }
    }

    // Where results go

    /// Has results go to a file, or to standard output again.
    func setOutput(_ path: String?) throws {
        // What could not be written was told by the statement that it is of.
        try? session.output.flush()
        if let path {
            let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
            guard descriptor >= 0 else { throw CommandError.system(path, errno: errno) }
            session.output = Output(descriptor: descriptor)
            if let file { close(file) }
            file = descriptor
        } else {
            session.output = Output()
            if let file { close(file) }
            file = nil
        }
    }

    /// A file that could not be written is tried again by the next statement: there may be room now.
    func renewOutput() {
        if let file, case .system? = session.output.failure { session.output = Output(descriptor: file) }
    }

    func terminal(color: GlobalOptions.Color) -> Terminal {
        let terminal = screen(color: color)
        return settings.theme == .none ? terminal.withoutColor : terminal
    }

    private func screen(color: GlobalOptions.Color) -> Terminal {
        guard file != nil else { return Terminal(color: color) }
        return Terminal(
            color: color, outputIsTerminal: false, errorIsTerminal: isatty(STDERR_FILENO) == 1, inputIsTerminal: isatty(STDIN_FILENO) == 1,
            environment: Terminal.environment)
    }

    /// What shows long results page by page, if the person wants that and the command prints what one reads.
    func pager(for request: ArgumentParser.Request) -> ScreenPager? {
        guard settings.pager.when != .off, Terminal.environment("TERM") != "dumb", isReading(request),
            let command = PagerCommand.find(settings.pager.command)
        else { return nil }
        let terminal = session.terminal
        // Below what is shown stand the prompt, and how many rows there are.
        let rows = settings.pager.when == .on ? 0 : max(1, terminal.height - 2)
        return ScreenPager(command, columns: terminal.width, rows: rows)
    }

    private func isReading(_ request: ArgumentParser.Request) -> Bool {
        switch request {
        case .help: return true
        case .run(let command):
            // What never ends is watched, not read.
            let isEndless = ["follow", "watch"].contains { name in
                command.command.flags.contains { $0.name == name } && command.flag(name)
            }
            return !isEndless && (command.command.group == .looking || ["help", "history"].contains(command.command.name))
        case .version, .open, .nothing: return false
        }
    }
}

/// The words behind `.set` and `.unset`.
enum SettingName {
    /// A parameter's name and its value, if the words are about one: `$city Paris`, `$city=Paris`, `city=Paris`.
    static func parameter(_ words: [String]) -> (name: String, value: String?)? {
        guard let first = words.first else { return nil }
        let text = words.joined(separator: " ")
        let hasSign = first.hasPrefix("$")
        let rest = hasSign ? text.dropFirst() : text[...]
        let name = rest.prefix { $0 == "_" || $0.isASCII && ($0.isLetter || $0.isNumber) }
        var value = rest[name.endIndex...].drop { $0 == " " || $0 == "\t" }
        let hasEquals = value.first == "="
        guard !name.isEmpty, hasSign || hasEquals else { return nil }
        if !hasSign, ShellSetting.kept.contains(where: { $0.name == name }) { return nil }
        if hasEquals { value = value.dropFirst().drop { $0 == " " || $0 == "\t" } }
        while let last = value.last, last == " " || last == "\t" || last == ";" { value.removeLast() }
        return (String(name), value.isEmpty && !hasEquals ? nil : String(value))
    }

    /// A setting that has a value, by its name with or without the dot.
    static func setting(_ name: String) throws(CommandError) -> ShellSetting {
        let bare = name.hasPrefix(".") ? String(name.dropFirst()) : name
        if let setting = ShellSetting.kept.first(where: { $0.name == bare }) { return setting }
        let meant = Suggestion.closest(to: bare, in: ShellSetting.kept.map(\.name)).map { " Did you mean \($0)?" } ?? ""
        throw .usage(
            "no setting \"\(bare)\".\(meant)", hint: "'.set' lists the settings; a parameter has a dollar sign: .set $\(bare) VALUE")
    }
}
