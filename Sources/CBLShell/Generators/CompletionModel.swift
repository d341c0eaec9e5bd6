/// The declarations, laid out as completion scripts need them: one entry for every command and every command's command.
struct CompletionModel {
    struct Entry {
        /// `info` or `info indexes`.
        let title: String
        let command: CommandDeclaration
        /// Own flags, those of the parent, and the global ones.
        let flags: [Flag]
        let arguments: [Argument]
    }

    let commands: [CommandDeclaration]
    let entries: [Entry]

    init(_ all: [CommandDeclaration]) {
        commands = all.filter { $0.group != .hidden }
        entries = commands.flatMap { command in
            let own = CompletionModel.entry(command, title: command.name, flags: command.flags)
            let children = command.subcommands.map { child in
                let inherited = command.flags.filter { flag in !child.flags.contains { $0.name == flag.name } }
                return CompletionModel.entry(child, title: "\(command.name) \(child.name)", flags: child.flags + inherited)
            }
            return [own] + children
        }
    }

    private static func entry(_ command: CommandDeclaration, title: String, flags: [Flag]) -> Entry {
        Entry(
            title: title, command: command, flags: ArgumentParser.withGlobalFlags(flags),
            arguments: command.run == nil ? [] : command.positionals())
    }

    /// How a flag is typed: `--collection`, and `-C` unless another flag of the command took the letter.
    static func spellings(_ flag: Flag, among flags: [Flag]) -> [String] {
        let short = flag.short.flatMap { letter in flags.first { $0.short == letter }?.name == flag.name ? letter : nil }
        return ["--\(flag.name)"] + (short.map { ["-\($0)"] } ?? [])
    }

    /// A text in single quotes, as all three shells read it.
    static func quoted(_ text: String) -> String { "'" + text.replacingEach("'", with: "'\\''") + "'" }

    static let notice = "made by 'cblite generate' from the declarations of the commands: do not edit"
}

extension String {
    /// By scalars: a quote may be part of a longer `Character`, and is a quote all the same to whoever reads the result.
    func replacingEach(_ scalar: Unicode.Scalar, with text: String) -> String {
        var result = String.UnicodeScalarView()
        for next in unicodeScalars {
            if next == scalar { result.append(contentsOf: text.unicodeScalars) } else { result.append(next) }
        }
        return String(result)
    }
}
