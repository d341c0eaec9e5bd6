import CBLFleece
import CBLReplication
import CBLStore

/// `_bulk_get`: revisions of many documents, in the order in which they are asked for.
enum BulkGet {
    static func post(_ call: RESTCall) throws {
        let keyspace = try call.keyspace()
        let options = try DocumentOptions(call.parameters)
        let request = try call.object()
        if BulkGetParts.areWanted(call.accepted) {
            return try request.withRoot { root in
                guard let docs = root.dictionary?.value(forKey: "docs", nil)?.array else { throw RESTError.badRequest("docs is an array") }
                try BulkGetParts(call, keyspace, options).answer(docs)
            }
        }
        let answer = JSONAnswer(call)
        answer.text.append("{\"results\":[")
        try request.withRoot { root in
            guard let docs = root.dictionary?.value(forKey: "docs", nil)?.array else { throw RESTError.badRequest("docs is an array") }
            var rest = docs.startIndex
            while rest < docs.endIndex {
                try keyspace.database.read { snapshot in
                    while rest < docs.endIndex, !answer.isFull {
                        answer.separate()
                        try write(docs[rest], call, options, keyspace, snapshot, to: &answer.text)
                        rest += 1
                    }
                }
                try answer.flush()
            }
        }
        answer.text.append("]}")
        try answer.end()
    }

    private static func write(
        _ item: Value, _ call: RESTCall, _ options: DocumentOptions, _ keyspace: Keyspace, _ snapshot: Snapshot, to text: inout ByteBuffer
    ) throws {
        let order = item.dictionary
        let id = order?.value(forKey: "id", nil)?.string ?? ""
        let name = order?.value(forKey: "rev", nil)?.string
        var options = options
        if let known = order?.value(forKey: "atts_since", nil)?.array { options.knownRevisions = try known.strings("atts_since") }
        text.append("{\"id\":")
        JSONWriter.write(string: id, to: &text)
        text.append(",\"docs\":[")
        let start = text.count
        do {
            guard !id.isEmpty else { throw RESTError.badID("a document is asked for by its id") }
            try write(id, name, latest: call.parameters.flag("latest"), options, keyspace, snapshot, to: &text)
        } catch {
            let problem = RESTError(error)
            text.truncate(to: start)
            write(problem, id, name, to: &text)
        }
        text.append("]}")
    }

    private static func write(
        _ id: String, _ name: String?, latest: Bool, _ options: DocumentOptions, _ keyspace: Keyspace, _ snapshot: Snapshot,
        to text: inout ByteBuffer
    ) throws {
        if try keyspace.isBeside(id) {
            guard let stored = try snapshot.besideDocument(id, name) else { throw RESTError.missing }
            text.append("{\"ok\":")
            try BesideDocuments.write(stored, as: id, options, to: &text)
            return text.append("}")
        }
        guard let document = try snapshot.document(id, in: keyspace.collection) else { throw RESTError.missing }
        let writer = DocumentWriter(options, snapshot, keyspace.database.blobs)
        var needsComma = false
        try OpenRevisions.forEach(name.map { [$0] }, latest: latest, document, snapshot) { item, relatives in
            if needsComma { text.append(",") }
            needsComma = true
            let start = text.count
            guard case .revision(let revision) = item, let relatives else { return write(.missing, id, name, to: &text) }
            text.append("{\"ok\":")
            if try writer.write(revision, relatives, to: &text) { return text.append("}") }
            text.truncate(to: start)
            write(.missing, id, revision.id.name, to: &text)
        }
    }

    private static func write(_ problem: RESTError, _ id: String, _ revision: String?, to text: inout ByteBuffer) {
        var object = JSONObjectWriter(capacity: 128)
        object.begin()
        object.add(
            "error",
            object: { error in
                error.add("id", id)
                error.add("rev", revision ?? "undefined")
                problem.write(to: &error)
            })
        object.end()
        text.append(object.buffer.bytes)
    }
}
