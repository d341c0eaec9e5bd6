import CBLFleece
import CBLStore

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
        let change = try invocation.change(dryRun: isDryRun) { transaction, collection in
            let document = try invocation.document(id, in: collection, transaction)
            _ = try invocation.parent(of: document, id)
            let saved = try resolve(document, outcome, in: transaction)
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
        if let file { return .merged(try DocumentInput(file: file)) }
        return outcomes[0]
    }

    private static func resolve(_ document: Document, _ outcome: Outcome, in transaction: Transaction) throws -> SavedRevision {
        let revisions = document.storedRevisions
        let competing = revisions.filter(\.isConflict)
        guard let local = revisions.first(where: \.isCurrent), !competing.isEmpty else {
            throw CommandError.failed("document \"\(document.id)\" is not in conflict")
        }
        let other = try opponent(document, competing, outcome)
        let result: StoredRevision?
        var body: FleeceData?
        switch outcome {
        case .local: result = local
        case .remote: result = other
        case .revision(let text): result = try document.storedRevision(named: text).isCurrent ? local : other
        case .merged(let input):
            result = nil
            body = try transaction.adopt(input)
        }
        // The remote's branch goes on and ours ends, whoever's properties win: only what descends from its revision can be pushed.
        var mergedIsDeleted = false
        if let result, result.id != other.id {
            mergedIsDeleted = result.flags.contains(.deleted)
            let isSame = mergedIsDeleted == other.flags.contains(.deleted) && isEqual(result.body, other.body, transaction.sharedKeys)
            body = isSame ? nil : result.body ?? .emptyDictionary
        }
        var saved = try transaction.resolveConflict(
            document.id, in: document.collection, winner: other.id, loser: local.id, merged: body, mergedIsDeleted: mergedIsDeleted)
        for rest in competing where rest.id != other.id {
            saved = try transaction.resolveConflict(document.id, in: document.collection, winner: saved.id, loser: rest.id)
        }
        return saved
    }

    /// The competing revision that is settled with.
    private static func opponent(_ document: Document, _ competing: [StoredRevision], _ outcome: Outcome) throws -> StoredRevision {
        if case .revision(let text) = outcome {
            let named = try document.storedRevision(named: text)
            if let other = competing.first(where: { $0.id == named.id }) { return other }
            guard named.isCurrent else {
                throw CommandError.failed("revision \(named.id) takes no part in the conflict", hint: list(document, competing))
            }
        }
        if case .remote = outcome, competing.count > 1 {
            throw CommandError.failed(
                "\(competing.count) revisions compete with the one made here: name one", hint: list(document, competing))
        }
        return competing[0]
    }

    private static func list(_ document: Document, _ competing: [StoredRevision]) -> String {
        "In conflict are \(([document.revision] + competing.map(\.id)).map(\.description).joined(separator: ", "))."
    }

    private static func isEqual(_ a: FleeceData?, _ b: FleeceData?, _ keys: SharedKeys) -> Bool {
        (a ?? .emptyDictionary).withRoot { a in (b ?? .emptyDictionary).withRoot { a.isEqual(to: $0, keys, keys) } }
    }
}
