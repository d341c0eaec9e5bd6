import CBLBase
import CBLStore
import CBLWorkbench

extension Invocation {
    private struct DryRun: Error {}

    /// Changes the chosen collection in one transaction: everything that `work` does, or nothing if it throws, or if it is only a trial.
    ///
    ///     let saved = try invocation.change { transaction, collection in
    ///         try transaction.delete(id, in: collection)
    ///     }
    ///
    /// A collection that is not there is made if `createsCollection` says so; otherwise it is an error.
    func change<Result>(
        dryRun: Bool = false, createsCollection: Bool = false, _ work: (Transaction, CollectionName) throws -> Result
    ) throws -> Result {
        var newCollection: CollectionName?
        let result = try transact(on: database(), dryRun: dryRun) { transaction in
            let name = try collectionName()
            if createsCollection, try transaction.createCollection(name) { newCollection = name }
            return try work(transaction, existing(name, in: transaction))
        }
        if let newCollection, !dryRun { session.notice("Created collection \"\(newCollection)\".") }
        return result
    }

    /// Does `work` in one transaction: all of it, or nothing if it throws, or if it is only a trial.
    func transact<Result>(on database: Database, dryRun: Bool, _ work: (Transaction) throws -> Result) throws -> Result {
        var result: Result?
        do {
            try database.write { transaction in
                let done = try work(transaction)
                try Interruption.check()
                result = done
                if dryRun { throw DryRun() }
            }
        } catch is DryRun {}
        guard let result else { throw CommandError.failed("\(database.path): nothing was changed") }
        return result
    }

    /// Prints what was done, once it is done. Nobody may be listening: the change stays all the same.
    func tell(_ write: () throws -> Void) throws {
        do {
            try write()
            try output.flush()
        } catch Output.Failure.closed {
        } catch Output.Failure.system(let code) {
            throw CommandError.failed("it was done, but cannot be told: cannot write the output: \(SystemCall.message(code))")
        }
    }
}

extension Invocation {
    /// The IDs that arguments stand for, each once: an ID that is there, or else a pattern and all that match it.
    /// Deleted documents count only if `includesDeleted`.
    func documentIDs(_ arguments: [String], in collection: CollectionName, _ snapshot: Snapshot, includesDeleted: Bool = false) throws
        -> [String]
    {
        // Byte by byte: two IDs that look the same are two documents.
        var known: Set<[UInt8]> = []
        var ids: [String] = []
        for argument in arguments {
            let document = try snapshot.document(argument, in: collection)
            if let document, includesDeleted || !document.isDeleted {
                if known.insert(Array(argument.utf8)).inserted { ids.append(argument) }
            } else if argument.contains(where: { $0 == "*" || $0 == "?" }) {
                var options = ScanOptions(content: .id)
                options.idPattern = argument
                options.includesDeleted = includesDeleted
                let cursor = try snapshot.scan(collection, options)
                var isMatched = false
                while try cursor.next() {
                    try Interruption.check()
                    isMatched = true
                    let id = cursor.id
                    if known.insert(Array(id.utf8)).inserted { ids.append(id) }
                }
                if !isMatched { throw CommandError.failed("no document's ID matches \"\(argument)\"") }
            } else if document != nil {
                throw CommandError.failed("document \"\(argument)\" is deleted already")
            } else {
                throw try missingDocument(argument, in: collection, snapshot)
            }
        }
        return ids
    }
}

extension Flag {
    static let dryRun = Flag("dry-run", short: "n", "Say what would be done, and do nothing")
    static let ifRevision = Flag(
        "if-rev", value: "REV", .text, "Only if this is the current revision; the beginning of its ID is enough. Otherwise: exit code 4")
}

extension Invocation {
    /// The revision that a change starts from: the one `--if-rev` asks for, or whatever is current.
    /// `document` is as it was read in the same transaction.
    func parent(of document: Document?, _ id: String) throws(CommandError) -> Parent {
        guard let wanted = string("if-rev") else { return .current }
        // The beginning of a version is a time, without a sign that tells it from other words.
        guard wanted.count > 2, wanted.contains(where: { $0 == "-" || $0 == "@" }) || wanted.count >= 8 else {
            throw usageError("--if-rev needs a revision ID like 2-57c8d0e1, not \"\(wanted)\"")
        }
        guard let document else { throw .conflict("there is no document \"\(id)\", so it is not at revision \(wanted)") }
        guard document.revision.text.hasPrefix(wanted) else {
            throw .conflict("document \"\(id)\" is at revision \(document.revision), not \(wanted)")
        }
        return .revision(document.revision)
    }
}
