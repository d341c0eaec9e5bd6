import CBLStore

/// `cblite rm DATABASE DOCID…`
enum RemoveCommand {
    static let declaration = CommandDeclaration(
        "rm", group: .changing,
        summary: "Delete documents",
        discussion: """
            Gives each document a new revision that says it is deleted, which replication passes on. With --purge, the documents go without \
            a trace, and replication may bring them back.

            All are deleted, or none if one of them is not there or deleted already. An ID that holds * or ? stands for all that match, \
            unless a document is called so. --where deletes the documents that meet a condition, in one transaction.
            """,
        database: .writes,
        flags: [Flag("purge", "Remove the documents without a trace"), .condition, .ifRevision, .dryRun],
        arguments: [
            Argument("DOCID", .document, .optionalRepeating, "A document ID, or a pattern: * stands for any characters, ? for one")
        ],
        examples: [
            .init("cblite rm travel.cblite2 airline_10 airline_137", "Two documents, or none if one of them is not there."),
            .init("cblite rm -C inventory.hotel travel.cblite2 'hotel_9*' --dry-run", "Which documents would go?"),
            .init("cblite rm -C booking travel.cblite2 --where \"status = 'cancelled'\"", "Those that meet a condition."),
            .init("cblite rm --if-rev 2-57c8d0e1 travel.cblite2 airline_10", "Only if nobody has changed it meanwhile."),
        ],
        run: run)

    @Sendable private static func run(_ invocation: Invocation) throws -> ExitCode {
        try remove(invocation, purges: invocation.flag("purge"))
    }

    static func remove(_ invocation: Invocation, purges: Bool) throws -> ExitCode {
        let arguments = try invocation.documentArguments()
        if invocation.string("if-rev") != nil, arguments.count > 1 || invocation.flag("where") {
            throw invocation.usageError("--if-rev is for one document")
        }
        let isDryRun = invocation.flag("dry-run")
        let changes = try invocation.change(dryRun: isDryRun) { transaction, collection in
            let ids = try invocation.chosenDocumentIDs(arguments, in: collection, transaction, includesDeleted: purges)
            if invocation.string("if-rev") != nil, ids.count > 1 { throw invocation.usageError("--if-rev is for one document") }
            let progress = invocation.session.progress(purges ? "Purging" : "Deleting", total: ids.count, unit: "documents")
            defer { progress.finish() }
            return try ids.map { id in
                try Interruption.check()
                defer { progress.advance() }
                let document = invocation.string("if-rev") == nil ? nil : try transaction.document(id, in: collection)
                let parent = try invocation.parent(of: document, id)
                if !purges {
                    return DocumentChange(.deleted, id, in: collection, try transaction.delete(id, in: collection, parent: parent))
                }
                try transaction.purge(id, in: collection)
                return DocumentChange(.purged, id, in: collection)
            }
        }
        try invocation.tell(changes, dryRun: isDryRun)
        invocation.noticeChosen(changes.count, purges ? "purged" : "deleted", dryRun: isDryRun)
        return .success
    }
}
