import CBLStore

/// `cblite lscoll DATABASE`
enum ListCollectionsCommand {
    static let declaration = CommandDeclaration(
        "lscoll", group: .looking,
        summary: "List the collections",
        discussion: "Prints every collection with the number of its documents, of those deleted, and of those that are to expire.",
        database: .reads,
        examples: [
            .init("cblite lscoll travel.cblite2", "Collections and what they hold."),
            .init("cblite lscoll travel.cblite2 --json", "The same as one JSON object per line."),
        ],
        run: run)

    @Sendable static func run(_ invocation: Invocation) throws -> ExitCode {
        try invocation.refuseCollection()
        return try invocation.database().read { snapshot in
            var table = Table([.left("Collection"), .right("Documents"), .right("Deleted"), .right("Expiring")])
            for name in snapshot.collections() {
                let counts = try snapshot.counts(of: name)
                let expiring = try snapshot.expiringCount(of: name)
                if invocation.wantsJSON {
                    // A collection's name holds nothing that JSON would have to escape.
                    try invocation.output.writeLine(
                        "{\"collection\":\"\(name)\",\"documents\":\(counts.live),\"deleted\":\(counts.deleted),\"expiring\":\(expiring)}")
                } else {
                    table.add([name.description, "\(counts.live)", "\(counts.deleted)", "\(expiring)"])
                }
            }
            if !invocation.wantsJSON { try table.write(to: invocation.session) }
            return .success
        }
    }
}
