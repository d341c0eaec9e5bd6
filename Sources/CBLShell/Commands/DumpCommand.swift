import CBLStore
import CBLWorkbench

/// `cblite dump DATABASE [FILE]`
enum DumpCommand {
    static let declaration = CommandDeclaration(
        "dump", group: .moving,
        summary: "Write a database as a text archive",
        discussion: """
            Writes everything that a database holds, one JSON object per line: documents with all stored revisions, deletions, expirations, \
            conflicts and what remotes have, collections, indexes, settings, the notes of replications, and blobs. restore makes a database \
            of it again, on any machine. docs/archive-format.md describes the lines.

            A document that is damaged is left out with a warning, and the exit code is then 1.

            The UUIDs of the database stay behind, since a copy is another database: --identity takes them along. Cookies of replications \
            are never archived.
            """,
        database: .reads,
        flags: [
            ArchiveTransfer.collectionFlag,
            Flag("identity", "Archive the UUIDs too, by which other databases know this one"),
            Flag("no-raw", "Leave out the notes of replications and other raw documents"),
            Flag("no-blobs", "Leave out the content of blobs"),
            Flag("no-indexes", "Leave out the definitions of indexes"),
        ],
        arguments: [Argument("FILE", .file, .optional, "Where to; - or nothing is standard output")],
        examples: [
            .init("cblite dump travel.cblite2 travel.archive", "All of it, into a file."),
            .init("cblite dump travel.cblite2 | gzip > travel.archive.gz", "Compressed."),
            .init("cblite dump -C inventory.hotel,inventory.airline travel.cblite2 part.archive", "Two collections."),
        ],
        run: run)

    @Sendable private static func run(_ invocation: Invocation) throws -> ExitCode {
        let session = invocation.session
        var options = Archive.DumpOptions()
        options.collections = try ArchiveTransfer.collections(invocation.strings("collection"), invocation)
        options.includesIdentity = invocation.flag("identity")
        options.includesRawDocuments = !invocation.flag("no-raw") && options.collections == nil
        options.includesBlobs = !invocation.flag("no-blobs")
        options.includesIndexes = !invocation.flag("no-indexes")
        let database = try invocation.database()
        var omitted = 0
        let progress = session.progress("Dumping", unit: "lines")
        defer { progress.finish() }
        let path = invocation.argumentIfGiven("FILE") ?? "-"
        let counts = try TargetFile.write(path, session) { output in
            try database.dump(options, check: Interruption.check) { omission in
                if case .document = omission { omitted += 1 }
                session.warn(omission.description)
            } emit: { line in
                try Interruption.check()
                try output.write(lines: line)
                progress.advance()
            }
        }
        progress.finish()
        if invocation.wantsJSON, path != "-" {
            try invocation.tell { try session.writeFacts { ArchiveTransfer.add(counts, to: &$0) } }
        } else {
            session.notice("Dumped \(ArchiveTransfer.facts(counts)).")
        }
        return omitted == 0 ? .success : .failure
    }
}

/// `cblite restore DATABASE [FILE]`
enum RestoreCommand {
    static let declaration = CommandDeclaration(
        "restore", group: .moving,
        summary: "Make a database from a text archive",
        discussion: """
            Reads an archive that dump wrote. The database is made, and is a new one to other databases unless --identity makes it the one \
            that was dumped. Everything is restored or, if the archive is damaged or the command interrupted, nothing.

            A database that holds something already is refused. With --merge, documents that are not there are added, and those that are \
            get the revisions that they lack; a document whose revisions exclude those of the archive stays as it is, with a warning, and \
            the exit code is then 4.
            """,
        database: .writes,
        flags: [
            ArchiveTransfer.collectionFlag,
            Flag("merge", "Add to a database that holds something already"),
            Flag("identity", "Take over the UUIDs that dump --identity archived"),
        ],
        arguments: [Argument("FILE", .file, .optional, "The archive; - or nothing is standard input")],
        examples: [
            .init("cblite restore copy.cblite2 travel.archive", "A new database."),
            .init("gunzip < travel.archive.gz | cblite restore copy.cblite2", "From a compressed archive."),
            .init("cblite restore --merge travel.cblite2 other.archive", "Add what another database has."),
        ],
        run: run)

    @Sendable private static func run(_ invocation: Invocation) throws -> ExitCode {
        var options = Archive.RestoreOptions()
        options.collections = try ArchiveTransfer.collections(invocation.strings("collection"), invocation)
        options.merges = invocation.flag("merge")
        options.takesIdentity = invocation.flag("identity")
        let input = try InputSource(invocation.argumentIfGiven("FILE") ?? "-")
        let progress = invocation.session.progress("Restoring", total: input.size, unit: "lines")
        defer { progress.finish() }
        let result: ArchiveRestorer.Result
        do {
            result = try ArchiveTransfer.restore(into: invocation.parsed.databasePath, options, invocation) { restorer in
                while let line = try input.nextLine(limit: ArchiveTransfer.longestLine) {
                    try Interruption.check()
                    try restorer.accept(line)
                    progress.advance(position: input.offset)
                }
            }
        } catch let error as ArchiveError {
            throw CommandError.failed("\(input.name): \(error)", hint: "Nothing was restored.")
        }
        progress.finish()
        try invocation.tell { try ArchiveTransfer.tell(result, "Restored", invocation) }
        return result.conflicts.isEmpty ? .success : .conflict
    }
}
