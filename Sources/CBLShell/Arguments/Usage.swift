/// The one-line form of a command: `usage: cblite ls [FLAGS] DATABASE [PATTERN]`.
enum Usage {
    static func line(_ command: CommandDeclaration, title: String, hasOpenDatabase: Bool = false) -> String {
        "usage: " + synopsis(command, title: title, hasOpenDatabase: hasOpenDatabase)
    }

    static func synopsis(_ command: CommandDeclaration, title: String, hasOpenDatabase: Bool = false) -> String {
        var words = hasOpenDatabase ? [title] : ["cblite", title]
        if command.run == nil { words.append(command.subcommands.map(\.name).joined(separator: "|")) }
        if !command.flags.isEmpty { words.append("[FLAGS]") }
        words += command.positionals(withOpenDatabase: hasOpenDatabase).map(\.synopsis)
        return words.joined(separator: " ")
    }
}
