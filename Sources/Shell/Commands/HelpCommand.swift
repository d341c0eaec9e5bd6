import SQLPlusPlus

/// `cblite help [COMMAND | FUNCTION]`
enum HelpCommand {
    static let declaration = CommandDeclaration(
        "help",
        summary: "Explain the program, a command, or a function of SQL++",
        arguments: [
            Argument(
                "COMMAND", .command, .optionalRepeating,
                "The command to explain, for example info indexes; or a function, or functions for all of them")
        ],
        run: { try help(on: $0.arguments("COMMAND"), in: $0.session) })

    /// Prints the help on a command, or on a command's command, or on everything.
    static func help(on words: [String], in session: Session) throws -> ExitCode {
        guard let name = words.first else {
            try session.output.write(HelpText.overview(Commands.all))
            return .success
        }
        let parser = ArgumentParser(commands: Commands.all)
        guard let command = parser.command(named: name) else {
            guard let text = functionHelp(name) else { throw parser.unknownCommand(name) }
            try session.output.write(text)
            return .success
        }
        guard words.count > 1 else {
            try session.output.write(HelpText.page(command))
            return .success
        }
        // "cblite info db --help" gives more words than names: those that name nothing are passed over.
        let child = words.dropFirst().lazy.compactMap { command.subcommand(named: $0) }.first
        try session.output.write(child.map { HelpText.page($0, parent: command) } ?? HelpText.page(command))
        return .success
    }

    // "upper" and "upper()" alike.
    private static func functionHelp(_ word: String) -> String? {
        if word == "functions" { return FunctionHelp.overview() }
        return FunctionReference.entry(named: String(word.prefix { $0 != "(" })).map(FunctionHelp.page)
    }
}
