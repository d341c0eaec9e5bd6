import CBLFleece
import CBLReplication
import CBLStore

/// `_bulk_docs`: many documents in one transaction.
enum BulkDocuments {
    /// What became of one of them.
    private struct Outcome {
        let id: String?
        var revision: String?
        var error: RESTError?
    }

    static func post(_ call: RESTCall) throws {
        let keyspace = try call.keyspace()
        let request = try call.object()
        let outcomes = try request.withRoot { root in
            guard let docs = root.dictionary?.value(forKey: "docs", nil)?.array else { throw RESTError.badRequest("docs is an array") }
            let isEdit = root.dictionary?.value(forKey: "new_edits", nil)?.boolean != false
            // Whatever is there, if it is not `false`.
            let isWhole = root.dictionary?.value(forKey: "all_or_nothing", nil).map { $0.boolean != false } ?? false
            return try store(docs, isEdit: isEdit, isWhole: isWhole, keyspace)
        }
        try answer(call, outcomes)
    }

    private static func store(_ docs: ArrayView, isEdit: Bool, isWhole: Bool, _ keyspace: Keyspace) throws -> [Outcome] {
        try keyspace.database.write { transaction in
            var editor = DocumentEditor(transaction: transaction, keyspace: keyspace)
            editor.allowsConflict = isWhole
            var outcomes: [Outcome] = []
            for item in docs {
                do {
                    let outcome = try store(item, isEdit: isEdit, editor)
                    // Of revisions that were made elsewhere, only failures are told.
                    if isEdit { outcomes.append(outcome) }
                } catch {
                    let problem = RESTError(error)
                    // A text that is no document is no edit that could fail by itself, as CouchDB sees it.
                    guard problem.status < 500, !isWhole, !(isEdit && problem.isMalformed) else { throw error }
                    let id = item.dictionary?.value(forKey: "_id", nil)?.string
                    outcomes.append(Outcome(id: id, error: problem))
                }
            }
            return outcomes
        }
    }

    private static func store(_ item: Value, isEdit: Bool, _ editor: DocumentEditor) throws -> Outcome {
        let document = try IncomingDocument(item)
        guard isEdit else {
            guard let id = document.id else { throw RESTError.badID("a revision that was made elsewhere has an _id") }
            return Outcome(id: id, revision: try editor.insert(document, as: id))
        }
        guard document.id != nil || !document.isDeleted else { throw RESTError.badRequest("a deletion has the _id of a document") }
        let id = document.id ?? RESTService.newID()
        return Outcome(id: id, revision: try editor.save(document, as: id, parent: document.revision))
    }

    private static func answer(_ call: RESTCall, _ outcomes: [Outcome]) throws {
        var list = ByteBuffer(capacity: 128 * outcomes.count)
        list.append("[")
        for (place, outcome) in outcomes.enumerated() {
            if place > 0 { list.append(",") }
            var object = JSONObjectWriter(capacity: 128)
            object.begin()
            if let id = outcome.id { object.add("id", id) }
            if let revision = outcome.revision { object.add("rev", revision) }
            if let error = outcome.error { error.write(to: &object) } else { object.add("ok", true) }
            object.end()
            list.append(object.buffer.bytes)
        }
        list.append("]")
        try call.answer(201, json: list.bytes)
    }
}

extension RESTError {
    /// Whether it is about how a document is written, and not about what is stored.
    fileprivate var isMalformed: Bool { status == 400 }
}
