import CBLFleece
import CBLLanguage
import CBLQuery
import CBLStore

extension QueryRun {
    /// Runs a statement that changes the database, wholly or not at all, and prints what it did. A trial names each document.
    func change(_ statement: Statement, _ database: Database) throws {
        // Before the database is locked: nobody else should wait for a remark.
        try tellOfUnknownProperties(in: statement, of: database)
        let isTrial = invocation.flag("dry-run")
        var trials: [CBLQuery.DocumentChange] = []
        let outcome = try invocation.transact(on: database, dryRun: isTrial) { transaction in
            let onChange: ((CBLQuery.DocumentChange) throws -> Void)? = isTrial ? { trials.append($0) } : nil
            let statement = try statement.reading(paths: invocation.search(in: transaction).path)
            return try StatementRunner(transaction, parameters: parameters, options: options, onChange: onChange).run(statement)
        }
        try invocation.tell {
            for change in trials { try write(change) }
            try write(outcome, isTrial: isTrial)
        }
    }

    /// Of those that choose the documents, and that new values are made of.
    private func tellOfUnknownProperties(in statement: Statement, of database: Database) throws {
        let (path, alias, expressions): (Statement.CollectionPath, String?, [QueryExpression])
        switch statement {
        case .update(let update):
            let removed = update.removals.map { QueryExpression(.property($0)) }
            let all = update.assignments.map(\.value) + removed + [update.condition].compactMap { $0 }
            (path, alias, expressions) = (update.collection, update.alias, all)
        case .delete(let delete): (path, alias, expressions) = (delete.collection, delete.alias, [delete.condition].compactMap { $0 })
        default: return
        }
        guard !expressions.isEmpty else { return }
        var select = Select()
        select.sources = [Select.Source(.collection(scope: path.scope, name: path.name), alias: alias)]
        select.results = expressions.enumerated().map { Select.Result($0.element, alias: "expression \($0.offset)") }
        try invocation.session.tellOfUnknownProperties(of: database) { try select.reading(paths: invocation.search(in: $0).path) }
    }

    private func write(_ change: CBLQuery.DocumentChange) throws {
        let session = invocation.session
        guard !invocation.wantsJSON else {
            return try session.writeFacts { line in
                line.add("action", change.action.rawValue)
                line.add("collection", change.collection.description)
                line.add("id", change.id)
            }
        }
        try session.output.write("Would have been \(change.action.rawValue): ")
        try session.output.write(report: change.id)
        try session.output.write("\n")
    }

    private func write(_ outcome: StatementOutcome, isTrial: Bool) throws {
        let session = invocation.session
        guard !invocation.wantsJSON else {
            return try session.writeFacts { line in
                if case .documents(let inserted, let updated, let deleted) = outcome {
                    line.add("inserted", inserted)
                    line.add("updated", updated)
                    line.add("deleted", deleted)
                } else {
                    line.add("result", QueryRun.sentence(outcome))
                }
                if isTrial { line.add("dryRun", true) }
            }
        }
        try session.output.write(report: QueryRun.sentence(outcome) + (isTrial ? " (tried, and undone)" : ""))
        try session.output.write("\n")
    }

    private static func sentence(_ outcome: StatementOutcome) -> String {
        switch outcome {
        case .documents(let inserted, let updated, let deleted):
            let parts = [(inserted, "inserted"), (updated, "updated"), (deleted, "deleted")].filter { $0.0 > 0 }
            guard !parts.isEmpty else { return "No document changed" }
            return parts.map { "\(ProgressLine.grouped($0.0)) \($0.0 == 1 ? "document" : "documents") \($0.1)" }.joined(separator: ", ")
        case .collectionCreated(let name): return "Created collection \"\(name)\""
        case .collectionDropped(let name): return "Dropped collection \"\(name)\""
        case .collectionExists(let name): return "Collection \"\(name)\" exists"
        case .nothingToDrop(let name): return "There is no \"\(name)\""
        case .index(let name, let change): return QueryRun.sentence(name, change)
        case .indexDropped(let name): return "Dropped index \"\(name)\""
        case .indexExists(let name): return "Index \"\(name)\" exists"
        }
    }

    private static func sentence(_ name: String, _ change: IndexChange) -> String {
        switch change {
        case .created: "Created index \"\(name)\""
        case .replaced: "Replaced index \"\(name)\""
        case .unchanged: "Index \"\(name)\" exists"
        }
    }
}
