/// `begin`, `commit` and `rollback`, in the interactive shell and in scripts.
enum TransactionCommands {
    static let begin = CommandDeclaration(
        "begin", group: .changing,
        summary: "Begin a transaction: changes that are made together or not at all",
        discussion: """
            In the interactive shell and in its scripts: everything from here to commit becomes permanent, and visible to others, at once; \
            rollback forgets it. What you look at meanwhile, with ls, cat, query and all others, is what it will be after commit. The prompt \
            shows an asterisk.

            A command that fails undoes what it did itself, and nothing else: the transaction stays open, with the changes made before. To \
            leave with a transaction open is to roll it back. Until it ends, other programs can read the database but not change it: they \
            wait for ten seconds or so, and give up then.

            compact, reindex, check --repair, and copies of the whole database do not work inside a transaction.
            """,
        arguments: [noise],
        examples: [
            .init("begin", "The changes that follow belong together."),
            .init("BEGIN TRANSACTION;", "The same."),
        ],
        run: { invocation in
            try check(invocation)
            try ShellCommands.shell(of: invocation).beginTransaction()
            return .success
        })

    static let commit = CommandDeclaration(
        "commit", group: .changing,
        summary: "Keep the changes since begin",
        arguments: [noise],
        examples: [.init("commit", "Now others see them, too.")],
        run: { invocation in
            try check(invocation)
            try ShellCommands.shell(of: invocation).commitTransaction()
            return .success
        })

    static let rollback = CommandDeclaration(
        "rollback", group: .changing,
        summary: "Forget the changes since begin",
        arguments: [noise],
        examples: [.init("rollback", "As if nothing had happened.")],
        run: { invocation in
            try check(invocation)
            try ShellCommands.shell(of: invocation).rollBackTransaction()
            return .success
        })

    // What SQL allows there.
    private static let noise = Argument("transaction", .text, .optionalRepeating, "The word may be there, as in SQL; so may \"work\"")

    private static func check(_ invocation: Invocation) throws {
        for word in invocation.arguments("transaction") {
            switch word.lowercased() {
            case "transaction", "work": break
            case "to", "savepoint": throw invocation.usageError("there are no savepoints: a transaction is kept or forgotten as a whole")
            default: throw invocation.usageError("\"\(word)\" cannot stand there")
            }
        }
    }
}
