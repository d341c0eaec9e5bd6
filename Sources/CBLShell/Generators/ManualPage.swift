/// `man/cblite.1`, in the man macros of roff.
enum ManualPage {
    static func text(_ commands: [CommandDeclaration]) -> String {
        var page = """
            .\\" \(CompletionModel.notice)
            .TH CBLITE 1 "" "cblite \(Shell.version)" "User Commands"
            .SH NAME
            cblite \\- look into Couchbase Lite databases and change them
            .SH SYNOPSIS
            .B cblite
            .RI [ flags ]
            .I command
            .RI [ flags ]
            .I database
            .RI [ arguments ]
            .SH DESCRIPTION
            A
            .I database
            is a directory whose name ends in
            .IR .cblite2 ,
            or a file of Couchbase Lite 1.0, whose name ends in
            .IR .cblite .
            Databases of 1.x can be read, and copied or upgraded to what can be changed.
            Flags may stand anywhere after the command;
            .B \\-\\-
            ends them, and
            .B \\-
            in place of a file means standard input or standard output.
            Results go to standard output, everything else to standard error.
            Commands that only read leave every byte of the database as it is.
            .SH COMMANDS

            """
        for group in CommandDeclaration.Group.allCases where group != .hidden {
            let members = commands.filter { $0.group == group }
            if members.isEmpty { continue }
            page += ".SS \(escaped(group.rawValue))\n"
            for command in members { page += section(command, title: command.name) }
        }
        page += ".SH TOPICS\n"
        // The exit codes have a section of their own.
        for topic in HelpTopic.all where topic.name != "exit-codes" { page += section(topic) }
        page += ".SH FLAGS OF EVERY COMMAND\n" + GlobalFlags.beforeCommand.map(flag).joined()
        return page + settings + ending
    }

    private static func section(_ command: CommandDeclaration, title: String) -> String {
        var text = ".TP\n.B \(escaped(Usage(command: command, title: title).synopsis))\n\(escaped(command.summary)).\n"
        if !command.aliases.isEmpty { text += "Also: \(command.aliases.map { "\\fB\(escaped($0))\\fR" }.joined(separator: ", ")).\n" }
        if !command.discussion.isEmpty { text += paragraphs(command.discussion) }
        let arguments = command.arguments.filter { !$0.help.isEmpty }
        if !arguments.isEmpty || !command.flags.isEmpty {
            text += ".RS\n"
            for argument in arguments { text += ".TP\n.I \(escaped(argument.name))\n\(escaped(argument.help)).\n" }
            text += command.flags.map(flag).joined() + ".RE\n"
        }
        if !command.examples.isEmpty {
            text += ".RS\n.PP\n"
            for example in command.examples {
                text += ".EX\n\(escaped(example.line))\n.EE\n.RS 4\n\(escaped(example.explanation))\n.RE\n"
            }
            text += ".RE\n"
        }
        return text + command.subcommands.map { section($0, title: "\(title) \($0.name)") }.joined()
    }

    private static func section(_ topic: HelpTopic) -> String {
        var text = ".SS \(escaped(topic.summary))\n"
        var isLiteral = false
        for line in topic.text.split(separator: "\n", omittingEmptySubsequences: false) {
            let isNextLiteral = line.first == " "
            if isNextLiteral != isLiteral { text += isNextLiteral ? ".PP\n.EX\n" : ".EE\n" }
            isLiteral = isNextLiteral
            text += line.isEmpty ? ".PP\n" : escaped(String(line)) + "\n"
        }
        if isLiteral { text += ".EE\n" }
        for example in topic.examples { text += ".PP\n.EX\n\(escaped(example.line))\n.EE\n.RS 4\n\(escaped(example.explanation))\n.RE\n" }
        return text
    }

    private static func flag(_ flag: Flag) -> String {
        let short = flag.short.map { "\\fB\\-\(escaped(String($0)))\\fR, " } ?? ""
        let value =
            switch flag.parameter {
            case .none: ""
            case .required(let name, _): " \\fI\(escaped(name))\\fR"
            case .optional(let name, _): "[=\\fI\(escaped(name))\\fR]"
            }
        return ".TP\n\(short)\\fB\\-\\-\(escaped(flag.name))\\fR\(value)\n\(escaped(flag.help)).\n"
    }

    private static func paragraphs(_ text: String) -> String {
        var result = ""
        var wasEmpty = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let words = line.drop { $0 == " " }
            if words.isEmpty {
                wasEmpty = true
            } else {
                result += (wasEmpty ? ".IP\n" : "") + escaped(String(words)) + "\n"; wasEmpty = false
            }
        }
        return result
    }

    /// Text as roff takes it literally: no escape, no request, plain hyphens and quotes that can be copied, ASCII alone.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\(rs"
            case "-": result += "\\-"
            case "'": result += "\\(aq"
            case "\"": result += "\\(dq"
            case "`": result += "\\(ga"
            case "^": result += "\\(ha"
            case "~": result += "\\(ti"
            case _ where scalar.isASCII: result.unicodeScalars.append(scalar)
            default:
                let digits = String(scalar.value, radix: 16, uppercase: true)
                result += "\\[u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "]"
            }
        }
        return result.hasPrefix(".") ? "\\&" + result : result
    }

    /// The lines with a dot that the interactive shell understands.
    private static var settings: String {
        var text = ".SH SETTINGS\nIn the interactive shell, and as far as they have a value, in its configuration file.\n"
        for setting in ShellSetting.all {
            let synopsis = setting.synopsis.isEmpty ? "" : " \\fI\(escaped(setting.synopsis))\\fR"
            text += ".TP\n\\fB.\(escaped(setting.name))\\fR\(synopsis)\n\(escaped(setting.help)).\n"
        }
        return text
    }

    private static let ending = #"""
        .SH EXIT STATUS
        .TP
        .B 0
        Success.
        .TP
        .B 1
        The command failed, or found nothing where that is an error.
        .TP
        .B 2
        The command line is wrong.
        .TP
        .B 3
        The database cannot be opened.
        .TP
        .B 4
        A conflict: the document has changed meanwhile, or exists, or does not.
        .TP
        .B 130
        Interrupted with Ctrl\-C.
        .SH ENVIRONMENT
        .TP
        .B NO_COLOR
        If not empty, no colours.
        .TP
        .B CLICOLOR
        If 0, no colours.
        .TP
        .B CLICOLOR_FORCE
        If neither empty nor 0, colours also where the output is not a terminal.
        .TP
        .B COLUMNS
        The width of the screen where the terminal does not tell it.
        .TP
        .B PAGER
        The program that shows long results in the interactive shell page by page, instead of
        .BR less .
        .TP
        .BR VISUAL ", " EDITOR
        The editor that
        .B cblite edit
        starts.
        .SH FILES
        .TP
        .I ~/.config/cblite/config
        Settings of the interactive shell, below $XDG_CONFIG_HOME if that is set.
        .TP
        .I ~/.local/state/cblite/history
        What was typed in it, below $XDG_STATE_HOME if that is set.
        .TP
        .I ~/.editrc
        How its lines are edited.
        .SH SEE ALSO
        .BR sqlite3 (1),
        .BR jq (1)

        """#
}
