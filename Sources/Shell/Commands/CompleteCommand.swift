import DocumentStore
import SQLPlusPlus

/// `cblite complete KIND [DATABASE [PREFIX]]`: the names that completion scripts offer. Hidden.
enum CompleteCommand {
    // More than anybody looks through; few enough to be quick in a database of any size.
    private static let longest = 200

    static let declaration = CommandDeclaration(
        "complete", group: .hidden,
        summary: "Print the names that a shell may complete",
        arguments: [
            Argument("KIND", .choice(["command", "collection", "document", "index"])), Argument("DATABASE", .database, .optional),
            Argument("PREFIX", .text, .optional),
        ],
        run: run)

    @Sendable private static func run(_ invocation: Invocation) throws -> ExitCode {
        let prefix = invocation.argumentIfGiven("PREFIX") ?? ""
        if invocation.argument("KIND") == "command" {
            for command in Commands.all where command.group != .hidden { try invocation.output.writeLine(command.name) }
            return .success
        }
        guard let path = invocation.argumentIfGiven("DATABASE") else { return .failure }
        let database = try invocation.session.open(path, writes: false)
        let names = try database.read { snapshot in
            switch invocation.argument("KIND") {
            case "collection": snapshot.collections().map(\.description)
            case "document": try documents(in: snapshot, try invocation.collection(in: snapshot), prefix)
            default: try snapshot.indexes().map(\.name)
            }
        }
        for name in names where name.hasPrefix(prefix) && !name.unicodeScalars.contains(where: TerminalText.isHarmful) {
            try invocation.output.writeLine(name)
        }
        return .success
    }

    private static func documents(in snapshot: Snapshot, _ collection: CollectionName, _ prefix: String) throws -> [String] {
        var options = ScanOptions(content: .id)
        options.idPrefix = prefix
        options.limit = longest
        let cursor = try snapshot.scan(collection, options)
        var names: [String] = []
        while try cursor.next() { names.append(cursor.id) }
        return names
    }
}
