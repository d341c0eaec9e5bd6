import CBLFleece
import CBLReplication
import CBLStore
import CBLTransport

/// Several revisions of a document at once: `?open_revs=all`, or a list of them.
enum OpenRevisions {
    static func answer(_ call: RESTCall, _ which: String) throws {
        let keyspace = try call.keyspace()
        var options = try DocumentOptions(call.parameters)
        // What is inline has no use for it.
        options.keepsEncoding = false
        let wanted = which == "all" ? nil : try call.parameters.strings("open_revs")
        if let wrong = wanted?.first(where: { (try? RevisionID(name: $0)) == nil && !$0.contains("@") }) {
            throw RESTError.badRequest("\"\(wrong)\" is no revision")
        }
        guard call.accepted.names(.json) else { return try RevisionParts.answer(call, keyspace, wanted, options) }
        let answer = JSONAnswer(call)
        answer.text.append("[")
        try keyspace.database.read { snapshot in
            let document = try snapshot.document(call.place.document, in: keyspace.collection)
            guard document != nil || wanted != nil else { throw RESTError.missing }
            let writer = DocumentWriter(options, snapshot, keyspace.database.blobs)
            try forEach(wanted, latest: call.parameters["latest"] == "true", document, snapshot) { item, relatives in
                answer.separate()
                try write(item, relatives, writer, to: &answer.text)
            }
        }
        answer.text.append("]")
        try answer.end()
    }

    /// A revision, or the name of one that is not there.
    enum Item {
        case revision(StoredRevision)
        case missing(String)
    }

    /// Gives the revisions that are wanted; nil stands for the ends of all branches. With `latest`, ends take the place of what led to them.
    static func forEach(
        _ wanted: [String]?, latest: Bool, _ document: Document?, _ snapshot: Snapshot, _ body: (Item, KnownRevisions?) throws -> Void
    ) throws {
        let relatives = try document.map { try KnownRevisions($0) }
        guard let wanted else {
            for leaf in relatives?.leaves ?? [] { try body(.revision(leaf), relatives) }
            return
        }
        var given: Set<RevisionID> = []
        for name in wanted {
            guard let relatives, let id = snapshot.revision(named: name), let revision = relatives[id] else {
                try body(.missing(name), relatives)
                continue
            }
            for revision in latest ? relatives.leaves(below: id) : [revision] where !latest || given.insert(revision.id).inserted {
                try body(.revision(revision), relatives)
            }
        }
    }

    private static func write(_ item: Item, _ relatives: KnownRevisions?, _ writer: DocumentWriter, to text: inout ByteBuffer) throws {
        if case .revision(let revision) = item, let relatives {
            let start = text.count
            text.append("{\"ok\":")
            if try writer.write(revision, relatives, to: &text) { return text.append("}") }
            text.truncate(to: start)
        }
        writeMissing(item, to: &text)
    }

    static func writeMissing(_ item: Item, to text: inout ByteBuffer) {
        let name =
            switch item {
            case .revision(let revision): revision.id.name
            case .missing(let name): name
            }
        text.append("{\"missing\":")
        JSONWriter.write(string: name, to: &text)
        text.append("}")
    }
}
