import CBLStore

/// `cd [[SCOPE.]COLLECTION]`, in the interactive shell.
enum ChangeCollectionCommand {
    static let declaration = CommandDeclaration(
        "cd", group: .general,
        summary: "Choose the collection that the following commands work on",
        discussion: """
            Works in the interactive shell, where later commands need no --collection then. Without a name, or with "..", it goes back to \
            the default collection.

            In queries and behind --collection, _ is the chosen collection then, and a name without a scope is looked for in its scope first.
            """,
        database: .reads,
        arguments: [Argument("COLLECTION", .collection, .optional, "[SCOPE.]NAME of a collection")],
        examples: [.init("cd inventory.hotel", "ls, cat, put and the others are about hotels from now on.")],
        run: run)

    @Sendable private static func run(_ invocation: Invocation) throws -> ExitCode {
        let session = invocation.session
        guard let database = session.openDatabase else {
            throw invocation.usageError(
                "it chooses the collection for the commands that follow in the interactive shell; a single command is told with --collection"
            )
        }
        guard let text = invocation.argumentIfGiven("COLLECTION"), text != "..", text != "/" else {
            session.currentCollection = .default
            return .success
        }
        let name = try CollectionName(parsing: text)
        session.currentCollection = try database.read { try invocation.existing(name, in: $0) }
        return .success
    }
}
