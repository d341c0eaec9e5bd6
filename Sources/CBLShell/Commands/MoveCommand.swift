import CBLStore

/// `cblite mv DATABASE DOCID COLLECTION [NEWID]`
enum MoveCommand {
    static let declaration = CommandDeclaration(
        "mv", group: .changing,
        summary: "Move documents to another collection",
        discussion: """
            Moves a document with its revisions, blobs and expiration from the collection that --collection names, or the default one, to \
            another. Replication takes it for a new document there, and hears nothing of its going.

            An ID that holds * or ? stands for all that match, unless a document is called so. All are moved, or none if the other \
            collection has a document of the same ID. --where moves the documents that meet a condition.
            """,
        database: .writes,
        flags: [.condition, .dryRun],
        arguments: [
            Argument("DOCID", .document, .optional, "A document ID, or a pattern: * stands for any characters, ? for one"),
            Argument("COLLECTION", .collection, .required, "[SCOPE.]NAME of the collection it goes to"),
            Argument("NEWID", .text, .optional, "The ID it shall have there"),
        ],
        examples: [
            .init("cblite mv travel.cblite2 hotel_1 inventory.hotel", "From the default collection to another."),
            .init("cblite mv travel.cblite2 'hotel_*' inventory.hotel", "All that match."),
            .init("cblite mv travel.cblite2 --where \"type = 'hotel'\" inventory.hotel --dry-run", "Which ones would go there?"),
            .init("cblite mv -C inventory.hotel travel.cblite2 hotel_1 _default ritz", "Back, with another name."),
        ],
        run: run)

    @Sendable private static func run(_ invocation: Invocation) throws -> ExitCode {
        let arguments = try invocation.documentArguments()
        let newID = invocation.argumentIfGiven("NEWID")
        let target = try CollectionName(parsing: invocation.argument("COLLECTION"))
        if let newID { try DocumentRules.check(id: newID) }
        let isDryRun = invocation.flag("dry-run")
        let changes = try invocation.change(dryRun: isDryRun) { transaction, collection in
            do { _ = try invocation.existing(target, in: transaction) } catch let error as StoreError {
                throw CommandError.failed(error.description, hint: "\"mkcoll \(target)\" makes it.")
            }
            guard target != collection || newID != nil else {
                throw CommandError.failed("the documents are in collection \"\(target)\" already")
            }
            let ids = try invocation.chosenDocumentIDs(arguments, in: collection, transaction)
            if newID != nil, ids.count > 1 { throw invocation.usageError("a new ID is for one document, and \(ids.count) match") }
            let progress = invocation.session.progress("Moving", total: ids.count, unit: "documents")
            defer { progress.finish() }
            return try ids.map { id in
                try Interruption.check()
                defer { progress.advance() }
                var change = DocumentChange(.moved, id, in: collection)
                change.sequence = try transaction.move(id, from: collection, to: target, newID: newID)
                change.target = (target, newID ?? id)
                return change
            }
        }
        try invocation.tell(changes, dryRun: isDryRun)
        invocation.noticeChosen(changes.count, "moved", dryRun: isDryRun)
        return .success
    }
}
