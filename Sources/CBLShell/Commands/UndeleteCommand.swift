import CBLFleece
import CBLStore
import CBLWorkbench

/// `cblite undelete DATABASE DOCID`
enum UndeleteCommand {
    static let declaration = CommandDeclaration(
        "undelete", group: .changing,
        summary: "Bring a deleted document back",
        discussion: """
            Gives a deleted document a new revision with the properties it had last. A database forgets them when a document is deleted, \
            unless replication still needs them; where they are gone, --body gives new ones, and --tombstone takes those that the tombstone \
            itself has.
            """,
        database: .writes,
        flags: [
            Flag("body", value: "JSON", .text, "These properties; - reads them from standard input"),
            Flag("tombstone", "The properties of the tombstone"),
            .ifRevision, .dryRun,
        ],
        arguments: [Argument("DOCID", .document, .optional, "The ID of a deleted document; ls --deleted lists them")],
        examples: [
            .init("cblite undelete travel.cblite2 airline_10", "With its last properties, if they are kept."),
            .init(#"cblite undelete travel.cblite2 airline_10 --body '{"name": "40-Mile Air"}'"#, "With new ones."),
        ],
        run: run)

    @Sendable private static func run(_ invocation: Invocation) throws -> ExitCode {
        guard let id = invocation.argumentIfGiven("DOCID") else {
            throw CommandError.usage("undelete: DOCID is missing", hint: "\"ls --deleted\" lists the documents that it could be.")
        }
        let takesTombstone = invocation.flag("tombstone")
        guard !takesTombstone || invocation.string("body") == nil else {
            throw invocation.usageError("--body and --tombstone exclude each other")
        }
        let input = try invocation.string("body").map { try DocumentInput(argument: $0, of: invocation) }
        let isDryRun = invocation.flag("dry-run")
        let change = try invocation.change(dryRun: isDryRun) { transaction, collection in
            let document = try invocation.document(id, in: collection, transaction)
            _ = try invocation.parent(of: document, id)
            let revival: Transaction.Revival =
                if let input { .properties(try transaction.encode(input)) } else { takesTombstone ? .tombstone : .lastProperties }
            let saved: SavedRevision
            do { saved = try transaction.undelete(document, with: revival) } catch let error as WorkbenchError {
                throw advise(on: error, document, transaction.sharedKeys)
            }
            return DocumentChange(.undeleted, id, in: collection, saved)
        }
        try invocation.tell { try change.write(to: invocation.session, dryRun: isDryRun) }
        return .success
    }

    private static func advise(on error: WorkbenchError, _ document: Document, _ keys: SharedKeys) -> any Error {
        guard case .propertiesGone = error else { return error }
        let isEmpty = document.body.withRoot { $0.dictionary?.isEmpty ?? true }
        return CommandError.failed(
            error.description,
            hint: isEmpty
                ? "--body JSON brings it back with other properties."
                : "--tombstone brings it back with what the tombstone says: \(excerpt(document.body, keys))")
    }

    private static func excerpt(_ body: FleeceData, _ keys: SharedKeys) -> String {
        let json = body.withRoot { $0.json(keys: keys, style: .canonical) }
        return json.count > 200 ? json.prefix(200) + "…" : json
    }
}
