/// `cblite export DATABASE FILE`
enum ExportCommand {
    static let declaration = CommandDeclaration(
        "export", group: .moving,
        summary: "Write documents as JSON or CSV",
        discussion: """
            Writes the documents of a collection, in order of their IDs, to a file, a directory or standard output. A file appears under \
            its name when it is complete.

            \(Transfer.forms) To a server (ws://HOST:PORT/DATABASE, wss://…) it is a push: see there.

            A directory has the contents of blobs that its documents refer to, in _blobs, and with -C '*' a directory for each collection. The \
            other forms have only the references, and it is said how many.

            --where leaves documents out by what they hold. The rows of any query are written by "query --format csv --output FILE".

            To a spreadsheet, a text that begins with =, +, -, @ or a tab is a formula, which it runs. With --guard-formulas such texts in \
            CSV and TSV, and names of properties, get an apostrophe in front; numbers do not. Importing with the same flag takes it away.

            Each document has its ID as the property _id, or the one that --jsonid names; with --jsonid '' it is left out.
            """,
        database: .reads,
        flags: [Flag("where", value: "CONDITION", .expression, "Only documents for which this SQL++ condition is true")] + Transfer.flags
            + Transfer.replicationFlags,
        arguments: [
            Argument("FILE", .file, .required, "Where to; - for standard output"),
            Argument("PATTERN", .document, .optional, "Only IDs that match: * stands for any characters, ? for one"),
        ],
        examples: [
            .init("cblite export travel.cblite2 notes.jsonl", "The default collection, a document per line."),
            .init("cblite export travel.cblite2 -C inventory.hotel hotels.csv 'hotel_1*'", "Some hotels as a table."),
            .init("cblite export travel.cblite2 -C inventory.hotel good.csv --where 'rating > 4'", "Those that meet a condition."),
            .init("cblite export travel.cblite2 -C '*' everything/", "All collections, with blobs."),
            .init("cblite export travel.cblite2 - | jq .title", "To another program."),
        ],
        run: { invocation in
            let transfer = Transfer(invocation: invocation)
            let target = try transfer.endpoint(invocation.argument("FILE"))
            if case .database(let path) = target { throw invocation.usageError("\(path): databases are copied with cp") }
            if case .remote = target {
                guard !invocation.flag("where"), invocation.argumentIfGiven("PATTERN") == nil else {
                    throw invocation.usageError("to a server it is a push: --filter chooses what is pushed")
                }
                let database = try invocation.databaseForChanging()
                if database.isReadOnly { throw invocation.session.readOnlyError(database) }
                return try transfer.replicate(database, with: target, .push)
            }
            return try transfer.export(
                invocation.database(), to: target, pattern: invocation.argumentIfGiven("PATTERN"), condition: invocation.string("where"))
        })
}
