import CBLStore
import CBLWorkbench

/// `cblite resolve DATABASE DOCID REV|--keep local|remote|--merge FILE`
enum ResolveCommand {
    static let declaration = CommandDeclaration(
        "resolve", group: .changing,
        summary: "Settle a conflict",
        discussion: """
            A document is in conflict when a revision that came by replication competes with the one made here. conflicts lists such \
            documents, and cat --revision prints their revisions.

            The revision that is named stays, or the one made here (--keep local), or the one that came (--keep remote). --merge replaces \
            both by properties of your own. The result descends from the remote's revision, so that it can be pushed; the other branch ends.
            """,
        database: .writes,
        flags: [
            Flag("keep", value: "SIDE", .choice(["local", "remote"]), "Keep the revision made here, or the one that came by replication"),
            Flag("merge", value: "FILE", .file, "Properties that replace both, as JSON; - reads them from standard input"),
            .ifRevision, .dryRun,
        ],
        arguments: [
            Argument("DOCID", .document, .required, "The ID of a document in conflict"),
            Argument("REV", .text, .optional, "The revision that stays, or the beginning of its ID"),
        ],
        examples: [
            .init("cblite resolve travel.cblite2 airline_10 --keep remote", "The server is right."),
            .init("cblite resolve travel.cblite2 airline_10 2-57c8", "This revision stays."),
            .init("cblite resolve travel.cblite2 airline_10 --merge merged.json", "Both are replaced."),
        ],
        run: run)

    /// What shall come out.
    private enum Outcome {
        case revision(String)
        case local
        case remote
        case merged(DocumentInput)
    }

    @Sendable private static func run(_ invocation: Invocation) throws -> ExitCode {
        let id = invocation.argument("DOCID")
        let outcome = try outcome(invocation)
        let isDryRun = invocation.flag("dry-run")
        if !isDryRun { invocation.session.tellOfNoReturn("This") }
        let change = try invocation.change(dryRun: isDryRun) { transaction, collection in
            let document = try invocation.document(id, in: collection, transaction)
            _ = try invocation.parent(of: document, id)
            if try transaction.hasBranchingRemotes, transaction.versioning == .trees, invocation.flag("keep") {
                throw CommandError.usage(
                    "resolve: branches from a server of CouchDB's kind do not tell which of them was made here: name the revision that stays",
                    hint: "\"conflicts --body\" shows what competes.")
            }
            let saved = try transaction.settle(document, choice(outcome, in: transaction))
            var change = DocumentChange(.resolved, id, in: collection)
            change.revision = saved.id
            change.sequence = saved.sequence
            return change
        }
        try invocation.tell {
            let session = invocation.session
            if session.options.isJSON { return try change.write(to: session, dryRun: isDryRun) }
            try session.output.write(isDryRun ? "Would have resolved `" : "Resolved `")
            try session.output.write(report: id)
            try session.output.writeLine("`, current revision \(change.revision?.shortText ?? "") (sequence \(change.sequence ?? 0))")
        }
        return .success
    }

    private static func outcome(_ invocation: Invocation) throws -> Outcome {
        var outcomes: [Outcome] = []
        if let revision = invocation.argumentIfGiven("REV") { outcomes.append(.revision(revision)) }
        if let side = invocation.string("keep") { outcomes.append(side == "local" ? .local : .remote) }
        let file = invocation.string("merge")
        guard outcomes.count + (file == nil ? 0 : 1) == 1 else {
            throw CommandError.usage(
                "resolve: say what shall stay: a revision, or --keep local, or --keep remote, or --merge FILE",
                hint: "\"conflicts --body\" shows what competes.")
        }
        if let file { return .merged(try DocumentInput(file: file, of: invocation)) }
        return outcomes[0]
    }

    private static func choice(_ outcome: Outcome, in transaction: Transaction) throws -> ConflictChoice {
        switch outcome {
        case .revision(let name): .revision(name)
        case .local: .local
        case .remote: .remote
        case .merged(let input): .merged(try transaction.encode(input))
        }
    }
}
