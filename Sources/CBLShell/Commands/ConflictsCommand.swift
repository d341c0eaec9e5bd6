import CBLFleece
import CBLStore
import CBLWorkbench

/// `cblite conflicts DATABASE`
enum ConflictsCommand {
    static let declaration = CommandDeclaration(
        "conflicts", group: .looking,
        summary: "List the documents that are in conflict, with the revisions that compete",
        discussion: """
            A conflict arises when a document was changed here and elsewhere, and nobody has decided between the two yet. Lists the \
            conflicts of all collections, or of the one of --collection. The first revision is the one that counts until then.
            """,
        database: .reads,
        flags: [Flag("body", "Print the revisions' bodies too")],
        examples: [
            .init("cblite conflicts travel.cblite2", "What is in conflict."),
            .init("cblite conflicts --body travel.cblite2", "And what each revision says."),
        ],
        run: run)

    @Sendable private static func run(_ invocation: Invocation) throws -> ExitCode {
        try invocation.database().read { snapshot in
            let isChosen = invocation.session.options.collection != nil
            let collections = isChosen ? [try invocation.collection(in: snapshot)] : snapshot.collections()
            let remotes = try snapshot.remotes()
            var count = 0
            for collection in collections {
                var options = ScanOptions(content: .everything)
                options.includesDeleted = true
                options.onlyConflicts = true
                let cursor = try snapshot.scan(collection, options)
                invocation.session.reportDamage(met: cursor)
                while let (document, all) = try cursor.next(reading: StoredRevision.all(of:)) {
                    try Interruption.check()
                    count += 1
                    let revisions = all.filter { $0.isCurrent || $0.isConflict }
                    if invocation.wantsJSON {
                        try writeFacts(document, revisions, remotes, snapshot.sharedKeys, invocation)
                    } else {
                        try write(document, revisions, remotes, snapshot.sharedKeys, invocation)
                    }
                }
            }
            if count == 0 { invocation.session.notice("(No conflicts)") }
            return .success
        }
    }

    private static func write(
        _ document: Document, _ revisions: [StoredRevision], _ remotes: [UInt16: String], _ keys: SharedKeys, _ invocation: Invocation
    ) throws {
        let session = invocation.session
        let name = document.collection.isDefault ? document.id : "\(document.collection)/\(document.id)"
        try session.write(name, .id)
        try session.output.write("\n")
        let width = revisions.map(\.id.text.utf8.count).max() ?? 0
        for revision in revisions {
            try session.output.write("  ")
            try session.write(revision.id.text, .key)
            try session.output.write(repeating: UInt8(ascii: " "), count: width - revision.id.text.utf8.count)
            var facts = ["#\(revision.sequence)"]
            if revision.isCurrent { facts.append("current") }
            if revision.flags.contains(.deleted) { facts.append("deleted") }
            facts.append(revision.bodySize.map { "\($0) bytes" } ?? "body not kept")
            for remote in revision.remotes { facts.append("from " + (remotes[remote] ?? "remote #\(remote)")) }
            try session.output.write("  " + facts.joined(separator: ", "))
            try session.output.write("\n")
            guard invocation.flag("body"), let body = revision.body else { continue }
            try session.output.write("    ")
            var isWhole = true
            try body.withRoot { root in
                try session.writeJSON { isWhole = JSONWriter.write(root, keys: keys, style: .canonical, to: &$0) }
            }
            if !isWhole { session.report(endless: document.id, in: document.collection) }
        }
    }

    private static func writeFacts(
        _ document: Document, _ revisions: [StoredRevision], _ remotes: [UInt16: String], _ keys: SharedKeys, _ invocation: Invocation
    ) throws {
        var isWhole = true
        try invocation.session.writeFacts { line in
            line.add("collection", document.collection.description)
            line.add("id", document.id)
            line.add("revisions", objects: revisions) { revision, line in
                line.add("revision", revision.id.text)
                line.add("sequence", revision.sequence)
                line.add("current", revision.isCurrent)
                line.add("deleted", revision.flags.contains(.deleted))
                line.add("remotes", list: revision.remotes.map { remotes[$0] ?? "#\($0)" })
                if invocation.flag("body"), let body = revision.body, !body.withRoot({ line.add("body", $0, keys) }) {
                    isWhole = false
                }
            }
        }
        if !isWhole { invocation.session.report(endless: document.id, in: document.collection) }
    }
}
