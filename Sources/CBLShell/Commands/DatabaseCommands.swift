/// `databases` and `close`, in the interactive shell.
enum DatabaseCommands {
    static let list = CommandDeclaration(
        "databases", group: .general,
        summary: "List the databases that are open in the interactive shell",
        discussion: """
            Each has the name of its bundle, with a number behind it if there are several of that name; "use NAME" goes to it. An asterisk \
            stands before the current one.
            """,
        examples: [.init("databases", "Their names, paths, collections and transactions.")],
        run: { invocation in
            try ShellCommands.shell(of: invocation).listDatabases()
            return .success
        })

    static let close = CommandDeclaration(
        "close", group: .general,
        summary: "Close a database in the interactive shell",
        discussion: "Without a name it closes the current one, and goes back to the one before. The others stay open.",
        arguments: [Argument("NAME", .openDatabase, .optional, "Its name, as \"databases\" shows it, or its path")],
        examples: [.init("close travel", "The others stay open.")],
        run: { invocation in
            try ShellCommands.shell(of: invocation).closeDatabase(invocation.argumentIfGiven("NAME"))
            return .success
        })
}
