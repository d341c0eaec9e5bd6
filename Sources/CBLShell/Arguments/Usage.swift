/// The one-line form of a command: `usage: cblite ls [FLAGS] DATABASE [PATTERN]`. It is put together for whoever has made a mistake.
struct Usage: Sendable {
    let command: CommandDeclaration
    let title: String
    var hasOpenDatabase = false

    var line: String { "usage: " + synopsis }

    var synopsis: String {
        var words = hasOpenDatabase ? [title] : ["cblite", title]
        if command.run == nil { words.append(command.subcommands.map(\.name).joined(separator: "|")) }
        if !command.flags.isEmpty { words.append("[FLAGS]") }
        words += command.positionals(withOpenDatabase: hasOpenDatabase).map(\.synopsis)
        return words.joined(separator: " ")
    }
}
