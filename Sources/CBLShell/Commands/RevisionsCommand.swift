import CBLFleece
import CBLStore
import CBLWorkbench

/// `cblite revs DATABASE DOCID`
enum RevisionsCommand {
    static let declaration = CommandDeclaration(
        "revs", group: .looking,
        summary: "Show the revisions of a document",
        discussion: """
            Draws the revisions that are known of a document, each below the one it was made from, with its flags, its sequence and the \
            size of its body if that is kept.

            The flags: D deleted, X closed (a deletion that ends a losing branch), C in conflict, A attachments, K body kept, L leaf.
            """,
        database: .reads,
        flags: [
            Flag("remotes", "Mark the revisions that remote databases are known to have"),
            Flag("raw", "Show revision IDs as they are; they always are, and this is understood for old scripts"),
            Flag("body", "With --json, the bodies too, as far as they are kept"),
        ],
        arguments: [Argument("DOCID", .document, .required, "The document's ID")],
        examples: [
            .init("cblite revs travel.cblite2 airline_10", "The history of a document."),
            .init("cblite revs --remotes travel.cblite2 airline_10", "And which revisions servers have."),
            .init("cblite revs --json --body travel.cblite2 airline_10", "Each revision as a line of JSON."),
        ],
        run: run)

    @Sendable private static func run(_ invocation: Invocation) throws -> ExitCode {
        try invocation.read { snapshot, collection in
            let document = try invocation.document(invocation.argument("DOCID"), in: collection, snapshot)
            if invocation.wantsJSON {
                try writeFacts(document, snapshot, invocation)
            } else {
                let drawing = try RevisionDrawing(document, showsRemotes: invocation.flag("remotes"))
                try drawing.write(to: invocation.session)
                if invocation.flag("remotes") { try writeLegend(drawing, snapshot, invocation.session) }
            }
            return .success
        }
    }

    private static func writeLegend(_ drawing: RevisionDrawing, _ snapshot: Snapshot, _ session: Session) throws {
        let names = try snapshot.remotes()
        for remote in drawing.remotes {
            try session.write("[REMOTE#\(remote)]", .dim)
            try session.output.write(" = ")
            try session.output.write(names[remote] ?? "(unknown)")
            try session.output.write("\n")
        }
    }

    private static func writeFacts(_ document: Document, _ snapshot: Snapshot, _ invocation: Invocation) throws {
        let remoteNames = try snapshot.remotes()
        for revision in try document.storedRevisions() {
            try Interruption.check()
            var isWhole = true
            try invocation.session.writeFacts { line in
                line.add("collection", document.collection.description)
                line.add("id", document.id)
                line.add("revision", revision.id.text)
                if revision.text != revision.id.text { line.add("history", revision.text) }
                if let parent = revision.parent { line.add("parent", parent.text) }
                line.add("sequence", revision.sequence)
                line.add("current", revision.isCurrent)
                line.add("flags", list: revision.flagNames)
                line.add("remotes", list: revision.remotes.map { remoteNames[$0] ?? "#\($0)" })
                if let size = revision.bodySize { line.add("size", size) }
                if invocation.flag("body"), let body = revision.body {
                    isWhole = body.withRoot { line.add("body", $0, snapshot.sharedKeys) }
                }
            }
            if !isWhole { invocation.session.report(endless: document.id, in: document.collection) }
        }
    }
}
