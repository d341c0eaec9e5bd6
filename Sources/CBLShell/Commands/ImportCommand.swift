import CBLStore

/// `cblite import DATABASE FILE…`
enum ImportCommand {
    static let declaration = CommandDeclaration(
        "import", group: .moving,
        summary: "Save documents from JSON or CSV",
        discussion: """
            Saves the documents of each FILE in a collection, which is created if it is not there; so is the database. A document that \
            exists gets a new revision. Each file is one transaction: an import that is interrupted leaves nothing of it behind. A database \
            that is made for it appears when the first file is in it.

            \(Transfer.forms) From a server (ws://HOST:PORT/DATABASE, wss://…) it is a pull: see there.

            The property _id, or the one that --jsonid names, is the document's ID; a document without it gets a new one. In tables, the \
            first row names the properties, and shows what separates the cells, unless --delimiter says it; numbers, true, false and JSON in \
            cells become what they are, or what --types says; an empty cell is no property. --guard-formulas takes away the \
            apostrophes that it puts in front of texts in an export; without it they are part of the text.

            A directory is one that export wrote: blobs in its _blobs come along, and -C '*' reads a collection from each directory in it. \
            Blobs that documents refer to and nobody has are counted.
            """,
        database: .writes,
        flags: Transfer.flags + Transfer.replicationFlags,
        arguments: [Argument("FILE", .file, .repeating, "What to import; - for standard input")],
        examples: [
            .init("cblite import travel.cblite2 -C inventory.hotel hotels.jsonl", "Documents, one per line."),
            .init("curl -s https://example.com/airports.json | cblite import travel.cblite2 --jsonid code -", "An array from a server."),
            .init("cblite import travel.cblite2 prices.csv --idprefix price_", "The rows of a table."),
            .init("cblite import travel.cblite2 --types zip:text,price:number guests.csv", "With cells that are what they are said to be."),
        ],
        run: { invocation in
            let transfer = Transfer(invocation: invocation)
            let sources = try invocation.arguments("FILE").map(transfer.endpoint)
            for case .database(let path) in sources where !path.isEmpty {
                let isSwapped = invocation.parsed.databasePath.map { !ArgumentParser.isDatabasePath($0) } ?? false
                throw invocation.usageError(isSwapped ? "the database goes before the file" : "\(path): databases are copied with cp")
            }
            invocation.allowCreation()
            let path = invocation.parsed.databasePath
            // Nothing is left of a database that nothing came into.
            if case .remote? = sources.first {
                guard sources.count == 1 else { throw invocation.usageError("one server at a time") }
                let isNew = path.map { !Endpoint.exists($0) } ?? false
                let database = try invocation.database()
                defer { if isNew, (try? database.isWithoutDocuments) ?? false { try? database.delete() } }
                return try transfer.replicate(database, with: sources[0], .pull)
            }
            let target = ImportTarget(path, invocation, keepsUnused: false)
            var code = ExitCode.success
            for source in sources {
                let result = try transfer.importing(source, into: target)
                if result != .success { code = result }
            }
            return code
        })
}

extension Database {
    /// Whether it is as it was made.
    var isWithoutDocuments: Bool {
        get throws {
            try read { snapshot in
                try snapshot.collections() == [.default] && snapshot.lastSequence(of: .default) == 0 && snapshot.indexes().isEmpty
            }
        }
    }
}
