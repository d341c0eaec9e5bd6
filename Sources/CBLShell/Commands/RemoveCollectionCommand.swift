import CBLStore

/// `cblite rmcoll DATABASE [SCOPE.]NAME`
enum RemoveCollectionCommand {
    static let declaration = CommandDeclaration(
        "rmcoll", group: .changing,
        summary: "Delete a collection with all its documents",
        discussion: """
            Deletes a collection, its documents, deleted ones too, and its indexes. Replication hears nothing of it. The default collection \
            stays.

            A collection that is not empty needs a yes: typed on a terminal, or --yes.
            """,
        database: .writes,
        flags: [Flag("yes", short: "y", "Delete the collection even though it holds documents"), .dryRun],
        arguments: [Argument("COLLECTION", .collection, .required, "[SCOPE.]NAME of the collection")],
        examples: [.init("cblite rmcoll travel.cblite2 inventory.hotel --yes", "The hotels, without being asked.")],
        run: run)

    @Sendable private static func run(_ invocation: Invocation) throws -> ExitCode {
        let session = invocation.session
        let name = try CollectionName(parsing: invocation.argument("COLLECTION"))
        guard !name.isDefault else { throw CommandError.failed("the default collection cannot be deleted") }
        let isDryRun = invocation.flag("dry-run")
        let database = try invocation.database()
        var counts = try database.read { try $0.counts(of: invocation.existing(name, in: $0)) }
        if !isDryRun, !invocation.flag("yes"), counts.live + counts.deleted > 0 {
            guard session.canAsk else {
                throw CommandError.failed("collection \"\(name)\" holds \(contents(counts))", hint: "--yes deletes it all the same.")
            }
            let warning = session.shell == nil ? "" : " It cannot be taken back."
            guard try session.confirm("Delete collection \"\(name)\" with \(contents(counts))?\(warning)") else {
                session.notice("Nothing was deleted.")
                return .failure
            }
        }
        if !isDryRun {
            try database.write { transaction in
                let confirmed = counts
                counts = try transaction.counts(of: invocation.existing(name, in: transaction))
                // Whoever writes at the same time must not lose what nobody was asked about.
                guard invocation.flag("yes") || (counts.live <= confirmed.live && counts.deleted <= confirmed.deleted) else {
                    throw CommandError.conflict("collection \"\(name)\" has got more documents meanwhile; nothing was deleted")
                }
                try transaction.deleteCollection(name)
            }
            if session.currentCollection == name { session.currentCollection = .default }
        }
        try invocation.tell {
            if invocation.wantsJSON {
                try session.writeFacts { line in
                    line.add("action", "deleted")
                    line.add("collection", name.description)
                    line.add("documents", counts.live)
                    line.add("deleted", counts.deleted)
                    if isDryRun { line.add("dryRun", true) }
                }
            } else {
                try session.output.writeLine(
                    "\(isDryRun ? "Would have deleted" : "Deleted") collection \"\(name)\" with \(contents(counts))")
            }
        }
        return .success
    }

    private static func contents(_ counts: Snapshot.Counts) -> String {
        let documents = counts.live == 1 ? "1 document" : "\(counts.live) documents"
        return counts.deleted == 0 ? documents : "\(documents) and \(counts.deleted) deleted"
    }
}
