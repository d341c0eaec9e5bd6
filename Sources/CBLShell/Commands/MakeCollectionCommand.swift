import CBLStore

/// `cblite mkcoll DATABASE [SCOPE.]NAME…`
enum MakeCollectionCommand {
    static let declaration = CommandDeclaration(
        "mkcoll", group: .changing,
        summary: "Create collections",
        discussion: "Creates collections that are not there yet. A name without a scope is one in the default scope.",
        database: .writes,
        arguments: [Argument("COLLECTION", .text, .repeating, "[SCOPE.]NAME of the new collection: letters, digits, _, - and %")],
        examples: [
            .init("cblite mkcoll travel.cblite2 inventory.hotel", "The collection hotel in the scope inventory."),
            .init("cblite --create mkcoll new.cblite2 notes todo", "A new database with two collections."),
        ],
        run: run)

    @Sendable private static func run(_ invocation: Invocation) throws -> ExitCode {
        let names = try invocation.arguments("COLLECTION").map { try CollectionName(parsing: $0) }
        let created = try invocation.database().write { transaction in
            var made = try transaction.createCollections(names)
            return names.map { ($0, made.remove($0) != nil) }
        }
        try invocation.tell {
            for (name, isNew) in created {
                if invocation.wantsJSON {
                    try invocation.session.writeFacts { line in
                        line.add("collection", name.description)
                        line.add("created", isNew)
                    }
                } else if isNew {
                    try invocation.output.writeLine("Created collection \"\(name)\"")
                } else {
                    invocation.session.notice("Collection \"\(name)\" exists already.")
                }
            }
        }
        return .success
    }
}
