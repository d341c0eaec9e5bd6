import CBLJSONSchema
import CBLStore
import CBLWorkbench

extension Invocation {
    /// The schema that `--schema` or `--validate` names, if it is given.
    func documentSchema(_ flag: String = "validate") throws -> DocumentSchema? {
        guard parsed.declares(flag) else { return nil }
        return try string(flag).map { try DocumentSchema(file: $0) }
    }
}

/// `check --schema`: which documents do not follow a JSON Schema, where, and why.
struct DocumentSchemaRun {
    private let invocation: Invocation
    private var session: Session { invocation.session }

    init(_ invocation: Invocation) { self.invocation = invocation }

    func run() throws -> ExitCode {
        guard let schema = try invocation.documentSchema("schema") else { return .success }
        let database = try invocation.databaseForReading()
        let progress = session.progress("Checking", unit: "documents")
        defer { progress.finish() }
        var total = SchemaCheck.Summary()
        try database.read { snapshot in
            for collection in try collections(in: snapshot) {
                let summary = try SchemaCheck(schema).run(collection, of: snapshot) { count in
                    try Interruption.check()
                    progress.advance(by: count)
                } found: { id, failures in
                    progress.clear()
                    for failure in failures { try write(failure, id, collection) }
                }
                total.documents += summary.documents
                total.invalid += summary.invalid
            }
        }
        progress.clear()
        let documents = "\(ProgressLine.grouped(total.documents)) \(total.documents == 1 ? "document" : "documents")"
        let outcome =
            switch (total.invalid, total.documents) {
            case (0, _): total.documents == 1 ? "it follows the schema" : "all follow the schema"
            case (1, _): "1 does not follow the schema"
            case (let count, _): "\(ProgressLine.grouped(count)) do not follow the schema"
            }
        session.notice("Compared \(documents) with \(schema.name): \(outcome).")
        return total.invalid == 0 ? .success : .failure
    }

    private func collections(in snapshot: Snapshot) throws -> [CollectionName] {
        session.options.collection == "*" ? snapshot.collections() : [try invocation.collection(in: snapshot)]
    }

    private func write(_ failure: JSONSchema.Failure, _ id: String, _ collection: CollectionName) throws {
        if invocation.wantsJSON {
            return try session.writeFacts { line in
                line.add("collection", collection.description)
                line.add("document", id)
                line.add("pointer", failure.pointer)
                line.add("keyword", failure.keyword)
                line.add("schema", failure.schemaPath)
                line.add("message", failure.message)
            }
        }
        let place = collection.isDefault ? "" : "\(collection)/"
        let path = failure.path.isEmpty ? "" : " (\(failure.path))"
        try session.write("error", .error)
        try session.output.write(report: ": document \"\(place)\(id)\"\(path): \(failure.message)")
        try session.output.write("\n")
    }
}
