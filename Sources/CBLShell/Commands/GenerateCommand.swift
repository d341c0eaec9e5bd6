/// `cblite generate man|bash|zsh|fish|functions`: the files that are made from the declarations; and `cblite generate sample FILE`: the
/// sample database. Hidden: `make` calls it.
enum GenerateCommand {
    static let declaration = CommandDeclaration(
        "generate", group: .hidden,
        summary: "Print the man page, a completion script or the chapter on functions, or make the sample database",
        arguments: [
            Argument("WHAT", .choice(["man", "bash", "zsh", "fish", "functions", "sample"])),
            Argument("FILE", .database, .optional, "Where the sample database goes"),
        ],
        run: { invocation in
            if invocation.argument("WHAT") == "sample" {
                try SampleDatabase.make(at: invocation.argumentIfGiven("FILE") ?? SampleDatabase.name)
                return .success
            }
            try invocation.output.write(lines: text(invocation.argument("WHAT")))
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
