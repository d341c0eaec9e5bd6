/// `cblite help [COMMAND | FUNCTION | OPERATOR | TOPIC]`
enum HelpCommand {
    static let declaration = CommandDeclaration(
        "help",
        summary: "Explain the program, a command, a function or operator of SQL++, or a topic",
        arguments: [
            Argument(
                "WORD", .command, .optionalRepeating,
                "A command, for example info indexes; a word of SQL++, such as upper, LIKE or IS MISSING; a topic; or topics, functions "
                    + "or operators for a list")
        ],
        examples: [
            .init("cblite help info indexes", "A command."), .init("cblite help IS MISSING", "An operator."),
            .init("cblite help topics", "What else there is to know."),
        ],
        run: { try help(on: $0.arguments("WORD"), in: $0.session) })

    static func help(on words: [String], in session: Session) throws -> ExitCode {
        try session.output.write(lines: HelpPages.page(on: words, hasOpenDatabase: session.openDatabase != nil))
        return .success
    }
}
