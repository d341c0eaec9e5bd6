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
        /// What it is to those who have to know later.
        var event: AuditEvent?
    }

    static func post(_ call: RESTCall) throws {
        let keyspace = try call.keyspace()
        let request = try call.object()
        let outcomes = try request.withRoot { root in
            guard let docs = root.dictionary?.value(forKey: "docs", nil)?.array else { throw RESTError.badRequest("docs is an array") }
            let isEdit = root.dictionary?.value(forKey: "new_edits", nil)?.boolean != false
            // Whatever is there, if it is not `false`.
            let isWhole = root.dictionary?.value(forKey: "all_or_nothing", nil).map { $0.boolean != false } ?? false
            return try store(docs, isEdit: isEdit, isWhole: isWhole, keyspace, call)
        }
        for outcome in outcomes { if let event = outcome.event { call.audit(event, document: outcome.id) } }
        try answer(call, outcomes)
    }

    private static func store(_ docs: ArrayView, isEdit: Bool, isWhole: Bool, _ keyspace: Keyspace, _ call: RESTCall) throws -> [Outcome] {
        try keyspace.database.write { transaction in
            var editor = try DocumentEditor(transaction, keyspace, for: call)
            editor.allowsConflict = isWhole
            // Of revisions that were made elsewhere, only failures are told.
            var outcomes = [Outcome?](repeating: nil, count: docs.count)
            func attempt(_ place: Int, _ item: Value, _ work: () throws -> Outcome?) throws {
                do {
                    outcomes[place] = try work()
                } catch {
                    let problem = RESTError(error)
                    guard problem.status < 500, !isWhole else { throw error }
                    outcomes[place] = Outcome(id: item.dictionary?.value(forKey: "_id", nil)?.string, error: problem)
                }
            }
            let others = try isEdit && docs.count >= fewest ? storeNew(docs, editor, call, attempt) : nil
            for (place, item) in docs.enumerated() where others?.contains(place) ?? true {
                try attempt(place, item) {
                    let outcome = try store(item, isEdit: isEdit, editor, call)
                    return isEdit ? outcome : nil
                }
            }
            return outcomes.compactMap(\.self)
        }
    }

    /// For fewer documents no other thread is worth its start.
    private static let fewest = 64

    /// Saves those that are simply new, and gives the places of the others; nil if that cannot be done here.
    private static func storeNew(
        _ docs: ArrayView, _ editor: DocumentEditor, _ call: RESTCall, _ attempt: (Int, Value, () throws -> Outcome?) throws -> Void
    ) throws -> Set<Int>? {
        var others: Set<Int> = []
        // What comes behind one of the others, under the same ID, is to find what that has made.
        var otherIDs: Set<String> = []
        let existing = try editor.transaction.firstRevisions(of: editor.keyspace.collection) { first in
            for (place, item) in docs.enumerated() {
                try attempt(place, item) {
                    let document = try IncomingDocument(item)
                    let id = document.id ?? call.service.newDocumentID()
                    guard try editor.canSaveAsNew(document, id), otherIDs.isEmpty || !otherIDs.contains(id) else {
                        others.insert(place)
                        otherIDs.insert(id)
                        return nil
                    }
                    return Outcome(id: id, revision: try editor.saveAsNew(document, as: id, first, place).name, event: .documentCreated)
                }
            }
        }
        return existing.map { others.union($0) }
    }

    private static func store(_ item: Value, isEdit: Bool, _ editor: DocumentEditor, _ call: RESTCall) throws -> Outcome {
        let document = try IncomingDocument(item)
        guard isEdit else {
            guard let id = document.id else { throw RESTError.badID("a revision that was made elsewhere has an _id") }
            return Outcome(id: id, revision: try editor.insert(document, as: id))
        }
        guard document.id != nil || !document.isDeleted else { throw RESTError.badRequest("a deletion has the _id of a document") }
        let id = document.id ?? call.service.newDocumentID()
        let revision = try editor.save(document, as: id, parent: document.revision)
        return Outcome(id: id, revision: revision, event: .edit(of: document, parent: document.revision))
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
