import CBLStore

/// `cblite purge DATABASE DOCID…`
enum PurgeCommand {
    static let declaration = CommandDeclaration(
        "purge", group: .changing,
        summary: "Remove documents without a trace",
        discussion: """
            Removes documents, deleted ones too, as if they had never been. Replication hears nothing of it, and may bring them back. \
            rm leaves a tombstone instead.

            All are purged, or none if one of them is not there. An ID that holds * or ? stands for all that match, unless a document \
            is called so. --where purges the documents that meet a condition, in one transaction; deleted ones if it looks at META().deleted.
            """,
        database: .writes,
        flags: [.condition, .ifRevision, .dryRun],
        arguments: [
            Argument("DOCID", .document, .optionalRepeating, "A document ID, or a pattern: * stands for any characters, ? for one")
        ],
        examples: [
            .init("cblite purge travel.cblite2 airline_10", "One document."),
            .init("cblite purge travel.cblite2 'cache:*' --dry-run", "Which documents would go?"),
            .init("cblite purge travel.cblite2 --where META().deleted", "All deleted documents."),
        ],
        run: { try RemoveCommand.remove($0, purges: true) })
}
