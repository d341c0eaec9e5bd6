import CBLStore

/// `cblite expire DATABASE DOCID [TIME|DURATION|never]`
enum ExpireCommand {
    static let declaration = CommandDeclaration(
        "expire", group: .changing,
        summary: "Say when a document will be gone, or show it",
        discussion: """
            An expired document is purged by a program that has the database open for changes and stays: the interactive shell with \
            --writeable, serve, or an app. Single commands leave it. Replication hears nothing of it.

            A time is ISO 8601, local unless it names a zone: 2027-03-01, 2027-03-01T09:30, 2027-03-01T09:30:00Z. A duration counts from \
            now: 90s, 30m, 2h, 30d, 1w, also 1d12h. In words: 'tomorrow', 'friday 18:00', 'in 3 days', 'next month'; a day begins at midnight. \
            never takes the expiration away. Without any of them, it is shown.

            --where is for the documents that meet a condition, in one transaction. What stands alone beside it is WHEN.
            """,
        database: .writes,
        flags: [.condition, .dryRun],
        arguments: [
            Argument("DOCID", .document, .optional, "The document ID, or a pattern: * stands for any characters, ? for one"),
            Argument("WHEN", .text, .optional, "A time, a duration, words such as tomorrow, or never"),
        ],
        examples: [
            .init("cblite expire travel.cblite2 flash-sale 30d", "In thirty days."),
            .init("cblite expire travel.cblite2 flash-sale 2027-03-01T00:00:00Z", "At that moment."),
            .init("cblite expire travel.cblite2 flash-sale 'next monday'", "When it begins."),
            .init("cblite expire travel.cblite2 flash-sale", "When will it be gone?"),
            .init("cblite expire travel.cblite2 'cache:*' never", "They all stay."),
            .init("cblite expire travel.cblite2 --where \"type = 'offer'\" 30d", "All that meet a condition."),
        ],
        run: run)

    @Sendable private static func run(_ invocation: Invocation) throws -> ExitCode {
        let now = Transaction.now
        var arguments = try invocation.documentArguments()
        var when = invocation.argumentIfGiven("WHEN")
        if when == nil, invocation.flag("where") { when = arguments.popLast() }
        guard let text = when else { return try show(arguments, invocation, now) }
        let time = try expiration(text, now, invocation)
        let isDryRun = invocation.flag("dry-run")
        let (collection, ids) = try invocation.change(dryRun: isDryRun) { transaction, collection in
            let ids = try invocation.chosenDocumentIDs(arguments, in: collection, transaction)
            for id in ids {
                try Interruption.check()
                try transaction.setExpiration(id, in: collection, time)
            }
            return (collection, ids)
        }
        try invocation.tell {
            for id in ids { try write(id, collection, time, now, isDryRun ? "would expire" : "expires", invocation, dryRun: isDryRun) }
        }
        invocation.noticeChosen(ids.count, "changed", dryRun: isDryRun)
        return .success
    }

    private static func show(_ arguments: [String], _ invocation: Invocation, _ now: Int64) throws -> ExitCode {
        // A question changes nothing, so it is asked of a database that is opened for reading.
        let database = try invocation.databaseForReading()
        return try database.read { snapshot in
            let collection = try invocation.collection(in: snapshot)
            let ids = try invocation.chosenDocumentIDs(arguments, in: collection, snapshot)
            for id in ids {
                let document = try invocation.document(id, in: collection, snapshot)
                try write(id, collection, document.expiration, now, "expires", invocation)
            }
            return .success
        }
    }

    private static func expiration(_ text: String, _ now: Int64, _ invocation: Invocation) throws -> Int64? {
        if text == "never" { return nil }
        guard let time = TimeText.future(text, now: now) else {
            throw invocation.usageError(
                "\"\(text)\" is neither a time like 2027-03-01T09:30:00Z or \"tomorrow 18:00\", nor a duration like 30d, nor \"never\"")
        }
        guard time > now else {
            throw CommandError.failed(
                "\(TimeText.iso8601(time)) is past: the document would be gone at once", hint: "'cblite purge' removes it.")
        }
        return time
    }

    private static func write(
        _ id: String, _ collection: CollectionName, _ time: Int64?, _ now: Int64, _ verb: String, _ invocation: Invocation,
        dryRun: Bool = false
    ) throws {
        guard !invocation.wantsJSON else {
            return try invocation.session.writeFacts { line in
                line.add("collection", collection.description)
                line.add("id", id)
                if let time {
                    line.add("expiration", time)
                    line.add("expires", TimeText.iso8601(time))
                }
                if dryRun { line.add("dryRun", true) }
            }
        }
        try invocation.output.write("`")
        try invocation.output.write(report: id)
        guard let time else { return try invocation.output.write(dryRun ? "` would never expire\n" : "` never expires\n") }
        try invocation.output.writeLine("` \(verb) \(TimeText.iso8601(time)) (\(TimeText.distance(time, from: now)))")
    }
}
