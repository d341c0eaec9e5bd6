/// The pages that `help` prints, from the declarations.
enum HelpText {
    private static let width = 96

    /// Two lines for somebody who typed nothing.
    static func brief(_ commands: [CommandDeclaration]) -> String {
        """
        usage: cblite [FLAGS] COMMAND [FLAGS] DATABASE [ARGUMENTS]
        'cblite help' lists the commands.

        """
    }

    static func overview(_ commands: [CommandDeclaration]) -> String {
        var text = """
            cblite looks into Couchbase Lite databases and changes them.

            usage: cblite [FLAGS] COMMAND [FLAGS] DATABASE [ARGUMENTS]

            """
        for group in CommandDeclaration.Group.allCases where group != .hidden {
            let members = commands.filter { $0.group == group }
            if members.isEmpty { continue }
            text += "\n\(group.rawValue)\n"
            text += list(members.map { (([$0.name] + $0.aliases).joined(separator: ", "), $0.summary) }, minimum: 20)
        }
        text += "\nFlags of every command\n" + list(GlobalFlags.beforeCommand.map { (label($0), $0.help) }, minimum: 20)
        text += """

            'cblite help COMMAND' explains a command, 'cblite help LIKE' a word of SQL++; 'cblite help topics'
            lists what else there is help on. 'cblite tour' shows the program at work.

            """
        return text
    }

    static func page(_ command: CommandDeclaration, parent: CommandDeclaration? = nil, hasOpenDatabase: Bool = false) -> String {
        let title = (parent.map { $0.name + " " } ?? "") + command.name
        var text = "\(title): \(command.summary)\n\n\(Usage(command: command, title: title, hasOpenDatabase: hasOpenDatabase).line)\n"
        if !command.aliases.isEmpty { text += "also: \(command.aliases.joined(separator: ", "))\n" }
        if !command.discussion.isEmpty { text += "\n" + paragraphs(command.discussion) }
        let arguments = command.positionals(withOpenDatabase: hasOpenDatabase).filter { !$0.help.isEmpty }
        if !arguments.isEmpty { text += "\nArguments\n" + list(arguments.map { ($0.name, $0.help) }) }
        let flags = command.flags + (parent?.flags ?? [])
        if !flags.isEmpty { text += "\nFlags\n" + list(flags.map { (label($0), $0.help) }) }
        if !command.subcommands.isEmpty {
            text += "\nCommands\n"
            text += list(
                command.subcommands.map {
                    (Usage(command: $0, title: "\(title) \($0.name)", hasOpenDatabase: hasOpenDatabase).synopsis, $0.summary)
                }
            )
        }
        text += examples(command.examples)
        return text + "\n'cblite help' lists the flags of every command.\n"
    }

    /// `-C, --collection NAME`
    static func label(_ flag: Flag) -> String { (flag.short.map { "-\($0), " } ?? "") + flag.synopsis }

    static func paragraph(_ text: String) -> String { wrap(text, indent: 0) }

    /// Two columns: names on the left, explanations wrapped on the right; a long name has a line of its own.
    static func list(_ rows: [(name: String, text: String)], minimum: Int = 10) -> String {
        let column = min(28, max(minimum, rows.map { $0.name.count }.max() ?? 0)) + 4
        var text = ""
        for row in rows {
            let name = "  " + row.name
            let explanation = wrap(row.text, indent: column)
            if name.count + 2 > column {
                text += name + "\n" + explanation
            } else {
                text += name + String(explanation.dropFirst(name.count))
            }
        }
        return text
    }

    /// Paragraphs, separated by blank lines. Lines that begin with blanks stay as they are.
    static func paragraphs(_ text: String) -> String {
        var result = ""
        var lines: [Substring] = []
        func finishParagraph() {
            if !lines.isEmpty { result += wrap(lines.joined(separator: " "), indent: 0) }
            lines = []
        }
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if !line.isEmpty, line.first != " " {
                lines.append(line)
            } else {
                finishParagraph()
                result += line + "\n"
            }
        }
        finishParagraph()
        return result
    }

    static func examples(_ examples: [CommandDeclaration.Example]) -> String {
        guard !examples.isEmpty else { return "" }
        return "\nExamples\n" + examples.map { "  \($0.line)\n" + wrap($0.explanation, indent: 6) }.joined()
    }

    /// Breaks a text into indented lines.
    static func wrap(_ text: String, indent: Int, width: Int = HelpText.width) -> String {
        let margin = String(repeating: " ", count: indent)
        let lines = WrappedText.lines(text.split(separator: " ").map { String($0) }, between: " ", width: width - indent)
        return (lines.isEmpty ? [""] : lines).map { margin + $0 + "\n" }.joined()
    }
}
