import CBLStore
import CBLWorkbench

extension Flag {
    static let condition = Flag(
        "where", short: "w", value: "CONDITION", .expression,
        "Only documents for which this SQL++ condition is true: of the IDs given, or of all"
    )
}

extension Invocation {
    /// The arguments that name documents. There may be none if a condition chooses them.
    func documentArguments() throws -> [String] {
        let arguments = arguments("DOCID")
        if arguments.isEmpty, !flag("where") { throw usageError("DOCID is missing; --where CONDITION chooses documents, too") }
        return arguments
    }

    /// The IDs of the documents that the arguments stand for, and which meet the condition if there is one. Without arguments all that meet it.
    func chosenDocumentIDs(
        _ arguments: [String], in collection: CollectionName, _ snapshot: Snapshot, includesDeleted: Bool = false
    ) throws -> [String] {
        guard let condition = string("where") else {
            return try documentIDs(arguments, in: collection, snapshot, includesDeleted: includesDeleted)
        }
        let chosen = try DocumentCondition.list(condition, in: collection, of: snapshot, includesDeleted: includesDeleted, session)
        if arguments.isEmpty { return chosen }
        let known = DocumentIDs(chosen)
        return try documentIDs(arguments, in: collection, snapshot, includesDeleted: includesDeleted).filter {
            known.contains($0.utf8)
        }
    }

    /// Says how many documents a condition chose, and what was done with them: "deleted".
    func noticeChosen(_ count: Int, _ done: String, dryRun: Bool) {
        guard flag("where") else { return }
        if count == 0 { return session.notice("(No document meets the condition)") }
        session.notice("(\(count) \(count == 1 ? "document" : "documents") \(dryRun ? "would be " : "")\(done))")
    }
}
