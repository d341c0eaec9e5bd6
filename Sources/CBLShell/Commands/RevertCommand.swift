import CBLStore
import CBLWorkbench

/// `cblite revert DATABASE DOCID REV`
enum RevertCommand {
    static let declaration = CommandDeclaration(
        "revert", group: .changing,
        summary: "Give a document the properties of an earlier revision",
        discussion: """
            Saves a new revision with the properties of another one, as far as they are kept: revs lists the revisions, with the sizes of \
            those that are. What was current before is not current any more; its properties go, as with every change.
            """,
        database: .writes,
        flags: [.ifRevision, .dryRun],
        arguments: [
            Argument("DOCID", .document, .required, "The document ID"),
            Argument("REV", .text, .required, "The revision, or the beginning of its ID"),
        ],
        examples: [.init("cblite revert travel.cblite2 airline_10 2-57c8", "As it was in the second generation.")],
        run: run)

    @Sendable private static func run(_ invocation: Invocation) throws -> ExitCode {
        let id = invocation.argument("DOCID")
        let isDryRun = invocation.flag("dry-run")
        let change = try invocation.change(dryRun: isDryRun) { transaction, collection in
            let document = try invocation.document(id, in: collection, transaction)
            _ = try invocation.parent(of: document, id)
            let saved = try transaction.revert(document, to: invocation.argument("REV"))
            return DocumentChange(.reverted, id, in: collection, saved)
        }
        try invocation.tell { try change.write(to: invocation.session, dryRun: isDryRun) }
        return .success
    }
}
