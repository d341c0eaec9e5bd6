import CBLStore

/// `cblite complete KIND [DATABASE [PREFIX]]`: the names that completion scripts offer. Hidden.
enum CompleteCommand {
    static let declaration = CommandDeclaration(
        "complete", group: .hidden,
        summary: "Print the names that a shell may complete",
        arguments: [
            Argument("KIND", .choice(["command", "topic", "saved", "collection", "document", "index", "lazyindex", "view", "property"])),
            Argument("DATABASE", .database, .optional),
            Argument("PREFIX", .text, .optional),
        ],
        run: run)

    @Sendable private static func run(_ invocation: Invocation) throws -> ExitCode {
        let prefix = invocation.argumentIfGiven("PREFIX") ?? ""
        if invocation.argument("KIND") == "command" {
            for command in Commands.all where command.group != .hidden { try invocation.output.writeLine(command.name) }
            return .success
        }
        if invocation.argument("KIND") == "topic" {
            for name in HelpPages.names { try invocation.output.writeLine(name) }
            return .success
        }
        if invocation.argument("KIND") == "saved" {
            for name in try SavedQueries().names { try invocation.output.writeLine(name) }
            return .success
        }
        guard let path = invocation.argumentIfGiven("DATABASE") else { return .failure }
        let database = try invocation.session.open(path, writes: false)
        let names = try database.read { snapshot in
            try CompletionNames.quickly(snapshot) { names in
                switch invocation.argument("KIND") {
                case "collection": names.collections(prefix, in: CollectionName.defaultName)
                case "document": try names.documents(prefix, in: try invocation.collection(in: snapshot))
                case "lazyindex": try names.lazyIndexes(prefix)
                case "view": try names.views(prefix)
                case "property": try names.propertyPaths(of: try invocation.collection(in: snapshot)).filter { $0.hasPrefix(prefix) }
                default: try names.indexes(prefix)
                }
            }
        }
        for name in names { try invocation.output.writeLine(name) }
        return .success
    }
}
