/// `open`, and the commands that make sense only in the interactive shell.
enum ShellCommands {
    static let open = CommandDeclaration(
        "open", aliases: ["use"], group: .general,
        summary: "Work on a database interactively",
        discussion: """
            The same as a database's path alone. At a terminal it shows a prompt; otherwise it runs the statements on standard input, and ends \
            with the exit code of the first that fails, unless --keep-going says to go on.

            In the interactive shell it opens another database beside those that are open, or goes on with one of them: "use NAME". Each \
            keeps its collection and its transaction. With --writeable it can be changed from now on, also if it is open for reading already; \
            that the shell was started so holds for the first database alone.

            A database in a ZIP file is read from a private copy, by every command that only reads: backup.zip, or where there are more in it \
            backup.zip/data/travel.cblite2.
            """,
        flags: [GlobalFlags.keepGoing],
        arguments: [
            Argument("DATABASE", .databaseOrName, .required, "The .cblite2 bundle, or in the interactive shell the name of an open one")
        ],
        examples: [
            .init("cblite travel.cblite2", "The prompt."),
            .init("cblite --writeable travel.cblite2 < changes.txt", "A script."),
            .init("cblite backup.zip", "What somebody has sent."),
            .init("use other.cblite2", "Another database, without leaving the shell."),
            .init("use travel", "Back to the first one."),
        ],
        run: { invocation in
            let path = invocation.argument("DATABASE")
            if let shell = invocation.session.shell {
                try shell.use(path)
                return .success
            }
            if invocation.flag("keep-going") { invocation.session.options.keepsGoing = true }
            return try InteractiveShell.run(on: path, in: invocation.session)
        })

    static let again = CommandDeclaration(
        "again", group: .general,
        summary: "Run a statement of the history once more: the last one, or that of a number",
        arguments: [Argument("NUMBER", .integer(1...Int.max), .optional, "Its number in the list that history prints")],
        examples: [.init("again", "What was typed last.")],
        run: { invocation in
            try shell(of: invocation).runAgain(invocation.argumentIfGiven("NUMBER").flatMap { Int($0) })
        })

    static let quit = CommandDeclaration(
        "quit", aliases: ["exit"], group: .general,
        summary: "Leave the interactive shell",
        run: { invocation in
            try shell(of: invocation).isLeaving = true
            return .success
        })

    static let history = CommandDeclaration(
        "history", group: .general,
        summary: "List what was typed in the interactive shell, in this session and in earlier ones",
        arguments: [Argument("TEXT", .text, .optional, "Only statements that contain this; a number: only so many, the last ones")],
        examples: [.init("history hotel", "What was done about hotels."), .init("history 10", "The last ten.")],
        run: { invocation in
            let entries = try shell(of: invocation).history.entries
            let text = invocation.argumentIfGiven("TEXT")
            let numbered = Array(entries.enumerated())
            let shown =
                if let count = text.flatMap({ Int($0) }) { Array(numbered.suffix(max(0, count))) } else {
                    numbered.filter { text.map($0.element.contains) ?? true }
                }
            for (index, entry) in shown {
                try invocation.output.write(lines: "\(padded(index + 1))  \(entry.replacingEach("\n", with: "\n       "))")
                try invocation.output.write("\n")
            }
            return .success
        })

    private static func padded(_ number: Int) -> String {
        let text = "\(number)"
        return String(repeating: " ", count: max(0, 5 - text.utf8.count)) + text
    }

    static func shell(of invocation: Invocation) throws -> InteractiveShell {
        guard let shell = invocation.session.shell else {
            throw invocation.usageError("it is for the interactive shell, which \"cblite DATABASE\" opens")
        }
        return shell
    }
}
