import CBLFleece
import CBLStore

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
        let input = try invocation.string("body").map { try DocumentInput(argument: $0) }
        let isDryRun = invocation.flag("dry-run")
        let change = try invocation.change(dryRun: isDryRun) { transaction, collection in
            let document = try invocation.document(id, in: collection, transaction)
            guard document.isDeleted else { throw CommandError.failed("document \"\(id)\" is not deleted") }
            _ = try invocation.parent(of: document, id)
            let body =
                if let input {
                    try transaction.adopt(input)
                } else if takesTombstone {
                    document.body
                } else {
                    try lastLiveBody(of: document, transaction.sharedKeys)
                }
            let saved = try transaction.save(id, in: collection, body: body, parent: .revision(document.revision))
            return DocumentChange(.undeleted, id, in: collection, saved)
        }
        try invocation.tell { try change.write(to: invocation.session, dryRun: isDryRun) }
        return .success
    }

    private static func lastLiveBody(of document: Document, _ keys: SharedKeys) throws(CommandError) -> FleeceData {
        let revisions = document.storedRevisions
        if let body = revisions.first(where: { !$0.flags.contains(.deleted) && $0.body != nil })?.body { return body }
        let isEmpty = document.body.withRoot { $0.dictionary?.isEmpty ?? true }
        let left = revisions.count > 1 ? "only the IDs of its \(revisions.count) revisions are left" : "only its tombstone is left"
        throw .failed(
            "the properties that document \"\(document.id)\" had are not kept any more; \(left)",
            hint: isEmpty
                ? "--body JSON brings it back with other properties."
                : "--tombstone brings it back with what the tombstone says: \(excerpt(document.body, keys))")
    }

    private static func excerpt(_ body: FleeceData, _ keys: SharedKeys) -> String {
        let json = body.withRoot { $0.json(keys: keys, style: .canonical) }
        return json.count > 200 ? json.prefix(200) + "…" : json
    }
}
