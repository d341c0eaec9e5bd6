import CBLStore

/// `cblite compact DATABASE`
enum CompactCommand {
    static let declaration = CommandDeclaration(
        "compact", group: .maintaining,
        summary: "Make a database smaller",
        discussion: """
            Gives free space back to the file system and removes blobs that no document refers to any more, except those younger than ten \
            minutes, whose document may still be on its way. Prints the sizes before and after.

            --prune and --purgeDeleted forget more, and cannot be undone: pruned revisions cannot serve as the base of a merge any more, \
            and of a purged deletion no replication tells others. --old-bodies takes out what serve --keep-bodies has kept.

            It can be interrupted at any time: each step is done whole or not at all.
            """,
        database: .writes,
        flags: [
            Flag("prune", value: "N", .integer(1...Int(Int32.max)), "Keep only the last N generations of each revision tree"),
            Flag("purgeDeleted", aliases: ["purgedeleted", "purge-deleted"], "Forget deleted documents"),
            Flag("old-bodies", "Drop what replaced revisions say, where serve --keep-bodies has kept it"),
        ],
        examples: [
            .init("cblite compact travel.cblite2", "Give back unused space."),
            .init("cblite compact travel.cblite2 --prune 10 --purgeDeleted", "And forget old revisions and all deletions."),
        ],
        run: run)

    @Sendable private static func run(_ invocation: Invocation) throws -> ExitCode {
        try invocation.refuseCollection()
        let database = try invocation.database()
        var options = Database.CompactionOptions()
        options.pruneDepth = invocation.int("prune")
        options.purgesDeleted = invocation.flag("purgeDeleted")
        options.dropsReplacedBodies = invocation.flag("old-bodies")
        // Blobs go that are needed for it.
        let journal = invocation.session.shell?.databases.entries.first { $0.database === database }?.journal
        invocation.session.tellOfNoReturn(journal?.steps.isEmpty ?? true ? "This" : "This, and what was done before,")
        let progress = invocation.session.progress("Compacting", unit: "steps")
        defer { progress.finish() }
        let result = try database.compact(options, interruption: { _ in Interruption.isRequested ? 1 : 0 }) { _ in
            try Interruption.check()
            progress.advance()
        }
        progress.finish()
        journal?.removeAll()
        try invocation.tell { try tell(result, options, invocation) }
        return .success
    }

    private static func tell(_ result: Database.Compaction, _ options: Database.CompactionOptions, _ invocation: Invocation) throws {
        if invocation.wantsJSON {
            return try invocation.session.writeFacts { line in
                line.add("sizeBefore", result.sizeBefore)
                line.add("sizeAfter", result.sizeAfter)
                line.add("blobsRemoved", result.blobsRemoved)
                line.add("blobBytesRemoved", result.blobBytesRemoved)
                if options.pruneDepth != nil { line.add("documentsPruned", result.prunedDocuments) }
                if options.purgesDeleted { line.add("documentsPurged", result.purgedDocuments) }
            }
        }
        let output = invocation.output
        if options.purgesDeleted { try output.writeLine("Deletions forgotten: \(result.purgedDocuments)") }
        if options.pruneDepth != nil { try output.writeLine("Documents pruned:    \(result.prunedDocuments)") }
        try output.writeLine("Size before:         \(SizeText.text(result.sizeBefore))")
        try output.writeLine("Size after:          \(SizeText.text(result.sizeAfter))")
        if result.blobsRemoved > 0 {
            try output.writeLine("Blobs removed:       \(result.blobsRemoved) (\(SizeText.text(result.blobBytesRemoved)))")
        } else {
            try output.writeLine("Blobs removed:       0")
        }
    }
}

/// `cblite reindex DATABASE`
enum ReindexCommand {
    static let declaration = CommandDeclaration(
        "reindex", group: .maintaining,
        summary: "Build the value and vector indexes anew",
        discussion: """
            Sorts the entries of all indexes of the file anew. An index over text that was written on another platform, whose language \
            rules sort differently, can need that. Vector indexes learn anew, from the vectors that there are now: what an index has learned \
            from the first documents may not fit those that came since.
            """,
        database: .writes,
        examples: [.init("cblite reindex travel.cblite2", "Build them anew.")],
        run: { invocation in
            try invocation.refuseCollection()
            try invocation.database().reindex(interruption: { _ in Interruption.isRequested ? 1 : 0 })
            if invocation.wantsJSON {
                try invocation.tell { try invocation.session.writeFacts { $0.add("reindexed", true) } }
            } else {
                invocation.session.notice("The indexes were built anew.")
            }
            return .success
        })
}
