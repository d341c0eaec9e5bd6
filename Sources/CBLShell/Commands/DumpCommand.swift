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

            With --archive-password or --archive-key the archive is sealed: nobody can read it or change it without that. Otherwise it is text, \
            also that of an encrypted database.
            """,
        database: .reads,
        flags: [
            ArchiveTransfer.collectionFlag,
            Flag("identity", "Archive the UUIDs too, by which other databases know this one"),
            Flag("no-raw", "Leave out the notes of replications and other raw documents"),
            Flag("no-blobs", "Leave out the content of blobs"),
            Flag("no-indexes", "Leave out the definitions of indexes"),
        ] + KeyFlags.ofArchive("Seal"),
        arguments: [Argument("FILE", .file, .optional, "Where to; - or nothing is standard output")],
        examples: [
            .init("cblite dump travel.cblite2 travel.archive", "All of it, into a file."),
            .init("cblite dump travel.cblite2 | gzip > travel.archive.gz", "Compressed."),
            .init("cblite dump --archive-password travel.cblite2 travel.sealed", "Sealed: asks for a password."),
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
        let key = try session.key(of: KeyFlags.archiveKey(invocation, isNew: true), for: "the archive")
        var omitted = 0
        let progress = session.progress("Dumping", unit: "lines")
        defer { progress.finish() }
        let path = invocation.argumentIfGiven("FILE") ?? "-"
        let counts = try TargetFile.write(path, session) { output in
            var seal = key.flatMap { SealedArchive.Writer($0) }
            let counts = try database.dump(options, check: Interruption.check) { omission in
                if case .document = omission { omitted += 1 }
                session.warn(omission.description)
            } emit: { line in
                try Interruption.check()
                if seal == nil { try output.write(lines: line) } else { try seal?.append(line) { try output.write($0) } }
                progress.advance()
            }
            try seal?.finish { try output.write($0) }
            return counts
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

            A sealed archive needs the key or password that it was sealed with: --archive-password or --archive-key.
            """,
        database: .writes,
        flags: [
            ArchiveTransfer.collectionFlag,
            Flag("merge", "Add to a database that holds something already"),
            Flag("identity", "Take over the UUIDs that dump --identity archived"),
        ] + KeyFlags.ofArchive("Open"),
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
        if let path = invocation.parsed.databasePath, let file = invocation.argumentIfGiven("FILE"), ArgumentParser.isDatabasePath(file),
            !ArgumentParser.isDatabasePath(path)
        {
            throw invocation.usageError("the database goes before the archive: restore \(file) \(path)")
        }
        options.merges = invocation.flag("merge")
        options.takesIdentity = invocation.flag("identity")
        let input = try ArchiveInput(invocation.argumentIfGiven("FILE") ?? "-") {
            let session = invocation.session
            let flags = KeyFlags.archiveKey(invocation, isNew: false)
            if flags.areGiven { return try session.key(of: flags, for: "the archive") }
            return session.canAsk ? try session.askedKey(for: "the archive") : nil
        }
        let progress = invocation.session.progress("Restoring", total: input.source.size, unit: "lines")
        defer { progress.finish() }
        let result: ArchiveRestorer.Result
        do {
            let path = invocation.parsed.databasePath
            let key = try path.flatMap { path in
                try Endpoint.exists(path) ? nil : invocation.session.key(of: invocation.session.options.keys, for: path)
            }
            result = try ArchiveTransfer.restore(into: path, madeWith: key, options, invocation) { restorer in
                while try input.withNextLine({ try restorer.accept($0) }) {
                    try Interruption.check()
                    progress.advance(position: input.source.offset)
                }
            }
        } catch let error as ArchiveError {
            throw CommandError.failed("\(input.source.name): \(error)", hint: "Nothing was restored.")
        }
        progress.finish()
        try invocation.tell { try ArchiveTransfer.tell(result, "Restored", invocation) }
        return result.conflicts.isEmpty ? .success : .conflict
    }
}
