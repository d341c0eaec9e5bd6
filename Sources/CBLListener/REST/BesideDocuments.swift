import CBLFleece
import CBLReplication
import CBLStore

/// Documents that are kept beside the collections: local ones, and design documents. They have one revision each, and no sequence.
enum BesideDocuments {
    static func get(_ call: RESTCall) throws {
        let id = call.place.document
        let keyspace = try call.keyspace()
        guard call.parameters["open_revs"] == nil else { throw RESTError.badParameter("\(id) has no open_revs") }
        guard let stored = try keyspace.database.read({ try $0.besideDocument(id, call.parameters["rev"]) }) else {
            throw RESTError.missing
        }
        let revision = stored.revision
        guard try !call.isUnchanged(revision) else { return }
        var text = ByteBuffer(capacity: 4096)
        try write(stored, as: id, DocumentOptions(call.parameters), to: &text)
        try call.answer(headers: ["Etag": "\"\(revision)\""], json: text.bytes)
    }

    static func delete(_ call: RESTCall) throws {
        let id = call.place.document
        let parent = try call.parentRevision()
        let keyspace = try call.keyspace()
        if !id.hasPrefix(LocalDocuments.prefix), let missing = call.missingForDesigns(of: keyspace) { throw RESTError.forbidden(missing) }
        let revision = try keyspace.database.write { transaction in
            guard let stored = try transaction.besideDocument(id) else { throw RESTError.missing }
            guard let parent else { throw RESTError.conflict("\(id) is at revision \(stored.revision)") }
            return try BesideDocuments.delete(stored.key, id.hasPrefix(LocalDocuments.prefix), parent, transaction)
        }
        try call.answer { object in
            object.add("ok", true)
            object.add("id", id)
            object.add("rev", revision)
        }
    }

    /// What CouchDB calls the revision of a local document that is not there any more.
    private static let goneLocal = "0-0"

    /// Gives the revision that the deletion is.
    static func delete(_ name: String, _ isLocal: Bool, _ revision: String, _ transaction: Transaction) throws -> String {
        guard isLocal else { return try transaction.deleteDesign(name, revision: revision) }
        try transaction.deleteLocal(name, revision: revision)
        return goneLocal
    }

    static func write(_ stored: RawDocument, as id: String, _ options: DocumentOptions, to text: inout ByteBuffer) throws {
        text.append("{\"_id\":")
        JSONWriter.write(string: id, to: &text)
        text.append(",\"_rev\":")
        JSONWriter.write(string: stored.revision, to: &text)
        // Whatever is there says something.
        if stored.body.isEmpty, id.hasPrefix(DesignDocuments.prefix) { text.append(",\"_deleted\":true") }
        if !stored.body.isEmpty {
            // It may be anything, in a file of a stranger.
            guard let body = try? RESTCall.parse(stored.body),
                body.withRoot({ root in
                    root.dictionary != nil
                        && JSONWriter.writeMembers(of: root, keys: nil, isStrict: true, startingWithComma: true, to: &text)
                })
            else { throw DocumentWriter.damaged(id) }
        }
        if options.showsHistory, let revision = try? RevisionID(name: stored.revision) {
            DocumentWriter.write(history: [revision], most: 1, to: &text)
        }
        text.append("}")
    }
}

extension RawDocument {
    var revision: String { String(decoding: meta ?? [], as: UTF8.self) }
}

extension Snapshot {
    /// A document beside the collections, if it is at that revision; without one, whatever it is at. Who names the revision of a deletion gets that.
    func besideDocument(_ id: String, _ revision: String?) throws -> RawDocument? {
        guard let revision else { return try besideDocument(id) }
        let stored =
            id.hasPrefix(DesignDocuments.prefix)
            ? try design(String(id.dropFirst(DesignDocuments.prefix.count)))?.document : try besideDocument(id)
        return stored?.revision == revision ? stored : nil
    }
}

extension Keyspace {
    func isBeside(_ id: String, _ transaction: Transaction) throws -> Bool {
        id.hasPrefix(LocalDocuments.prefix) || hasDesignDocuments && id.hasPrefix(DesignDocuments.prefix)
    }
}

extension DocumentEditor {
    func saveBeside(_ document: IncomingDocument, _ id: String, _ parent: String?) throws -> String {
        guard case .unchanged = document.expiration else { throw RESTError.badRequest("\(id) cannot expire") }
        let isLocal = id.hasPrefix(LocalDocuments.prefix)
        if !isLocal, let missingForDesigns { throw RESTError.forbidden(missingForDesigns) }
        // Local ones lose theirs without a word in CouchDB too, and clients count on it.
        guard isLocal || document.attachments?.isEmpty ?? true else { throw RESTError.badAttachment("\(id) cannot have attachments") }
        let name = String(id.dropFirst((isLocal ? LocalDocuments.prefix : DesignDocuments.prefix).count))
        if document.isDeleted {
            guard let stored = try transaction.besideDocument(id) else { throw RESTError.missing }
            guard let parent else { throw RESTError.conflict("\(id) is at revision \(stored.revision)") }
            return try BesideDocuments.delete(name, isLocal, parent, transaction)
        }
        let json = try document.propertiesAsJSON()
        if isLocal { return try transaction.putLocal(name, json: json, replacing: parent) }
        return try transaction.putDesign(name, json: json, replacing: parent)
    }

    /// Of a design document that was made elsewhere there is what was made last.
    func insertBeside(_ document: IncomingDocument, _ id: String, _ revision: String) throws -> String {
        guard id.hasPrefix(DesignDocuments.prefix) else { throw RESTError.badRequest("\(id) is not replicated") }
        if let missingForDesigns { throw RESTError.forbidden(missingForDesigns) }
        guard document.attachments?.isEmpty ?? true else { throw RESTError.badAttachment("\(id) cannot have attachments") }
        let name = String(id.dropFirst(DesignDocuments.prefix.count))
        guard let new = try? RevisionID(name: revision) else { throw RESTError.badID("\"\(revision)\" is no revision") }
        let current = try transaction.design(name).flatMap { try? RevisionID(name: $0.revision) }
        if let current, new < current || new == current { return revision }
        let body = document.isDeleted ? [] : try document.propertiesAsJSON()
        try transaction.insertDesign(RawDocument(key: name, meta: Array(revision.utf8), body: body), isDeleted: document.isDeleted)
        return revision
    }
}
