/// `cblite generate man|bash|zsh|fish|functions`: the files that are made from the declarations. Hidden: `make docs` calls it.
enum GenerateCommand {
    static let declaration = CommandDeclaration(
        "generate", group: .hidden,
        summary: "Print the man page, a completion script or the chapter on functions",
        arguments: [Argument("WHAT", .choice(["man", "bash", "zsh", "fish", "functions"]))],
        run: { invocation in
            try invocation.output.write(text(invocation.argument("WHAT")))
            return .success
        })

    static func text(_ what: String) -> String {
        switch what {
        case "bash": BashCompletion.script(Commands.all)
        case "zsh": ZshCompletion.script(Commands.all)
        case "fish": FishCompletion.script(Commands.all)
        case "functions": FunctionHelp.chapter()
        default: ManualPage.text(Commands.all)
        }
    }
}
