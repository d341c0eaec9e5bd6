import CBLStore

/// `cblite put DATABASE DOCID JSON`
enum PutCommand {
    static let declaration = CommandDeclaration(
        "put", group: .changing,
        summary: "Create or update a document",
        discussion: """
            Saves an object of JSON or JSON5 as a document: a new one, or a new revision of the one that is there. Its properties replace \
            the old ones altogether.

            With - for JSON, the text is read from standard input. A collection that --collection names is created if it is not there. \
            A document ID that begins with a dash goes behind --.
            """,
        database: .writes,
        flags: [
            Flag("create", "Only if there is no document of this ID"),
            Flag("update", "Only if there is one"),
            Flag("delete", "Delete the document; the properties of its tombstone may be given"),
            Flag("purge", "Remove the document without a trace"),
            Transfer.validateFlag, .ifRevision, .dryRun,
        ],
        arguments: [
            Argument("DOCID", .document, .required, "The document ID"),
            Argument("JSON", .text, .optionalRest, "The properties, or - to read them from standard input"),
        ],
        examples: [
            .init(
                #"cblite put travel.cblite2 airline_10 '{"name": "40-Mile Air", "country": "US"}'"#, "A document in the default collection."
            ),
            .init("cblite put travel.cblite2 -C inventory.hotel hotel_1 '{name: \"Ritz\"}'", "JSON5 needs fewer quotes."),
            .init("jq .hotel answer.json | cblite put travel.cblite2 hotel_1 -", "The output of another program."),
            .init("cblite put --update --if-rev 2-57c8d0e1 travel.cblite2 hotel_1 '{}'", "Only if nobody has changed it meanwhile."),
        ],
        run: run)

    private enum Mode: String, CaseIterable {
        case create, update, delete, purge
    }

    @Sendable private static func run(_ invocation: Invocation) throws -> ExitCode {
        let modes = Mode.allCases.filter { invocation.flag($0.rawValue) }
        guard modes.count < 2 else {
            throw invocation.usageError("--\(modes[0].rawValue) and --\(modes[1].rawValue) exclude each other")
        }
        let mode = modes.first
        let text = invocation.argumentIfGiven("JSON")
        if text == nil, mode != .delete, mode != .purge {
            throw invocation.usageError("JSON is missing: give the properties, or - to read them from standard input")
        }
        if text != nil, mode == .purge { throw invocation.usageError("--purge takes no JSON") }
        let id = invocation.argument("DOCID")
        try DocumentRules.check(id: id)
        let schema = try invocation.documentSchema()
        if schema != nil, mode == .delete || mode == .purge { throw invocation.usageError("--validate is for what is saved") }
        let input = try text.map { try DocumentInput(argument: $0, of: invocation) }
        let isDryRun = invocation.flag("dry-run")
        let changesOnlyExisting = mode == .update || mode == .delete || mode == .purge

        let change = try invocation.change(dryRun: isDryRun, createsCollection: !changesOnlyExisting) { transaction, collection in
            // A mistake in the text goes before what the document has against it.
            let body = try input.map { try transaction.encode($0, as: id) }
            if let schema, let problem = body?.withRoot({ schema.problem(of: $0, transaction.sharedKeys) }) {
                throw CommandError.failed("document \"\(id)\": \(problem)", hint: "Nothing was saved.")
            }
            let document = try transaction.document(id, in: collection)
            let isLive = document.map { !$0.isDeleted } ?? false
            if mode == .create, isLive { throw CommandError.conflict("document \"\(id)\" exists already") }
            // Purging forgets tombstones too.
            if changesOnlyExisting, !isLive, mode != .purge || document == nil {
                if document != nil { throw CommandError.failed("document \"\(id)\" is deleted") }
                throw try invocation.missingDocument(id, in: collection, transaction)
            }
            let parent = try invocation.parent(of: document, id)
            if mode == .purge {
                try transaction.purge(id, in: collection)
                return DocumentChange(.purged, id, in: collection)
            }
            guard let body, mode != .delete else {
                let saved =
                    try document.map { try transaction.delete($0, parent: parent, body: body ?? .emptyDictionary) }
                    ?? transaction.delete(id, in: collection, parent: parent, body: body ?? .emptyDictionary)
                return DocumentChange(.deleted, id, in: collection, saved)
            }
            let saved =
                try document.map { try transaction.save($0, body: body, parent: parent) }
                ?? transaction.save(id, in: collection, body: body, parent: parent)
            return DocumentChange(isLive ? .updated : .created, id, in: collection, saved)
        }
        try invocation.tell { try change.write(to: invocation.session, dryRun: isDryRun) }
        return .success
    }
}
